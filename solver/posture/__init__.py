# SPDX-License-Identifier: GPL-3.0-or-later
"""One posture, or a batch of them, by prioritized tasks: the strict-priority solver."""
