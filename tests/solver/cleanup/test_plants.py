# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted points: from footplants, checked, and as a table over the frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import solver
from poise.solver.cleanup.limbs import TOE_TIP, Limb, limbs_of
from poise.solver.cleanup.plants import (
    CARRIED,
    RISEN,
    PlantedPoint,
    check_plants,
    mean_orientation,
    plant_table,
    planted_counts,
    planted_points,
)
from poise.solver.core import rotations
from poise.solver.core.errors import ConstraintError
from poise.solver.deformation.plant_transitions import transition_frames
from poise.solver.synthetic import human, walk

from .gaits import footplants, gait

LIMBS = limbs_of(human())


def test_a_footplant_plants_heel_and_ball_between_its_events():
    clip = walk(steps=2).clip
    plant = solver.Footplant(foot="left", heel_strike=3, toe_strike=5.5, heel_off=9.2, toe_off=12)
    heel, ball = planted_points(clip, [plant], LIMBS)
    assert (heel.limb, heel.point, heel.begin, heel.end) == ("left leg", "heel", 3, 9)
    assert (ball.limb, ball.point, ball.begin, ball.end) == ("left leg", "ball", 6, 12)
    assert heel.location is None and heel.floor is None
    assert all(each.floor == "ground" for each in planted_points(clip, [plant], LIMBS, solver.Ground(0.0)))
    alone = solver.Footplant(foot="right", toe_strike=1, toe_off=4)
    assert [each.point for each in planted_points(clip, [alone], LIMBS)] == ["ball"]


def test_a_footplant_with_a_position_gives_locations():
    clip = walk(steps=2).clip
    plant = solver.Footplant(foot="left", heel_strike=10, toe_strike=12, heel_off=20, toe_off=24)
    wanted = solver.Footplant(
        foot="left", heel_strike=10, toe_strike=12, heel_off=20, toe_off=24, shift=(0.1, 0.02, -0.05)
    )
    there = {each.point: np.array(each.location) for each in planted_points(clip, [wanted], LIMBS)}
    for part, track in zip(("heel", "ball"), plant.point_tracks(solver.constraints.Source(clip)), strict=True):
        stood = clip.position(clip.skeleton.landmarks.require(f"left_{'heel' if part == 'heel' else 'toe'}"))[15]
        assert np.allclose(there[part] - stood, (0.1, 0.02, -0.05), atol=1e-6), (part, track)


def test_plants_of_a_point_without_a_frame_between_them_become_one():
    clip = walk(steps=2).clip
    plants = [PlantedPoint("left leg", "ball", 0, 4), PlantedPoint("left leg", "ball", 5, 9)]
    (whole,) = planted_points(clip, plants, LIMBS)
    assert (whole.begin, whole.end) == (0, 9)
    placed = [plants[0], PlantedPoint("left leg", "ball", 5, 9, location=(0.0, 0.0, 0.0))]
    assert len(planted_points(clip, placed, LIMBS)) == 2, "a given place is not the one before"


def test_footplants_that_follow_each_other_at_once_leave_time_for_the_way_between_their_places():
    """As in a deformation. Those in one place become one."""
    clip = walk(steps=2, fps=60.0).clip
    standing = clip.with_motion(clip.motion.at(np.full(60, 20)))
    first, second = (solver.Footplant(foot="left", toe_strike=begin, toe_off=begin + 29) for begin in (0, 30))
    (whole,) = planted_points(standing, [first, second], LIMBS)
    assert (whole.begin, whole.end) == (0, 59)
    moved = second.moved((0.2 * clip.skeleton.size, 0.0, 0.0))
    before, after = planted_points(standing, [first, moved], LIMBS)
    assert (before.begin, after.end) == (0, 59)
    assert after.begin - before.end >= transition_frames(0.2, 60.0) > after.begin - before.end - 1


def test_two_plants_of_one_point_at_once_are_refused_with_names_and_frames():
    plants = [
        PlantedPoint("left leg", "heel", 3, 9, name="first"),
        PlantedPoint("left leg", "heel", 9, 12, name="second"),
    ]
    with pytest.raises(ConstraintError, match=r"first \(frames 3 to 9\) and second \(frames 9 to 12\).*heel"):
        check_plants(plants, LIMBS)
    check_plants([plants[0], PlantedPoint("left leg", "ball", 3, 9), PlantedPoint("right leg", "heel", 3, 9)], LIMBS)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"begin": 2.5}, "whole number"),
        ({"begin": 9, "end": 3}, "before it begins"),
        ({"location": (0.0, np.nan, 0.0)}, "not finite"),
        ({"floor": "roof"}, "floor is a height"),
    ],
)
def test_a_plant_with_bad_values_is_refused(wrong, told):
    fields = {"limb": "left leg", "point": "heel", "begin": 1, "end": 5, **wrong}
    with pytest.raises(ConstraintError, match=told):
        PlantedPoint(**fields)


@pytest.mark.parametrize(
    ("plant", "told"),
    [
        (PlantedPoint("tail", "tip", 0, 1), "no limb 'tail'"),
        (PlantedPoint("left leg", "wrist", 0, 1), "has no 'wrist'; it has heel, ball"),
        (PlantedPoint("left leg", "heel", 0, 5000), "outside the clip"),
        (PlantedPoint("left leg", "heel", -2, 4), "outside the clip"),
    ],
)
def test_a_plant_that_does_not_fit_is_refused(plant, told):
    with pytest.raises(ConstraintError, match=told):
        planted_points(walk(steps=1).clip, [plant], LIMBS)


