# SPDX-License-Identifier: GPL-3.0-or-later
"""Values and velocities of arrays over frames at times between the frames. Times are in frames."""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Array, IntArray


def active_frames(begin: float, end: float) -> IntArray:
    """The frames from one time to another, both included."""
    return np.arange(int(np.ceil(begin)), int(np.floor(end)) + 1)


def interpolated(values: Array, time: float) -> Array:
    """(width,) values (frames, width) at a time, interpolated linearly between frames."""
    before = min(max(math.floor(time), 0), len(values) - 1)
    after = min(before + 1, len(values) - 1)
    share = time - before
    if share == 0.0:
        return np.asarray(values[before])
    return np.asarray((1.0 - share) * values[before] + share * values[after])


def velocity(values: Array, time: float, side: int = 0) -> Array:
    """(width,) the change per frame of values (frames, width) at a time: central differences, one-sided at the ends.

    With `side` -1 or 1 only the frame before or after counts: at the end of a stay, the velocity during the stay.
    """
    last = len(values) - 1
    if last == 0:
        return np.zeros(values.shape[1:])
    before = max(time - 1.0, 0.0) if side <= 0 else time
    after = min(time + 1.0, float(last)) if side >= 0 else time
    if after <= before:
        return velocity(values, time)
    return np.asarray((interpolated(values, after) - interpolated(values, before)) / (after - before))
