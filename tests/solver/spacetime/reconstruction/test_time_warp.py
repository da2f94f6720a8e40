# SPDX-License-Identifier: GPL-3.0-or-later
"""Sampling a clip at other times."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError
from poise.solver.spacetime.reconstruction.time_warp import sampled_spline, warped
from poise.solver.synthetic import walk

from ...made_up import moving_human, point_clip, turning_clip


def test_whole_frames_come_back_bit_for_bit(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 20)
    again = warped(clip, [0, 3.0, 7.25, 19])
    for mine, theirs in (
        (again.motion.rotations, clip.motion.rotations),
        (again.motion.translations, clip.motion.translations),
    ):
        np.testing.assert_array_equal(mine[[0, 1, 3]], theirs[[0, 3, 19]])
    assert again.fps == clip.fps and again.frames == 4


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 40, 300])
def test_the_spline_solves_its_tridiagonal_system(rng: np.random.Generator, frames: int) -> None:
    """In which the second derivatives of the ends are those of their neighbours."""
    values = rng.standard_normal((frames, 2))
    times = np.concatenate([np.arange(frames), rng.uniform(0, frames - 1, 50)])
    bends = np.zeros_like(values)
    if frames > 2:
        inner = frames - 2
        matrix = (4.0 * np.eye(inner) + np.eye(inner, k=1) + np.eye(inner, k=-1)) / 6.0
        matrix[0, 0] += 1.0 / 6.0
        matrix[-1, -1] += 1.0 / 6.0
        bends[1:-1] = np.linalg.solve(matrix, np.diff(values, 2, axis=0))
        bends[[0, -1]] = bends[[1, -2]]
    before = np.minimum(times.astype(int), max(frames - 2, 0))
    after = np.minimum(before + 1, frames - 1)
    share = (times - before)[:, None]
    expected = (1 - share) * values[before] + share * values[after]
    expected += ((1 - share) ** 3 - (1 - share)) / 6 * bends[before] + (share**3 - share) / 6 * bends[after]
    np.testing.assert_allclose(sampled_spline(values, times), expected, atol=1e-13)


def test_uniform_motion_stays_uniform() -> None:
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0)
    places = np.multiply.outer(np.arange(9.0), np.array([0.1, 0.0, -0.3]))
    times = np.linspace(0.0, 8.0, 15)
    np.testing.assert_allclose(
        warped(point_clip(places), times).position(0), np.multiply.outer(times, [0.1, 0.0, -0.3]), atol=1e-14
    )
    turning = turning_clip(rotations.exp(np.multiply.outer(0.05 * np.arange(9.0), axis)))
    found = warped(turning, times).orientation(0)
    off = rotations.angle_between(found, rotations.exp(np.multiply.outer(0.05 * times, axis)))
    assert off.max() < 1e-5


def second_differences(values: Array) -> Array:
    return np.linalg.norm(np.diff(values, 2, axis=0), axis=-1)


def test_a_slower_clip_is_what_a_faster_camera_would_have_seen() -> None:
    """The same walk, sampled 1.8 times as often: between the frames too, and without accelerations of its own."""
    slowdown = 1.8
    clip, truth = walk(steps=5, fps=60.0).clip, walk(steps=4, fps=60.0 * slowdown).clip
    slow = warped(clip, np.arange(truth.frames) / slowdown)
    size = clip.skeleton.size
    assert np.abs(slow.world.positions - truth.world.positions).max() < 2e-4 * size
    for joint in range(len(clip.skeleton)):
        largest = second_differences(truth.world.positions[:, joint]).max()
        found = second_differences(slow.world.positions[:, joint]).max()
        assert found < 1.1 * largest, clip.skeleton.names[joint]


def test_signs_of_quaternions_do_not_count(rng: np.random.Generator) -> None:
    clip = moving_human(rng, 12)
    signs = np.where(rng.random((12, len(clip.skeleton), 1)) < 0.5, -1.0, 1.0)
    flipped = clip.with_motion(Motion(clip.motion.rotations * signs, clip.motion.translations))
    times = np.linspace(0.3, 10.7, 25)
    np.testing.assert_allclose(warped(flipped, times).world.positions, warped(clip, times).world.positions, atol=1e-12)


def test_a_turned_scene_is_warped_alike(rng: np.random.Generator) -> None:
    clip, turn = moving_human(rng, 15), rotations.random(rng)
    turned, moved = clip.motion.rotations.copy(), clip.motion.translations.copy()
    turned[:, 0], moved[:, 0] = rotations.multiply(turn, turned[:, 0]), rotations.rotate(turn, moved[:, 0])
    times = np.linspace(0.0, 14.0, 31)
    found = warped(clip.with_motion(Motion(turned, moved)), times).world.positions
    np.testing.assert_allclose(found, rotations.rotate(turn, warped(clip, times).world.positions), atol=1e-11)


@pytest.mark.parametrize(
    ("times", "complaint"),
    [
        ([0.0, 9.5], "The time 9.5 lies outside the clip, whose frames are 0 to 9"),
        ([-0.1], "The time -0.1 lies outside"),
        ([np.nan], "must be finite"),
        ([], "one or more"),
        ([[1.0]], "one row of times"),
        (["soon"], "must be numbers"),
    ],
)
def test_wrong_times_are_refused(rng: np.random.Generator, times: list[object], complaint: str) -> None:
    clip: Clip = moving_human(rng, 10)
    with pytest.raises(MotionError, match=complaint):
        warped(clip, times)  # type: ignore[arg-type]
