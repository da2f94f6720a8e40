# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet on moving ground, and loops, cleaned in each way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver import Clip, Footplant, Ground, PlantedPoint, clean, cleaned, foot_metrics
from poise.solver.body.moving_ground import over_ground
from poise.solver.cleanup.clean import CleanMethod
from poise.solver.cleanup.relative_clip import RelativeClip, shared_velocity
from poise.solver.core import rotations
from poise.solver.core.errors import ConstraintError
from poise.solver.synthetic import walk

from ..deformation.test_deform import BENDS, POSE_MEETS, carried_plants, seam, slides
from ..deformation.test_loops import swaying
from ..in_place import Ends, walk_in_place
from ..made_up import placed, plant_of

METHODS: tuple[CleanMethod, ...] = ("stretch", "rigid", "prioritized")


def farthest(one: Clip, other: Clip) -> float:
    return float(np.abs(one.world.positions - other.world.positions).max() / one.skeleton.size)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ends", ["again", "before", "short"])
def test_a_walk_in_place_stands_on_its_ground_and_stays_a_loop(method: CleanMethod, ends: Ends) -> None:
    made = walk_in_place(sway=0.01, ends=ends, first=0.25)
    plants = carried_plants(made)
    result = cleaned(made.clip, plants, method, cyclic=True)
    assert slides(made.clip, made) > 0.005
    assert slides(result.clip, made) < 1e-4
    assert not result.unmet and result.residual < 1e-4
    hips = made.clip.skeleton.landmarks.hips
    moved = np.linalg.norm(result.clip.world.positions[:, hips] - made.clip.world.positions[:, hips], axis=1).max()
    assert moved < 0.03 * made.clip.skeleton.size
    pose, bend = seam(made.clip, result.clip, ends != "before")
    assert pose < POSE_MEETS
    assert bend < BENDS


@pytest.mark.parametrize("method", METHODS)
def test_results_of_a_loop_are_in_the_frames_of_the_clip(method: CleanMethod) -> None:
    made = walk_in_place(sway=0.01, first=0.25)
    result = cleaned(made.clip, carried_plants(made), method, cyclic=True)
    assert result.root.shape == (made.clip.frames, 3)
    assert all(len(each) == made.clip.frames for each in result.stretch.values())
    for plant, residual in zip(result.plants, result.residuals, strict=True):
        assert 0 <= plant.begin <= plant.end < made.frames
        assert len(residual) == plant.frames
        part = {"heel": "heel", "ball": "toe"}[plant.point]
        mark = getattr(made.clip.skeleton.landmarks, f"{plant.limb.split()[0]}_{part}")
        place = result.clip.position(mark)[plant.begin]
        np.testing.assert_allclose(place, plant.location, atol=1e-4 * made.clip.skeleton.size)


@pytest.mark.parametrize("method", METHODS)
def test_moving_ground_under_a_clip_that_is_no_loop_is_as_still_ground(method: CleanMethod) -> None:
    motion = walk(steps=4, skate=0.01)
    velocity = np.array([0.0, 0.0, -1.3 * motion.clip.skeleton.size])
    plants = [plant_of(contact) for contact in motion.contacts]
    treadmill = over_ground(motion.clip, -velocity)
    carried = [replace(plant, ground_velocity=tuple(velocity.tolist())) for plant in plants]
    still = cleaned(motion.clip, plants, method)
    moving = cleaned(treadmill, carried, method)
    assert farthest(over_ground(moving.clip, velocity), still.clip) < 1e-6
    assert [(each.begin, each.end) for each in moving.plants] == [(each.begin, each.end) for each in still.plants]
    np.testing.assert_allclose(moving.root, still.root, atol=1e-9)


def test_a_given_position_is_that_halfway_through_a_plant() -> None:
    motion = walk(steps=4)
    velocity = np.array([0.0, 0.0, -1.3 * motion.clip.skeleton.size])
    treadmill = over_ground(motion.clip, -velocity)
    contact = motion.contacts[2]
    halfway = 0.5 * (contact.heel_strike + contact.toe_off) / motion.clip.fps
    place = 0.5 * (contact.heel + contact.toe) + [0.03, 0.0, 0.0]
    still = clean(motion.clip, [plant_of(contact, position=place)])
    carried = plant_of(contact, position=place + halfway * velocity, ground_velocity=velocity)
    moving = clean(treadmill, [carried])
    assert farthest(over_ground(moving, velocity), still) < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_hands_of_a_loop_stand_in_every_copy(method: CleanMethod) -> None:
    clip = swaying()
    result = cleaned(clip, [PlantedPoint("left arm", "wrist", 40, clip.frames - 1)], method, cyclic=True)
    (plant,) = result.plants
    assert (plant.begin, plant.end) == (40, clip.frames - 2)
    assert seam(clip, result.clip, closes=True)[0] < POSE_MEETS


def test_plants_share_their_ground() -> None:
    made = walk_in_place()
    plants = carried_plants(made)
    np.testing.assert_array_equal(shared_velocity(plants), made.velocity)
    assert not shared_velocity([]).any()
    with pytest.raises(ConstraintError, match="stand on ground that moves differently"):
        clean(made.clip, [*plants[:-1], replace(plants[-1], ground_velocity=(0.0, 0.0, 0.0))])
    with pytest.raises(ConstraintError, match="clean hands and feet one by one"):
        clean(made.clip, [*plants, PlantedPoint("left arm", "wrist", 3, 8)])
    with pytest.raises(ConstraintError, match="give the ground as one height"):
        clean(made.clip, plants, ground=Ground(lambda x, z: 0.0 * x))


def test_still_ground_without_a_loop_is_left_to_the_methods() -> None:
    motion = walk(steps=2)
    assert RelativeClip.of(motion.clip, [plant_of(contact) for contact in motion.contacts], cyclic=False) is None


# Measured along the ground --------------------------------------------------------------------------------------------


def test_feet_are_measured_along_the_ground_that_they_stand_on() -> None:
    motion = walk(steps=4, skate=0.01)
    velocity = np.array([0.0, 0.0, -1.3 * motion.clip.skeleton.size])
    plants = [plant_of(contact) for contact in motion.contacts]
    still = foot_metrics(motion.clip, plants)
    treadmill = over_ground(motion.clip, -velocity)
    for heading in (0.0, 1.2):
        turn = rotations.exp([0.0, heading, 0.0])
        ground = rotations.rotate(turn, velocity)
        carried = [replace(plant, ground_velocity=tuple(ground.tolist())) for plant in plants]
        moving = foot_metrics(placed(treadmill, turn), carried)
        for name in ("slide", "largest_slide", "extent", "speed", "height", "skating_ratio"):
            assert getattr(moving, name) == pytest.approx(getattr(still, name), abs=1e-9)
    assert foot_metrics(treadmill, plants).slide > 10.0 * still.slide


def test_plants_on_different_ground_are_measured_each_on_its_own() -> None:
    motion = walk(steps=4)
    velocity = np.array([0.0, 0.0, -1.3 * motion.clip.skeleton.size])
    plants: list[Footplant] = [plant_of(contact) for contact in motion.contacts]
    measured = foot_metrics(motion.clip, [replace(plants[0], ground_velocity=velocity), *plants[1:]])
    assert measured.plants[0].slide > 0.1
    assert all(plant.slide < 1e-6 for plant in measured.plants[1:])
