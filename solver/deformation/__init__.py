# SPDX-License-Identifier: GPL-3.0-or-later
"""Deforming a whole motion so that its constraints are met."""
