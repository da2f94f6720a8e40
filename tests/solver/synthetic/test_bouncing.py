# SPDX-License-Identifier: GPL-3.0-or-later
"""The bouncing path: free fall in flight, a smooth push in the stance, whole steps."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.synthetic.bouncing import BouncingPath

PATH = BouncingPath(gravity=9.0, step=0.4, stance=0.25, step_length=1.1, slope_ahead=0.3, slope_inward=0.05)
STEP = 1e-4


def forces(times: Array) -> Array:
    """(times, 3) per mass, by second differences."""
    places = [PATH.at(times + shift) for shift in (-STEP, 0.0, STEP)]
    return np.asarray((places[0] - 2.0 * places[1] + places[2]) / STEP**2 + np.array([0.0, PATH.gravity, 0.0]))


def test_it_falls_freely_between_stances() -> None:
    times = np.concatenate([np.linspace(0.2502, 0.3998, 50) + number * 0.4 for number in (-2, 0, 1)])
    assert np.abs(forces(times)).max() < 1e-5 * PATH.gravity


def test_the_push_is_never_negative_and_its_mean_is_the_weight() -> None:
    times = (np.arange(4000) + 0.5) / 4000 * 0.8
    found = forces(times)
    assert found[:, 1].min() > -1e-5 * PATH.gravity
    assert found[:, 1].mean() == pytest.approx(PATH.gravity, rel=1e-4)
    assert found[:, 1].max() == pytest.approx(15.0 / 8.0 * 0.4 / 0.25 * PATH.gravity, rel=1e-3)
    assert np.abs(found[:, [0, 2]].mean(axis=0)).max() < 1e-4 * PATH.gravity


def test_horizontal_forces_have_their_slopes() -> None:
    times = np.array([0.05, 0.1, 0.125, 0.2, 0.45, 0.6])
    found = forces(times)
    shares = np.array([0.2, 0.4, 0.5, 0.8, 0.2, 0.8])
    assert np.allclose(found[:, 2] / found[:, 1], 0.3 * (2.0 * shares - 1.0), atol=1e-4)
    assert np.allclose(found[:, 0] / found[:, 1], [-0.05] * 4 + [0.05] * 2, atol=1e-4)


def test_steps_are_alike_and_mirrored() -> None:
    times = np.linspace(0.0, 0.4, 41)
    one, two, three = (PATH.at(times + number * 0.4) for number in range(3))
    assert np.allclose(two, one * (-1.0, 1.0, 1.0) + np.array([0.0, 0.0, 1.1]), atol=1e-12)
    assert np.allclose(three, one + np.array([0.0, 0.0, 2.2]), atol=1e-12)
    whole = PATH.at(np.arange(8000) / 8000 * 0.8)
    assert abs(whole[:, 0].mean()) < 1e-12
    assert np.allclose(PATH.at(0.0), [whole[0, 0], 0.0, 0.0])


def test_nothing_jumps_at_the_events() -> None:
    for event in (0.0, 0.25, 0.4, 0.65, 0.8):
        places = PATH.at(event + np.array([-2e-6, -1e-6, 1e-6, 2e-6]))
        speeds = np.diff(places, axis=0)[[0, 2]] / 1e-6
        assert np.abs(places[2] - places[1]).max() < 1e-5
        assert np.abs(speeds[1] - speeds[0]).max() < 1e-3
