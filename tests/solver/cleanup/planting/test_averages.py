# SPDX-License-Identifier: GPL-3.0-or-later
"""Means and maxima over the frames around, and that a smoothed maximum is nowhere smaller than the values."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.cleanup.planting.averages import (
    believed,
    gaussian,
    hann,
    largest,
    local_lines,
    smoothed,
    split_window,
)


@pytest.mark.parametrize("kernel", [gaussian, hann])
def test_kernels_are_symmetric_and_highest_in_the_middle(kernel):
    for window in (0, 1, 7, 15):
        weights = np.array(kernel(window))
        assert len(weights) == 2 * window + 1 and np.allclose(weights, weights[::-1], atol=1e-16)
        assert (weights > 0.0).all() and int(np.argmax(weights)) == window


def test_a_gaussian_falls_to_a_tenth_at_its_ends_and_a_hann_window_to_nothing_just_beyond():
    assert gaussian(15)[15] == 1.0 and 0.05 < gaussian(15)[0] < 0.2
    assert abs(sum(hann(15)) - 1.0) < 1e-15 and hann(15)[0] < 0.02 * hann(15)[15]


@pytest.mark.parametrize("window", [0, 1, 2, 3, 4, 9])
def test_the_largest_around_is_nowhere_less_once_it_is_smoothed(rng, window):
    values = np.where(rng.uniform(size=200) < 0.1, rng.uniform(size=200), 0.0)
    reach, rest = split_window(window)
    assert reach + rest == window
    around = largest(values, reach)
    smooth = smoothed(around, gaussian(rest))
    assert (smooth >= values - 1e-15).all()
    far = np.array([values[max(0, frame - window) : frame + window + 1].max() == 0.0 for frame in range(200)])
    assert (smooth[far] == 0.0).all()


def test_the_largest_of_vectors_is_one_of_them(rng):
    vectors = rng.standard_normal((50, 3))
    found = largest(vectors, 4)
    for frame in range(50):
        near = vectors[max(0, frame - 4) : frame + 5]
        assert np.array_equal(found[frame], near[np.argmax(np.linalg.norm(near, axis=1))])


def test_means_are_taken_over_the_frames_that_count(rng):
    values, counts = rng.standard_normal(60), rng.uniform(size=60) < 0.5
    weights = gaussian(3)
    found = smoothed(values, weights, counts)
    for frame in range(60):
        near = [other for other in range(max(0, frame - 3), min(60, frame + 4)) if counts[other]]
        weighs = np.array([weights[other - frame + 3] for other in near])
        expected = float(weighs @ values[near] / weighs.sum()) if near else 0.0
        assert abs(found[frame] - expected) < 1e-14


def test_vectors_are_smoothed_component_by_component_also_where_frames_are_fewer_than_weights(rng):
    vectors = rng.standard_normal((5, 3))
    found = smoothed(vectors, hann(7))
    assert found.shape == (5, 3)
    for axis in range(3):
        assert np.allclose(found[:, axis], smoothed(vectors[:, axis], hann(7)), atol=1e-15)
    assert np.allclose(smoothed(np.full((5, 3), 0.3), hann(7)), 0.3, atol=1e-15), "a constant stays"
    assert smoothed(np.zeros((0, 3)), hann(2)).shape == (0, 3)


def test_a_fitted_line_follows_a_steady_change_to_the_end_of_the_mask_and_beyond():
    frames = np.arange(60.0)
    values = np.stack([0.3 * frames - 2.0, np.full(60, 5.0)], axis=1)
    mask = (frames >= 20) & (frames <= 40)
    lines, slopes = local_lines(values, gaussian(7), mask)
    near = (frames >= 15) & (frames <= 45)
    assert np.allclose(lines[near, 1], 5.0) and np.allclose(slopes[:, 1], 0.0)
    assert np.abs(lines[mask] - values[mask]).max() < 0.02 and np.abs(slopes[mask, 0] - 0.3).max() < 0.01
    assert not lines[:12].any() and not slopes[:12].any(), "where no frame counts there is nothing"
    assert np.array_equal(local_lines(values[:, 0], gaussian(7), mask)[0], lines[:, 0])


def test_a_fitted_line_through_one_frame_is_level():
    lines, slopes = local_lines(np.arange(9.0), gaussian(3), np.arange(9) == 4)
    assert np.allclose(lines[2:7], 4.0) and not slopes.any()


def test_noise_about_a_line_is_smoothed(rng):
    noise = 0.1 * rng.standard_normal(400)
    lines, _ = local_lines(0.05 * np.arange(400.0) + noise, gaussian(7), np.ones(400, dtype=bool))
    left = lines - 0.05 * np.arange(400.0)
    assert left.std() < 0.4 * noise.std()


def test_faulty_frames_do_not_count_unless_all_are():
    assert believed(np.array([False, True, False])).tolist() == [0, 2]
    assert believed(np.array([True, True])).tolist() == [0, 1]
