# SPDX-License-Identifier: GPL-3.0-or-later
"""What every other package of the solver builds on: arrays, errors, rotations, splines, robust statistics, progress."""
