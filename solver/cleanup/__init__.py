# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning hands and feet analytically: fast, predictable methods beside the prioritized solver."""
