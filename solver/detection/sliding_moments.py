# SPDX-License-Identifier: GPL-3.0-or-later
"""Means and covariances of all stretches of a path, and the longest stretches on a line or a plane.

The moments of stretches of 1, 2, 4, … places are combined from their two halves, about their own means, so that nothing
is lost to cancellation far from the origin. The longest stretch from each place that lies on a line or a plane is then
found by adding smaller and smaller powers of two. Time and memory grow with n log n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray
from .settings import SlideKind

_ROWS, _COLUMNS = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
"""The row and the column of each of the six stored elements of a symmetric matrix."""

_MEAN, _SCATTER = slice(1, 4), slice(4, 10)


@dataclass(frozen=True, eq=False)
class Moments:
    """The number of places, the mean and the scatter of each of n stretches of a path.

    Rows hold one quantity of all stretches, so that operations run on contiguous memory.
    """

    values: Array
    """(10, n): the number of places; their mean; the sum of (x − mean)(x − mean)ᵀ."""

    @property
    def count(self) -> IntArray:
        """(n,) the number of places."""
        return self.values[0].astype(np.int64)

    @property
    def covariance(self) -> Array:
        """(n, 3, 3) of the places."""
        return _full(self.values[_SCATTER] / self.values[0])

    def __len__(self) -> int:
        return self.values.shape[1]

    def at(self, chosen: IntArray | slice) -> Moments:
        """The moments of the chosen stretches."""
        return Moments(self.values[:, chosen])

    def with_next(self, other: Moments) -> Moments:
        """The moments of each stretch together with those of the one that follows it."""
        joined = self.values + other.values
        share = other.values[0] / joined[0]
        apart = other.values[_MEAN] - self.values[_MEAN]
        np.multiply(apart, share, out=joined[_MEAN])
        joined[_MEAN] += self.values[_MEAN]
        joined[_SCATTER] += (self.values[0] * share) * _squares(apart)
        return Moments(joined)

    def lies_on(self, slide: SlideKind, tolerance: float) -> BoolArray:
        """(n,) whether the root mean square distance of the places from some line, or plane, is within the tolerance.

        With the variances λ₁ ≥ λ₂ ≥ λ₃ along the principal axes, a line requires λ₂ + λ₃ ≤ tolerance², a plane λ₃ ≤
        tolerance². Eigenvalues need not be computed: signs of determinants show on which side of a number they lie.
        """
        xx, yy, zz, xy, xz, yz = self.values[_SCATTER] / self.values[0]
        square = tolerance * tolerance
        trace = xx + yy + zz
        level = trace - square if slide == "line" else square
        a, b, c = xx - level, yy - level, zz - level
        minor = a * b - xy * xy
        determinant = c * minor - a * yz * yz - b * xz * xz + 2.0 * xy * xz * yz
        if slide == "line":
            # Only λ₁ can exceed half of the trace: the determinant is positive where it also exceeds the level.
            return np.asarray((determinant >= 0.0) | (trace <= 2.0 * square))
        return np.asarray(~((a > 0.0) & (minor > 0.0) & (determinant > 0.0)))


@dataclass(frozen=True, eq=False)
class Stretches:
    """The moments of all stretches of a path, from tables by powers of two."""

    tables: list[Moments]
    """For 1, 2, 4, … places; entry i of each is the stretch that begins at place i."""
    steps: Array
    """(6, places) the sums of s sᵀ over the steps s before each place."""

    @staticmethod
    def of(places: Array) -> Stretches:
        """The stretches of places (n, 3), at least one."""
        single = np.zeros((10, len(places)))
        single[0], single[_MEAN] = 1.0, places.T
        tables = [Moments(single)]
        while 2 * (width := 2 ** (len(tables) - 1)) <= len(places):
            halves = tables[-1]
            tables.append(halves.at(slice(0, len(halves) - width)).with_next(halves.at(slice(width, None))))
        steps = np.zeros((6, len(places)))
        np.cumsum(_squares(np.diff(places.T)), axis=1, out=steps[:, 1:])
        return Stretches(tables, steps)

    def __len__(self) -> int:
        return len(self.tables[0])

    def stepping(self, begins: IntArray, counts: IntArray) -> Array:
        """(n, 3, 3) the mean of s sᵀ over the steps of stretches of two places or more."""
        return _full((self.steps[:, begins + counts - 1] - self.steps[:, begins]) / (counts - 1))

    def longest(self, slide: SlideKind, tolerance: float, limits: IntArray) -> Moments:
        """From each place on, the longest stretch that lies on a line, or on a plane, within the tolerance, and ends
        before the place of its limit (n,)."""
        return self.lengthened(slide, tolerance, np.arange(len(self)), self.tables[0], limits)

    def lengthened(
        self,
        slide: SlideKind,
        tolerance: float,
        begins: IntArray,
        given: Moments,
        limits: IntArray,
        *,
        backward: bool = False,
    ) -> Moments:
        """The `given` stretches, which begin at places (n,), extended as far as they lie on a line or plane within the
        tolerance: up to the place before their limit (n,), or backward, down to the place of their limit."""
        found = Moments(given.values.copy())
        added = np.zeros(len(begins), dtype=np.int64)
        ends = begins + given.count
        for power in range(len(self.tables) - 1, -1, -1):
            if backward:
                beside = begins - added - 2**power
                possible = np.flatnonzero(beside >= limits)
            else:
                beside = ends + added
                possible = np.flatnonzero(beside + 2**power <= limits)
            if not len(possible):
                continue
            longer = found.at(possible).with_next(self.tables[power].at(beside[possible]))
            kept = longer.lies_on(slide, tolerance)
            possible = possible[kept]
            found.values[:, possible] = longer.values[:, kept]
            added[possible] += 2**power
        return found


def _squares(vectors: Array) -> Array:
    """(6, n) the stored elements of v vᵀ for vectors v (3, n)."""
    products = np.empty((6, vectors.shape[1]))
    np.multiply(vectors, vectors, out=products[:3])
    np.multiply(vectors[:1], vectors[1:], out=products[3:5])
    np.multiply(vectors[1], vectors[2], out=products[5])
    return products


def _full(symmetric: Array) -> Array:
    """(n, 3, 3) the symmetric matrices of stored elements (6, n)."""
    matrices = np.empty((symmetric.shape[1], 3, 3))
    matrices[:, _ROWS, _COLUMNS] = symmetric.T
    matrices[:, _COLUMNS, _ROWS] = symmetric.T
    return matrices
