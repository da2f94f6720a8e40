# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys, none of them too few."""

from __future__ import annotations

import numpy as np
import pytest

from poise.addon.bridge.thinning import keys_needed

TIMES = np.arange(200.0)


def curves(rng: np.random.Generator) -> np.ndarray:
    waves = np.sin(TIMES[:, None] * rng.uniform(0.02, 0.2, size=4) + rng.uniform(0.0, 6.0, size=4))
    return waves * rng.uniform(0.1, 3.0, size=4)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-2, 0.3])
def test_lines_between_keys_stay_within_the_tolerance(tolerance: float) -> None:
    values = curves(np.random.default_rng(1))
    needed = keys_needed(TIMES, values, np.full(4, tolerance))
    for column in range(4):
        lines = np.interp(TIMES, TIMES[needed], values[needed, column])
        assert np.abs(lines - values[:, column]).max() <= tolerance + 1e-6
    assert needed[0] and needed[-1]


def test_a_larger_tolerance_needs_fewer_keys() -> None:
    values = curves(np.random.default_rng(2))
    counts = [keys_needed(TIMES, values, np.full(4, tolerance)).sum() for tolerance in (1e-4, 1e-2, 0.3)]
    assert counts[0] > counts[1] > counts[2]
    assert counts[2] < 0.2 * len(TIMES)


def test_a_straight_line_needs_its_ends_only() -> None:
    values = np.stack([3.0 * TIMES - 7.0, np.full_like(TIMES, 2.0)], axis=1)
    assert np.flatnonzero(keys_needed(TIMES, values, np.zeros(2))).tolist() == [0, 199]


def test_the_strictest_curve_decides() -> None:
    values = curves(np.random.default_rng(3))
    loose = keys_needed(TIMES, values, np.full(4, 0.3))
    strict = keys_needed(TIMES, values, np.array([0.3, 0.3, 1e-3, 0.3]))
    assert strict.sum() > loose.sum()


def test_two_frames_keep_both() -> None:
    assert keys_needed(TIMES[:2], np.zeros((2, 1)), np.ones(1)).all()
