# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations, and where those of a displacement exceed the baseline of its source."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.deformation.acceleration_baseline import (
    _largest_usual,
    accelerations,
)
from poise.solver.deformation.smoothing_filter import smoothed

from .displaced_motions import (
    FRAMES,
    JOINT,
    JOINTS,
    angles,
    displaced,
    is_rough,
    jump,
    marks,
    moving,
    nothing,
    roughness,
    smooth_turns,
    turned_by,
)


def test_accelerations_of_an_even_turn_are_zero_and_of_a_growing_one_known(rng: np.random.Generator) -> None:
    axis, start = rng.standard_normal(3), rotations.random(rng)
    axis /= np.linalg.norm(axis)
    seconds, fps = np.arange(50) / 30.0, 30.0
    for rate in (0.0, 2.5):
        angle = 1.7 * seconds + 0.5 * rate * seconds**2
        q = rotations.multiply(rotations.exp(angle[:, None] * axis), start)
        np.testing.assert_allclose(accelerations(q, fps), np.tile(rate * axis, (50, 1)), atol=1e-10)
        np.testing.assert_allclose(accelerations(angle[:, None] * axis, fps), np.tile(rate * axis, (50, 1)), atol=1e-10)


def test_accelerations_take_their_place_and_the_rate_enters_twice(rng: np.random.Generator) -> None:
    vectors = np.zeros((9, 2, 3))
    vectors[4:, 1, 0] = 1.0
    found = accelerations(vectors)
    assert found.shape == (9, 2, 3)
    np.testing.assert_array_equal(found[:, 1, 0], [0, 0, 0, 1, -1, 0, 0, 0, 0])
    assert not found[:, 0].any()
    q = rotations.random(rng, (9, 2))
    np.testing.assert_allclose(accelerations(q, 24.0), 576.0 * accelerations(q), rtol=1e-12)
    ends = accelerations(q)
    np.testing.assert_array_equal(ends[[0, -1]], ends[[1, -2]])


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_too_few_frames_have_no_accelerations(frames: int, rng: np.random.Generator) -> None:
    assert not accelerations(rotations.random(rng, (frames, 3))).any()
    assert accelerations(rotations.random(rng, (frames, 3))).shape == (frames, 3, 3)
    source = Motion(rotations.random(rng, (frames, 3)), np.zeros((frames, 3, 3)))
    result = Motion(rotations.random(rng, (frames, 3)), np.ones((frames, 3, 3)))
    assert is_rough(source, result).shape == (frames, 3)
    assert not is_rough(source, result).any()


