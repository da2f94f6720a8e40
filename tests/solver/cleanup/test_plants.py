# SPDX-License-Identifier: GPL-3.0-or-later
"""Planted points: from footplants, checked, and as a table over the frames."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.plants import (
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
