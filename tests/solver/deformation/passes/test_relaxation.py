# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be met asks for less: never less little than is missing, smoothly, and only near where it is missed."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.core.arrays import Array, BoolArray, distances_to
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.frame_tasks import MET_TOLERANCE, FrameTasks
from poise.solver.deformation.passes.relaxation import RELAXATION_RADIUS, Relaxed, relax_unreachable_targets
from poise.solver.deformation.workspace import Workspace

from ...standing import displaced, frame_tasks_of, standing_human, workspace_of

FRAMES, FPS = 81, 60.0
RADIUS = round(RELAXATION_RADIUS * FPS)
ARM = ("l_shoulder", "l_elbow")

Solved = tuple[FrameTasks, Workspace, Clip, BoolArray]
"""The tasks, the workspace after they were solved, the result then, and (frames,) where a target was missed."""


def solved(by: tuple[float, float, float]) -> Solved:
    """A left hand is led away by its arm alone, a right hand within its reach."""
    clip = standing_human(FRAMES, fps=FPS)
    left = displaced(clip, "l_wrist", by, 10, 38, 42, 70, recruit=ARM, priority=1)
    right = displaced(clip, "r_wrist", (0.0, 0.1, 0.1), 5, 30, 50, 75, recruit=3, priority=2)
    frame_tasks = frame_tasks_of(clip, [left, right])
    work = workspace_of(frame_tasks, iterations=30)
    finished(work.solve(frame_tasks, np.arange(FRAMES), Stage.SOLVING))
    return frame_tasks, work, work.clip(), ~work.met


@pytest.fixture(scope="module")
def far() -> tuple[Solved, Relaxed, Clip]:
    """Out of reach in the middle; with what came of relax_unreachable_targets."""
    before = solved((0.0, 0.5, 0.7))
    relaxed = finished(relax_unreachable_targets(before[0], before[1], np.arange(FRAMES)))
    return before, relaxed, before[1].clip()


def channel_of(frame_tasks: FrameTasks, name: str) -> int:
    joint = frame_tasks.skeleton.index(name)
    (found,) = (n for n, each in enumerate(frame_tasks.timeline.channels) if each.effector.moved_joint == joint)
    return found


def given_up(before: FrameTasks, after: FrameTasks, number: int) -> Array:
    """(frames, 3) what a channel no longer asks for."""
    return np.asarray(before.targets[number] - after.targets[number])


def test_the_example_is_out_of_reach_for_some_time(far: tuple[Solved, Relaxed, Clip]) -> None:
    (_, _, _, missed), _, _ = far
    frames = np.flatnonzero(missed)
    assert frames[0] > 10 and frames[-1] < 70 and len(frames) == frames[-1] - frames[0] + 1
    assert len(frames) + 4 * RADIUS < 70 - 10, "there must be frames far away that are met"


def test_the_relaxation_is_at_least_the_residual(far: tuple[Solved, Relaxed, Clip]) -> None:
    (frame_tasks, _, result, missed), relaxed, _ = far
    left = channel_of(frame_tasks, "l_wrist")
    missing = frame_tasks.targets[left] - result.position("l_wrist")
    lengths = np.linalg.norm(missing, axis=1)
    less = given_up(frame_tasks, relaxed.tasks, left)
    assert (np.linalg.norm(less, axis=1)[missed] >= lengths[missed] - 1e-12).all()
    # In the direction in which it was short, and no more than at the worst.
    np.testing.assert_allclose(
        less[missed] / np.linalg.norm(less[missed], axis=1, keepdims=True),
        missing[missed] / lengths[missed, None],
        atol=1e-6,
    )
    assert np.linalg.norm(less, axis=1).max() <= lengths[missed].max() + 1e-12


def test_the_relaxation_is_smooth(far: tuple[Solved, Relaxed, Clip]) -> None:
    """No step is longer than what is missing at most, spread over the time of the smoothing."""
    (frame_tasks, _, result, missed), relaxed, _ = far
    left = channel_of(frame_tasks, "l_wrist")
    lengths = np.linalg.norm(given_up(frame_tasks, relaxed.tasks, left), axis=1)
    most = np.linalg.norm(frame_tasks.targets[left] - result.position("l_wrist"), axis=1)[missed].max()
    assert np.abs(np.diff(lengths)).max() < 1.5 * most / RADIUS
    assert np.abs(np.diff(lengths, 2)).max() < 4.0 * most / RADIUS**2


