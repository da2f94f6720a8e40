# SPDX-License-Identifier: GPL-3.0-or-later
"""Filtering a displacement that pops: it becomes smoother, targets are still met, and other frames stay the same."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, BoolArray
from poise.solver.core.progress import Stage, finished
from poise.solver.deformation.acceleration_baseline import accelerations
from poise.solver.deformation.displacement import displacement
from poise.solver.deformation.frame_tasks import MET_TOLERANCE, FrameTasks
from poise.solver.deformation.passes.smoothing import SMOOTHING_RADIUS, smooth_displacement
from poise.solver.deformation.workspace import Workspace

from ...made_up import moving_human
from ...standing import displaced, frame_tasks_of, workspace_of

FRAMES, FPS = 91, 60.0
BEGIN, END = 10, 70
POP = 40


def reaching(rng: np.random.Generator, **settings: int) -> tuple[FrameTasks, Workspace]:
    """The left hand is led elsewhere, by the whole body or by a part of it."""
    clip = moving_human(rng, FRAMES, fps=FPS)
    hand = displaced(clip, "l_wrist", (0.0, 0.1, 0.1), BEGIN, 35, 45, END)
    frame_tasks = frame_tasks_of(clip, [hand])
    work = workspace_of(frame_tasks, **settings)
    finished(work.solve(frame_tasks, np.arange(FRAMES), Stage.SOLVING))
    return frame_tasks, work


def popped(work: Workspace, joint: str, frame: int = POP, by: float = 0.4) -> Motion:
    """Let a joint jump out of its way and back; returns the motion with that."""
    turned = work.motion.rotations.copy()
    number = work.source.clip.skeleton.index(joint)
    turned[frame, number] = rotations.multiply(rotations.exp(np.array([by, 0.0, 0.0])), turned[frame, number])
    work.motion = Motion(turned, work.motion.translations.copy())
    return Motion(turned.copy(), work.motion.translations.copy())


def largest(motion: Motion) -> Array:
    """(joints,) the largest acceleration of each."""
    return np.asarray(np.linalg.norm(accelerations(motion.rotations), axis=-1).max(axis=0))


def everywhere() -> BoolArray:
    return np.ones(FRAMES, dtype=bool)


@pytest.mark.parametrize("joint", ["l_elbow", "l_shoulder", "vl5"])
def test_what_pops_becomes_better_and_what_is_asked_for_holds(rng: np.random.Generator, joint: str) -> None:
    frame_tasks, work = reaching(rng)
    before = popped(work, joint)
    number = frame_tasks.skeleton.index(joint)
    assert work.baseline.exceeded(before)[POP, number]
    touched = finished(smooth_displacement(frame_tasks, work, everywhere(), frame_tasks.movable))
    assert largest(work.motion)[number] < 0.3 * largest(before)[number]
    rough = [work.baseline.roughness(each).max() for each in (before, work.motion)]
    assert rough[1] < 0.3 * rough[0], "what one joint no longer does, another does"
    (channel,), (targets,) = frame_tasks.timeline.channels, frame_tasks.targets
    off = np.linalg.norm(work.clip().position("l_wrist") - targets, axis=1)[channel.active]
    assert off.max() < MET_TOLERANCE * frame_tasks.skeleton.size and work.met.all()
    different = (work.motion.rotations != before.rotations).any(axis=(1, 2))
    assert not (different & ~touched).any()
    assert touched[POP] and not touched[POP + 8 * round(SMOOTHING_RADIUS * FPS) :].any()


def test_frames_in_which_nothing_may_move_and_joints_that_may_not_stay_bit_for_bit(rng: np.random.Generator) -> None:
    clip = moving_human(rng, FRAMES, fps=FPS)
    hand = displaced(clip, "l_wrist", (0.0, 0.02, 0.02), BEGIN, 35, 45, END, recruit=["l_shoulder", "l_elbow"])
    frame_tasks = frame_tasks_of(clip, [hand])
    work = workspace_of(frame_tasks, iterations=30)
    finished(work.solve(frame_tasks, np.arange(FRAMES), Stage.SOLVING))
    for frame in (BEGIN + 1, END - 1):
        popped(work, "l_shoulder", frame)
    finished(smooth_displacement(frame_tasks, work, everywhere(), frame_tasks.movable))
    still = ~frame_tasks.movable
    np.testing.assert_array_equal(work.motion.rotations[still], clip.motion.rotations[still])
    np.testing.assert_array_equal(work.motion.translations, clip.motion.translations)
    # Toward frames that stay, what is left of the pop fades out.
    turns = displacement(clip.motion, work.motion).rotation_vectors[:, clip.skeleton.index("l_shoulder")]
    assert np.linalg.norm(turns[[BEGIN, END]], axis=1).max() < 3e-3


def test_a_joint_stays_in_frames_in_which_only_others_may_move(rng: np.random.Generator) -> None:
    clip = moving_human(rng, FRAMES, fps=FPS)
    left = displaced(clip, "l_wrist", (0.0, 0.02, 0.02), BEGIN, 25, 30, POP + 1, recruit=["l_shoulder", "l_elbow"])
    right = displaced(clip, "r_wrist", (0.0, 0.02, 0.02), BEGIN, 35, 45, END, recruit=["r_shoulder", "r_elbow"])
    frame_tasks = frame_tasks_of(clip, [left, right])
    work = workspace_of(frame_tasks, iterations=30)
    finished(work.solve(frame_tasks, np.arange(FRAMES), Stage.SOLVING))
    popped(work, "l_shoulder")
    touched = finished(smooth_displacement(frame_tasks, work, everywhere(), frame_tasks.movable))
    assert touched[POP]
    still = ~frame_tasks.movable
    np.testing.assert_array_equal(work.motion.rotations[still], clip.motion.rotations[still])


def test_what_does_not_pop_is_not_touched(rng: np.random.Generator) -> None:
    frame_tasks, work = reaching(rng)
    before = work.clip().motion
    assert not work.baseline.exceeded(before).any()
    touched = finished(smooth_displacement(frame_tasks, work, everywhere(), frame_tasks.movable))
    assert not touched.any()
    np.testing.assert_array_equal(work.motion.rotations, before.rotations)


def test_only_what_is_near_a_change_is_looked_at(rng: np.random.Generator) -> None:
    frame_tasks, work = reaching(rng)
    before = popped(work, "l_elbow")
    changed = np.zeros(FRAMES, dtype=bool)
    changed[POP + 4 :] = True
    assert not finished(smooth_displacement(frame_tasks, work, changed, frame_tasks.movable)).any()
    np.testing.assert_array_equal(work.motion.rotations, before.rotations)
    # Two frames beside a change the accelerations have changed too.
    changed[POP + 3] = True
    assert finished(smooth_displacement(frame_tasks, work, changed, frame_tasks.movable)).any()


def test_passes_are_limited(rng: np.random.Generator) -> None:
    frame_tasks, work = reaching(rng, smoothing_passes=0)
    before = popped(work, "l_elbow")
    assert not finished(smooth_displacement(frame_tasks, work, everywhere(), frame_tasks.movable)).any()
    np.testing.assert_array_equal(work.motion.rotations, before.rotations)


def test_what_was_smoothed_attracts_what_is_solved_next(rng: np.random.Generator) -> None:
    frame_tasks, work = reaching(rng)
    popped(work, "l_elbow")
    touched = finished(smooth_displacement(frame_tasks, work, everywhere(), frame_tasks.movable))
    source: Clip = work.source.clip
    moved = (work.reference.rotations != source.motion.rotations).any(axis=(1, 2))
    np.testing.assert_array_equal(moved, touched)
