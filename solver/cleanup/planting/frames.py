# SPDX-License-Identifier: GPL-3.0-or-later
"""Components of many frames, nested in tuples as the methods need them: making, taking and putting some of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arrays import IntArray
from ..components import Quaternion, Vector


def zeros(frames: int) -> Vector:
    """No displacement, in so many frames."""
    return np.zeros(frames), np.zeros(frames), np.zeros(frames)


def identities(frames: int) -> Quaternion:
    """No turn, in so many frames."""
    return np.ones(frames), np.zeros(frames), np.zeros(frames), np.zeros(frames)


def taken(value: Any, frames: Any) -> Any:
    """Some frames of components, however they are nested."""
    if isinstance(value, np.ndarray):
        return value[frames]
    if isinstance(value, tuple):
        parts = [taken(each, frames) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def put(into: Any, frames: IntArray, values: Any) -> None:
    """Write some frames of components, however they are nested."""
    if isinstance(into, np.ndarray):
        into[frames] = values
    else:
        for inner, value in zip(into, values, strict=True):
            put(inner, frames, value)
