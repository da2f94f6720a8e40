# SPDX-License-Identifier: GPL-3.0-or-later
"""The workspace: copies that passes may write to, and frames that are solved in strict priority."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.constraints import Source
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.settings import DeformSettings, Tolerances
from poise.solver.deformation.workspace import Workspace

from ..made_up import moving_human
from ..standing import displaced, frame_tasks_of

FRAMES = 21


@pytest.fixture
def clip(rng: np.random.Generator) -> Clip:
    return moving_human(rng, FRAMES)


def other_motion(clip: Clip, frames: list[int]) -> Motion:
    part = clip.motion.at(np.array(frames))
    return Motion(part.rotations[..., [1, 0, 3, 2]].copy(), part.translations + 1.0)


def test_a_new_workspace_has_the_source_and_nothing_is_missed(clip: Clip) -> None:
    work = Workspace(Source(clip), DeformSettings())
    for motion in (work.motion, work.reference, work.clip().motion):
        np.testing.assert_array_equal(motion.rotations, clip.motion.rotations)
        np.testing.assert_array_equal(motion.translations, clip.motion.translations)
    assert work.met.all() and work.converged.all()


def test_neither_the_source_nor_a_workspace_before_is_written_to(clip: Clip) -> None:
    kept = clip.motion.rotations.copy(), clip.motion.translations.copy()
    before = Workspace(Source(clip), DeformSettings())
    before.write(np.array([3, 4]), other_motion(clip, [3, 4]))
    before.met[3] = before.converged[4] = False
    after = Workspace(before.source, before.settings, before)
    np.testing.assert_array_equal(after.motion.rotations, before.motion.rotations)
    np.testing.assert_array_equal(after.met, before.met)
    np.testing.assert_array_equal(after.converged, before.converged)
    after.write_draft(np.array([7]), other_motion(clip, [7]))
    after.met[:] = after.converged[:] = False
    np.testing.assert_array_equal(before.motion.rotations[7], clip.motion.rotations[7])
    np.testing.assert_array_equal(before.reference.rotations[7], clip.motion.rotations[7])
    assert before.met.sum() == before.converged.sum() == FRAMES - 1
    np.testing.assert_array_equal(clip.motion.rotations, kept[0])
    np.testing.assert_array_equal(clip.motion.translations, kept[1])


def test_the_result_and_the_draft_are_written_apart(clip: Clip) -> None:
    work = Workspace(Source(clip), DeformSettings())
    frames = np.array([5, 9])
    given = other_motion(clip, [5, 9])
    work.write(frames, given)
    np.testing.assert_array_equal(work.at(frames).translations, given.translations)
    np.testing.assert_array_equal(work.reference.translations, clip.motion.translations)
    work.write_draft(np.array([5]), given.at(np.array([0])))
    np.testing.assert_array_equal(work.reference.rotations[5], given.rotations[0])
    np.testing.assert_array_equal(work.motion.rotations[5], given.rotations[0])
    others = np.setdiff1d(np.arange(FRAMES), frames)
    np.testing.assert_array_equal(work.motion.rotations[others], clip.motion.rotations[others])
    work.met[frames] = work.converged[frames] = False
    work.restore_source(frames)
    np.testing.assert_array_equal(work.motion.rotations, clip.motion.rotations)
    np.testing.assert_array_equal(work.reference.translations, clip.motion.translations)
    assert work.met.all() and work.converged.all()


def test_a_clip_of_the_result_does_not_change_with_the_workspace(clip: Clip) -> None:
    work = Workspace(Source(clip), DeformSettings())
    so_far = work.clip()
    progress = work.progress(Stage.SOLVING, 1.7)
    assert (progress.stage, progress.share) == (Stage.SOLVING, 1.0)
    work.write(np.array([2]), other_motion(clip, [2]))
    np.testing.assert_array_equal(so_far.motion.rotations, clip.motion.rotations)
    np.testing.assert_array_equal(progress.clip.motion.rotations, work.motion.rotations)


def test_frames_are_solved_strictly_from_where_they_are(clip: Clip) -> None:
    """Targets that can be met are, frames that are not given stay, and what is out of reach is marked as missed."""
    near = displaced(clip, "l_wrist", (0.0, 0.05, 0.05), 0, 4, 8, 12, priority=2)
    far = displaced(clip, "r_wrist", (0.0, 5.0, 0.0), 6, 10, 12, 18, priority=1, recruit=2)
    frame_tasks = frame_tasks_of(clip, [near, far])
    work = Workspace(frame_tasks.timeline.source, DeformSettings(iterations=30))
    frames = np.array([4, 5, 10])
    finished(work.solve_strictly(frame_tasks, frames, Stage.CONFLICTS))
    world = WorldState.of(clip.skeleton, work.motion)
    assert frame_tasks.residuals(0, world, np.arange(FRAMES))[frames].max() < Tolerances().met
    assert np.flatnonzero(~work.met).tolist() == [10]
    others = np.setdiff1d(np.arange(FRAMES), frames)
    np.testing.assert_array_equal(work.motion.rotations[others], clip.motion.rotations[others])
    assert (work.motion.rotations[frames] != clip.motion.rotations[frames]).any(axis=(1, 2)).all()
    # Solved again from there, nothing is left to be done.
    before = work.clip().motion
    finished(work.solve_strictly(frame_tasks, np.array([4, 5]), Stage.CONFLICTS))
    np.testing.assert_allclose(work.motion.rotations[[4, 5]], before.rotations[[4, 5]], atol=1e-4)


def test_frames_without_tasks_are_not_changed(clip: Clip) -> None:
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.0), 5, 8, 8, 12)])
    work = Workspace(frame_tasks.timeline.source, DeformSettings())
    for solve in (work.solve_strictly, work.solve_sequentially):
        finished(solve(frame_tasks, np.array([0, 3, 20]), Stage.SOLVING))
        np.testing.assert_array_equal(work.motion.rotations, clip.motion.rotations)


def test_sequential_frames_begin_at_the_one_before(clip: Clip) -> None:
    """Each meets its targets, and progress is that of the frames."""
    frame_tasks = frame_tasks_of(clip, [displaced(clip, "l_wrist", (0.0, 0.1, 0.1), 2, 8, 10, 18)])
    work = Workspace(frame_tasks.timeline.source, DeformSettings(coherence="sequential"))
    frames = np.arange(2, 19)
    steps = list(work.solve_sequentially(frame_tasks, frames, Stage.SOLVING))
    assert list(dict.fromkeys(step.share for step in steps)) == pytest.approx(np.arange(1, 18) / 17)
    world = WorldState.of(clip.skeleton, work.motion)
    assert frame_tasks.residuals(0, world, np.arange(FRAMES))[frames].max() < Tolerances().met
    still = np.setdiff1d(np.arange(FRAMES), frames)
    np.testing.assert_array_equal(work.motion.rotations[still], clip.motion.rotations[still])
