# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified characters: recipes, how they are made from a skeleton, and their first values."""
