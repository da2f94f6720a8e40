# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations of rotations and places over frames, to judge how smooth a motion is."""

from __future__ import annotations

import numpy as np

from ..solver.core import rotations
from ..solver.core.arrays import Array, ArrayLike


def accelerations(channels: ArrayLike, fps: float = 1.0) -> Array:
    """(frames, ..., 3) second differences of quaternions (frames, ..., 4) or of vectors (frames, ..., 3).

    Per second squared, or per frame squared where no `fps` is given. Of quaternions they are the differences of the
    rotation vectors from frame to frame, in the parent's frame; the quaternions' signs do not matter. The first and the
    last frame have the values of their neighbours; of fewer than three frames all are zero.
    """
    values = np.asarray(channels, dtype=np.float64)
    if len(values) < 3:
        return np.zeros((*values.shape[:-1], 3))
    if values.shape[-1] == 4:
        velocities = rotations.log(rotations.quotient(values[1:], values[:-1]))
    else:
        velocities = np.diff(values, axis=0)
    inner = np.diff(velocities, axis=0) * (fps * fps)
    return np.concatenate([inner[:1], inner, inner[-1:]])
