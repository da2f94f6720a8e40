# SPDX-License-Identifier: GPL-3.0-or-later
"""The locations of plants, and the targets that they give to hands and feet."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Ground
from poise.solver.body.motion import Motion
from poise.solver.cleanup.floors import Floor
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.observing import LimbState, Observer
from poise.solver.cleanup.planting.targets import (
    held_orientation,
    locating_order,
    location_next_to,
    location_of_single_point,
    near_paths,
    raised,
    target_above,
    target_at,
)
from poise.solver.cleanup.plants import PlantedPoint
from poise.solver.core import rotations
from poise.solver.synthetic import human

FRAMES = 50


@pytest.fixture
def foot(rng: np.random.Generator) -> LimbState:
    """A foot in many places and orientations; heel and ball are rigid on it."""
    skeleton = human()
    motion = Motion(
        np.tile(skeleton.rest_rotations, (FRAMES, 1, 1)).copy(), np.tile(skeleton.offsets, (FRAMES, 1, 1)).copy()
    )
    for joint in ("l_hip", "l_knee", "l_talocrural"):
        motion.rotations[:, skeleton.index(joint)] = rotations.exp(0.4 * rng.standard_normal((FRAMES, 3)))
    return Observer(skeleton, limbs_of(skeleton, only=["left leg"])).states(motion)[0]


def apart(state: LimbState) -> float:
    return float(np.linalg.norm(np.subtract(*state.points), axis=1)[0])


def places_for(rng: np.random.Generator, state: LimbState) -> tuple[np.ndarray, np.ndarray]:
    """Places for heel and ball as far apart as they are, near where they are."""
    heel = state.points[0] + 0.05 * rng.standard_normal((FRAMES, 3))
    along = rotations.unit((state.points[1] - state.points[0]) + 0.05 * rng.standard_normal((FRAMES, 3)))
    return heel, (heel + apart(state) * along)


def seen(state: LimbState, target) -> list[np.ndarray]:
    """Where heel and ball are when the end is at its target."""
    return [(target.position + rotations.rotate(target.rotation, (point - state.end))) for point in state.points]


@pytest.mark.parametrize("up", [1, 2])
@pytest.mark.parametrize("turned", [0.0, 0.7, 1.5, -2.9])
@pytest.mark.parametrize("raised_by", [0.0, 0.1])
def test_a_foot_that_lies_on_two_points_is_turned_and_raised_without_banking(rng, up, turned, raised_by):
    """Its own direction across the line of its points stays level, if it was."""
    vertical, line = np.eye(3)[up], np.roll([0.15, 0.04, -0.05], up - 1)
    across = rotations.unit(np.cross(vertical, line))
    orientation = rotations.random(rng)
    length = np.linalg.norm(line)
    wanted = rotations.rotate(rotations.from_axis_angle(vertical, turned), line) + raised_by * vertical
    wanted *= length / np.linalg.norm(wanted)
    held = held_orientation(orientation, line, wanted, up)
    by = rotations.multiply(held, rotations.conjugate(orientation))
    assert np.allclose(rotations.rotate(by, line), wanted, atol=1e-12)
    assert abs(rotations.rotate(by, across) @ vertical) < 1e-12


def test_an_extremity_rotates_about_its_planted_point_to_keep_other_parts_on_their_paths(rng, foot):
    """A foot whose orientation trembles about a steady ankle: the ankle stays, and the planted point too."""
    is_first = rng.random(FRAMES) < 0.5
    places = foot.points[0], foot.points[1]
    identity = np.tile(rotations.IDENTITY, (FRAMES, 1))
    trembled = rotations.exp(0.02 * rng.standard_normal((FRAMES, 3)))
    target = target_at(foot, trembled, is_first, places)
    other = np.where(is_first[:, None], foot.points[1], foot.points[0])
    found = near_paths(foot, target, is_first, foot.end, other)
    assert np.abs(found.position - foot.end).max() < 0.03 * np.abs(target.position - foot.end).max()
    lead = np.where(is_first[:, None], *seen(foot, found))
    assert np.allclose(lead, np.where(is_first[:, None], *places), atol=1e-12)
    assert rotations.angle_between(found.rotation, identity).max() < 0.1 * 0.02


def test_a_hand_with_one_point_at_its_end_stays_as_it_is(rng, foot):
    alone = foot._replace(points=(foot.end, foot.end))
    turn = rotations.random(rng, FRAMES)
    target = target_at(alone, turn, np.ones(FRAMES, dtype=bool), (foot.end, foot.end))
    found = near_paths(alone, target, np.ones(FRAMES, dtype=bool), foot.end + 0.1, foot.end + 0.1)
    assert np.allclose(found.position, target.position) and np.allclose(found.rotation, turn)


def test_one_point_is_put_on_its_location_with_any_rotation(rng, foot):
    places = places_for(rng, foot)
    turn = rotations.random(rng, FRAMES)
    is_first = rng.random(FRAMES) < 0.5
    found = seen(foot, target_at(foot, turn, is_first, places))
    heel, ball = (place for place in places)
    assert np.allclose(np.where(is_first[:, None], found[0] - heel, found[1] - ball), 0.0, atol=1e-12)


@pytest.mark.parametrize("up", [1, 2])
def test_the_other_point_is_kept_above_the_ground_by_the_smallest_rotation(rng, foot, up):
    places = places_for(rng, foot)
    turn = rotations.exp(0.5 * rng.standard_normal((FRAMES, 3)))
    is_first = rng.random(FRAMES) < 0.5
    level = float(np.median(foot.end[:, up]))
    lead = np.where(is_first[:, None], *places)
    clearances = (0.01, 0.02)
    target = target_above(foot, turn, is_first, places, Ground(level), clearances, up)
    found = seen(foot, target)
    other = np.where(is_first[:, None], found[1], found[0])[:, up]
    lowest = level + np.where(is_first, clearances[1], clearances[0])
    reachable = lowest < lead[:, up] + apart(foot)
    assert (other >= np.where(reachable, lowest, -np.inf) - 1e-9).all()
    own = np.where(is_first[:, None], found[0], found[1])
    assert np.allclose(own, lead, atol=1e-12), "what is planted stays"
    before = target_at(foot, turn, is_first, places)
    free = np.where(is_first[:, None], *reversed(seen(foot, before)))[:, up] > lowest
    assert free.any() and not free.all()
    kept = rotations.angle_between(target.rotation, before.rotation)
    assert (kept[free] == 0.0).all() and (kept[~free] > 0.0).all()


def test_a_vector_is_raised_by_the_smallest_rotation(rng):
    vectors = rng.standard_normal((200, 3))
    heights = rng.uniform(-0.5, 0.5, 200)
    result = raised(vectors, heights, np.eye(3)[1])
    sizes = np.linalg.norm(vectors, axis=1)
    assert np.allclose(np.linalg.norm(result, axis=1), sizes)
    assert np.allclose(result[:, 1], np.clip(heights, -sizes, sizes))
    across = result[:, 0] * vectors[:, 2] - result[:, 2] * vectors[:, 0]
    assert np.abs(across).max() < 1e-12, "it keeps its direction seen from above"


def test_a_point_alone_is_located_at_its_mean_on_the_floor(rng):
    points = rng.standard_normal((7, 3))
    mean = points.mean(axis=0)
    assert np.allclose(location_of_single_point(points, None), mean)
    assert np.allclose(location_of_single_point(points, Floor(np.eye(3)[2], 0.2)), [*mean[:2], 0.2])
    slope = Floor(rotations.unit(rng.standard_normal(3)), 0.3)
    found = location_of_single_point(points, slope)
    assert np.isclose(slope.normal @ found, 0.3) and np.allclose(np.cross(found - mean, slope.normal), 0.0)


def test_a_point_beside_another_is_located_at_their_distance(rng):
    offset = np.array([0.02, -0.03, 0.2])
    turned = rotations.multiply(rotations.exp(0.05 * rng.standard_normal((9, 3))), rotations.random(rng))
    others = rng.standard_normal((9, 3))
    points = others + rotations.rotate(turned, offset)
    other = rng.standard_normal(3)
    free = location_next_to(other, points, others, turned, None)
    assert np.isclose(np.linalg.norm(free - other), np.linalg.norm(offset), rtol=1e-12)
    mean = rotations.rotate(rotations.mean(turned), offset)
    assert np.linalg.norm(free - other - mean) < 1e-3
    for normal in (np.eye(3)[1], rotations.unit(rng.standard_normal(3))):
        floor = Floor(normal, float(normal @ other) + 0.05)
        on_floor = location_next_to(other, points, others, turned, floor)
        assert np.isclose(normal @ on_floor, normal @ other + 0.05)
        assert np.isclose(np.linalg.norm(on_floor - other), np.linalg.norm(offset))


def test_plants_are_located_as_they_begin():
    limbs = limbs_of(human())
    plants = [
        PlantedPoint("left leg", "ball", 5, 9),
        PlantedPoint("left leg", "heel", 5, 9),
        PlantedPoint("right leg", "heel", 2, 9),
        PlantedPoint("right leg", "ball", 2, 9, location=(0.0, 0.0, 0.0)),
    ]
    assert locating_order(plants, limbs) == [3, 2, 1, 0]
