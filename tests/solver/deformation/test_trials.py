# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials that share a batch come out as each of them alone."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.constraints import Balance, Constraint
from poise.solver.constraints.base import Recruit
from poise.solver.constraints.effectors import PointEffector
from poise.solver.deformation.task_specifications import TaskSpecification
from poise.solver.deformation.trials import Trial, TrialTask, residuals_of
from poise.solver.posture.settings import SolveSettings

from ..standing import standing_human

SETTINGS = SolveSettings(tolerance=1e-6)
HAND, FOOT = Balance(name="hand"), Balance(name="foot")
"""Any constraints: only their labels count here."""


@pytest.fixture(scope="module")
def clip() -> Clip:
    return standing_human(3)


def task(
    clip: Clip, owner: Constraint, joint: str, by: tuple[float, float, float], priority: int, recruit: Recruit = None
) -> TrialTask:
    """A joint is to be moved from where it stands, in sizes of the character."""
    effector = PointEffector(BodyPoint(clip.skeleton.index(joint)))
    target = clip.position(joint)[0] + clip.skeleton.size * np.array(by)
    return TrialTask(effector, target, TaskSpecification(priority, True, 1.0, recruit), owner)


def some_trials(clip: Clip) -> list[Trial]:
    pose = clip.motion.at(np.array([0]))
    near = task(clip, HAND, "l_wrist", (0.0, 0.1, 0.3), 1)
    far = task(clip, HAND, "l_wrist", (0.0, 0.2, 4.0), 1)
    arm_alone = task(clip, HAND, "l_wrist", (0.0, 0.1, 0.8), 1, 2)
    foot = task(clip, FOOT, "l_talocrural", (0.0, 0.0, 0.0), 2)
    return [Trial(pose, tasks) for tasks in ((near,), (near, foot), (far, foot), (far,), (arm_alone,))]


def test_a_batch_is_its_trials_one_by_one(clip: Clip) -> None:
    trials = some_trials(clip)
    together = residuals_of(clip.skeleton, trials, SETTINGS)
    for trial, found in zip(trials, together, strict=True):
        (alone,) = residuals_of(clip.skeleton, [trial], SETTINGS)
        assert found.keys() == alone.keys() == {id(each.owner) for each in trial.tasks}
        for owner, residual in alone.items():
            assert found[owner] == pytest.approx(residual, abs=1e-3 * clip.skeleton.size)


def test_more_important_tasks_hold_and_others_come_near(clip: Clip) -> None:
    near, near_and_foot, far_and_foot, far, arm_alone = residuals_of(clip.skeleton, some_trials(clip), SETTINGS)
    size = clip.skeleton.size
    for residuals, owner in ((near, HAND), (near_and_foot, HAND), (near_and_foot, FOOT), (far_and_foot, FOOT)):
        assert residuals[id(owner)] < 1e-5 * size
    assert far[id(HAND)] < 1e-5 * size, "the whole body may go there"
    assert far_and_foot[id(HAND)] > 0.1 * size
    # The trunk, which other trials recruit, does not help an arm that may move alone.
    assert arm_alone[id(HAND)] > 0.1 * size


def test_joints_that_are_not_recruited_begin_at_the_pose(clip: Clip) -> None:
    turned = clip.motion.at(np.array([0]))
    turned.rotations[:, clip.skeleton.index("vl5")] = np.array([0.8, 0.6, 0.0, 0.0])
    (hand,) = some_trials(clip)[4].tasks
    here = task(clip, HAND, "l_wrist", (0.0, 0.0, 0.0), 1, 2)
    pose = clip.motion.at(np.array([0]))
    (found,) = residuals_of(clip.skeleton, [Trial(pose, (here,), turned)], SETTINGS)
    assert hand.owner is HAND and found[id(HAND)] < 1e-6 * clip.skeleton.size


def test_no_trials_have_no_residuals(clip: Clip) -> None:
    assert residuals_of(clip.skeleton, [], SETTINGS) == []
    assert residuals_of(clip.skeleton, [Trial(clip.motion.at(np.array([0])), ())], SETTINGS) == [{}]
