# SPDX-License-Identifier: GPL-3.0-or-later
"""Trials that share a batch come out as each of them alone."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core.arrays import Array
from poise.solver.deformation.frame_tasks import FrameTasks
from poise.solver.deformation.trials import Trial, TrialResults

from ..standing import displaced, frame_tasks_of, standing_human

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


def trial(frame: int, kept: list[int], recruit: tuple[tuple[int, tuple[int, ...]], ...] = ()) -> Trial:
    """A careful trial that keeps some channels."""
    return Trial(frame, tuple(number in kept for number in range(3)), recruit, careful=True)


def residuals_of(frame_tasks: FrameTasks, judged: list[tuple[Trial, int]], result: Motion) -> Array:
    """(trials,) the residual of one channel after each trial, all of them in one batch, in sizes of the character."""
    results = TrialResults(frame_tasks, result)
    results.add(each for each, _ in judged)
    found = [results.residual(each, np.arange(3) == channel) for each, channel in judged]
    return np.array(found) / frame_tasks.skeleton.size


TRIALS = [
    (trial(NEAR_FRAME, [HAND]), HAND),
    (trial(NEAR_FRAME, [HAND, FOOT]), HAND),
    (trial(NEAR_FRAME, [HAND, FOOT]), FOOT),
    (trial(FAR_FRAME, [HAND, FOOT]), FOOT),
    (trial(FAR_FRAME, [HAND, FOOT]), HAND),
    (trial(FAR_FRAME, [HAND]), HAND),
    (trial(NEAR_FRAME, [ARM]), ARM),
]


def test_a_batch_is_its_trials_one_by_one(clip: Clip, frame_tasks: FrameTasks) -> None:
    together = residuals_of(frame_tasks, TRIALS, clip.motion)
    for one, found in zip(TRIALS, together, strict=True):
        assert found == pytest.approx(residuals_of(frame_tasks, [one], clip.motion)[0], abs=1e-3)


def test_more_important_tasks_hold_and_others_come_near(clip: Clip, frame_tasks: FrameTasks) -> None:
    near, near_with_foot, *feet, far_with_foot, far, arm_alone = residuals_of(frame_tasks, TRIALS, clip.motion)
    assert max(near, near_with_foot, *feet) < 1e-5
    assert far < 1e-5, "the whole body may go there"
    assert far_with_foot > 0.1
    # The trunk, which other trials recruit, does not help an arm that may move alone.
    assert arm_alone > 0.1


def test_a_trial_may_recruit_other_joints(clip: Clip, frame_tasks: FrameTasks) -> None:
    everything = tuple(range(len(clip.skeleton)))
    trials = [(trial(NEAR_FRAME, [ARM]), ARM), (trial(NEAR_FRAME, [ARM], ((ARM, everything),)), ARM)]
    before, after = residuals_of(frame_tasks, trials, clip.motion)
    assert before > 0.1 and after < 1e-5


def test_joints_that_are_not_recruited_are_those_of_the_source(clip: Clip, frame_tasks: FrameTasks) -> None:
    bent = clip.motion.rotations.copy()
    bent[:, clip.skeleton.index("vl5")] = np.array([0.8, 0.6, 0.0, 0.0])
    started = Motion(bent, clip.motion.translations)
    arm = [(trial(NEAR_FRAME, [ARM]), ARM)]
    expected, found = (residuals_of(frame_tasks, arm, start) for start in (clip.motion, started))
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_trial_without_tasks_has_no_residual(clip: Clip, frame_tasks: FrameTasks) -> None:
    assert residuals_of(frame_tasks, [(trial(NEAR_FRAME, []), HAND)], clip.motion).tolist() == [0.0]


def test_of_several_ways_to_solve_a_trial_the_best_counts(clip: Clip, frame_tasks: FrameTasks) -> None:
    """A posture from which the quick way does not come near enough, and the source, from which it does."""
    turned = clip.motion.rotations.copy()
    turned[:, 0] = np.array([0.0, 1.0, 0.0, 0.0])
    started = Motion(turned, clip.motion.translations + np.array([0.0, 0.0, 50.0]))
    far = Trial(NEAR_FRAME, (True, True, False))
    results, own = TrialResults(frame_tasks, started), np.arange(3) == HAND
    results.add([far])
    before = results.residual(far, own)
    results.add([far.solved_so(careful=True, from_source=True)])
    assert results.residual(far, own) < 1e-5 < before
