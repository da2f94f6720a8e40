# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions whose constraints are known, and how detection is compared with them."""
