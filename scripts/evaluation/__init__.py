# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection evaluated with changed thresholds on motions whose constraints are known."""
