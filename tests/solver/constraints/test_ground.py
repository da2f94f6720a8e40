# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under places."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.constraints import Ground
from poise.solver.core.errors import ConstraintError


def test_a_plane_is_as_high_everywhere(rng: np.random.Generator) -> None:
    places = rng.standard_normal((5, 3))
    np.testing.assert_array_equal(Ground().heights(places, 1), np.zeros(5))
    for up in (1, 2):
        np.testing.assert_array_equal(Ground(-3.5).heights(places, up), np.full(5, -3.5))


def test_a_function_is_asked_for_the_horizontal_coordinates(rng: np.random.Generator) -> None:
    places = rng.standard_normal((5, 3))
    ground = Ground(lambda first, second: 10.0 * first + second)
    np.testing.assert_array_equal(ground.heights(places, 1), 10.0 * places[:, 0] + places[:, 2])
    np.testing.assert_array_equal(ground.heights(places, 2), 10.0 * places[:, 0] + places[:, 1])


def test_a_function_may_give_one_number_for_all(rng: np.random.Generator) -> None:
    ground = Ground(lambda first, second: 2)  # type: ignore[arg-type, return-value]
    np.testing.assert_array_equal(ground.heights(rng.standard_normal((4, 3)), 1), np.full(4, 2.0))


@pytest.mark.parametrize("height", [np.nan, np.inf, None, "floor", (1.0, 2.0)])
def test_a_height_that_is_none_is_refused(height: object) -> None:
    with pytest.raises(ConstraintError, match="ground's height must be a finite number or a function"):
        Ground(height)  # type: ignore[arg-type]


def test_a_hole_in_the_ground_is_an_error_that_says_where() -> None:
    hole = Ground(lambda x, z: np.where(x > 1.0, np.nan, 0.0))
    assert not hole.heights(np.zeros((2, 3)), 1).any()
    with pytest.raises(ConstraintError, match=r"no finite height at \(2, 7\)"):
        hole.heights(np.array([[0.0, 5.0, 0.0], [2.0, 5.0, 7.0]]), 1)


@pytest.mark.parametrize("given", [np.zeros(7), "deep", [[1.0], [2.0]]])
def test_a_function_that_does_not_give_heights_is_refused(given: object) -> None:
    ground = Ground(lambda x, z: given)  # type: ignore[arg-type, return-value]
    with pytest.raises(ConstraintError, match="one number for each place"):
        ground.heights(np.zeros((2, 3)), 1)


@pytest.mark.parametrize("up", [1, 2])
def test_a_plane_of_any_slope_holds_its_points(up: int, rng: np.random.Generator) -> None:
    point, normal = rng.standard_normal(3), np.array([0.2, 0.3, 0.3])
    normal[up] = -1.0  # either side
    ground = Ground.plane(point, 7.0 * normal)
    places = rng.standard_normal((20, 3))
    on_it = places.copy()
    on_it[:, up] = ground.heights(places, up)
    np.testing.assert_allclose((on_it - point) @ normal, 0.0, atol=1e-12)
    assert ground.level is None


@pytest.mark.parametrize(
    "point, normal", [((0, 0, 0), (0, 0, 0)), ((0, np.nan, 0), (0, 1, 0)), ((0, 0), (0, 1, 0)), ((0, 0, 0), (0, 1))]
)
def test_what_is_no_plane_is_refused(point: object, normal: object) -> None:
    with pytest.raises(ConstraintError, match="of the ground's plane"):
        Ground.plane(point, normal)  # type: ignore[arg-type]


def test_a_wall_is_no_ground() -> None:
    with pytest.raises(ConstraintError, match="stands upright"):
        Ground.plane((0, 0, 0), (1, 0, 0)).heights(np.zeros((1, 3)), 1)


def test_only_one_number_is_a_level_ground() -> None:
    assert Ground(2).level == 2.0
    assert Ground(lambda x, z: 0.0 * x).level is None


# Clearances ----------------------------------------------------------------------------------------------------------


SLOPING = {
    "plane": Ground.plane((0.3, -0.2, 0.1), (-0.3, -1.0, 0.2)),
    "function": Ground(lambda x, z: 0.3 * z - 0.5 * x),
    "mesh": Ground.of_mesh([[-9, 1, -9], [9, 4, -9], [9, -2, 9], [-9, -5, 9]], [[0, 1, 2], [0, 2, 3]]),
}