def test_the_signs_of_quaternions_do_not_matter(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = displaced(source, smooth_turns(rng) + jump(60, rng.standard_normal(3), 0.4))
    signs = rng.choice([-1.0, 1.0], (2, FRAMES, JOINTS, 1))
    source_signed = Motion(signs[0] * source.rotations, source.translations)
    result_signed = Motion(signs[1] * result.rotations, result.translations)
    np.testing.assert_allclose(roughness(source_signed, result_signed), roughness(source, result), atol=1e-11)


def test_a_displacement_as_smooth_as_the_source_needs_no_filter(rng: np.random.Generator) -> None:
    source = moving(rng)
    slow = 0.2 * np.sin(0.03 * np.arange(FRAMES))[:, None, None] * rng.standard_normal((JOINTS, 3))
    assert not is_rough(source, displaced(source, smooth_turns(rng), slow)).any()
    assert not is_rough(source, source).any()
    assert not roughness(source, source).any()


def test_a_jump_is_found_where_it_is(rng: np.random.Generator) -> None:
    source, smooth = moving(rng), smooth_turns(rng, size=0.1)
    for joint in range(JOINTS):
        at = int(rng.integers(2, FRAMES - 2))
        result = displaced(source, smooth + jump(at, rng.standard_normal(3), 0.1, joint=joint))
        expected = marks(at - 1, at, joint=joint)
        np.testing.assert_array_equal(is_rough(source, result), expected)


def test_a_jump_of_a_move_is_found_where_it_is(rng: np.random.Generator) -> None:
    source, moves = moving(rng), nothing()
    moves[70:, 0, 1] = 0.5
    np.testing.assert_array_equal(is_rough(source, displaced(source, nothing(), moves)), marks(69, 70, joint=0))


def test_the_tolerance_bounds_what_the_result_adds(rng: np.random.Generator) -> None:
    """Where nothing is found, no joint accelerates by more than that share beyond the source's largest."""
    source = moving(rng)
    own = np.linalg.norm(accelerations(source.rotations), axis=-1).max(axis=0)
    checked = 0
    for size in np.linspace(0.01, 0.4, 20):
        result = displaced(
            source, size * np.sin(0.25 * np.arange(FRAMES))[:, None, None] * rng.uniform(-1, 1, (JOINTS, 3))
        )
        quiet = ~is_rough(source, result, 0.3).any(axis=0)
        checked += int(quiet.sum())
        after = np.linalg.norm(accelerations(result.rotations), axis=-1).max(axis=0)
        # A displaced frame also carries the source's velocity along: a second-order share of it.
        assert (after[quiet] <= 1.35 * np.maximum(own, np.median(own) / 4.0)[quiet]).all()
    assert JOINTS < checked < 20 * JOINTS


def test_a_still_joint_is_neither_found_for_nothing_nor_allowed_a_pop(rng: np.random.Generator) -> None:
    source = moving(rng)
    turned = source.rotations.copy()
    turned[:, JOINT] = turned[0, JOINT]
    source = Motion(turned, source.translations)
    typical = np.median(np.linalg.norm(accelerations(source.rotations), axis=-1).max(axis=0))
    time = np.arange(FRAMES)
    hardly, pop = nothing(), nothing()
    hardly[:, JOINT, 1] = typical * np.sin(0.2 * time)  # accelerates by 4 % of the typical joint's
    pop[60:, JOINT, 1] = 0.3 * typical
    assert not is_rough(source, displaced(source, hardly)).any()
    np.testing.assert_array_equal(is_rough(source, displaced(source, pop)), marks(59, 60))


def test_a_glitch_in_the_source_licenses_no_pop(rng: np.random.Generator) -> None:
    """Captured clips begin with a rest pose that is no part of the motion, and angles flip."""
    source, turns = moving(rng), jump(60, rng.standard_normal(3), 0.1)
    turned = source.rotations.copy()
    turned[0] = rotations.random(rng, JOINTS)
    turned[30:] = rotations.multiply(rotations.exp([2.0, 0.0, 0.0]), turned[30:])
    cut = Motion(turned, source.translations)
    for clip in (source, cut):
        np.testing.assert_array_equal(is_rough(clip, displaced(clip, turns)), marks(59, 60))


@pytest.mark.parametrize(("frames", "left_out"), [(3, 0), (8, 1), (20, 4), (120, 4), (500, 9), (1002, 20)])
def test_few_frames_count_as_glitches(frames: int, left_out: int, rng: np.random.Generator) -> None:
    """At most a quarter in short clips, four in common ones, and one in fifty in long ones: steps and blows count."""
    sizes = rng.random((frames, JOINTS))
    above = (sizes[1:-1] > _largest_usual(sizes)).sum(axis=0)
    np.testing.assert_array_equal(above, left_out)


def test_a_joint_that_is_all_noise_licenses_no_pop_in_others(rng: np.random.Generator) -> None:
    source = moving(rng)
    turned = source.rotations.copy()
    turned[:, 5] = rotations.random(rng, FRAMES)
    noisy = Motion(turned, source.translations)
    found = is_rough(noisy, displaced(noisy, jump(60, rng.standard_normal(3), 0.1)))
    np.testing.assert_array_equal(found, marks(59, 60))


def test_a_body_of_which_little_moves_is_measured_by_what_moves(rng: np.random.Generator) -> None:
    source = moving(rng)
    turned = np.tile(source.rotations[:1], (FRAMES, 1, 1))
    turned[:, 0] = source.rotations[:, 0]
    mostly_still = Motion(turned, source.translations)
    large = smooth_turns(rng, size=1.0) * (np.arange(JOINTS) == 0)[:, None]
    found = is_rough(mostly_still, displaced(mostly_still, 0.1 * large + jump(60, rng.standard_normal(3), 0.01)))
    np.testing.assert_array_equal(found, marks(59, 60))


def test_a_source_that_stands_still_is_measured_by_the_displacement(rng: np.random.Generator) -> None:
    still = Motion(np.tile(rotations.random(rng, JOINTS), (FRAMES, 1, 1)), nothing() + rng.standard_normal((JOINTS, 3)))
    trembling = Motion(
        rotations.multiply(rotations.exp(1e-9 * rng.standard_normal((FRAMES, JOINTS, 3))), still.rotations),
        still.translations + 1e-9 * rng.standard_normal((FRAMES, JOINTS, 3)),
    )
    u = np.clip((np.arange(FRAMES) - 50.0) / 12.0, 0.0, 1.0)[:, None]
    ease = nothing()
    ease[:, JOINT] = (3.0 * u**2 - 2.0 * u**3) * rng.standard_normal(3)
    for source in (still, trembling):
        assert not is_rough(source, displaced(source, ease, ease)).any()
        found = is_rough(source, displaced(source, ease + jump(70, rng.standard_normal(3), 0.5)))
        np.testing.assert_array_equal(found, marks(69, 70))


def test_the_frame_rate_does_not_matter(rng: np.random.Generator) -> None:
    """The same motion and displacement sampled twice as often is as rough."""
    seed = int(rng.integers(1 << 30))

    def sampled(pace: float, frames: int) -> Array:
        numbers = np.random.default_rng(seed)
        source = moving(numbers, frames, pace=pace)
        return roughness(source, displaced(source, smooth_turns(numbers, frames, pace=pace)))

    coarse, fine = sampled(0.5, 400), sampled(0.25, 800)
    largest = coarse[2:-2].max(axis=0)
    np.testing.assert_allclose(fine[4:-4].max(axis=0), largest, rtol=0.02)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda motion, turn: turned_by(turn, motion), id="heading"),
        pytest.param(lambda motion, turn: Motion(motion.rotations, 100.0 * motion.translations), id="unit"),
    ],
)
def test_heading_and_unit_of_the_scene_do_not_matter(
    change: Callable[[Motion, Array], Motion], rng: np.random.Generator
) -> None:
    source = moving(rng)
    bumps = nothing()
    bumps[60:, 0, 1] = 0.4
    result = displaced(source, smooth_turns(rng) + jump(60, rng.standard_normal(3), 0.3, joint=0), bumps)
    turn = rotations.from_axis_angle([0.0, 1.0, 0.0], 2.1)
    source_there, result_there = change(source, turn), change(result, turn)
    np.testing.assert_allclose(roughness(source_there, result_there), roughness(source, result), rtol=1e-9, atol=1e-9)
    found = is_rough(source, result)
    assert found.any()
    here, there = smoothed(source, result, found, 4), smoothed(source_there, result_there, found, 4)
    assert angles(change(here, turn), there).max() < 1e-13
    np.testing.assert_allclose(change(here, turn).translations, there.translations, atol=1e-11)


def test_a_captured_walk_is_judged_by_its_motion_not_by_its_glitches(walk: Clip, rng: np.random.Generator) -> None:
    source, knee = walk.motion, walk.skeleton.index("LeftLeg")
    frames = source.frames
    turns = np.zeros_like(source.translations)
    turns[:, knee, 0] = 0.05 * np.sin(2.0 * np.pi * np.arange(frames) / 60.0)
    assert not is_rough(source, displaced(source, turns)).any()
    turns[150:, knee, 0] += 0.02
    expected = np.zeros((frames, len(walk.skeleton)), dtype=bool)
    expected[[149, 150], knee] = True
    np.testing.assert_array_equal(is_rough(source, displaced(source, turns)), expected)
    after = smoothed(source, displaced(source, turns), expected, 6)
    assert not is_rough(source, after).any()
