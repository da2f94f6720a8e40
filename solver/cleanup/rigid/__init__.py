# SPDX-License-Identifier: GPL-3.0-or-later
"""Planting hands and feet exactly, with limbs of fixed length (Li and Hao 2006)."""
