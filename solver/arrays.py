# SPDX-License-Identifier: GPL-3.0-or-later
"""The array types that every floor of the solver speaks, and what is asked of a mask everywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
"""Real numbers, double precision: everything the solver computes with."""

IntArray = NDArray[np.int64]
"""Indices of joints, frames or columns."""

BoolArray = NDArray[np.bool_]
"""Masks."""

TINY = float(np.finfo(np.float64).tiny)
"""The least that a length is divided by, where a vector may have none."""


def runs(mask: BoolArray) -> list[tuple[int, int]]:
    """The first and last index of every run of true values, (n,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(begin), int(end) - 1) for begin, end in zip(edges[::2], edges[1::2], strict=True)]


__all__ = ["TINY", "Array", "ArrayLike", "BoolArray", "IntArray", "runs"]
