# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators do, as functions and generators that a script can call too."""
