# SPDX-License-Identifier: GPL-3.0-or-later
"""Planting hands and feet exactly, with limbs that may stretch a little (Kovar 2004, chapter 3)."""
