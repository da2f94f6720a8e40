# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets in world space are as far from the body's points as the residuals say."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.solver.deformation.targets import point_targets
from poise.solver.synthetic import walk


@pytest.fixture(scope="module")
def clip() -> solver.Clip:
    return walk(steps=4, fps=30.0).clip


def distances(result: solver.Clip, targets: solver.PointTargets) -> np.ndarray:
    return np.linalg.norm(result.position(targets.point)[targets.frames] - targets.positions, axis=1)


def test_a_target_out_of_reach_is_as_far_away_as_its_residual_says(clip: solver.Clip) -> None:
    far = clip.position("l_wrist")[30] + [0.0, 3.0, 0.0]
    pin = solver.ShapeConstraint("l_wrist", 20, 40, points=[solver.ConstraintPoint(far, 28, 32)], recruit=2)
    deformed = solver.deform(clip, [pin])
    (targets,) = point_targets(deformed, pin, deformed.clip)
    (residual,) = deformed.report.residuals
    assert targets.frames.tolist() == list(range(20, 41))
    held = np.isin(targets.frames, np.arange(28, 33))
    np.testing.assert_allclose(targets.positions[held], np.tile(far, (5, 1)), atol=1e-9)
    amounts = dict(zip(residual.frames.tolist(), residual.distances.tolist(), strict=True))
    expected = [amounts[frame] for frame in range(28, 33)]
    assert min(expected) > 1.0
    np.testing.assert_allclose(distances(deformed.clip, targets)[held], expected, atol=1e-9)


def test_heel_and_ball_of_a_plant_have_targets_while_they_stand(clip: solver.Clip) -> None:
    plants = solver.detect_footplants(clip)
    moved = [plants[0].moved((0.0, 0.0, 0.05)), *plants[1:]]
    deformed = solver.deform(clip, moved)
    heel, ball = point_targets(deformed, moved[0], deformed.clip)
    marks = clip.skeleton.landmarks
    assert heel.point == clip.skeleton.resolve(getattr(marks, f"{moved[0].foot}_heel"))
    for targets, (begin, end) in ((heel, moved[0].stays["heel"]), (ball, moved[0].stays["toe"])):
        assert targets.frames[0] >= begin and targets.frames[-1] <= end
        assert np.ptp(targets.positions, axis=0).max() < 1e-9, "a plant stands still"
        assert distances(deformed.clip, targets).max() < 1e-3 * clip.skeleton.size


def test_targets_on_another_joint_move_with_it(clip: solver.Clip) -> None:
    place = (0.1, 0.1, 0.1)
    hold = solver.ShapeConstraint(
        "l_wrist", 20, 40, points=[solver.ConstraintPoint(place, 28, 32)], reference="skullbase"
    )
    deformed = solver.deform(clip, [hold])
    (targets,) = point_targets(deformed, hold, deformed.clip)
    head = deformed.clip
    expected = head.position("skullbase")[30] + solver.rotations.rotate(head.orientation("skullbase")[30], place)
    np.testing.assert_allclose(targets.positions[targets.frames == 30][0], expected, atol=1e-9)


def test_what_holds_no_point_has_no_targets(clip: solver.Clip) -> None:
    balance = solver.Balance()
    deformed = solver.deform(clip, [balance])
    assert point_targets(deformed, balance, deformed.clip) == []


def test_a_loop_has_targets_in_its_own_frames() -> None:
    loop = walk(steps=4, fps=30.0).clip
    pin = solver.ShapeConstraint(
        "l_wrist", 10, 30, points=[solver.ConstraintPoint(loop.position("l_wrist")[20] + [0.0, 0.05, 0.0], 20)]
    )
    deformed = solver.deform(loop, [pin], cyclic=True)
    (targets,) = point_targets(deformed, pin, deformed.clip)
    assert targets.frames.tolist() == list(range(10, 31))
    assert distances(deformed.clip, targets)[10] < 1e-3 * loop.skeleton.size
