# SPDX-License-Identifier: GPL-3.0-or-later
"""Implausible landmarks are reported; those of real and of cartoon bodies are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.solver import BodyPoint, Skeleton, implausible_landmarks, synthetic
from poise.solver.core.errors import ConstraintError, LandmarkError


def complaints(skeleton: Skeleton, side: str | None = None) -> tuple[str, ...]:
    return implausible_landmarks(skeleton.landmarks, *skeleton.rest, side)


def misplaced(part: str, far: float) -> Skeleton:
    """The made-up human with a point of its left foot so many leg lengths below the ankle."""
    human = synthetic.human()
    ankle = human.landmarks.left_ankle
    return human.with_landmarks(**{f"left_{part}": BodyPoint(ankle, (0.0, -far * human.size, 0.0))})


def test_a_human_is_plausible() -> None:
    assert complaints(synthetic.human()) == ()


@pytest.mark.parametrize("clip", ["02_01", "135_04", "85_05"])
def test_captured_people_are_plausible(mocap: Path, clip: str) -> None:
    assert complaints(solver.read_bvh(mocap / f"{clip}.bvh").skeleton) == ()


@pytest.mark.parametrize("part", ["heel", "ball", "toe_tip"])
def test_a_point_of_a_foot_that_is_far_off_is_named(part: str) -> None:
    (complaint,) = complaints(misplaced(part, 5.0))
    assert complaint.startswith(f"The left {part.replace('_', ' ')} cannot be right: it lies 5")
    assert "leg lengths from the ankle" in complaint and "set it by hand" in complaint
    assert complaints(misplaced(part, 5.0), "right") == ()
    assert complaints(misplaced(part, 0.4)) == ()


def test_a_head_in_the_sky_and_a_knee_at_the_hip_are_named() -> None:
    human = synthetic.human()
    marks = human.landmarks
    tall = human.with_landmarks(head_top=BodyPoint(marks.head, (0.0, 20.0 * human.size, 0.0)))
    assert any("head top" in complaint for complaint in complaints(tall))
    wrong_knee = human.with_landmarks(left_knee=marks.left_hip)
    assert any("left knee" in complaint for complaint in complaints(wrong_knee))


def test_detection_and_footplants_refuse_such_a_foot_by_name() -> None:
    walk = synthetic.walk(steps=2, fps=30.0).clip
    wrong = solver.Clip(misplaced("heel", 6.0), walk.motion, walk.fps)
    with pytest.raises(LandmarkError, match="left heel cannot be right"):
        solver.detect_footplants(wrong)
    plant = solver.Footplant(foot="left", heel_strike=3, heel_off=10, toe_strike=4, toe_off=12)
    with pytest.raises(ConstraintError, match="left heel cannot be right"):
        solver.deform(wrong, [plant])
    with pytest.raises(ConstraintError, match="left heel cannot be right"):
        solver.clean(wrong, [plant], method="prioritized")


def test_a_character_a_hundred_times_larger_is_as_plausible() -> None:
    human = synthetic.human()
    assert complaints(human.scaled(100.0)) == ()
    assert len(complaints(misplaced("heel", 3.0).scaled(0.01))) == 1
    assert np.isclose(misplaced("heel", 3.0).scaled(0.01).size, 0.01 * misplaced("heel", 3.0).size)
