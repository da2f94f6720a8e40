# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs, dilation and distances of masks, spans of frames and medians, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poise.solver.core.arrays import TINY, dilated, distances_to, median, nearest_of, runs, span


def test_runs_are_the_maximal_stretches_of_true() -> None:
    mask = np.array([True, False, True, True, True, False, False, True])
    assert runs(mask) == [(0, 0), (2, 4), (7, 7)]
    assert runs(np.zeros(5, dtype=bool)) == [] and runs(np.zeros(0, dtype=bool)) == []
    assert runs(np.ones(5, dtype=bool)) == [(0, 4)]


def test_runs_rebuild_any_mask_and_do_not_touch_each_other(rng: np.random.Generator) -> None:
    for length in range(1, 40):
        mask = rng.random(length) < 0.5
        rebuilt = np.zeros(length, dtype=bool)
        last_end = -2
        for begin, end in runs(mask):
            assert begin <= end and begin > last_end + 1
            rebuilt[begin : end + 1] = True
            last_end = end
        assert np.array_equal(rebuilt, mask)


@pytest.mark.parametrize("begin", [-3.0, 0.0, 9.5, 10.0, 11.2, 14.0, 15.0, 40.0])
@pytest.mark.parametrize("length", [0.0, 0.4, 1.0, 2.7, 100.0])
def test_a_span_holds_the_frames_between_two_times(begin: float, length: float) -> None:
    frames = np.arange(10, 15)
    end = begin + length
    inside = frames[(frames >= begin) & (frames <= end)]
    assert frames[span(frames, begin, end)].tolist() == inside.tolist()


def test_a_span_of_no_frames_is_empty() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert nothing[span(nothing, -5.0, 5.0)].size == 0
    frames = np.arange(4)
    assert frames[span(frames, 3.0, 1.0)].size == 0, "times in the wrong order hold nothing"


@pytest.mark.parametrize("count", [1, 2, 3, 8, 9])
def test_the_median_is_numpys(rng: np.random.Generator, count: int) -> None:
    for values in (rng.standard_normal(count), rng.standard_normal((count, 3)), rng.standard_normal((count, 2, 4))):
        np.testing.assert_allclose(median(values), np.median(values, axis=0), rtol=1e-15)


def test_dividing_by_tiny_gives_a_number() -> None:
    assert TINY > 0.0 and math.isfinite(1.0 / TINY)


def test_distances_to_the_nearest_true_value(rng: np.random.Generator) -> None:
    for _ in range(20):
        mask = rng.random(25) < 0.2
        mask[rng.integers(25)] = True
        marked = np.flatnonzero(mask)
        expected = [min(abs(frame - other) for other in marked) for frame in range(25)]
        np.testing.assert_array_equal(distances_to(mask), expected)


def test_the_nearest_of_some_indices_is_the_lower_one_of_two(rng: np.random.Generator) -> None:
    assert nearest_of(np.array([2, 6]), 8).tolist() == [2, 2, 2, 2, 2, 6, 6, 6]
    for _ in range(20):
        indices = np.sort(rng.choice(30, 5, replace=False))
        expected = [min(indices, key=lambda index: (abs(index - at), index)) for at in range(30)]
        assert nearest_of(indices, 30).tolist() == expected


@pytest.mark.parametrize("shape", [(40,), (40, 3)])
def test_a_dilated_mask_is_true_within_a_radius_of_true_values(
    shape: tuple[int, ...], rng: np.random.Generator
) -> None:
    mask = rng.random(shape) < 0.05
    for radius in (0, 1, 5, 100):
        expected = [mask[max(at - radius, 0) : at + radius + 1].any(axis=0) for at in range(len(mask))]
        np.testing.assert_array_equal(dilated(mask, radius), expected)
