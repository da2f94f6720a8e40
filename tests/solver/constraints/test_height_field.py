# SPDX-License-Identifier: GPL-3.0-or-later
"""The heights of meshes under places."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.skeleton import Up
from poise.solver.constraints import Ground
from poise.solver.constraints.height_field import HeightField
from poise.solver.core.arrays import Array
from poise.solver.core.errors import ConstraintError

from ..grounds import box, joined, terrain


def plane(first: Array, second: Array) -> Array:
    return 0.3 * first - 0.2 * second + 1.0


def bumps(first: Array, second: Array) -> Array:
    return np.asarray(0.2 * np.sin(3.0 * first) * np.cos(2.0 * second))


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_plane_of_many_triangles_is_as_high_as_the_plane(up: Up, rng: np.random.Generator) -> None:
    field = HeightField(*terrain(plane, (-2.0, -1.0), (3.0, 4.0), 17, up))
    axis = 1 if up == "y" else 2
    places = rng.uniform((-2.0, -1.0, 0.0), (3.0, 4.0, 1.0), (500, 3))
    given = np.insert(places[:, :2], axis, places[:, 2], axis=1)
    np.testing.assert_allclose(field.heights(given, axis), plane(places[:, 0], places[:, 1]), atol=1e-12)


def test_terrain_is_followed_as_closely_as_its_triangles_do(rng: np.random.Generator) -> None:
    field = HeightField(*terrain(bumps, (-3.0, -3.0), (3.0, 3.0), 200))
    places = rng.uniform(-3.0, 3.0, (5000, 3))
    error = np.abs(field.heights(places, 1) - bumps(places[:, 0], places[:, 2]))
    assert error.max() < 0.2 * 9.0 * (6.0 / 200.0) ** 2


def test_every_vertex_and_edge_belongs_to_the_mesh() -> None:
    vertices, triangles = terrain(bumps, (-3.0, -3.0), (3.0, 3.0), 12)
    field = HeightField(vertices, triangles)
    np.testing.assert_allclose(field.heights(vertices, 1), vertices[:, 1], atol=1e-9)
    middles = 0.5 * (vertices[triangles[:, 0]] + vertices[triangles[:, 1]])
    np.testing.assert_allclose(field.heights(middles, 1), middles[:, 1], atol=1e-9)


def test_beside_the_mesh_there_is_no_ground() -> None:
    ground = Ground.of_mesh(*terrain(plane, (0.0, 0.0), (1.0, 1.0), 3))
    places = np.array([[0.5, 0.0, 0.5], [1.5, 0.0, 0.5], [0.5, 9.0, -0.1], [-40.0, 0.0, 70.0]])
    assert np.isnan(ground.heights(places, 1)).tolist() == [False, True, True, True]
    assert ground.lowest_allowed(places, 1)[1] == -np.inf


def test_random_triangles_agree_with_looking_at_each(rng: np.random.Generator) -> None:
    vertices = rng.standard_normal((60, 3))
    triangles = np.stack([rng.choice(60, 3, replace=False) for _ in range(40)])
    places = rng.standard_normal((300, 3))
    expected = np.full(len(places), -np.inf)
    for a, b, c in vertices[triangles]:
        sides = np.column_stack([b - a, c - a])
        shares = np.linalg.solve(sides[[0, 2]], (places - a)[:, [0, 2]].T).T
        inside = (shares >= 0.0).all(axis=1) & (shares.sum(axis=1) <= 1.0)
        expected = np.where(inside, np.maximum(expected, a[1] + shares @ sides[1]), expected)
    found = HeightField(vertices, triangles).heights(places, 1)
    np.testing.assert_array_equal(np.isnan(found), np.isinf(expected))
    np.testing.assert_allclose(found[~np.isnan(found)], expected[np.isfinite(expected)], atol=1e-9)


def test_a_roof_farther_above_than_the_headroom_does_not_count() -> None:
    floor, roof = box(np.zeros(3), np.array([4.0, 0.1, 4.0])), box(np.array([0.0, 2.0, 0.0]), np.array([4.0, 2.2, 4.0]))
    places = np.array([[1.0, 0.05, 1.0], [1.0, 1.0, 1.0], [1.0, 1.9, 1.0], [1.0, 5.0, 1.0], [1.0, -3.0, 1.0]])
    under = HeightField(*joined(floor, roof), headroom=0.5).heights(places, 1)
    np.testing.assert_allclose(under, [0.1, 0.1, 2.2 if 2.2 <= 1.9 + 0.5 else 0.1, 2.2, 0.0], atol=1e-12)
    np.testing.assert_allclose(HeightField(*joined(floor, roof)).heights(places, 1), np.full(5, 2.2), atol=1e-12)


def test_scale_and_place_change_nothing(rng: np.random.Generator) -> None:
    vertices, triangles = terrain(bumps, (-3.0, -3.0), (3.0, 3.0), 9)
    places = rng.uniform(-2.0, 2.0, (50, 3))
    there = HeightField(1000.0 * vertices + 5e4, triangles).heights(1000.0 * places + 5e4, 1)
    np.testing.assert_allclose((there - 5e4) / 1000.0, HeightField(vertices, triangles).heights(places, 1), atol=1e-9)


@pytest.mark.parametrize(
    "vertices, triangles, said",
    [
        (np.zeros((3, 2)), [[0, 1, 2]], "rows of three finite numbers"),
        ([[0, 0, np.nan], [1, 0, 0], [0, 0, 1]], [[0, 1, 2]], "rows of three finite numbers"),
        (np.eye(3), np.zeros((0, 3), dtype=int), "no triangles"),
        (np.eye(3), [[0, 1, 5]], "names a vertex"),
        ("mesh", [[0, 1, 2]], "vertices"),
    ],
)
def test_what_is_no_mesh_is_refused(vertices: object, triangles: object, said: str) -> None:
    with pytest.raises(ConstraintError, match=said):
        HeightField(vertices, triangles)  # type: ignore[arg-type]


def test_a_wall_carries_no_foot() -> None:
    wall = HeightField([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    with pytest.raises(ConstraintError, match="upright everywhere"):
        wall.heights(np.zeros((1, 3)), 1)
