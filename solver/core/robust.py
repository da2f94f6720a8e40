# SPDX-License-Identifier: GPL-3.0-or-later
"""Averages that a few wild frames do not move."""

from __future__ import annotations

import numpy as np

from .arrays import TINY, Array, median

OUTLYING = 2.5
"""Frames further from the median than this many robust standard deviations do not count."""

NORMAL_SPREAD = 1.4826
"""The standard deviation of a normal distribution in medians of its absolute deviations."""


def robust_mean(values: Array) -> Array:
    """(width,) of values (frames, width): the mean of the frames that lie near the median of all."""
    away = values - median(values)
    distances = np.sqrt(np.einsum("fw,fw->f", away, away))
    near = values[distances <= OUTLYING * max(NORMAL_SPREAD * float(median(distances)), TINY)]
    return np.asarray(np.add.reduce(near) / len(near))
