# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth transitions between two displacements."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Array, ArrayLike
from ..core.smooth_steps import smooth_step, within_unit


def velocity_blend(times: ArrayLike, duration: float) -> Array:
    """(n, 1) the curve that begins at 0 with velocity 1 and returns to 0 with zero velocity after a duration.

    Times a velocity, it blends that velocity out without a lasting displacement. Zero at negative times, after the
    duration, and for no duration.
    """
    elapsed = np.asarray(times, dtype=np.float64)[:, None]
    if duration <= 0.0:
        return np.zeros_like(elapsed)
    x = within_unit(elapsed / duration)
    rest = 1.0 - x
    return np.asarray(duration * x * (rest * rest * rest))


def bridge(
    times: ArrayLike,
    begin: float,
    end: float,
    first: Array,
    last: Array,
    leaving: Array,
    arriving: Array,
    ease: float,
) -> Array:
    """(n, 3) a smooth transition from the displacement `first` at time `begin` to `last` at `end`.

    It begins with the velocity `leaving` and ends with `arriving` (3,), each blended out within `ease` frames.
    """
    duration = end - begin
    at = np.asarray(times, dtype=np.float64)
    if duration <= 0.0:
        return np.tile(last, (len(at), 1))
    path = first + smooth_step((at - begin) / duration)[:, None] * (last - first)
    short = min(ease, duration)
    return path + velocity_blend(at - begin, short) * leaving - velocity_blend(end - at, short) * arriving
