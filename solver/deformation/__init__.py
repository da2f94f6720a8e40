# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole motion, changed so that its constraints hold."""
