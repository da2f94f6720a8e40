# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface of a solid that is given by a field of distances: surface nets on a grid, moved onto the surface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray
from ..core.errors import SkeletonError

Field = Callable[[Array], Array]
"""From points (points, 3) to their values (points,): negative inside, zero on the surface, positive outside."""

_CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
"""(8, 3) the corners of a cell, in cells from its lowest one."""
_EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(_CORNERS[a] - _CORNERS[b]).sum() == 1]
"""The 12 edges of a cell, as pairs of corners."""

_CORRECTIONS = 2
"""Newton steps that move vertices onto the surface: after two, tubes of a few cells are round."""
_LONGEST_STEP = 0.5
"""Cells by which a vertex is moved at most in a step, so that it stays with its cell."""
_DIFFERENCE = 0.05
"""Cells between the points of a finite difference."""


def iso_surface(field: Field, low: Array, high: Array, cell: float) -> tuple[Array, IntArray]:
    """The vertices (vertices, 3) and quads (quads, 4) of the surface of a solid between the corners `low` and `high`.

    The solid must not touch the border of this box. Every quad is counter-clockwise seen from outside.
    """
    counts = np.ceil((high - low) / cell).astype(np.int64) + 1
    axes = [low[axis] + cell * np.arange(counts[axis]) for axis in range(3)]
    values = field(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)).reshape(counts)
    inside = values < 0.0
    border = np.ones_like(inside)
    border[1:-1, 1:-1, 1:-1] = False
    if not inside.any() or (inside & border).any():
        raise SkeletonError("A surface is drawn around a solid that lies within its box: enlarge the box.")
    vertices, index = _vertices(values, inside)
    quads = _quads(inside, index)
    return _corrected(field, low + cell * vertices, cell), quads


def _vertices(values: Array, inside: BoolArray) -> tuple[Array, IntArray]:
    """A vertex in each cell through which the surface passes, the mean of where it crosses the edges.

    (vertices, 3) in cells, and by cell the index of its vertex or -1.
    """
    corner_inside = np.stack([inside[_part(corner, values.shape)] for corner in _CORNERS])
    crossed = corner_inside.any(axis=0) & ~corner_inside.all(axis=0)
    cells = np.argwhere(crossed)
    index = np.full(crossed.shape, -1, dtype=np.int64)
    index[crossed] = np.arange(len(cells))
    corner_values = np.stack([values[_part(corner, values.shape)][crossed] for corner in _CORNERS], axis=1)
    total, count = np.zeros((len(cells), 3)), np.zeros(len(cells))
    for a, b in _EDGES:
        first, second = corner_values[:, a], corner_values[:, b]
        changes = (first < 0.0) != (second < 0.0)
        share = np.where(changes, first / np.where(changes, first - second, 1.0), 0.0)
        place = _CORNERS[a] + share[:, None] * (_CORNERS[b] - _CORNERS[a])
        total += np.where(changes[:, None], place, 0.0)
        count += changes
    return np.asarray(cells + total / count[:, None], dtype=np.float64), index


def _part(corner: IntArray, shape: tuple[int, ...]) -> tuple[slice, ...]:
    """The part of a grid that has the values at one corner of each cell."""
    return tuple(slice(int(begin), int(begin) + length - 1) for begin, length in zip(corner, shape, strict=True))


def _quads(inside: BoolArray, index: IntArray) -> IntArray:
    """A quad around each edge of the grid whose ends are on different sides of the surface."""
    found = []
    for axis in range(3):
        second, third = (axis + 1) % 3, (axis + 2) % 3
        step = np.eye(3, dtype=np.int64)
        along = np.moveaxis(inside, axis, 0)
        edges = np.argwhere(np.moveaxis(along[:-1] != along[1:], 0, axis))
        around = [edges, edges - step[second], edges - step[second] - step[third], edges - step[third]]
        quads = np.stack([index[tuple(cells.T)] for cells in around], axis=1)
        begins_inside = inside[tuple(edges.T)]
        found.append(np.where(begins_inside[:, None], quads, quads[:, ::-1]))
    return np.concatenate(found)


def _corrected(field: Field, vertices: Array, cell: float) -> Array:
    """The vertices after Newton steps onto the surface."""
    reach = _DIFFERENCE * cell
    for _ in range(_CORRECTIONS):
        slope = np.stack(
            [(field(vertices + reach * unit) - field(vertices - reach * unit)) / (2.0 * reach) for unit in np.eye(3)],
            axis=1,
        )
        square = np.maximum(np.einsum("vi,vi->v", slope, slope), np.finfo(np.float64).tiny)
        move = -(field(vertices) / square)[:, None] * slope
        length = np.linalg.norm(move, axis=1, keepdims=True)
        vertices = vertices + move * np.minimum(1.0, _LONGEST_STEP * cell / np.maximum(length, 1e-300))
    return vertices
