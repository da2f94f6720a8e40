# SPDX-License-Identifier: GPL-3.0-or-later
"""How places scatter over any stretch of a path, for all of its beginnings at once.

Moments of stretches of 1, 2, 4, … places are joined from the two halves of each, about their own means: nothing is lost
to cancellation, however far from the origin the path is. The longest stretch from each place that keeps to a line or to
a plane is then found by adding shorter and shorter powers of two. Time and memory grow with n log n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray

Slide = Literal["line", "plane"]
"""A point that moves along a line, one that moves about in a plane."""

_ROWS, _COLUMNS = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
"""Where the six different numbers of a symmetric matrix are kept."""

_MEAN, _SCATTER = slice(1, 4), slice(4, 10)


@dataclass(frozen=True, eq=False)
class Moments:
    """Of stretches of a path: how many places, where they are, and how they scatter.

    What belongs together lies apart, so that every operation is one on whole rows.
    """

    values: Array
    """(10, n): how many; their mean; the sum of (x − mean)(x − mean)ᵀ."""

    @property
    def count(self) -> IntArray:
        """(n,) how many places."""
        return self.values[0].astype(np.int64)

    @property
    def covariance(self) -> Array:
        """(n, 3, 3) of the places."""
        return _full(self.values[_SCATTER] / self.values[0])

    def __len__(self) -> int:
        return self.values.shape[1]

    def at(self, chosen: IntArray | slice) -> Moments:
        """Some of the stretches."""
        return Moments(self.values[:, chosen])

    def with_next(self, other: Moments) -> Moments:
        """Each stretch together with the one that follows it."""
        joined = self.values + other.values
        share = other.values[0] / joined[0]
        apart = other.values[_MEAN] - self.values[_MEAN]
        np.multiply(apart, share, out=joined[_MEAN])
        joined[_MEAN] += self.values[_MEAN]
        joined[_SCATTER] += (self.values[0] * share) * _squares(apart)
        return Moments(joined)

    def keeps_to(self, slide: Slide, tolerance: float) -> BoolArray:
        """(n,) whether the places stray from some line, or plane, by a root of the mean square up to the tolerance.

        With the variances λ₁ ≥ λ₂ ≥ λ₃ along the principal axes, a line asks for λ₂ + λ₃ ≤ tolerance², a plane for λ₃.
        Neither needs them: signs of determinants tell on which side of a number they lie.
        """
        xx, yy, zz, xy, xz, yz = self.values[_SCATTER] / self.values[0]
        square = tolerance * tolerance
        trace = xx + yy + zz
        level = trace - square if slide == "line" else square
        a, b, c = xx - level, yy - level, zz - level
        minor = a * b - xy * xy
        determinant = c * minor - a * yz * yz - b * xz * xz + 2.0 * xy * xz * yz
        if slide == "line":
            # Above half of the trace lies λ₁ alone: the determinant is positive where it lies above the level, too.
            return np.asarray((determinant >= 0.0) | (trace <= 2.0 * square))
        return np.asarray(~((a > 0.0) & (minor > 0.0) & (determinant > 0.0)))


@dataclass(frozen=True, eq=False)
class Stretches:
    """All stretches of a path."""

    tables: list[Moments]
    """Of 1, 2, 4, … places; number i of each is the stretch that begins at place i."""
    steps: Array
    """(6, places) the sums of s sᵀ over the steps s before each place."""

    @staticmethod
    def of(places: Array) -> Stretches:
        """Of places (n, 3), one at least."""
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

    def longest(self, slide: Slide, tolerance: float, limits: IntArray) -> Moments:
        """From each place on, the longest stretch that keeps to a line, or to a plane, within the tolerance, and ends
        before the place of its limit (n,)."""
        return self.lengthened(slide, tolerance, np.arange(len(self)), self.tables[0], limits)

    def lengthened(
        self,
        slide: Slide,
        tolerance: float,
        begins: IntArray,
        given: Moments,
        limits: IntArray,
        *,
        backward: bool = False,
    ) -> Moments:
        """Stretches that begin at these places (n,), as long as they can become within the tolerance before they reach
        the place of their limit (n,); backward, down to that place."""
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
            kept = longer.keeps_to(slide, tolerance)
            possible = possible[kept]
            found.values[:, possible] = longer.values[:, kept]
            added[possible] += 2**power
        return found


def _squares(vectors: Array) -> Array:
    """(6, n) of v vᵀ for vectors (3, n)."""
    products = np.empty((6, vectors.shape[1]))
    np.multiply(vectors, vectors, out=products[:3])
    np.multiply(vectors[:1], vectors[1:], out=products[3:5])
    np.multiply(vectors[1], vectors[2], out=products[5])
    return products


def _full(symmetric: Array) -> Array:
    """(n, 3, 3) of the six numbers (6, n)."""
    matrices = np.empty((symmetric.shape[1], 3, 3))
    matrices[:, _ROWS, _COLUMNS] = symmetric.T
    matrices[:, _COLUMNS, _ROWS] = symmetric.T
    return matrices
