# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves on the sphere: nearest points lie on them, distances have the sign of the side, areas add up."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poise.solver.body.swing_boundaries import ConeBoundary, PolygonBoundary
from poise.solver.core.arrays import Array
from poise.solver.core.errors import LimitError

OCTANT = PolygonBoundary(np.eye(3))
LARGE = PolygonBoundary(np.eye(3)[::-1])
"""All of the sphere but the octant."""
BOUNDARIES = {
    "round cone": ConeBoundary(0.7, 0.7, np.eye(3)),
    "flat cone": ConeBoundary(0.3, 1.2, np.eye(3)),
    "wide cone": ConeBoundary(2.0, 2.8, np.eye(3)),
    "octant": OCTANT,
    "large": LARGE,
}


def directions(rng: np.random.Generator, count: int = 400) -> Array:
    vectors = rng.standard_normal((count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def angles(a: Array, b: Array) -> Array:
    return 2.0 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))


@pytest.mark.parametrize("name", BOUNDARIES)
def test_the_excess_is_the_distance_to_the_nearest_point_and_negative_inside(
    rng: np.random.Generator, name: str
) -> None:
    boundary, seen = BOUNDARIES[name], directions(rng)
    nearest = boundary.nearest(seen)
    np.testing.assert_allclose(np.abs(nearest.excess), angles(seen, nearest.point), atol=1e-9)
    assert np.array_equal(nearest.excess < 0.0, boundary.contains(seen))


@pytest.mark.parametrize("name", BOUNDARIES)
def test_the_nearest_point_is_its_own_nearest_point(rng: np.random.Generator, name: str) -> None:
    boundary = BOUNDARIES[name]
    on_curve = boundary.nearest(directions(rng)).point
    again = boundary.nearest(on_curve)
    np.testing.assert_allclose(again.excess, 0.0, atol=1e-9)
    np.testing.assert_allclose(again.point, on_curve, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(on_curve, axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("name", BOUNDARIES)
def test_turning_about_the_gradient_leaves_the_curve_at_unit_rate(rng: np.random.Generator, name: str) -> None:
    boundary, seen, step = BOUNDARIES[name], directions(rng), 1e-5
    nearest = boundary.nearest(seen)
    turned = seen * math.cos(step) + np.cross(nearest.gradient, seen) * math.sin(step)
    gained = boundary.nearest(turned).excess - nearest.excess
    # Directions midway between two sides have no gradient; few are that near to it.
    assert np.mean(np.abs(gained / step - 1.0) < 1e-3) > 0.98


def random_polygon(rng: np.random.Generator, corners: int) -> PolygonBoundary:
    """A star-shaped polygon with corners that point in and out, of either direction."""
    azimuth = (np.arange(corners) + rng.uniform(0.0, 0.8, corners)) * 2.0 * np.pi / corners
    angle = rng.uniform(0.05, 3.0, corners)
    star = np.stack([np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)], axis=1)
    return PolygonBoundary(star if rng.random() < 0.5 else star[::-1])


def test_the_excess_has_the_sign_of_the_side_at_corners_that_point_in_and_out(rng: np.random.Generator) -> None:
    for _ in range(50):
        boundary, seen = random_polygon(rng, int(rng.integers(3, 17))), directions(rng)
        excess = boundary.nearest(seen).excess
        assert np.array_equal((excess < 0.0)[np.abs(excess) > 1e-9], boundary.contains(seen)[np.abs(excess) > 1e-9])


def test_a_stack_of_curves_is_each_of_them(rng: np.random.Generator) -> None:
    cones = [ConeBoundary(u, v, frame) for u, v, frame in ((0.3, 1.2, np.eye(3)), (2.0, 0.8, np.eye(3)[[1, 2, 0]]))]
    polygons = [random_polygon(rng, 7) for _ in range(4)]
    for singles, stack in ((cones, ConeBoundary.stack(cones)), (polygons, PolygonBoundary.stack(polygons))):
        seen = np.stack([directions(rng) for _ in singles])
        together = stack.nearest(seen)
        for index, single in enumerate(singles):
            for mine, alone in zip(together, single.nearest(seen[index]), strict=True):
                np.testing.assert_allclose(mine[index], alone, atol=1e-12)
            assert np.array_equal(stack.contains(seen)[index], single.contains(seen[index]))


def test_a_round_cone_is_a_circle(rng: np.random.Generator) -> None:
    seen = directions(rng)
    polar = np.arccos(np.clip(seen[:, 2], -1.0, 1.0))
    np.testing.assert_allclose(BOUNDARIES["round cone"].nearest(seen).excess, polar - 0.7, atol=1e-7)


def test_the_areas_of_both_sides_make_a_sphere() -> None:
    assert OCTANT.area() == pytest.approx(0.5 * math.pi)
    assert LARGE.area() == pytest.approx(3.5 * math.pi)


@pytest.mark.parametrize(
    ("corners", "sentence"),
    [
        ([[1, 0, 0], [1, 0, 0], [0, 1, 0]], "are the same direction"),
        ([[1, 0, 0], [-1, 0, 0], [0, 1, 0]], "are opposite"),
        ([[0.5, 0.5, 1], [-0.5, -0.5, 1], [0.5, -0.5, 1], [-0.5, 0.5, 1]], "crosses itself"),
        ([[0.5, -0.5, 1], [0.5, 0.5, 1], [-0.5, 0.5, 1], [0.5, 0.0, 1]], "touches itself"),
    ],
)
def test_paths_that_bound_no_area_are_refused(corners: list[list[float]], sentence: str) -> None:
    unit = np.array(corners, dtype=np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    with pytest.raises(LimitError, match=sentence):
        PolygonBoundary(unit).check()
