# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading and writing some frames of arrays that are nested in tuples, such as the state of a limb."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import rotations
from ...core.arrays import Array, IntArray


def identities(frames: int) -> Array:
    """(frames, 4) the identity rotation in every frame."""
    return np.tile(rotations.IDENTITY, (frames, 1))


def taken(value: Any, frames: IntArray) -> Any:
    """Some frames of arrays, which lead with the frame axis, nested in tuples."""
    if isinstance(value, tuple):
        parts = [taken(each, frames) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value[frames]


def put(into: Any, frames: IntArray, values: Any) -> None:
    """Write some frames of arrays, which lead with the frame axis, nested in tuples."""
    if isinstance(into, np.ndarray):
        into[frames] = values
    else:
        for inner, value in zip(into, values, strict=True):
            put(inner, frames, value)