def test_the_table_gives_the_plant_of_each_point_in_each_frame():
    plants = (PlantedPoint("left leg", "heel", 1, 3), PlantedPoint("left leg", "ball", 2, 5))
    table = plant_table(plants, LIMBS, 7)
    assert table[:, 0].tolist() == [[-1, -1], [0, -1], [0, 1], [0, 1], [-1, 1], [-1, 1], [-1, -1]]
    assert planted_counts(table)[:, 0].tolist() == [0, 1, 2, 2, 1, 1, 0]
    assert not planted_counts(table)[:, 1:].any()
    assert np.array_equal(plant_table(plants, LIMBS, 3, first=2), table[2:5]), "plants may begin before and end after"
    assert (plant_table(plants, LIMBS, 4, first=6) == -1).all()


def test_mean_orientations_do_not_depend_on_signs(rng):
    turned = rotations.multiply(rotations.exp(0.05 * rng.standard_normal((9, 3))), rotations.random(rng))
    flipped = turned * np.where(rng.random(9) < 0.5, -1.0, 1.0)[:, None]
    assert rotations.angle_between(mean_orientation(turned), mean_orientation(flipped)) < 1e-12
    assert rotations.angle_between(mean_orientation(turned), rotations.mean(turned)) < 1e-3


def rolling(longer: int = 8) -> tuple[solver.Clip, list[solver.Footplant], dict[str, Limb]]:
    """A walk at 60 frames a second whose feet touch the ground for some frames after their balls have left it."""
    motion = gait("walk", fps=60.0)
    plants = [replace(plant, contact=(0.0, plant.toe_off + longer)) for plant in footplants(motion)]
    return motion.clip, plants, {limb.name: limb for limb in limbs_of(motion.clip.skeleton)}


def toe_tips(clip: solver.Clip, plants: list[solver.Footplant], limbs: dict[str, Limb]) -> list[PlantedPoint]:
    return [plant for plant in planted_points(clip, plants, list(limbs.values())) if plant.point == TOE_TIP]


def test_a_toe_tip_stands_from_the_end_of_the_ball_to_that_of_the_contact():
    clip, plants, limbs = rolling(longer=2)
    found = toe_tips(clip, plants, limbs)
    ends = {(f"{plant.foot} leg", plant.toe_off) for plant in plants}
    assert len(found) >= 3
    for tip in found:
        assert (tip.limb, tip.begin - 1) in ends and tip.frames == 2
    assert not toe_tips(clip, [replace(plant, contact=None) for plant in plants], limbs)
    assert not toe_tips(clip, plants, {name: replace(limb, toes=None) for name, limb in limbs.items()})


def test_a_toe_tip_is_let_go_where_the_foot_is_in_the_air():
    clip, plants, limbs = rolling(longer=15)
    found = toe_tips(clip, plants, limbs)
    assert found and all(tip.frames < 15 for tip in found), "the feet are off the ground before their contacts end"
    for tip in found:
        toes = limbs[tip.limb].toes
        assert toes is not None
        path, length = clip.position(toes.tip)[tip.begin - 1 : tip.end + 1], np.linalg.norm(toes.tip.local)
        assert (path[:, clip.skeleton.up_axis] - path[0, clip.skeleton.up_axis]).max() <= RISEN * length
        joint = clip.world.positions[tip.begin : tip.end + 1, toes.joint]
        assert np.abs(np.linalg.norm(joint - path[0], axis=1) - length).max() <= CARRIED * length


def test_a_toe_tip_leaves_time_for_the_way_to_the_next_plant_of_the_foot():
    """A foot that stands still for two plants, in two places."""
    clip = walk(steps=2, fps=60.0).clip
    standing = clip.with_motion(clip.motion.at(np.full(60, 20)))
    first = solver.Footplant(foot="left", toe_strike=0, toe_off=20, contact=(0, 39))
    second = solver.Footplant(foot="left", toe_strike=40, toe_off=59)
    limbs = {limb.name: limb for limb in LIMBS}
    (whole,) = toe_tips(standing, [first, second], limbs)
    assert (whole.begin, whole.end) == (21, 39)
    (cut,) = toe_tips(standing, [first, second.moved((0.1 * clip.skeleton.size, 0.0, 0.0))], limbs)
    assert 40 - cut.end >= transition_frames(0.1, 60.0) > 40 - cut.end - 1


def test_a_heel_that_stands_longer_than_the_ball_leaves_no_time_for_a_toe_tip():
    clip, plants, limbs = rolling()
    rocked = [replace(plant, heel_off=plant.toe_off + 4) for plant in plants if plant.heel_off is not None]
    assert toe_tips(clip, plants, limbs) and not toe_tips(clip, [rocked[1]], limbs)


@pytest.mark.parametrize(
    ("begin", "told"),
    [(12, "let it begin in the frame after the last one"), (9, "plant the ball and the toe tip at once")],
)
def test_a_toe_tip_that_does_not_follow_its_ball_is_refused(begin, told):
    plants = [PlantedPoint("left leg", "ball", 3, 10), PlantedPoint("left leg", TOE_TIP, begin, 15)]
    with pytest.raises(ConstraintError, match=told):
        planted_points(walk(steps=2).clip, plants, LIMBS)


def test_a_toe_tip_on_an_object_is_refused():
    clip = walk(steps=2).clip
    deck = solver.MovingObject(np.zeros((clip.frames, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (clip.frames, 1)))
    ball = PlantedPoint("left leg", "ball", 3, 10, reference=deck)
    with pytest.raises(ConstraintError, match="a toe tip stands in the world"):
        planted_points(clip, [ball, PlantedPoint("left leg", TOE_TIP, 11, 15, reference=deck)], LIMBS)
