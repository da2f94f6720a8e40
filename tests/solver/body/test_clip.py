# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips: their positions and orientations, and that changing a returned array does not change the clip."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint
from poise.solver.body.kinematics import WorldState
from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import MotionError, UnknownJointError

from ..characters import matrix, person, random_motion
from ..rounding import assert_equal_to_rounding


@pytest.fixture
def clip(rng: np.random.Generator) -> Clip:
    return Clip(person(), random_motion(rng, person(), 6), fps=24.0)


def test_what_a_clip_knows_about_itself(clip: Clip) -> None:
    assert clip.frames == 6 and clip.fps == 24.0 and clip.up == "y"
    assert Clip(person().replace(up="z"), clip.motion).up == "z"


def test_positions_of_joints_and_of_points(clip: Clip) -> None:
    state = WorldState.of(clip.skeleton, clip.motion)
    foot = clip.skeleton.index("LeftFoot")
    np.testing.assert_array_equal(clip.position("LeftFoot"), state.positions[:, foot])
    np.testing.assert_array_equal(clip.position(foot), state.positions[:, foot])
    assert_equal_to_rounding(clip.position(BodyPoint("LeftFoot")), state.positions[:, foot])
    offset = np.array([0.1, -0.2, 0.3])
    expected = state.positions[:, foot] + matrix(state.rotations[:, foot]) @ offset
    np.testing.assert_allclose(clip.position(BodyPoint("LeftFoot", tuple(offset))), expected, atol=1e-12)


def test_orientations_and_the_centre_of_mass(clip: Clip) -> None:
    state = WorldState.of(clip.skeleton, clip.motion)
    np.testing.assert_array_equal(clip.orientation("Head"), state.rotations[:, clip.skeleton.index("Head")])
    np.testing.assert_array_equal(clip.center_of_mass(), state.center_of_mass())


def test_one_posture(clip: Clip) -> None:
    for frame in range(6):
        np.testing.assert_array_equal(clip.pose(frame).rotations, clip.motion.rotations[frame])
        np.testing.assert_array_equal(clip.pose(frame).translations, clip.motion.translations[frame])
    with pytest.raises(MotionError, match="no frame 6"):
        clip.pose(6)


@pytest.mark.parametrize(
    "ask",
    [
        lambda clip: clip.position("LeftFoot"),
        lambda clip: clip.position(BodyPoint("LeftFoot", (0.0, 0.1, 0.0))),
        lambda clip: clip.orientation("LeftFoot"),
        lambda clip: clip.center_of_mass(),
        lambda clip: clip.pose(2).rotations,
        lambda clip: clip.pose(2).translations,
    ],
)
def test_writing_to_an_answer_does_not_change_the_clip(clip: Clip, ask) -> None:  # type: ignore[no-untyped-def]
    kept = np.array(ask(clip))
    ask(clip)[...] = 0.5
    np.testing.assert_array_equal(ask(clip), kept)


def test_a_clip_cannot_be_written_to(clip: Clip) -> None:
    for array in (clip.motion.rotations, clip.motion.translations, clip.world.positions, clip.world.rotations):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


def test_the_arrays_that_a_clip_was_made_of_can_still_be_written_to(rng: np.random.Generator) -> None:
    motion = random_motion(rng, person(), 2)
    clip = Clip(person(), motion)
    kept = clip.motion.rotations.copy()
    motion.rotations[:] = (0.0, 1.0, 0.0, 0.0)
    np.testing.assert_array_equal(clip.motion.rotations, kept)


def test_another_motion_leaves_the_clip_as_it_was(clip: Clip, rng: np.random.Generator) -> None:
    before = clip.motion
    other = clip.with_motion(random_motion(rng, clip.skeleton, 9))
    assert other.frames == 9 and other.fps == clip.fps and other.skeleton is clip.skeleton
    assert clip.motion is before and clip.frames == 6
    assert not np.array_equal(other.position("Head")[:6], clip.position("Head"))


@pytest.mark.parametrize("fps", [0.0, -24.0, np.nan, np.inf])
def test_a_frame_rate_is_finite_and_positive(clip: Clip, fps: float) -> None:
    with pytest.raises(MotionError, match="frame rate"):
        Clip(clip.skeleton, clip.motion, fps)


def test_a_motion_of_another_character_is_refused(clip: Clip) -> None:
    with pytest.raises(MotionError, match=r"shape \(frames, 1, 4\)"):
        Clip(Skeleton(("only",), [-1], np.zeros((1, 3))), clip.motion)
    with pytest.raises(UnknownJointError, match=r"'LeftFott'.*'LeftFoot'"):
        clip.position("LeftFott")


def test_a_clip_of_no_frames(rng: np.random.Generator) -> None:
    empty = Clip(person(), random_motion(rng, person(), 0))
    assert empty.frames == 0
    assert empty.position("Head").shape == (0, 3) and empty.center_of_mass().shape == (0, 3)
    with pytest.raises(MotionError, match="no frame 0"):
        empty.pose(0)
