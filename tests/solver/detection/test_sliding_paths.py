# SPDX-License-Identifier: GPL-3.0-or-later
"""The noise, the jumps and the rests of a path."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.detection.slides import swinging_arm
from poise.solver.detection.sliding_paths import SlidingPath, noise_and_outliers


@pytest.mark.parametrize("level", [3e-4, 1e-3, 3e-3])
def test_the_noise_of_a_moving_point_is_seen(level: float) -> None:
    for seed in range(3):
        places = swinging_arm(400).places
        noise, outliers = noise_and_outliers(places + level * np.random.default_rng(seed).standard_normal(places.shape))
        assert 0.85 * level < noise < 1.35 * level + 2e-4
        assert not outliers.any()


def test_motion_is_no_noise() -> None:
    noise, outliers = noise_and_outliers(swinging_arm(400).places)
    assert noise < 1e-4 and not outliers.any()


@pytest.mark.parametrize("level", [0.0, 1e-3])
def test_single_frames_that_jump_are_outliers(level: float) -> None:
    places = swinging_arm(200).places
    places = places + level * np.random.default_rng(0).standard_normal(places.shape)
    jumps = np.arange(7, 190, 19)
    places[jumps] += 0.1 * np.random.default_rng(1).standard_normal((len(jumps), 3))
    _, outliers = noise_and_outliers(places)
    np.testing.assert_array_equal(np.flatnonzero(outliers), jumps)


@pytest.mark.parametrize("frames", range(1, 6))
def test_a_few_frames_have_no_noise(frames: int) -> None:
    path = SlidingPath.of(np.zeros((frames, 3)), 30.0)
    assert path.noise == 0.0 and not path.outliers.any() and not path.moving.any()


@pytest.mark.parametrize("level", [0.0, 1e-3, 3e-3])
def test_it_moves_where_it_moves_and_not_at_rest(level: float) -> None:
    places = np.zeros((120, 3))
    places[40:80, 0] = np.linspace(0.0, 0.8, 40)
    places[80:, 0] = 0.8
    places += level * np.random.default_rng(2).standard_normal(places.shape)
    path = SlidingPath.of(places, 30.0)
    assert path.moving[42:78].all()
    assert not path.moving[:38].any() and not path.moving[82:].any()
    forward, backward = np.arange(75, 100), np.arange(45, 20, -1)
    assert abs(path.first_at_rest(forward) - 79) <= 1  # type: ignore[operator]
    assert abs(path.first_at_rest(backward) - 40) <= 1  # type: ignore[operator]
    assert path.first_at_rest(np.arange(45, 70)) is None
