# SPDX-License-Identifier: GPL-3.0-or-later
"""The axes of made-up characters: their tables have y up, the face toward z and the left toward x."""

from __future__ import annotations

import numpy as np

from ..body.skeleton import Up
from ..core.arrays import Array, ArrayLike
from ..core.errors import SkeletonError


def from_y_up(vectors: ArrayLike, up: Up) -> Array:
    """Convert vectors (..., 3) with y up to the axes of a character with this `up`.

    A character with z up faces -y, as Blender's characters do.
    """
    x, y, z = np.moveaxis(np.asarray(vectors, dtype=np.float64), -1, 0)
    if up == "y":
        return np.stack([x, y, z], axis=-1)
    if up == "z":
        return np.stack([x, -z, y], axis=-1)
    raise SkeletonError(f"Up must be 'y' or 'z', not {up!r}.")


def to_y_up(vectors: ArrayLike, up: Up) -> Array:
    """Convert vectors (..., 3) from the axes of a character with this `up` to those with y up."""
    x, y, z = np.moveaxis(np.asarray(vectors, dtype=np.float64), -1, 0)
    if up == "y":
        return np.stack([x, y, z], axis=-1)
    if up == "z":
        return np.stack([x, z, -y], axis=-1)
    raise SkeletonError(f"Up must be 'y' or 'z', not {up!r}.")
