# SPDX-License-Identifier: GPL-3.0-or-later
"""Filtering what pops: it becomes better, what is asked for holds all the same, and the rest stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, BoolArray
from poise.solver.core.progress import finished
from poise.solver.deformation.displacement_filter import accelerations, displacement
from poise.solver.deformation.frame_tasks import HOLDS, Enforcement
from poise.solver.deformation.passes.smoothing import REACH, smoothing
from poise.solver.deformation.workspace import Workspace

from ...made_up import moving_human
from ...standing import displaced, enforcement_of, workspace_of

FRAMES, FPS = 91, 60.0
BEGIN, END = 10, 70
POP = 40


def reaching(rng: np.random.Generator, **settings: int) -> tuple[Enforcement, Workspace]:
    """The left hand is led elsewhere, by the whole body or by a part of it."""
    clip = moving_human(rng, FRAMES, fps=FPS)
    hand = displaced(clip, "l_wrist", (0.0, 0.1, 0.1), BEGIN, 35, 45, END)
    enforcement = enforcement_of(clip, [hand])
    work = workspace_of(enforcement, **settings)
    finished(work.solve(enforcement, np.arange(FRAMES), "solving"))
    return enforcement, work


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
    enforcement, work = reaching(rng)
    before = popped(work, joint)
    number = enforcement.skeleton.index(joint)
    assert work.liveliness.spoilt(before)[POP, number]
    touched = finished(smoothing(enforcement, work, everywhere(), enforcement.movable))
    assert largest(work.motion)[number] < 0.3 * largest(before)[number]
    rough = [work.liveliness.roughness(each).max() for each in (before, work.motion)]
    assert rough[1] < 0.3 * rough[0], "what one joint no longer does, another does"
    (channel,), (targets,) = enforcement.timeline.channels, enforcement.targets
    off = np.linalg.norm(work.clip().position("l_wrist") - targets, axis=1)[channel.active]
    assert off.max() < HOLDS * enforcement.skeleton.size and work.met.all()
    different = (work.motion.rotations != before.rotations).any(axis=(1, 2))
    assert not (different & ~touched).any()
    assert touched[POP] and not touched[POP + 8 * round(REACH * FPS) :].any()


def test_frames_in_which_nothing_may_move_and_joints_that_may_not_stay_bit_for_bit(rng: np.random.Generator) -> None:
    clip = moving_human(rng, FRAMES, fps=FPS)
    hand = displaced(clip, "l_wrist", (0.0, 0.02, 0.02), BEGIN, 35, 45, END, recruit=["l_shoulder", "l_elbow"])
    enforcement = enforcement_of(clip, [hand])
    work = workspace_of(enforcement, iterations=30)
    finished(work.solve(enforcement, np.arange(FRAMES), "solving"))
    for frame in (BEGIN + 1, END - 1):
        popped(work, "l_shoulder", frame)
    finished(smoothing(enforcement, work, everywhere(), enforcement.movable))
    still = ~enforcement.movable
    np.testing.assert_array_equal(work.motion.rotations[still], clip.motion.rotations[still])
    np.testing.assert_array_equal(work.motion.translations, clip.motion.translations)
    # Toward frames that stay, what is left of the pop fades out.
    turns = displacement(clip.motion, work.motion).turns[:, clip.skeleton.index("l_shoulder")]
    assert np.linalg.norm(turns[[BEGIN, END]], axis=1).max() < 3e-3


def test_a_joint_stays_in_frames_in_which_only_others_may_move(rng: np.random.Generator) -> None:
    clip = moving_human(rng, FRAMES, fps=FPS)
    left = displaced(clip, "l_wrist", (0.0, 0.02, 0.02), BEGIN, 25, 30, POP + 1, recruit=["l_shoulder", "l_elbow"])
    right = displaced(clip, "r_wrist", (0.0, 0.02, 0.02), BEGIN, 35, 45, END, recruit=["r_shoulder", "r_elbow"])
    enforcement = enforcement_of(clip, [left, right])
    work = workspace_of(enforcement, iterations=30)
    finished(work.solve(enforcement, np.arange(FRAMES), "solving"))
    popped(work, "l_shoulder")
    touched = finished(smoothing(enforcement, work, everywhere(), enforcement.movable))
    assert touched[POP]
    still = ~enforcement.movable
    np.testing.assert_array_equal(work.motion.rotations[still], clip.motion.rotations[still])


def test_what_does_not_pop_is_not_touched(rng: np.random.Generator) -> None:
    enforcement, work = reaching(rng)
    before = work.clip().motion
    assert not work.liveliness.spoilt(before).any()
    touched = finished(smoothing(enforcement, work, everywhere(), enforcement.movable))
    assert not touched.any()
    np.testing.assert_array_equal(work.motion.rotations, before.rotations)


def test_only_what_is_near_a_change_is_looked_at(rng: np.random.Generator) -> None:
    enforcement, work = reaching(rng)
    before = popped(work, "l_elbow")
    changed = np.zeros(FRAMES, dtype=bool)
    changed[POP + 4 :] = True
    assert not finished(smoothing(enforcement, work, changed, enforcement.movable)).any()
    np.testing.assert_array_equal(work.motion.rotations, before.rotations)
    # Two frames beside a change the accelerations have changed too.
    changed[POP + 3] = True
    assert finished(smoothing(enforcement, work, changed, enforcement.movable)).any()


def test_passes_are_limited(rng: np.random.Generator) -> None:
    enforcement, work = reaching(rng, smoothing_passes=0)
    before = popped(work, "l_elbow")
    assert not finished(smoothing(enforcement, work, everywhere(), enforcement.movable)).any()
    np.testing.assert_array_equal(work.motion.rotations, before.rotations)


def test_what_was_smoothed_attracts_what_is_solved_next(rng: np.random.Generator) -> None:
    enforcement, work = reaching(rng)
    popped(work, "l_elbow")
    touched = finished(smoothing(enforcement, work, everywhere(), enforcement.movable))
    source: Clip = work.source.clip
    moved = (work.reference.rotations != source.motion.rotations).any(axis=(1, 2))
    np.testing.assert_array_equal(moved, touched)
