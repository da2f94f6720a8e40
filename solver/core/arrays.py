# SPDX-License-Identifier: GPL-3.0-or-later
"""The array types of the solver, and small functions on masks, frame ranges and values."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
"""Real numbers in double precision."""

IntArray = NDArray[np.int64]
"""Indices of joints, frames or columns."""

BoolArray = NDArray[np.bool_]
"""Masks."""

TINY = float(np.finfo(np.float64).tiny)
"""The smallest normal number: a lower bound for divisors that may be zero."""


def runs(mask: BoolArray) -> list[tuple[int, int]]:
    """The first and last index of every run of true values in a mask (n,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(begin), int(end) - 1) for begin, end in zip(edges[::2], edges[1::2], strict=True)]


def span(frames: IntArray, begin: float, end: float) -> slice:
    """The slice of consecutive frames (n,) whose numbers lie between the times `begin` and `end`, both included."""
    first = int(frames[0]) if len(frames) else 0
    low = min(max(math.ceil(begin) - first, 0), len(frames))
    return slice(low, max(min(math.floor(end) - first + 1, len(frames)), low))


def dilated(mask: BoolArray, radius: int) -> BoolArray:
    """(n, …) true within `radius` indices, along the first axis, of true values of the mask (n, …)."""
    counts = np.concatenate([np.zeros((1, *mask.shape[1:]), dtype=np.int64), np.cumsum(mask, axis=0)])
    indices = np.arange(len(mask))
    ends, begins = np.minimum(indices + radius + 1, len(mask)), np.maximum(indices - radius, 0)
    return np.asarray(counts[ends] > counts[begins])


def nearest_of(indices: IntArray, count: int) -> IntArray:
    """(count,) for each index below `count` the nearest of indices (n,), which rise; the lower of two equally near."""
    positions = np.arange(count)
    after = indices[np.minimum(np.searchsorted(indices, positions), len(indices) - 1)]
    before = indices[np.maximum(np.searchsorted(indices, positions, side="right") - 1, 0)]
    return np.where(np.abs(positions - before) <= np.abs(after - positions), before, after)


def distances_to(mask: BoolArray) -> Array:
    """(n,) how many indices away the nearest true value of a mask (n,) is; at least one is true."""
    return np.abs(nearest_of(np.flatnonzero(mask), len(mask)) - np.arange(len(mask))).astype(np.float64)


def median(values: Array) -> Array:
    """The median of finite values (n, ...) along the first axis; for small n, np.median takes ten times as long."""
    ordered = np.sort(values, axis=0)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else np.asarray(0.5 * (ordered[half - 1] + ordered[half]))


def triple(vector: ArrayLike) -> tuple[float, float, float]:
    """A vector (3,) as a tuple of numbers."""
    x, y, z = (float(value) for value in np.asarray(vector, dtype=np.float64))
    return x, y, z


__all__ = [
    "TINY",
    "Array",
    "ArrayLike",
    "BoolArray",
    "IntArray",
    "dilated",
    "distances_to",
    "median",
    "nearest_of",
    "runs",
    "span",
    "triple",
]
