# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics that outliers do not change."""

from __future__ import annotations

import numpy as np

from .arrays import TINY, Array, BoolArray, median

OUTLYING = 2.5
"""Frames further from the median than this many robust standard deviations are outliers."""

NORMAL_SPREAD = 1.4826
"""The standard deviation of a normal distribution in medians of its absolute deviations."""


def robust_mean(values: Array) -> Array:
    """(width,) the mean of values (frames, width) without the outliers, which lie far from the median of all.

    It rotates with the values.
    """
    deviations = values - geometric_median(values)
    distances = np.sqrt(np.einsum("fw,fw->f", deviations, deviations))
    near = values[distances <= OUTLYING * max(NORMAL_SPREAD * float(median(distances)), TINY)]
    return np.asarray(np.add.reduce(near) / len(near))


def outlier_distance(distances: Array) -> float:
    """The distance beyond which a value is an outlier, from the distances (n,) of all values from their centre."""
    return OUTLYING * NORMAL_SPREAD * float(median(distances))


MEDIAN_ROUNDS, REFINING_ROUNDS, NEAREST = 10, 3, 1e-3
"""Rounds of Weiszfeld's iteration for a geometric median, from the mean and from a median, and the share of the largest
distance that it divides by at least."""


def geometric_median(values: Array) -> Array:
    """(width,) the point with the least sum of distances to values (n, width): it rotates with them, unlike medians
    along the axes of the world. The iteration starts at the medians along the principal axes of the values."""
    middle = np.add.reduce(values) / len(values)
    away = values - middle
    _, axes = np.linalg.eigh(away.T @ away)
    middle = middle + axes @ median(away @ axes)
    for _ in range(REFINING_ROUNDS):
        away = values - middle
        distances = np.sqrt(np.einsum("ni,ni->n", away, away))
        weights = 1.0 / np.maximum(distances / max(float(distances.max()), TINY), NEAREST)
        middle = middle + (weights @ away) / weights.sum()
    return np.asarray(middle)


def geometric_medians(places: Array, counted: BoolArray) -> Array:
    """(n, 3) the geometric medians of n sets of places (n, k, 3), of those that are counted (n, k), at least one each.

    A geometric median has the least sum of distances to the places; unlike medians by axis it rotates with them.
    """
    weights = counted / counted.sum(axis=1, keepdims=True)
    for _ in range(MEDIAN_ROUNDS):
        middles = np.einsum("nk,nki->ni", weights, places)
        away = places - middles[:, None]
        distances = np.sqrt(np.einsum("nki,nki->nk", away, away))
        farthest = np.maximum(distances.max(axis=1, keepdims=True), TINY)
        weights = counted / np.maximum(distances / farthest, NEAREST)
        weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("nk,nki->ni", weights, places))
