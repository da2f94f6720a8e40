# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be met asks for less: never less little than is missing, smoothly, and only near where it is missed."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.core.arrays import Array, BoolArray
from poise.solver.core.progress import finished
from poise.solver.deformation.frame_tasks import HOLDS, Enforcement
from poise.solver.deformation.passes.relaxation import REACH, Yielded, yielding
from poise.solver.deformation.timeline import distances_to
from poise.solver.deformation.workspace import Workspace

from ...standing import displaced, enforcement_of, standing_human, workspace_of

FRAMES, FPS = 81, 60.0
RADIUS = round(REACH * FPS)
ARM = ("l_shoulder", "l_elbow")

Solved = tuple[Enforcement, Workspace, Clip, BoolArray]
"""What was asked for, the workspace when it was solved, the result then, and (frames,) where it was missed."""


def solved(by: tuple[float, float, float]) -> Solved:
    """A left hand is led away by its arm alone, a right hand within its reach."""
    clip = standing_human(FRAMES, fps=FPS)
    left = displaced(clip, "l_wrist", by, 10, 38, 42, 70, recruit=ARM, priority=1)
    right = displaced(clip, "r_wrist", (0.0, 0.1, 0.1), 5, 30, 50, 75, recruit=3, priority=2)
    enforcement = enforcement_of(clip, [left, right])
    work = workspace_of(enforcement, iterations=30)
    finished(work.solve(enforcement, np.arange(FRAMES), "solving"))
    return enforcement, work, work.clip(), ~work.met


@pytest.fixture(scope="module")
def far() -> tuple[Solved, Yielded, Clip]:
    """Out of reach in the middle; with what came of yielding."""
    before = solved((0.0, 0.5, 0.7))
    yielded = finished(yielding(before[0], before[1], np.arange(FRAMES)))
    return before, yielded, before[1].clip()


def channel_of(enforcement: Enforcement, name: str) -> int:
    joint = enforcement.skeleton.index(name)
    (found,) = (n for n, each in enumerate(enforcement.timeline.channels) if each.effector.moved_joint == joint)
    return found


def given_up(before: Enforcement, after: Enforcement, number: int) -> Array:
    """(frames, 3) what a channel no longer asks for."""
    return np.asarray(before.targets[number] - after.targets[number])


def test_the_example_is_out_of_reach_for_some_time(far: tuple[Solved, Yielded, Clip]) -> None:
    (_, _, _, missed), _, _ = far
    frames = np.flatnonzero(missed)
    assert frames[0] > 10 and frames[-1] < 70 and len(frames) == frames[-1] - frames[0] + 1
    assert len(frames) + 4 * RADIUS < 70 - 10, "there must be frames far away that are met"


def test_as_much_is_given_up_as_is_missing_or_more(far: tuple[Solved, Yielded, Clip]) -> None:
    (enforcement, _, result, missed), yielded, _ = far
    left = channel_of(enforcement, "l_wrist")
    missing = enforcement.targets[left] - result.position("l_wrist")
    lengths = np.linalg.norm(missing, axis=1)
    less = given_up(enforcement, yielded.enforcement, left)
    assert (np.linalg.norm(less, axis=1)[missed] >= lengths[missed] - 1e-12).all()
    # In the direction in which it was short, and no more than at the worst.
    np.testing.assert_allclose(
        less[missed] / np.linalg.norm(less[missed], axis=1, keepdims=True),
        missing[missed] / lengths[missed, None],
        atol=1e-6,
    )
    assert np.linalg.norm(less, axis=1).max() <= lengths[missed].max() + 1e-12


def test_it_is_given_up_smoothly(far: tuple[Solved, Yielded, Clip]) -> None:
    """No step is longer than what is missing at most, spread over the time of the smoothing."""
    (enforcement, _, result, missed), yielded, _ = far
    left = channel_of(enforcement, "l_wrist")
    lengths = np.linalg.norm(given_up(enforcement, yielded.enforcement, left), axis=1)
    most = np.linalg.norm(enforcement.targets[left] - result.position("l_wrist"), axis=1)[missed].max()
    assert np.abs(np.diff(lengths)).max() < 1.5 * most / RADIUS
    assert np.abs(np.diff(lengths, 2)).max() < 4.0 * most / RADIUS**2


