# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joint is the left ankle, where the heel is: recognised from names, hierarchy, rest pose and skin."""
