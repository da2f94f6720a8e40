# SPDX-License-Identifier: GPL-3.0-or-later
"""Random problems for the posture solver, and what must hold of every solution."""
