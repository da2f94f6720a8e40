# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of B-splines over any knots, open or cyclic, and their derivatives (de Boor 1978)."""

from __future__ import annotations

import numpy as np

from .arrays import Array, ArrayLike, IntArray
from .errors import ConstraintError


def open_knots(breaks: ArrayLike, degree: int, multiplicity: int = 1) -> Array:
    """The knots of an open spline: `breaks` (ascending), the first and the last `degree + 1` times, all others
    `multiplicity` times. The spline has `degree - multiplicity` continuous derivatives at inner breaks."""
    breaks = _checked(breaks, degree, multiplicity)
    inner = np.repeat(breaks[1:-1], multiplicity)
    ends = degree + 1
    return np.concatenate([np.repeat(breaks[0], ends), inner, np.repeat(breaks[-1], ends)])


def basis(knots: ArrayLike, degree: int, times: ArrayLike, derivative: int = 0) -> Array:
    """(times, coefficients) values of all B-splines of `degree` over `knots` at `times`, or of their derivatives.

    There are `len(knots) - degree - 1` coefficients. The splines are those between the knots `degree` and
    `len(knots) - degree - 1`; times outside get the polynomial of the nearest interval. At a knot at which the spline
    is not continuous the value is that from above, at the last one that from below.
    """
    knots, times = np.asarray(knots, dtype=np.float64), np.atleast_1d(np.asarray(times, dtype=np.float64))
    if derivative > degree:
        return np.zeros((len(times), len(knots) - degree - 1))
    values = np.zeros((len(times), len(knots) - 1))
    values[np.arange(len(times)), _intervals(knots, degree, times)] = 1.0
    for d in range(1, degree - derivative + 1):
        rising, falling = _per_span(knots, d)
        count = len(knots) - d - 1
        rising = (times[:, None] - knots[:count]) * rising
        falling = (knots[d + 1 :] - times[:, None]) * falling
        values = rising * values[:, :count] + falling * values[:, 1 : count + 1]
    for d in range(degree - derivative + 1, degree + 1):
        # The derivative of a B-spline of degree d is the difference of two of degree d - 1, each divided by its span
        # over d.
        rising, falling = _per_span(knots, d)
        values = float(d) * (rising * values[:, :-1] - falling * values[:, 1:])
    return values


def cyclic_basis(breaks: ArrayLike, degree: int, times: ArrayLike, derivative: int = 0, multiplicity: int = 1) -> Array:
    """(times, coefficients) the basis of splines that repeat themselves from the last break on (Popović 1999, section
    3.2): `multiplicity` coefficients for each interval.

    Every break is a knot `multiplicity` times, so at both ends `degree - multiplicity` derivatives agree. The spline of
    each coefficient begins at the knot of the same number.
    """
    breaks = _checked(breaks, degree, multiplicity)
    period = breaks[-1] - breaks[0]
    once = np.repeat(breaks[:-1], multiplicity)
    count = len(once)
    # Knot number i + count is knot number i a period later; an interval needs `degree` knots on either side of it.
    turns, numbers = np.divmod(np.arange(-degree, count + degree + 1), count)
    knots = once[numbers] + turns * period
    inside = breaks[0] + np.mod(np.atleast_1d(np.asarray(times, dtype=np.float64)) - breaks[0], period)
    values = basis(knots, degree, inside, derivative)
    # The B-splines that begin at a knot and at its images are one.
    folded = np.zeros((len(inside), -(-values.shape[1] // count) * count))
    folded[:, : values.shape[1]] = values
    return np.roll(folded.reshape(len(inside), -1, count).sum(axis=1), -degree, axis=1)


def _intervals(knots: Array, degree: int, times: Array) -> IntArray:
    """(times,) the knot at which the interval of each time begins, an interval of positive length."""
    inside = slice(degree, len(knots) - degree)
    begins = degree + np.flatnonzero(np.diff(knots[inside]) > 0.0)
    return begins[np.maximum(np.searchsorted(knots[begins], times, side="right") - 1, 0)]


def _per_span(knots: Array, degree: int) -> tuple[Array, Array]:
    """Twice (len(knots) - degree - 1,) one over the span of the first and of the second of the two B-splines that each
    B-spline of `degree` is made of; 0 where a span is empty."""
    spans = knots[degree:] - knots[:-degree]
    inverse = np.divide(1.0, spans, out=np.zeros_like(spans), where=spans > 0.0)
    return inverse[:-1], inverse[1:]


def _checked(breaks: ArrayLike, degree: int, multiplicity: int) -> Array:
    breaks = np.asarray(breaks, dtype=np.float64)
    if breaks.ndim != 1 or len(breaks) < 2 or not (np.diff(breaks) > 0.0).all() or not np.isfinite(breaks).all():
        raise ConstraintError("The breaks of a spline are two finite times or more, each later than the one before.")
    if degree < 1 or not 1 <= multiplicity <= degree:
        raise ConstraintError("A spline has a degree of 1 or more, and breaks of a multiplicity from 1 to the degree.")
    return breaks
