# SPDX-License-Identifier: GPL-3.0-or-later
"""The low-pass filter of channels and of displacements: what it keeps and what it removes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError, PoiseError
from poise.solver.deformation.acceleration_baseline import (
    DEFAULT_TOLERANCE,
    accelerations,
)
from poise.solver.deformation.displacement import displacement
from poise.solver.deformation.smoothing_filter import _fade, envelope, kernel, lowpass, smoothed

from .displaced_motions import (
    FRAMES,
    JOINT,
    JOINTS,
    SMALL,
    angles,
    assert_same_bits,
    displaced,
    is_rough,
    jump,
    marks,
    moving,
    nothing,
    roughness,
    smooth_turns,
)


def response(radius: int, frequencies: Array) -> Array:
    """The factor by which the filter multiplies a cosine of that many radians a frame."""
    weights = kernel(radius)
    return weights[0] + 2.0 * np.cos(np.outer(frequencies, np.arange(1, radius + 1))) @ weights[1:]


@pytest.mark.parametrize("radius", range(9))
def test_the_kernel_is_an_average_that_decreases_outward(radius: int) -> None:
    weights = kernel(radius)
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


def test_an_envelope_is_a_smooth_upper_bound(rng: np.random.Generator) -> None:
    values = np.zeros(100)
    values[50], values[53] = 1.0, 0.6
    for radius in (1, 3, 6):
        found = envelope(values, radius)
        assert (found >= values).all() and found.max() == 1.0
        near = np.flatnonzero(found)
        assert near.min() == 50 - 2 * radius and near.max() <= 53 + 2 * radius
        assert np.abs(np.diff(found, 2)).max() < np.abs(np.diff(values, 2)).max()
    np.testing.assert_array_equal(envelope(values, 0), values)


def test_each_run_of_a_mask_has_an_envelope_of_its_own(rng: np.random.Generator) -> None:
    values = rng.random(60)
    within = np.zeros(60, dtype=bool)
    within[10:25] = within[30:50] = True
    found = envelope(values, 4, within)
    assert not found[~within].any()
    for first, last in ((10, 25), (30, 50)):
        np.testing.assert_array_equal(found[first:last], envelope(values[first:last], 4))


@pytest.mark.parametrize("radius", [1, 2, 3, 5, 8])
def test_a_jump_is_spread_by_the_kernel(radius: int, rng: np.random.Generator) -> None:
    """The second difference of a filtered step is the difference of neighbouring weights."""
    source, axis, height = moving(rng), rng.standard_normal(3), 0.5
    turns = jump(60, axis, height)
    moves = np.where(turns != 0.0, 2.0, 0.0)
    result = displaced(source, turns, moves)
    after = smoothed(source, result, marks(59, 60), radius)
    expected = height * np.abs(np.diff(kernel(radius), append=0.0)).max()
    added = np.linalg.norm(accelerations(displacement(source, after).rotation_vectors), axis=-1)
    assert added[:, JOINT].max() == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(
        displacement(source, after).rotation_vectors[:, JOINT], lowpass(turns, radius)[:, JOINT], atol=1e-14
    )
    np.testing.assert_allclose(
        displacement(source, after).translations[:, JOINT], lowpass(moves, radius)[:, JOINT], atol=1e-14
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
    assert np.abs(np.diff(displacement(source, result).rotation_vectors[:, JOINT], axis=0)).max() > 4.0
    assert not is_rough(source, result)[:, JOINT].any()
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
    found = displacement(source, after).rotation_vectors[:, JOINT]
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
            after = displacement(still, smoothed(still, displaced(still, turns), where, radius)).rotation_vectors[
                ..., 0
            ]
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
        along = found.rotation_vectors[:, JOINT] @ axis
        expected = _fade(frozen, radius) * lowpass(turns[:, JOINT] @ axis, radius)
        np.testing.assert_allclose(along, expected, atol=1e-14)
        np.testing.assert_allclose(found.translations[:, JOINT], 3.0 * found.rotation_vectors[:, JOINT], atol=1e-13)
        assert (np.diff(along[39:60]) >= -SMALL).all() and (np.diff(along[60:81]) <= SMALL).all()
        assert along[60] == pytest.approx(height, abs=1e-14)
        # The steepest part of the way up is bounded by that of the fade, as steep as a wave of that length.
        bound = 0.5 * height * (np.pi / (radius + 1)) ** 2
        assert np.abs(np.diff(along, 2)).max() < 1.5 * bound
        unfrozen = smoothed(source, result, marks(39, 40, 79, 80), radius)
        assert np.abs(displacement(source, unfrozen).rotation_vectors[39, JOINT] @ axis) > 0.3 * height


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
    fade = _fade(frozen, 3)
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


def test_the_signs_of_quaternions_do_not_matter(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = displaced(source, smooth_turns(rng) + jump(60, rng.standard_normal(3), 0.4))
    signs = rng.choice([-1.0, 1.0], (2, FRAMES, JOINTS, 1))
    source_signed = Motion(signs[0] * source.rotations, source.translations)
    result_signed = Motion(signs[1] * result.rotations, result.translations)
    where = marks(59, 60)
    one, other = smoothed(source, result, where, 5), smoothed(source_signed, result_signed, where, 5)
    assert angles(one, other).max() < 1e-14


def test_filtering_takes_out_what_was_found(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = displaced(source, smooth_turns(rng, size=0.1) + jump(60, rng.standard_normal(3), 0.1))
    found = is_rough(source, result)
    rough = [roughness(source, smoothed(source, result, found, radius)).max() for radius in (0, 2, 4, 8)]
    assert rough[0] > 1.0
    assert (np.diff(rough) < 0.0).all()
    assert rough[-1] < DEFAULT_TOLERANCE


@pytest.mark.parametrize("radius", [-1, 1.5, None, "3"])
def test_a_radius_that_is_no_number_of_frames_is_refused(radius: Any, rng: np.random.Generator) -> None:
    source = moving(rng)
    with pytest.raises(PoiseError, match="whole number of frames"):
        lowpass(np.zeros(9), radius)
    with pytest.raises(PoiseError, match="whole number of frames"):
        smoothed(source, source, marks(3), radius)


def test_motions_and_marks_of_other_shapes_are_refused(rng: np.random.Generator) -> None:
    source = moving(rng)
    shorter = Motion(source.rotations[1:], source.translations[1:])
    with pytest.raises(MotionError, match=r"the rotations have the shapes \(120, 7, 4\) and \(119, 7, 4\)"):
        smoothed(source, shorter, marks(3), 3)
    with pytest.raises(PoiseError, match=r"'where' must be booleans of the shape \(120, 7\)"):
        smoothed(source, source, np.zeros((FRAMES, 1), dtype=bool), 3)
    with pytest.raises(PoiseError, match="'where' must be booleans"):
        smoothed(source, source, np.zeros((FRAMES, JOINTS)), 3)
    with pytest.raises(PoiseError, match=r"'frozen' must be booleans of the shape \(120,\)"):
        smoothed(source, source, marks(3), 3, np.zeros(FRAMES - 1, dtype=bool))
