# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of B-splines over any knots, open or cyclic, and their derivatives."""

from __future__ import annotations

import numpy as np

from .arrays import Array, ArrayLike


def open_knots(breaks: ArrayLike, degree: int, multiplicity: int = 1) -> Array:
    """The knots of an open spline: `breaks` (ascending), the first and the last `degree + 1` times, all others
    `multiplicity` times. The spline has `degree - multiplicity` continuous derivatives at inner breaks."""
    breaks = np.asarray(breaks, dtype=np.float64)
    inner = np.repeat(breaks[1:-1], multiplicity)
    ends = degree + 1
    return np.concatenate([np.repeat(breaks[0], ends), inner, np.repeat(breaks[-1], ends)])


def basis(knots: ArrayLike, degree: int, times: ArrayLike, derivative: int = 0) -> Array:
    """(times, coefficients) values of all B-splines of `degree` over `knots` at `times`, or of their derivatives.

    There are `len(knots) - degree - 1` coefficients. Times outside the knots get the polynomial of the nearest
    interval. At the last break the interval before it counts.
    """
    knots, times = np.asarray(knots, dtype=np.float64), np.atleast_1d(np.asarray(times, dtype=np.float64))
    if derivative > degree:
        return np.zeros((len(times), len(knots) - degree - 1))
    lower = degree - derivative
    values = _values(knots, lower, times, degree)
    for raised in range(lower + 1, degree + 1):
        # The derivative of a spline of degree d is one of degree d - 1: d (B_i / (t_i+d - t_i) - B_i+1 / …).
        spans = knots[raised:] - knots[:-raised]
        slopes = np.where(spans > 0.0, raised / np.where(spans > 0.0, spans, 1.0), 0.0)
        scaled = values * slopes[: values.shape[1]]
        values = scaled[:, :-1] - scaled[:, 1:]
    return values


def _values(knots: Array, degree: int, times: Array, outer: int) -> Array:
    """(times, len(knots) - degree - 1) the B-splines of `degree`; `outer` is the degree that the knots are made for."""
    last = len(knots) - outer - 2
    interval = np.clip(np.searchsorted(knots, times, side="right") - 1, outer, last)
    # The last interval of positive length that contains the time: repeated knots have intervals without length.
    while (empty := (knots[interval + 1] <= knots[interval]) & (interval > outer)).any():
        interval = interval - empty
    values = np.zeros((len(times), len(knots) - 1))
    values[np.arange(len(times)), interval] = 1.0
    for d in range(1, degree + 1):
        spans = knots[d:] - knots[:-d]
        inverse = np.where(spans > 0.0, 1.0 / np.where(spans > 0.0, spans, 1.0), 0.0)
        count = len(knots) - d - 1
        rising = (times[:, None] - knots[:count]) * inverse[:count]
        falling = (knots[d + 1 : d + 1 + count] - times[:, None]) * inverse[1 : count + 1]
        values = rising * values[:, :count] + falling * values[:, 1 : count + 1]
    return values


def cyclic_basis(breaks: ArrayLike, degree: int, times: ArrayLike, derivative: int = 0, multiplicity: int = 1) -> Array:
    """(times, coefficients) the basis of splines whose values and continuous derivatives agree at the first and the
    last break (Popović 1999, section 3.2): as many coefficients as intervals, times `multiplicity`."""
    breaks = np.asarray(breaks, dtype=np.float64)
    period = breaks[-1] - breaks[0]
    intervals = len(breaks) - 1
    around = np.concatenate([breaks[:-1] + turn * period for turn in range(-degree - 1, degree + 2)])
    knots = np.repeat(around, multiplicity)
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    inside = breaks[0] + np.mod(times - breaks[0], period)
    values = basis(knots, degree, inside, derivative)
    count = intervals * multiplicity
    folded = np.zeros((len(inside), count))
    for column in range(values.shape[1]):
        folded[:, column % count] += values[:, column]
    return folded
