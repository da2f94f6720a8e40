# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of solids whose shape is known."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array, IntArray
from poise.solver.core.errors import SkeletonError
from poise.solver.synthetic.iso_surface import iso_surface

RADIUS, CELL = 1.3, 0.1
BOX = np.full(3, -2.05), np.full(3, 2.0)


def ball(points: Array) -> Array:
    return np.linalg.norm(points, axis=1) - RADIUS


def volume(vertices: Array, quads: IntArray) -> float:
    """The volume inside a closed mesh, positive where its quads are counter-clockwise seen from outside."""
    first, second, third, fourth = (vertices[quads[:, corner]] for corner in range(4))
    triangles = ((first, second, third), (first, third, fourth))
    return float(sum(np.einsum("fi,fi->f", a, np.cross(b, c)).sum() for a, b, c in triangles) / 6.0)


def test_a_ball_has_its_vertices_at_its_radius_and_its_volume() -> None:
    vertices, quads = iso_surface(ball, *BOX, CELL)
    np.testing.assert_allclose(np.linalg.norm(vertices, axis=1), RADIUS, atol=1e-6)
    assert volume(vertices, quads) == pytest.approx(4.0 / 3.0 * np.pi * RADIUS**3, rel=0.01)


def test_every_edge_is_in_two_quads_once_in_each_direction() -> None:
    _, quads = iso_surface(ball, *BOX, CELL)
    directed = np.stack([quads.ravel(), np.roll(quads, -1, axis=1).ravel()], axis=1)
    assert len(np.unique(directed, axis=0)) == len(directed)
    _, counts = np.unique(np.sort(directed, axis=1), axis=0, return_counts=True)
    assert (counts == 2).all()


def test_all_vertices_are_used() -> None:
    vertices, quads = iso_surface(ball, *BOX, CELL)
    assert len(np.unique(quads)) == len(vertices)


@pytest.mark.parametrize(
    ("low", "high"),
    [(np.full(3, -1.0), np.full(3, 2.0)), (np.full(3, 4.0), np.full(3, 5.0))],
    ids=["touches the border", "is outside"],
)
def test_a_solid_that_is_not_within_the_box_is_refused(low: Array, high: Array) -> None:
    with pytest.raises(SkeletonError, match="enlarge the box"):
        iso_surface(ball, low, high, CELL)
