# SPDX-License-Identifier: GPL-3.0-or-later
"""The heights of a mesh of triangles under many points at once, found by a uniform grid."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Array, ArrayLike, IntArray
from ..core.errors import ConstraintError
from ..core.numbers import is_number

MOST_CELLS = 512
"""The most cells along each side of the grid."""

EDGE = 1e-9
"""Share of a triangle by which a point may lie outside and still count as inside: no gap opens between triangles."""

FLAT = 1e-12
"""Share of the mesh's squared extent below which a triangle's horizontal area counts as zero: walls carry no foot."""

QUERIES_TOGETHER = 20000
"""Points that are looked up together: their candidate triangles fit into memory for any mesh."""


class HeightField:
    """A mesh of triangles in world space, as a function from horizontal positions to heights."""

    def __init__(self, vertices: ArrayLike, triangles: ArrayLike, headroom: float | None = None) -> None:
        """Triangles (t, 3), as indices of vertices (v, 3); `headroom`: see `heights`."""
        try:
            self.vertices: Array = np.array(vertices, dtype=np.float64)
            given = np.array(triangles)
        except (TypeError, ValueError):
            raise ConstraintError(
                "The ground's mesh must be vertices (v, 3) and triangles (t, 3) of numbers."
            ) from None
        if self.vertices.ndim != 2 or self.vertices.shape[1] != 3 or not np.isfinite(self.vertices).all():
            raise ConstraintError("The vertices of the ground's mesh must be rows of three finite numbers.")
        if given.ndim != 2 or given.shape[1] != 3 or not np.issubdtype(given.dtype, np.integer) or not len(given):
            raise ConstraintError("The ground's mesh has no triangles: choose an object with faces.")
        if given.min() < 0 or given.max() >= len(self.vertices):
            raise ConstraintError("A triangle of the ground's mesh names a vertex that does not exist.")
        if headroom is not None and not (is_number(headroom) and headroom >= 0.0):
            raise ConstraintError("The ground's headroom must be a finite number that is not negative, or None.")
        self.triangles: IntArray = given.astype(np.int64)
        self.headroom = headroom
        self._grids: dict[int, _Grid] = {}

    def heights(self, places: Array, up_axis: int) -> Array:
        """(n,) heights of the mesh under world positions (n, 3); NaN beside it.

        Of triangles above each other the highest one counts that is at most the headroom above the position; where all
        are higher, the lowest one.
        """
        if up_axis not in self._grids:
            self._grids[up_axis] = _Grid(self.vertices, self.triangles, up_axis)
        grid = self._grids[up_axis]
        parts = [
            grid.heights(places[first : first + QUERIES_TOGETHER], self.headroom)
            for first in range(0, len(places), QUERIES_TOGETHER)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)


class _Grid:
    """Triangles by the cells of a uniform grid across the up axis that their bounding boxes touch."""

    def __init__(self, vertices: Array, triangles: IntArray, up_axis: int) -> None:
        self.up = up_axis
        self.across = [axis for axis in range(3) if axis != up_axis]
        corners = vertices[triangles]
        level = corners[:, :, self.across]
        one, other = level[:, 1] - level[:, 0], level[:, 2] - level[:, 0]
        area = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
        extent = float(np.ptp(level.reshape(-1, 2), axis=0).max())
        carries = np.abs(area) > FLAT * extent**2
        if not carries.any():
            raise ConstraintError("The ground's mesh is upright everywhere: no face of it can carry a foot.")
        self.origin, self.edges = level[carries, 0], np.stack([one[carries], other[carries]], axis=1)
        self.area = area[carries]
        self.tops = corners[carries][:, :, self.up]

        lowest, highest = level[carries].min(axis=1), level[carries].max(axis=1)
        self.corner = lowest.min(axis=0)
        span = np.maximum(highest.max(axis=0) - self.corner, np.finfo(np.float64).tiny)
        side = np.sqrt(span[0] * span[1] / max(int(carries.sum()), 1)) or float(span.max())
        self.counts = np.clip(np.ceil(span / max(side, 1e-300)), 1, MOST_CELLS).astype(np.int64)
        self.cell = span / self.counts
        first, last = self._cells(lowest - EDGE * span), self._cells(highest + EDGE * span)
        wide = last - first + 1
        copies = wide.prod(axis=1)
        which = np.repeat(np.arange(len(copies)), copies)
        place = np.arange(len(which)) - np.repeat(np.cumsum(copies) - copies, copies)
        cells = first[which] + np.stack([place // wide[which, 1], place % wide[which, 1]], axis=1)
        flat = cells[:, 0] * self.counts[1] + cells[:, 1]
        order = np.argsort(flat, kind="stable")
        self.members = which[order]
        self.begins = np.searchsorted(flat[order], np.arange(self.counts.prod() + 1))

    def _cells(self, level: Array) -> IntArray:
        """(n, 2) the cells of horizontal positions (n, 2); those beside the grid are in its outermost cells."""
        cells = np.floor((level - self.corner) / self.cell).astype(np.int64)
        return np.asarray(np.clip(cells, 0, self.counts - 1))

    def heights(self, places: Array, headroom: float | None) -> Array:
        """(n,) see `HeightField.heights`."""
        level = places[:, self.across]
        cells = self._cells(level)
        flat = cells[:, 0] * self.counts[1] + cells[:, 1]
        begins, counts = self.begins[flat], self.begins[flat + 1] - self.begins[flat]
        place = np.repeat(np.arange(len(places)), counts)
        offset = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        triangle = self.members[np.repeat(begins, counts) + offset]
        away = level[place] - self.origin[triangle]
        one, other = self.edges[triangle, 0], self.edges[triangle, 1]
        along = (away[:, 0] * other[:, 1] - away[:, 1] * other[:, 0]) / self.area[triangle]
        beside = (one[:, 0] * away[:, 1] - one[:, 1] * away[:, 0]) / self.area[triangle]
        inside = (along >= -EDGE) & (beside >= -EDGE) & (along + beside <= 1.0 + EDGE)
        place, triangle, along, beside = place[inside], triangle[inside], along[inside], beside[inside]
        tops = self.tops[triangle]
        found = tops[:, 0] + along * (tops[:, 1] - tops[:, 0]) + beside * (tops[:, 2] - tops[:, 0])

        highest = np.full(len(places), -np.inf)
        lowest = np.full(len(places), np.inf)
        under = np.ones(len(found), dtype=bool) if headroom is None else found <= places[place, self.up] + headroom
        np.maximum.at(highest, place[under], found[under])
        np.minimum.at(lowest, place[~under], found[~under])
        chosen = np.where(np.isfinite(highest), highest, lowest)
        return np.where(np.isfinite(chosen), chosen, np.nan)
