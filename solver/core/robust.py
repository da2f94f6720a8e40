# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics that outliers do not change."""

from __future__ import annotations

import numpy as np

from .arrays import TINY, Array, median

OUTLYING = 2.5
"""Frames further from the median than this many robust standard deviations are outliers."""

NORMAL_SPREAD = 1.4826
"""The standard deviation of a normal distribution in medians of its absolute deviations."""


def robust_mean(values: Array) -> Array:
    """(width,) the mean of values (frames, width) without the outliers, which lie far from the median of all."""
    deviations = values - median(values)
    distances = np.sqrt(np.einsum("fw,fw->f", deviations, deviations))
    near = values[distances <= OUTLYING * max(NORMAL_SPREAD * float(median(distances)), TINY)]
    return np.asarray(np.add.reduce(near) / len(near))
