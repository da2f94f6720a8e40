# SPDX-License-Identifier: GPL-3.0-or-later
"""Made-up characters are drawn with y up, facing z, their left toward x: here they are turned to stand otherwise."""

from __future__ import annotations

import numpy as np

from ..body.skeleton import Up
from ..core.arrays import Array, ArrayLike
from ..core.errors import SkeletonError


def standing(vectors: ArrayLike, up: Up) -> Array:
    """Vectors (..., 3) drawn with y up, for a character whose `up` is this; with z up it faces -y, as Blender's do."""
    x, y, z = np.moveaxis(np.asarray(vectors, dtype=np.float64), -1, 0)
    if up == "y":
        return np.stack([x, y, z], axis=-1)
    if up == "z":
        return np.stack([x, -z, y], axis=-1)
    raise SkeletonError(f"Up must be 'y' or 'z', not {up!r}.")