def test_frames_far_from_where_it_is_missed_stay_bit_for_bit(far: tuple[Solved, Relaxed, Clip]) -> None:
    (frame_tasks, _, result, missed), relaxed, after = far
    distances = distances_to(missed)
    away = distances > 2 * RADIUS
    left = channel_of(frame_tasks, "l_wrist")
    np.testing.assert_array_equal(relaxed.tasks.targets[left][away], frame_tasks.targets[left][away])
    np.testing.assert_array_equal(after.motion.rotations[away], result.motion.rotations[away])
    np.testing.assert_array_equal(after.motion.translations[away], result.motion.translations[away])
    near = frame_tasks.timeline.channels[left].active & ~missed & (distances <= RADIUS)
    assert near.any() and (given_up(frame_tasks, relaxed.tasks, left)[near] != 0.0).any(axis=1).all()


def test_a_target_that_is_met_is_not_relaxed(far: tuple[Solved, Relaxed, Clip]) -> None:
    (frame_tasks, _, _, _), relaxed, after = far
    right = channel_of(frame_tasks, "r_wrist")
    np.testing.assert_array_equal(relaxed.tasks.targets[right], frame_tasks.targets[right])
    channel = relaxed.without_relaxed.timeline.channels[right]
    np.testing.assert_array_equal(channel.active, frame_tasks.timeline.channels[right].active)
    off = np.linalg.norm(after.position("r_wrist") - frame_tasks.targets[right], axis=1)[channel.active]
    assert off.max() < MET_TOLERANCE * after.skeleton.size


def test_the_tasks_without_relaxed_ones_lack_these_channels_where_these_are_relaxed(
    far: tuple[Solved, Relaxed, Clip],
) -> None:
    (frame_tasks, _, _, _), relaxed, _ = far
    left = channel_of(frame_tasks, "l_wrist")
    loses = (given_up(frame_tasks, relaxed.tasks, left) != 0.0).any(axis=1)
    before = frame_tasks.timeline.channels[left].active
    assert (before & loses).any() and (before & ~loses).any()
    np.testing.assert_array_equal(relaxed.without_relaxed.timeline.channels[left].active, before & ~loses)
    np.testing.assert_array_equal(relaxed.tasks.timeline.channels[left].active, before)
    for one, other in zip(relaxed.without_relaxed.targets, relaxed.tasks.targets, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_limb_still_gets_almost_as_far_and_slows_down(far: tuple[Solved, Relaxed, Clip]) -> None:
    (_, _, result, missed), _, after = far

    def extension(clip: Clip) -> Array:
        return np.asarray(np.linalg.norm(clip.position("l_wrist") - clip.position("l_shoulder"), axis=1))

    before, now = extension(result), extension(after)
    assert now[missed].max() > 0.98 * before.max()
    elbow = after.skeleton.index("l_elbow")
    elbows = [np.abs(np.diff(each.motion.rotations[:, elbow], 2, axis=0)).max() for each in (result, after)]
    assert elbows[1] < 0.7 * elbows[0], "the elbow pops as much as before"


def test_where_everything_is_met_nothing_happens() -> None:
    frame_tasks, work, result, missed = solved((0.0, 0.1, 0.1))
    assert not missed.any()
    relaxed = finished(relax_unreachable_targets(frame_tasks, work, np.arange(FRAMES)))
    assert relaxed.tasks is frame_tasks and relaxed.without_relaxed is frame_tasks
    np.testing.assert_array_equal(work.motion.rotations, result.motion.rotations)


def test_only_the_given_frames_count() -> None:
    frame_tasks, work, result, missed = solved((0.0, 0.5, 0.7))
    relaxed = finished(relax_unreachable_targets(frame_tasks, work, np.flatnonzero(~missed)))
    assert missed.any() and relaxed.tasks is frame_tasks
    np.testing.assert_array_equal(work.motion.rotations, result.motion.rotations)