def test_frames_far_from_where_it_is_missed_stay_bit_for_bit(far: tuple[Solved, Yielded, Clip]) -> None:
    (enforcement, _, result, missed), yielded, after = far
    distances = distances_to(missed)
    away = distances > 2 * RADIUS
    left = channel_of(enforcement, "l_wrist")
    np.testing.assert_array_equal(yielded.enforcement.targets[left][away], enforcement.targets[left][away])
    np.testing.assert_array_equal(after.motion.rotations[away], result.motion.rotations[away])
    np.testing.assert_array_equal(after.motion.translations[away], result.motion.translations[away])
    near = enforcement.timeline.channels[left].active & ~missed & (distances <= RADIUS)
    assert near.any() and (given_up(enforcement, yielded.enforcement, left)[near] != 0.0).any(axis=1).all()


def test_who_is_met_gives_nothing_up(far: tuple[Solved, Yielded, Clip]) -> None:
    (enforcement, _, _, _), yielded, after = far
    right = channel_of(enforcement, "r_wrist")
    np.testing.assert_array_equal(yielded.enforcement.targets[right], enforcement.targets[right])
    channel = yielded.winners.timeline.channels[right]
    np.testing.assert_array_equal(channel.active, enforcement.timeline.channels[right].active)
    off = np.linalg.norm(after.position("r_wrist") - enforcement.targets[right], axis=1)[channel.active]
    assert off.max() < HOLDS * after.skeleton.size


def test_winners_have_no_losers_where_these_lose(far: tuple[Solved, Yielded, Clip]) -> None:
    (enforcement, _, _, _), yielded, _ = far
    left = channel_of(enforcement, "l_wrist")
    loses = (given_up(enforcement, yielded.enforcement, left) != 0.0).any(axis=1)
    before = enforcement.timeline.channels[left].active
    assert (before & loses).any() and (before & ~loses).any()
    np.testing.assert_array_equal(yielded.winners.timeline.channels[left].active, before & ~loses)
    np.testing.assert_array_equal(yielded.enforcement.timeline.channels[left].active, before)
    for one, other in zip(yielded.winners.targets, yielded.enforcement.targets, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_limb_still_gets_almost_as_far_and_slows_down(far: tuple[Solved, Yielded, Clip]) -> None:
    (_, _, result, missed), _, after = far

    def stretch(clip: Clip) -> Array:
        return np.asarray(np.linalg.norm(clip.position("l_wrist") - clip.position("l_shoulder"), axis=1))

    before, now = stretch(result), stretch(after)
    assert now[missed].max() > 0.98 * before.max()
    elbow = after.skeleton.index("l_elbow")
    elbows = [np.abs(np.diff(each.motion.rotations[:, elbow], 2, axis=0)).max() for each in (result, after)]
    assert elbows[1] < 0.7 * elbows[0], "the elbow pops as much as before"


def test_where_everything_is_met_nothing_happens() -> None:
    enforcement, work, result, missed = solved((0.0, 0.1, 0.1))
    assert not missed.any()
    yielded = finished(yielding(enforcement, work, np.arange(FRAMES)))
    assert yielded.enforcement is enforcement and yielded.winners is enforcement
    np.testing.assert_array_equal(work.motion.rotations, result.motion.rotations)


def test_only_the_given_frames_count() -> None:
    enforcement, work, result, missed = solved((0.0, 0.5, 0.7))
    yielded = finished(yielding(enforcement, work, np.flatnonzero(~missed)))
    assert missed.any() and yielded.enforcement is enforcement
    np.testing.assert_array_equal(work.motion.rotations, result.motion.rotations)
