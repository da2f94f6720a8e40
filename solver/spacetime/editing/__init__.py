# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a fitted motion, and the problems that they make of it."""
