# SPDX-License-Identifier: GPL-3.0-or-later
"""Floors of any slope under planted points."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Ground, MovingObject, Plane
from poise.solver.cleanup.floors import Floor, floor_of
from poise.solver.cleanup.plants import PlantedPoint
from poise.solver.core import rotations

PLACE = np.array([0.3, 0.2, -0.5])
SLOPE = Ground.plane((0.0, 0.1, 0.0), (0.0, 1.0, -0.4))


def plant(**given: object) -> PlantedPoint:
    return PlantedPoint("left leg", "ball", 3, 9, **given)  # type: ignore[arg-type]


def test_the_nearest_point_of_a_floor_lies_along_its_normal(rng: np.random.Generator) -> None:
    floor = Floor(rotations.unit(rng.standard_normal(3)), 0.4)
    found = floor.nearest(PLACE)
    assert floor.above(found) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(found - PLACE, floor.above(PLACE) * floor.normal)


def test_a_height_is_a_level_floor_and_the_clearance_lies_above_it() -> None:
    floor = floor_of(plant(floor=0.7), PLACE, 0.05, None, 1)
    assert floor is not None
    np.testing.assert_allclose(floor.nearest(PLACE), [0.3, 0.75, -0.5])


def test_the_clearance_lies_on_the_side_of_the_normal_of_a_plane() -> None:
    for side in (1.0, -1.0):
        floor = floor_of(plant(floor=Plane((2.0, 0.0, 0.0), (3.0 * side, 0.0, 0.0))), PLACE, 0.05, SLOPE, 1)
        assert floor is not None
        np.testing.assert_allclose(floor.nearest(PLACE), [2.0 + 0.05 * side, 0.2, -0.5])


@pytest.mark.parametrize("named", ["ground", None])
def test_on_a_slope_the_clearance_lies_along_its_normal(named: str | None) -> None:
    floor = floor_of(plant(floor=named), PLACE, 0.05, SLOPE, 1)
    assert floor is not None
    normal = np.array([0.0, 1.0, -0.4]) / np.hypot(1.0, 0.4)
    np.testing.assert_allclose(floor.normal, normal)
    assert floor.nearest(PLACE) @ normal == pytest.approx(0.1 * normal[1] + 0.05)


def test_without_ground_at_its_own_height_and_on_an_object_there_is_no_floor() -> None:
    box = MovingObject(np.zeros((20, 3)), np.tile(rotations.IDENTITY, (20, 1)))
    beside = Ground.of_mesh([[5, 0, 5], [6, 0, 5], [5, 0, 6]], [[0, 2, 1]])
    for given, ground in (
        (plant(), None),
        (plant(floor="own"), SLOPE),
        (plant(reference=box), SLOPE),
        (plant(), beside),
    ):
        assert floor_of(given, PLACE, 0.05, ground, 1) is None
