# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter of displacements: what it leaves alone, what it takes out, and where it finds itself needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, BoolArray
from poise.solver.core.errors import MotionError, PoiseError
from poise.solver.deformation import displacement_filter
from poise.solver.deformation.displacement_filter import (
    Displacement,
    accelerations,
    displacement,
    lowpass,
    needs_filter,
    roughness,
    smoothed,
)

FRAMES, JOINTS = 120, 7
JOINT = 2
"""The joint that is displaced where only one is."""

SMALL = 1e-9


def moving(rng: np.random.Generator, frames: int = FRAMES, *, pace: float = 1.0) -> Motion:
    """A motion in which joint 0 wanders and every joint swings: at about a tenth of a radian a frame at most."""
    time = pace * np.arange(frames)[:, None, None]
    rates, phases = rng.uniform(0.1, 0.25, (JOINTS, 3)), rng.uniform(0.0, 6.0, (JOINTS, 3))
    swings = 0.3 * np.sin(rates * time + phases)
    moved = np.tile(rng.standard_normal((JOINTS, 3)), (frames, 1, 1))
    moved[:, 0] += np.sin(0.1 * time[:, :, 0] + rng.uniform(0.0, 6.0, 3))
    return Motion(rotations.multiply(rotations.exp(swings), rotations.random(rng, JOINTS)), moved)


def displaced(source: Motion, turns: Array, moves: Array | None = None) -> Motion:
    return Displacement(turns, np.zeros_like(turns) if moves is None else moves).applied(source)


def nothing(frames: int = FRAMES) -> Array:
    return np.zeros((frames, JOINTS, 3))


def marks(*frames: int, joint: int = JOINT, of: int = FRAMES) -> BoolArray:
    marked = np.zeros((of, JOINTS), dtype=bool)
    marked[list(frames), joint] = True
    return marked


def smooth_turns(rng: np.random.Generator, frames: int = FRAMES, *, pace: float = 1.0, size: float = 0.2) -> Array:
    """Turns that change as slowly as the source does, or more so."""
    time = pace * np.arange(frames)[:, None, None]
    return size * np.sin(0.05 * time + rng.uniform(0.0, 6.0, (JOINTS, 3)))


def jump(at: int, axis: Array, height: float, frames: int = FRAMES, joint: int = JOINT) -> Array:
    """Turns of one joint: none before frame `at`, all of it from there on."""
    turns = nothing(frames)
    turns[at:, joint] = height * axis / np.linalg.norm(axis)
    return turns


def turned_by(heading: Array, motion: Motion) -> Motion:
    """The whole scene turned: joint 0 is the root, all others are relative to their parents."""
    turned, moved = motion.rotations.copy(), motion.translations.copy()
    turned[:, 0] = rotations.multiply(heading, turned[:, 0])
    moved[:, 0] = rotations.rotate(heading, moved[:, 0])
    return Motion(turned, moved)


def angles(one: Motion, other: Motion) -> Array:
    return rotations.angle_between(one.rotations, other.rotations)


def assert_same_bits(one: Motion, other: Motion, where: Any = ...) -> None:
    assert one.rotations[where].tobytes() == other.rotations[where].tobytes()
    assert one.translations[where].tobytes() == other.translations[where].tobytes()


# --- the displacement ---------------------------------------------------------------------------------------------


