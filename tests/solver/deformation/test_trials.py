# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials that share a batch come out as each of them alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.trials import Trial, residuals_of
from poise.solver.posture.settings import SolveSettings

from ..standing import displaced, frame_tasks_of, standing_human

SETTINGS = SolveSettings(tolerance=1e-6)
HAND, FOOT, ARM = range(3)
"""The channels."""
NEAR_FRAME, FAR_FRAME = 2, 8


@pytest.fixture(scope="module")
def clip() -> Clip:
    return standing_human(11)


@pytest.fixture(scope="module")
def frame_tasks(clip: Clip) -> FrameTasks:
    """A hand near by and then far away, a foot that stays, and an arm that moves alone."""
    return frame_tasks_of(
        clip,
        [
            displaced(clip, "l_wrist", (0.0, 0.1, 0.3), 0, 0, 4, 4, name="near", priority=1),
            displaced(clip, "l_wrist", (0.0, 0.2, 4.0), 6, 6, 10, 10, name="far", priority=1),
            displaced(clip, "l_talocrural", (0.0, 0.0, 0.0), 0, 0, 10, 10, name="foot", priority=2),
            displaced(clip, "r_wrist", (0.0, 0.1, 0.8), 0, 0, 10, 10, name="arm", priority=1, recruit=2),
        ],
    )


def trial(
    frame: int, kept: list[int], judged: list[int], recruit: Mapping[int, tuple[int, ...]] | None = None
) -> Trial:
    """A trial that keeps and judges some channels."""
    every = np.arange(3)
    return Trial(frame, np.isin(every, kept), np.isin(every, judged), recruit or {})


TRIALS = [
    trial(NEAR_FRAME, [HAND], [HAND]),
    trial(NEAR_FRAME, [HAND, FOOT], [HAND, FOOT]),
    trial(FAR_FRAME, [HAND, FOOT], [FOOT]),
    trial(FAR_FRAME, [HAND, FOOT], [HAND]),
    trial(FAR_FRAME, [HAND], [HAND]),
    trial(NEAR_FRAME, [ARM], [ARM]),
]


def test_a_batch_is_its_trials_one_by_one(clip: Clip, frame_tasks: FrameTasks) -> None:
    together = residuals_of(frame_tasks, TRIALS, clip.motion, SETTINGS)
    for one, found in zip(TRIALS, together, strict=True):
        (alone,) = residuals_of(frame_tasks, [one], clip.motion, SETTINGS)
        assert found == pytest.approx(alone, abs=1e-3 * clip.skeleton.size)


def test_more_important_tasks_hold_and_others_come_near(clip: Clip, frame_tasks: FrameTasks) -> None:
    found = residuals_of(frame_tasks, TRIALS, clip.motion, SETTINGS) / clip.skeleton.size
    near, near_and_foot, foot, far_with_foot, far, arm_alone = found
    assert max(near, near_and_foot, foot) < 1e-5
    assert far < 1e-5, "the whole body may go there"
    assert far_with_foot > 0.1
    # The trunk, which other trials recruit, does not help an arm that may move alone.
    assert arm_alone > 0.1


def test_a_trial_may_recruit_other_joints(clip: Clip, frame_tasks: FrameTasks) -> None:
    everything = tuple(range(len(clip.skeleton)))
    trials = [trial(NEAR_FRAME, [ARM], [ARM]), trial(NEAR_FRAME, [ARM], [ARM], {ARM: everything})]
    before, after = residuals_of(frame_tasks, trials, clip.motion, SETTINGS) / clip.skeleton.size
    assert before > 0.1 and after < 1e-5


def test_joints_that_are_not_recruited_are_those_of_the_source(clip: Clip, frame_tasks: FrameTasks) -> None:
    bent = clip.motion.rotations.copy()
    bent[:, clip.skeleton.index("vl5")] = np.array([0.8, 0.6, 0.0, 0.0])
    started = Motion(bent, clip.motion.translations)
    arm = trial(NEAR_FRAME, [ARM], [ARM])
    expected, found = (residuals_of(frame_tasks, [arm], start, SETTINGS)[0] for start in (clip.motion, started))
    assert found == pytest.approx(expected, abs=1e-9)


def test_no_trials_have_no_residuals(clip: Clip, frame_tasks: FrameTasks) -> None:
    assert residuals_of(frame_tasks, [], clip.motion, SETTINGS).size == 0
    assert residuals_of(frame_tasks, [trial(NEAR_FRAME, [], [])], clip.motion, SETTINGS).tolist() == [0.0]
