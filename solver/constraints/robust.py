# SPDX-License-Identifier: GPL-3.0-or-later
"""Averages that a few wild frames do not move."""

from __future__ import annotations

import numpy as np

from ..arrays import TINY, Array

OUTLYING = 2.5
"""Frames further from the median than this many robust standard deviations do not count."""

NORMAL_SPREAD = 1.4826
"""The standard deviation of a normal distribution in medians of its absolute deviations."""


def robust_mean(values: Array) -> Array:
    """(width,) of values (frames, width): the mean of the frames that lie near the median of all."""
    middle = np.median(values, axis=0)
    distances = np.linalg.norm(values - middle, axis=1)
    spread = NORMAL_SPREAD * float(np.median(distances))
    return np.asarray(values[distances <= OUTLYING * max(spread, TINY)].mean(axis=0))
