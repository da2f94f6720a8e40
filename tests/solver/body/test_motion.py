# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions: invalid input and its messages, and that valid data is unchanged."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import UNIT_TOLERANCE, Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.errors import MotionError

from ..characters import person, random_motion, random_skeleton


def test_the_rest_pose_is_the_skeletons(character: Skeleton) -> None:
    pose = Pose.rest(character)
    np.testing.assert_array_equal(pose.rotations, character.rest_rotations)
    np.testing.assert_array_equal(pose.translations, character.offsets)


def test_changing_a_rest_pose_does_not_change_the_skeleton() -> None:
    skeleton = person()
    pose = Pose.rest(skeleton)
    pose.rotations[2] = (0.0, 1.0, 0.0, 0.0)
    pose.translations[2] = 7.0
    np.testing.assert_array_equal(Pose.rest(skeleton).rotations[2], rotations.IDENTITY)
    assert skeleton.offsets[2].max() < 7.0


def test_a_pose_is_a_motion_of_one_frame(rng: np.random.Generator) -> None:
    motion = random_motion(rng, person(), 3)
    alone = motion.pose(1).motion
    assert alone.frames == 1
    np.testing.assert_array_equal(alone.rotations[0], motion.rotations[1])
    np.testing.assert_array_equal(alone.translations[0], motion.translations[1])


def test_poses_make_a_motion_and_a_motion_poses(rng: np.random.Generator) -> None:
    motion = random_motion(rng, person(), 5)
    again = Motion.from_poses([motion.pose(frame) for frame in range(5)])
    np.testing.assert_array_equal(again.rotations, motion.rotations)
    np.testing.assert_array_equal(again.translations, motion.translations)


def test_no_poses_make_no_motion() -> None:
    with pytest.raises(MotionError, match="at least one pose"):
        Motion.from_poses([])


@pytest.mark.parametrize("frame", [5, -6, 100])
def test_a_frame_that_is_not_there_is_refused(rng: np.random.Generator, frame: int) -> None:
    with pytest.raises(MotionError, match=rf"There is no frame {frame}: the motion has 5"):
        random_motion(rng, person(), 5).pose(frame)


def test_a_motion_of_the_root_alone(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    turned, path = rotations.random(rng, (6, len(skeleton))), rng.standard_normal((6, 3))
    motion = Motion.from_root(skeleton, turned, path)
    np.testing.assert_array_equal(motion.rotations, turned)
    np.testing.assert_array_equal(motion.root_translation, path)
    np.testing.assert_array_equal(motion.translations[:, 1:], np.tile(skeleton.offsets[1:], (6, 1, 1)))


@pytest.mark.parametrize("shape", [(6,), (5, 3), (6, 2), (6, 4)])
def test_a_path_of_the_wrong_shape_is_refused(rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    skeleton = person()
    with pytest.raises(MotionError, match=r"root.*\(6, 3\)"):
        Motion.from_root(skeleton, rotations.random(rng, (6, len(skeleton))), np.zeros(shape))


def test_good_data_comes_back_bit_for_bit(character: Skeleton, rng: np.random.Generator) -> None:
    motion = random_motion(rng, character, 300)
    checked = motion.checked(character)
    np.testing.assert_array_equal(checked.rotations, motion.rotations)
    np.testing.assert_array_equal(checked.translations, motion.translations)


def test_a_captured_clip_comes_back_bit_for_bit(walk: Clip) -> None:
    checked = walk.motion.checked(walk.skeleton)
    np.testing.assert_array_equal(checked.rotations, walk.motion.rotations)
    np.testing.assert_array_equal(checked.translations, walk.motion.translations)


def test_nearly_unit_quaternions_are_made_unit_and_the_others_kept(rng: np.random.Generator) -> None:
    skeleton = person()
    motion = random_motion(rng, skeleton, 20)
    exact = motion.rotations.copy()
    off = rng.random((20, len(skeleton))) < 0.3
    motion.rotations[off] *= 1.0 + 0.9 * UNIT_TOLERANCE * rng.uniform(-1.0, 1.0, off.sum())[:, None]
    before = motion.rotations.copy()
    checked = motion.checked(skeleton)
    np.testing.assert_array_equal(checked.rotations[~off], exact[~off])
    np.testing.assert_allclose(checked.rotations[off], exact[off], atol=1e-15)
    np.testing.assert_array_equal(motion.rotations, before)
    again = checked.checked(skeleton)
    np.testing.assert_array_equal(again.rotations, checked.rotations)


def test_single_precision_is_widened(rng: np.random.Generator) -> None:
    skeleton = person()
    motion = random_motion(rng, skeleton)
    narrow = Motion(motion.rotations.astype(np.float32), motion.translations.astype(np.float32))  # type: ignore[arg-type]
    checked = narrow.checked(skeleton)
    assert checked.rotations.dtype == checked.translations.dtype == np.float64
    np.testing.assert_allclose(np.linalg.norm(checked.rotations, axis=-1), 1.0, atol=1e-15)
    np.testing.assert_allclose(checked.rotations, motion.rotations, atol=1e-6)


def test_motions_of_no_frames_and_of_one(rng: np.random.Generator) -> None:
    skeleton = person()
    for frames in (0, 1):
        checked = random_motion(rng, skeleton, frames).checked(skeleton)
        assert checked.frames == frames


@pytest.mark.parametrize("shape", [(17, 4), (3, 16, 4), (3, 17, 3), (3, 17, 4, 1), (0,)])
def test_rotations_of_the_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(MotionError, match=r"Rotations must have the shape \(frames, 17, 4\), not"):
        Motion(np.ones(shape), np.zeros((3, 17, 3))).checked(person())


@pytest.mark.parametrize("shape", [(17, 3), (2, 17, 3), (3, 17, 4), (3, 16, 3)])
def test_translations_of_the_wrong_shape_are_refused(rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    with pytest.raises(MotionError, match=r"Translations must have the shape \(3, 17, 3\), not"):
        Motion(rotations.random(rng, (3, 17)), np.zeros(shape)).checked(person())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("what", ["rotation", "translation"])
def test_what_is_not_finite_is_named(rng: np.random.Generator, what: str, bad: float) -> None:
    skeleton = person()
    motion = random_motion(rng, skeleton, 5)
    getattr(motion, f"{what}s")[3, skeleton.index("LeftArm"), 2] = bad
    with pytest.raises(MotionError, match=f"The {what} of joint 'LeftArm' at frame 3 is not finite"):
        motion.checked(skeleton)


@pytest.mark.parametrize("factor", [0.0, 0.99, 1.01, -1.5, 1e200])
def test_what_is_not_unit_is_named(rng: np.random.Generator, factor: float) -> None:
    skeleton = person()
    motion = random_motion(rng, skeleton, 5)
    motion.rotations[4, skeleton.index("Neck")] *= factor
    with pytest.raises(MotionError, match="The rotation of joint 'Neck' at frame 4 is not a unit quaternion"):
        motion.checked(skeleton)


def test_both_signs_of_a_quaternion_are_fine(rng: np.random.Generator) -> None:
    skeleton = person()
    motion = random_motion(rng, skeleton, 5)
    negated = Motion(-motion.rotations, motion.translations).checked(skeleton)
    np.testing.assert_array_equal(negated.rotations, -motion.rotations)
