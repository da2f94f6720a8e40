# SPDX-License-Identifier: GPL-3.0-or-later
"""The low-pass filter of values over frames, and the smooth envelope: what they keep and what they remove."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.core.errors import PoiseError
from poise.solver.deformation.smoothing import envelope, kernel, lowpass

FRAMES = 120


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


@pytest.mark.parametrize("radius", [-1, 1.5, None, "3"])
def test_a_radius_that_is_no_number_of_frames_is_refused(radius: Any) -> None:
    with pytest.raises(PoiseError, match="whole number of frames"):
        lowpass(np.zeros(9), radius)
