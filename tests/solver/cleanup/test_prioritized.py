# SPDX-License-Identifier: GPL-3.0-or-later
"""The prioritized solver as one of the clean-ups: the same plants, the same kind of answer."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Ground, foot_metrics
from poise.solver.cleanup.plants import PlantedPoint
from poise.solver.cleanup.prioritized import clean_prioritized
from poise.solver.cleanup.settings import CleanSettings
from poise.solver.core.errors import ConstraintError

from ..rounding import assert_equal_to_rounding
from .gaits import footplants, gait


@pytest.mark.parametrize("name", ["walk", "jump"])
def test_feet_stand(name: str) -> None:
    motion = gait(name, skate=0.01)
    plants = footplants(motion)
    result = clean_prioritized(motion.clip, plants)
    metrics = foot_metrics(result.clip, plants, source=motion.clip)
    assert metrics.extent < 1e-6 and result.residual < 1e-6
    assert metrics.knee_ratio <= 1.5 and metrics.stretch < 1e-12
    assert len(result.plants) == len(result.residuals) == sum(len(plant.stays) for plant in plants)
    moved = result.clip.motion.translations[:, 0] - motion.clip.motion.translations[:, 0]
    assert_equal_to_rounding(result.root, moved, motion.clip.skeleton.size)
    assert np.abs(moved).max() > 1e-3


def test_feet_that_stand_still_are_hardly_changed() -> None:
    motion = gait("walk")
    result = clean_prioritized(motion.clip, footplants(motion))
    assert np.abs(result.clip.motion.rotations - motion.clip.motion.rotations).max() < 1e-6


def test_feet_stand_on_the_ground_and_the_body_stays_nearly_balanced() -> None:
    motion = gait("walk", skate=0.01)
    plants = footplants(motion)
    result = clean_prioritized(motion.clip, plants, CleanSettings(ground=Ground(0.0)))
    metrics = foot_metrics(result.clip, plants, ground=Ground(0.0))
    assert metrics.height < 1e-6
    marks = motion.clip.skeleton.landmarks
    standing = [getattr(marks, f"{side}_{part}") for side in ("left", "right") for part in ("heel", "toe")]
    over = [
        clip.center_of_mass() - np.mean([clip.position(point) for point in standing], axis=0)
        for clip in (motion.clip, result.clip)
    ]
    assert np.abs(over[1] - over[0])[:, [0, 2]].max() < 1e-2 * motion.clip.skeleton.size


def test_single_points_of_any_limb_are_planted() -> None:
    clip = gait("jump").clip
    wrist = clip.position(clip.skeleton.landmarks.left_wrist)[20]
    x, y, z = np.add(wrist, (0.03, 0.0, 0.02)).tolist()
    given = PlantedPoint("left arm", "wrist", 10, 30, (x, y, z))
    floating = PlantedPoint("right leg", "ball", 5, 30, floor=0.0)
    result = clean_prioritized(clip, [given, floating])
    assert result.residual < 1e-6
    ball = clip.skeleton.landmarks.right_toe
    heights = result.clip.position(ball)[5:31, 1]
    assert np.abs(heights - 0.015).max() < 1e-6, "on the floor, its clearance above"


def test_plants_are_checked_as_in_the_other_methods() -> None:
    clip = gait("jump").clip
    twice = [PlantedPoint("left leg", "heel", begin, begin + 20, (0.0, 0.0, 0.0)) for begin in (5, 15)]
    with pytest.raises(ConstraintError, match="twice"):
        clean_prioritized(clip, twice)
    with pytest.raises(ConstraintError, match="outside the clip"):
        clean_prioritized(clip, [PlantedPoint("left leg", "heel", 5, 100000)])


def test_no_plants_change_nothing() -> None:
    clip = gait("walk", skate=0.01).clip
    assert clean_prioritized(clip, []).clip is clip