def test_a_displacement_leads_from_the_source_to_the_result(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = Motion(rotations.random(rng, (FRAMES, JOINTS)), rng.standard_normal((FRAMES, JOINTS, 3)))
    found = displacement(source, result)
    assert (np.linalg.norm(found.turns, axis=-1) <= np.pi + 1e-12).all()
    again = found.applied(source)
    assert angles(again, result).max() < 1e-14
    np.testing.assert_allclose(again.translations, result.translations, atol=1e-14)


def test_turns_are_in_the_frame_of_the_parent(rng: np.random.Generator) -> None:
    source = moving(rng)
    turns, moves = smooth_turns(rng), rng.standard_normal((FRAMES, JOINTS, 3))
    found = displacement(source, displaced(source, turns, moves))
    np.testing.assert_allclose(found.turns, turns, atol=1e-14)
    np.testing.assert_allclose(found.moves, moves, atol=1e-14)


def test_no_displacement_gives_the_source_bit_for_bit(rng: np.random.Generator) -> None:
    source = moving(rng)
    source.rotations[0, 0] = [1.0, -0.0, 0.0, -0.0]
    source.translations[0, 0] = -0.0
    none = displacement(source, Motion(source.rotations.copy(), source.translations.copy()))
    assert not none.turns.any() and not none.moves.any()
    assert_same_bits(none.applied(source), source)
    # And where only one joint is displaced, all others are as they were.
    other = displaced(source, jump(40, rng.standard_normal(3), 0.5))
    assert_same_bits(other, source, np.s_[:40])
    assert_same_bits(other, source, np.s_[:, np.arange(JOINTS) != JOINT])


def test_the_signs_of_quaternions_do_not_matter(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = displaced(source, smooth_turns(rng) + jump(60, rng.standard_normal(3), 0.4))
    signs = rng.choice([-1.0, 1.0], (2, FRAMES, JOINTS, 1))
    source_signed = Motion(signs[0] * source.rotations, source.translations)
    result_signed = Motion(signs[1] * result.rotations, result.translations)
    np.testing.assert_allclose(
        displacement(source_signed, result_signed).turns, displacement(source, result).turns, atol=1e-15
    )
    np.testing.assert_allclose(roughness(source_signed, result_signed), roughness(source, result), atol=1e-11)
    where = marks(59, 60)
    one, other = smoothed(source, result, where, 5), smoothed(source_signed, result_signed, where, 5)
    assert angles(one, other).max() < 1e-14
    assert not displacement(source, Motion(-source.rotations, source.translations)).turns.any()


# --- the kernel ---------------------------------------------------------------------------------------------------


def response(radius: int, frequencies: Array) -> Array:
    """The factor by which the filter multiplies a cosine of that many radians a frame."""
    weights = displacement_filter.kernel(radius)
    return weights[0] + 2.0 * np.cos(np.outer(frequencies, np.arange(1, radius + 1))) @ weights[1:]


@pytest.mark.parametrize("radius", range(9))
def test_the_kernel_is_an_average_that_decreases_outward(radius: int) -> None:
    weights = displacement_filter.kernel(radius)
    assert weights.shape == (radius + 1,)
    assert (weights > 0.0).all() and (np.diff(weights) < 0.0).all()
    assert weights[0] + 2.0 * weights[1:].sum() == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("radius", range(1, 9))
def test_the_kernel_passes_less_the_faster_a_change_is(radius: int) -> None:
    cut = np.minimum(2.0 * np.pi / (radius + 1), np.pi)
    passing, stopped = np.linspace(0.0, cut, 200), np.linspace(cut, np.pi, 200)
    assert (np.diff(response(radius, passing)) < 0.0).all()
    # The largest side lobe of a Hann window is 31 decibels down.
    assert np.abs(response(radius, stopped)).max() < 10.0 ** (-31.0 / 20.0)


@pytest.mark.parametrize("radius", [1, 3, 6])
def test_a_wave_comes_back_with_the_response_of_the_kernel(radius: int, rng: np.random.Generator) -> None:
    for frequency in rng.uniform(0.0, np.pi, 8):
        wave = np.sin(frequency * np.arange(FRAMES) + 1.0)
        inner = slice(radius, FRAMES - radius)
        np.testing.assert_allclose(
            lowpass(wave, radius)[inner], response(radius, np.array([frequency])) * wave[inner], atol=1e-13
        )


@pytest.mark.parametrize("radius", range(9))
def test_even_changes_and_constants_pass_whole(radius: int, rng: np.random.Generator) -> None:
    start, rate = rng.standard_normal((2, 4, 3))
    ramp = start + rate * np.arange(12)[:, None, None]
    np.testing.assert_allclose(lowpass(ramp, radius), ramp, atol=1e-13)
    constant = np.tile(start, (12, 1, 1))
    assert lowpass(constant, radius).tobytes() == constant.tobytes()


def test_the_ends_stay_and_nothing_overshoots(rng: np.random.Generator) -> None:
    values = rng.standard_normal((60, 2, 3))
    for radius in range(1, 9):
        filtered = lowpass(values, radius)
        np.testing.assert_allclose(filtered[[0, -1]], values[[0, -1]], atol=1e-14)
        for frame in range(radius, 60 - radius):
            near = values[frame - radius : frame + radius + 1]
            assert (filtered[frame] >= near.min(axis=0)).all() and (filtered[frame] <= near.max(axis=0)).all()


def test_the_filter_is_linear_and_knows_no_direction_of_time(rng: np.random.Generator) -> None:
    one, other = rng.standard_normal((2, 30, 5))
    np.testing.assert_allclose(lowpass(2.0 * one - other, 4), 2.0 * lowpass(one, 4) - lowpass(other, 4), atol=1e-13)
    np.testing.assert_allclose(lowpass(one[::-1], 4), lowpass(one, 4)[::-1], atol=1e-14)


def test_radius_zero_and_one_frame_change_nothing(rng: np.random.Generator) -> None:
    values = rng.standard_normal((9, 3))
    np.testing.assert_array_equal(lowpass(values, 0), values)
    np.testing.assert_array_equal(lowpass(values[:1], 5), values[:1])
    assert lowpass(values[:0], 5).shape == (0, 3)


def test_a_kernel_wider_than_the_clip_is_narrowed(rng: np.random.Generator) -> None:
    values = rng.standard_normal((4, 3))
    np.testing.assert_array_equal(lowpass(values, 50), lowpass(values, 3))
    ramp = np.arange(4.0)[:, None]
    np.testing.assert_allclose(lowpass(ramp, 50), ramp, atol=1e-14)


# --- smoothing a result -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [1, 2, 3, 5, 8])
def test_a_jump_is_spread_by_the_kernel(radius: int, rng: np.random.Generator) -> None:
    """The second difference of a filtered step is the difference of neighbouring weights."""
    source, axis, height = moving(rng), rng.standard_normal(3), 0.5
    turns = jump(60, axis, height)
    moves = np.where(turns != 0.0, 2.0, 0.0)
    result = displaced(source, turns, moves)
    after = smoothed(source, result, marks(59, 60), radius)
    expected = height * np.abs(np.diff(displacement_filter.kernel(radius), append=0.0)).max()
    added = np.linalg.norm(accelerations(displacement(source, after).turns), axis=-1)
    assert added[:, JOINT].max() == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(
        displacement(source, after).turns[:, JOINT], lowpass(turns, radius)[:, JOINT], atol=1e-14
    )
    np.testing.assert_allclose(
        displacement(source, after).moves[:, JOINT], lowpass(moves, radius)[:, JOINT], atol=1e-14
    )


def test_what_is_not_marked_comes_back_bit_for_bit(rng: np.random.Generator) -> None:
    source, radius = moving(rng), 4
    result = displaced(source, rng.standard_normal((FRAMES, JOINTS, 3)), rng.standard_normal((FRAMES, JOINTS, 3)))
    kept = result.rotations.tobytes(), result.translations.tobytes()
    after = smoothed(source, result, marks(60, 63), radius)
    assert_same_bits(after, result, np.s_[:, np.arange(JOINTS) != JOINT])
    assert_same_bits(after, result, np.s_[: 60 - 3 * radius])
    assert_same_bits(after, result, np.s_[63 + 3 * radius + 1 :])
    changed = angles(after, result)[:, JOINT] > SMALL
    assert changed[60 - 3 * radius : 63 + 3 * radius + 1].all()
    assert_same_bits(smoothed(source, result, marks(60), 0), result)
    assert_same_bits(smoothed(source, result, marks(), radius), result)
    assert (result.rotations.tobytes(), result.translations.tobytes()) == kept, "the caller's motion was changed"


def test_marks_on_frames_without_displacement_change_no_bit(rng: np.random.Generator) -> None:
    source = moving(rng)
    source.rotations[30, JOINT] = [1.0, -0.0, 0.0, 0.0]
    source.translations[30, JOINT] = -0.0
    result = displaced(source, jump(90, rng.standard_normal(3), 0.4))
    after = smoothed(source, result, marks(30, 90), 5)
    assert_same_bits(after, source, np.s_[:85])


def test_an_even_displacement_passes_whole(rng: np.random.Generator) -> None:
    """Turning at one rate about one axis, through half turns and beyond, and moving at one velocity."""
    source, frames = moving(rng), np.arange(FRAMES)
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    rate = rotations.exp((0.15 * frames)[:, None] * axis)
    turned = source.rotations.copy()
    turned[:, JOINT] = rotations.multiply(rotations.multiply(rate, rotations.random(rng)), turned[:, JOINT])
    moved = source.translations + 0.3 * frames[:, None, None] * axis
    result = Motion(turned, moved)
    after = smoothed(source, result, np.ones((FRAMES, JOINTS), dtype=bool), 6)
    assert angles(after, result).max() < 1e-13
    np.testing.assert_allclose(after.translations, result.translations, atol=1e-12)


def test_a_displacement_near_a_half_turn_is_not_torn(rng: np.random.Generator) -> None:
    """Rotation vectors jump from one side to the other there; the filter must not see that."""
    source, axis = moving(rng), np.array([0.0, 0.6, 0.8])
    wobble = np.pi + 0.1 * np.sin(0.1 * np.arange(FRAMES))
    turns = nothing()
    turns[:, JOINT] = wobble[:, None] * axis
    result = displaced(source, turns)
    assert np.abs(np.diff(displacement(source, result).turns[:, JOINT], axis=0)).max() > 4.0
    assert not needs_filter(source, result)[:, JOINT].any()
    after = smoothed(source, result, marks(*range(FRAMES)), 4)
    expected = turns.copy()
    expected[:, JOINT] = lowpass(wobble, 4)[:, None] * axis
    assert angles(after, displaced(source, expected)).max() < 1e-13


def test_hinges_keep_their_axes(rng: np.random.Generator) -> None:
    source, axis = moving(rng), rng.standard_normal(3)
    angle = rng.standard_normal(FRAMES)
    turns = nothing()
    turns[:, JOINT] = angle[:, None] * axis / np.linalg.norm(axis)
    after = smoothed(source, displaced(source, turns), marks(20, 50, 51), 5)
    found = displacement(source, after).turns[:, JOINT]
    np.testing.assert_allclose(np.cross(found, axis), 0.0, atol=1e-13)


def test_the_filter_leaves_no_edge_of_its_own(rng: np.random.Generator) -> None:
    """A wave is damped near the marks only. Where the filter lets go, the fade's second derivative, π/2 over the square
    of the radius + 1, meets half the kernel's variance: a slow wave grows rougher by their product, a tenth, and a fast
    one less. A filter that ended at once would make it up to four times as rough."""
    growth = np.pi / 4.0 * (1.0 / 3.0 - 2.0 / np.pi**2)
    still = Motion(np.tile(rotations.IDENTITY, (FRAMES, JOINTS, 1)), nothing())
    for radius in (1, 2, 3, 5, 8):
        for frequency in (0.05, 0.2, 0.35, 0.5, 1.0, 2.0):
            turns = nothing()
            phases = rng.uniform(0.0, 2.0 * np.pi, JOINTS)
            turns[:, :, 0] = 0.1 * np.sin(frequency * np.arange(FRAMES)[:, None] + phases)
            where = np.zeros((FRAMES, JOINTS), dtype=bool)
            where[60] = True
            after = displacement(still, smoothed(still, displaced(still, turns), where, radius)).turns[..., 0]
            wave = 0.1 * (2.0 * np.sin(0.5 * frequency)) ** 2
            assert np.abs(np.diff(after, 2, axis=0)).max() <= (1.0 + growth) * wave
            near = slice(60 - radius, 60 + radius + 1)
            damped = response(radius, np.array([frequency])) * turns[near, :, 0]
            np.testing.assert_allclose(after[near], damped, atol=1e-14)


def test_frozen_frames_keep_theirs_and_the_displacement_fades_toward_them(rng: np.random.Generator) -> None:
    source, axis = moving(rng), rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    height = 0.5
    turns = jump(40, axis, height)
    turns[80:] = 0.0
    moves = 3.0 * turns
    result = displaced(source, turns, moves)
    frozen = np.ones(FRAMES, dtype=bool)
    frozen[40:80] = False
    for radius in (2, 4, 8):
        after = smoothed(source, result, marks(39, 40, 79, 80), radius, frozen)
        assert_same_bits(after, source, frozen)
        found = displacement(source, after)
        along = found.turns[:, JOINT] @ axis
        expected = displacement_filter._fade(frozen, radius) * lowpass(turns[:, JOINT] @ axis, radius)
        np.testing.assert_allclose(along, expected, atol=1e-14)
        np.testing.assert_allclose(found.moves[:, JOINT], 3.0 * found.turns[:, JOINT], atol=1e-13)
        assert (np.diff(along[39:60]) >= -SMALL).all() and (np.diff(along[60:81]) <= SMALL).all()
        assert along[60] == pytest.approx(height, abs=1e-14)
        # The steepest part of the way up is bounded by that of the fade, as steep as a wave of that length.
        bound = 0.5 * height * (np.pi / (radius + 1)) ** 2
        assert np.abs(np.diff(along, 2)).max() < 1.5 * bound
        unfrozen = smoothed(source, result, marks(39, 40, 79, 80), radius)
        assert np.abs(displacement(source, unfrozen).turns[39, JOINT] @ axis) > 0.3 * height


def test_frozen_frames_that_are_displaced_keep_that_too(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = displaced(source, rng.standard_normal((FRAMES, JOINTS, 3)), rng.standard_normal((FRAMES, JOINTS, 3)))
    frozen = rng.random(FRAMES) < 0.3
    after = smoothed(source, result, np.ones((FRAMES, JOINTS), dtype=bool), 3, frozen)
    assert_same_bits(after, result, frozen)
    assert (angles(after, result)[1:-1][~frozen[1:-1]] > SMALL).all()


def test_fading_ends_at_the_radius() -> None:
    frozen = np.zeros(40, dtype=bool)
    frozen[[10, 25]] = True
    fade = displacement_filter._fade(frozen, 3)
    assert (fade[[10, 25]] == 0.0).all()
    np.testing.assert_array_equal(np.flatnonzero(fade < 1.0), [*range(7, 14), *range(22, 29)])
    np.testing.assert_allclose(fade[8:13], fade[12:7:-1])
    assert (np.diff(fade[10:15]) > 0.0).all()


def test_many_frames_are_filtered_as_each_joint_alone(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = displaced(source, rng.standard_normal((FRAMES, JOINTS, 3)), rng.standard_normal((FRAMES, JOINTS, 3)))
    where = rng.random((FRAMES, JOINTS)) < 0.02
    frozen = np.zeros(FRAMES, dtype=bool)
    frozen[50:60] = True
    together = smoothed(source, result, where, 3, frozen)
    for joint in range(JOINTS):
        one = where & (np.arange(JOINTS) == joint)
        alone = smoothed(source, result, one, 3, frozen)
        assert angles(alone, together)[:, joint].max() < 1e-14
        np.testing.assert_allclose(alone.translations[:, joint], together.translations[:, joint], atol=1e-14)


# --- accelerations ------------------------------------------------------------------------------------------------


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
    assert needs_filter(source, result).shape == (frames, 3)
    assert not needs_filter(source, result).any()
    assert smoothed(source, result, np.ones((frames, 3), dtype=bool), 4).rotations.shape == (frames, 3, 4)


# --- where it is needed -------------------------------------------------------------------------------------------


def test_a_displacement_as_smooth_as_the_source_needs_no_filter(rng: np.random.Generator) -> None:
    source = moving(rng)
    slow = 0.2 * np.sin(0.03 * np.arange(FRAMES))[:, None, None] * rng.standard_normal((JOINTS, 3))
    assert not needs_filter(source, displaced(source, smooth_turns(rng), slow)).any()
    assert not needs_filter(source, source).any()
    assert not roughness(source, source).any()


def test_a_jump_is_found_where_it_is(rng: np.random.Generator) -> None:
    source, smooth = moving(rng), smooth_turns(rng, size=0.1)
    for joint in range(JOINTS):
        at = int(rng.integers(2, FRAMES - 2))
        result = displaced(source, smooth + jump(at, rng.standard_normal(3), 0.1, joint=joint))
        expected = marks(at - 1, at, joint=joint)
        np.testing.assert_array_equal(needs_filter(source, result), expected)


def test_a_jump_of_a_move_is_found_where_it_is(rng: np.random.Generator) -> None:
    source, moves = moving(rng), nothing()
    moves[70:, 0, 1] = 0.5
    np.testing.assert_array_equal(needs_filter(source, displaced(source, nothing(), moves)), marks(69, 70, joint=0))


def test_the_tolerance_bounds_what_the_result_adds(rng: np.random.Generator) -> None:
    """Where nothing is found, no joint accelerates by more than that share beyond the source's largest."""
    source = moving(rng)
    own = np.linalg.norm(accelerations(source.rotations), axis=-1).max(axis=0)
    checked = 0
    for size in np.linspace(0.01, 0.4, 20):
        result = displaced(
            source, size * np.sin(0.25 * np.arange(FRAMES))[:, None, None] * rng.uniform(-1, 1, (JOINTS, 3))
        )
        quiet = ~needs_filter(source, result, 0.3).any(axis=0)
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
    assert not needs_filter(source, displaced(source, hardly)).any()
    np.testing.assert_array_equal(needs_filter(source, displaced(source, pop)), marks(59, 60))


def test_a_glitch_in_the_source_licenses_no_pop(rng: np.random.Generator) -> None:
    """Captured clips begin with a rest pose that is no part of the motion, and angles flip."""
    source, turns = moving(rng), jump(60, rng.standard_normal(3), 0.1)
    turned = source.rotations.copy()
    turned[0] = rotations.random(rng, JOINTS)
    turned[30:] = rotations.multiply(rotations.exp([2.0, 0.0, 0.0]), turned[30:])
    cut = Motion(turned, source.translations)
    for clip in (source, cut):
        np.testing.assert_array_equal(needs_filter(clip, displaced(clip, turns)), marks(59, 60))


@pytest.mark.parametrize(("frames", "left_out"), [(3, 0), (8, 1), (20, 4), (120, 4), (500, 9), (1002, 20)])
def test_few_frames_count_as_glitches(frames: int, left_out: int, rng: np.random.Generator) -> None:
    """At most a quarter in short clips, four in common ones, and one in fifty in long ones: steps and blows count."""
    sizes = rng.random((frames, JOINTS))
    above = (sizes[1:-1] > displacement_filter._usual(sizes)).sum(axis=0)
    np.testing.assert_array_equal(above, left_out)


def test_a_joint_that_is_all_noise_licenses_no_pop_in_others(rng: np.random.Generator) -> None:
    source = moving(rng)
    turned = source.rotations.copy()
    turned[:, 5] = rotations.random(rng, FRAMES)
    noisy = Motion(turned, source.translations)
    found = needs_filter(noisy, displaced(noisy, jump(60, rng.standard_normal(3), 0.1)))
    np.testing.assert_array_equal(found, marks(59, 60))


def test_a_body_of_which_little_moves_is_measured_by_what_moves(rng: np.random.Generator) -> None:
    source = moving(rng)
    turned = np.tile(source.rotations[:1], (FRAMES, 1, 1))
    turned[:, 0] = source.rotations[:, 0]
    mostly_still = Motion(turned, source.translations)
    large = smooth_turns(rng, size=1.0) * (np.arange(JOINTS) == 0)[:, None]
    found = needs_filter(mostly_still, displaced(mostly_still, 0.1 * large + jump(60, rng.standard_normal(3), 0.01)))
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
        assert not needs_filter(source, displaced(source, ease, ease)).any()
        found = needs_filter(source, displaced(source, ease + jump(70, rng.standard_normal(3), 0.5)))
        np.testing.assert_array_equal(found, marks(69, 70))


def test_filtering_takes_out_what_was_found(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = displaced(source, smooth_turns(rng, size=0.1) + jump(60, rng.standard_normal(3), 0.1))
    found = needs_filter(source, result)
    rough = [roughness(source, smoothed(source, result, found, radius)).max() for radius in (0, 2, 4, 8)]
    assert rough[0] > 1.0
    assert (np.diff(rough) < 0.0).all()
    assert rough[-1] < displacement_filter.DEFAULT_TOLERANCE


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
    found = needs_filter(source, result)
    assert found.any()
    here, there = smoothed(source, result, found, 4), smoothed(source_there, result_there, found, 4)
    assert angles(change(here, turn), there).max() < 1e-13
    np.testing.assert_allclose(change(here, turn).translations, there.translations, atol=1e-11)


def test_a_captured_walk_is_judged_by_its_motion_not_by_its_glitches(walk: Clip, rng: np.random.Generator) -> None:
    source, knee = walk.motion, walk.skeleton.index("LeftLeg")
    frames = source.frames
    turns = np.zeros_like(source.translations)
    turns[:, knee, 0] = 0.05 * np.sin(2.0 * np.pi * np.arange(frames) / 60.0)
    assert not needs_filter(source, displaced(source, turns)).any()
    turns[150:, knee, 0] += 0.02
    expected = np.zeros((frames, len(walk.skeleton)), dtype=bool)
    expected[[149, 150], knee] = True
    np.testing.assert_array_equal(needs_filter(source, displaced(source, turns)), expected)
    after = smoothed(source, displaced(source, turns), expected, 6)
    assert not needs_filter(source, after).any()


# --- what cannot be -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [-1, 1.5, None, "3"])
def test_a_radius_that_is_no_number_of_frames_is_refused(radius: Any, rng: np.random.Generator) -> None:
    source = moving(rng)
    with pytest.raises(PoiseError, match="whole number of frames"):
        lowpass(np.zeros(9), radius)
    with pytest.raises(PoiseError, match="whole number of frames"):
        smoothed(source, source, marks(3), radius)


@pytest.mark.parametrize("tolerance", [0.0, -0.3, np.nan, np.inf])
def test_a_tolerance_that_is_not_positive_is_refused(tolerance: float, rng: np.random.Generator) -> None:
    source = moving(rng)
    with pytest.raises(PoiseError, match="tolerance of the filter must be a positive number"):
        needs_filter(source, source, tolerance)


def test_motions_and_marks_of_other_shapes_are_refused(rng: np.random.Generator) -> None:
    source = moving(rng)
    shorter = Motion(source.rotations[1:], source.translations[1:])
    for compare in (displacement, roughness, needs_filter):
        with pytest.raises(MotionError, match=r"the rotations have the shapes \(120, 7, 4\) and \(119, 7, 4\)"):
            compare(source, shorter)
    with pytest.raises(MotionError, match="the translations have the shapes"):
        displacement(source, Motion(source.rotations, source.translations[1:]))
    with pytest.raises(PoiseError, match=r"'where' must be booleans of the shape \(120, 7\)"):
        smoothed(source, source, np.zeros((FRAMES, 1), dtype=bool), 3)
    with pytest.raises(PoiseError, match="'where' must be booleans"):
        smoothed(source, source, np.zeros((FRAMES, JOINTS)), 3)
    with pytest.raises(PoiseError, match=r"'frozen' must be booleans of the shape \(120,\)"):
        smoothed(source, source, marks(3), 3, np.zeros(FRAMES - 1, dtype=bool))