@pytest.mark.parametrize("name", SLOPING)
def test_a_clearance_is_measured_along_the_normal_of_a_slope(name: str, rng: np.random.Generator) -> None:
    ground, places, clearances = SLOPING[name], rng.standard_normal((50, 3)), rng.uniform(0.0, 0.2, 50)
    normals, heights = ground.normals(places, 1), ground.heights(places, 1)
    assert (normals[:, 1] < 0.99).all() and (normals[:, 1] > 0.0).all()
    around = places + rng.standard_normal((50, 3))
    ways = np.stack([around[:, 0] - places[:, 0], ground.heights(around, 1) - heights, around[:, 2] - places[:, 2]])
    np.testing.assert_allclose((ways.T * normals).sum(axis=1), 0.0, atol=1e-8)
    above = ground.heights(places, 1, clearances) - heights
    np.testing.assert_allclose(above * normals[:, 1], clearances, atol=1e-8)
    np.testing.assert_allclose(ground.heights(places, 1, 0.1), ground.heights(places, 1, np.full(50, 0.1)))


def test_above_waves_a_clearance_is_nearly_the_distance_from_the_ground(rng: np.random.Generator) -> None:
    ground, clearance = Ground(lambda x, z: 0.1 * np.sin(4.0 * x)), 0.05
    places = rng.standard_normal((20, 3)) * (1.0, 0.0, 0.0)
    places[:, 1] = ground.heights(places, 1, clearance)
    along = np.linspace(-4.0, 4.0, 40001)
    surface = np.stack([along, 0.1 * np.sin(4.0 * along)], axis=1)
    distances = np.linalg.norm(surface[:, None] - places[None, :, :2], axis=2).min(axis=0)
    np.testing.assert_allclose(distances, clearance, rtol=0.05)


def test_at_the_edge_of_a_stair_the_ground_is_level_and_a_clearance_vertical() -> None:
    stairs = Ground(lambda x, z: 0.2 * np.floor(x))
    places = np.array([[1.0, 0.0, 0.0], [2.0 - 1e-9, 0.0, 0.0], [0.5, 0.0, 0.0]])
    np.testing.assert_array_equal(stairs.normals(places, 1), np.tile([0.0, 1.0, 0.0], (3, 1)))
    np.testing.assert_allclose(stairs.heights(places, 1, 0.05), [0.25, 0.25, 0.05])
    steep = Ground(lambda x, z: 0.1 * np.tanh(1000.0 * x))
    assert steep.heights(np.zeros((1, 3)), 1, 0.05)[0] <= 0.15, "no higher than on top of the step"


def test_beside_a_mesh_nothing_has_a_clearance() -> None:
    ground = Ground.of_mesh([[0, 0, 0], [1, 1, 0], [0, 0, 1]], [[0, 2, 1]])
    places = np.array([[0.2, 0.0, 0.2], [3.0, 0.0, 3.0], [0.0, 0.0, 0.5]])
    found = ground.heights(places, 1, 0.1)
    np.testing.assert_allclose(found[[0, 2]], np.array([0.2, 0.0]) + 0.1 * np.sqrt(2.0), atol=1e-8)
    assert np.isnan(found[1]) and ground.lowest_allowed(places, 1, 0.1)[1] == -np.inf


def test_a_function_may_end_beside_a_place() -> None:
    ground = Ground(lambda x, z: np.where(x > 1.0, np.nan, x))
    np.testing.assert_allclose(ground.heights(np.array([[1.0, 0.0, 0.0]]), 1, 0.1), 1.0 + 0.1)
    np.testing.assert_allclose(ground.heights(np.array([[0.5, 0.0, 0.0]]), 1, 0.1), 0.5 + 0.1 * np.sqrt(2.0))


def test_stairs_have_edges_and_slopes_have_none() -> None:
    ends = np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0]])
    stairs, slope = Ground(lambda x, z: 0.15 * (x > 0.1)), Ground(lambda x, z: 2.0 * x)
    assert stairs.has_edge(ends, 0.2, 1) and not stairs.has_edge(ends, 0.4, 1), "a longer foot bridges the step"
    assert not slope.has_edge(ends, 0.2, 1) and not Ground(0.3).has_edge(ends, 0.2, 1)
    assert Ground.of_mesh([[0, 0, -1], [0.1, 0, -1], [0.1, 0, 1], [0, 0, 1]], [[0, 1, 2], [0, 2, 3]]).has_edge(
        ends, 0.2, 1
    ), "it ends"
