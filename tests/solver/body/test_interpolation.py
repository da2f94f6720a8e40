# SPDX-License-Identifier: GPL-3.0-or-later
"""Interpolation across frames: cubic paths come back, velocities go on, and all other transforms stay bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.interpolation import interpolated
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import BoolArray
from poise.solver.core.errors import MotionError

from ..made_up import moving_human


def mask(frames: int, joints: int, *parts: tuple[int, int, int]) -> BoolArray:
    """True in frames begin to end of joints (begin, end, joint)."""
    replaced: BoolArray = np.zeros((frames, joints), dtype=bool)
    for begin, end, joint in parts:
        replaced[begin : end + 1, joint] = True
    return replaced


def steady(frames: int = 12) -> Motion:
    """Two joints that turn and translate with constant velocities."""
    times = np.arange(frames, dtype=np.float64)[:, None, None]
    vectors = times * np.array([[0.03, -0.02, 0.05], [-0.1, 0.2, 0.1]])
    start = rotations.exp(np.array([[0.4, 1.0, -0.3], [2.0, 0.1, 0.2]]))
    return Motion(
        rotations.multiply(rotations.exp(vectors), start), times * np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.0]])
    )


@pytest.mark.parametrize("replaced", [(4, 6), (0, 2), (9, 11), (1, 1), (10, 10)])
def test_constant_velocities_go_on_everywhere(replaced: tuple[int, int]) -> None:
    motion = steady()
    made = interpolated(motion, mask(12, 2, (*replaced, 0), (*replaced, 1)))
    assert np.allclose(made.translations, motion.translations, atol=1e-12)
    assert np.allclose(np.abs((made.rotations * motion.rotations).sum(axis=-1)), 1.0, atol=1e-12)


def test_translations_follow_the_cubic_of_places_and_velocities_around() -> None:
    motion = steady()
    places = motion.translations.copy()
    places[:5, 0], places[8:, 0] = 0.0, [1.0, 0.0, 0.0]
    made = interpolated(Motion(motion.rotations, places), mask(12, 2, (5, 7, 0)))
    share = np.arange(1, 4) / 4.0
    assert np.allclose(made.translations[5:8, 0, 0], share**2 * (3.0 - 2.0 * share))


def test_everything_else_stays_bit_for_bit(rng: np.random.Generator) -> None:
    clip = moving_human(rng)
    replaced = rng.random((clip.frames, len(clip.skeleton))) < 0.1
    made = interpolated(clip.motion, replaced)
    assert np.array_equal(made.rotations[~replaced], clip.motion.rotations[~replaced])
    assert np.array_equal(made.translations[~replaced], clip.motion.translations[~replaced])
    assert not np.array_equal(made.rotations[replaced], clip.motion.rotations[replaced])


def test_bones_keep_their_lengths_to_the_bit(rng: np.random.Generator) -> None:
    clip = moving_human(rng)
    made = interpolated(clip.motion, mask(clip.frames, len(clip.skeleton), *((20, 24, joint) for joint in range(1, 9))))
    assert np.array_equal(made.translations, clip.motion.translations)


@pytest.mark.parametrize("length", [1, 4, 8])
def test_a_smooth_motion_nearly_comes_back(rng: np.random.Generator, length: int) -> None:
    clip = moving_human(rng, fps=120.0)
    joints = range(len(clip.skeleton))
    made = interpolated(clip.motion, mask(clip.frames, len(joints), *((30, 29 + length, joint) for joint in joints)))
    off = rotations.lengths(rotations.log(rotations.quotient(made.rotations, clip.motion.rotations)))
    straight = rotations.slerp(clip.motion.rotations[29], clip.motion.rotations[30 + length], 0.5)
    middle = 29 + (length + 1) // 2
    between = rotations.lengths(rotations.log(rotations.quotient(straight, clip.motion.rotations[middle])))
    assert off.max() < 0.5 * max(float(between.max()), 1e-3)


def test_the_velocity_is_met_on_both_sides_of_a_large_rotation() -> None:
    """The velocity behind is that of the world, not a difference of rotation vectors."""
    turns = np.tile(rotations.IDENTITY, (203, 1, 1))
    spin, tilt = np.array([0.0, 0.0, 0.01]), rotations.exp([1.5, 0.0, 0.0])
    turns[:2, 0] = rotations.exp(np.arange(-1, 1)[:, None] * spin)
    turns[-2:, 0] = rotations.multiply(rotations.exp(np.arange(2)[:, None] * spin), tilt)
    made = interpolated(Motion(turns, np.zeros((203, 1, 3))), mask(203, 1, (2, 200, 0))).rotations[:, 0]
    velocities = rotations.log(rotations.quotient(made[1:], made[:-1]))
    assert np.abs(np.diff(velocities, axis=0)).max() < 1e-3
    assert np.allclose(velocities[-2], spin, atol=5e-4)


def test_a_joint_without_any_frame_to_keep_is_refused() -> None:
    with pytest.raises(MotionError, match="nothing to interpolate"):
        interpolated(steady(), mask(12, 2, (0, 11, 1)))
