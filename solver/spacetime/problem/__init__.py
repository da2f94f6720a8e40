# SPDX-License-Identifier: GPL-3.0-or-later
"""The spacetime problem: unknowns over time, equations of motion, objectives, and the optimiser."""
