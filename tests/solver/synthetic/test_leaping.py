# SPDX-License-Identifier: GPL-3.0-or-later
"""The path into a leap: it stands, leaves as asked, and its forces are smooth and never pull."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.solver.core.arrays import Array
from poise.solver.synthetic.leaping import LeapPath

PATH = LeapPath(
    gravity=9.81,
    stand=np.array([0.0, 1.0, 0.1]),
    leave=np.array([0.05, 1.05, 0.4]),
    velocity=np.array([0.1, 2.0, 1.5]),
    push=0.25,
    drive=0.35,
    shift=(1.0, 0.05),
    sway=((0.9, 0.0), (0.6, -0.05), (0.3, 0.1), (0.1, 0.0)),
)


def forces(before: Array, step: float = 1e-4) -> Array:
    """(times, 3) per mass, by second differences."""
    places = [PATH.at(before + shift) for shift in (-step, 0.0, step)]
    return np.asarray((places[0] - 2.0 * places[1] + places[2]) / step**2 + np.array([0.0, PATH.gravity, 0.0]))


def test_it_stands_before_and_leaves_with_its_velocity() -> None:
    assert np.allclose(PATH.at([3.0, 1.0]), PATH.stand, atol=1e-12)
    assert np.allclose(PATH.at(0.0), PATH.leave, atol=1e-12)
    step = 1e-5
    velocity = (PATH.at(0.0) - PATH.at(step)) / step
    assert np.allclose(velocity, PATH.velocity, atol=1e-3)


def test_forces_begin_with_the_weight_and_end_at_zero_without_a_pull() -> None:
    times = np.linspace(1e-3, 1.3, 1300)
    found = forces(times)
    assert found[:, 1].min() > 0.0
    assert np.allclose(found[times > 1.05], [0.0, PATH.gravity, 0.0], atol=1e-5)
    assert np.abs(found[times < 0.004]).max() < 0.03 * PATH.gravity
    assert np.abs(np.diff(found, axis=0)).max() < 0.1 * PATH.gravity, "no jump in a millisecond"


def test_the_push_along_the_ground_has_one_direction_and_a_duration_of_its_own() -> None:
    """Without a shift and a sway the horizontal force is the push alone, along the velocity."""
    still = replace(PATH, shift=(1.0, 0.4), sway=((0.9, 0.0), (0.5, 0.0)))
    step = 1e-4
    places = [still.at(np.linspace(0.02, 0.33, 20) + shift) for shift in (-step, 0.0, step)]
    found = (places[0] - 2.0 * places[1] + places[2]) / step**2
    assert np.allclose(found[:, 0] / found[:, 2], 0.1 / 1.5, atol=1e-4)
    assert found[:, 2].min() > 0.0
    assert np.allclose(still.at(0.4)[[0, 2]] - still.at(0.36)[[0, 2]], 0.0, atol=1e-12)


def test_a_sway_moves_the_path_along_the_ground_alone_and_is_over_before_the_leap() -> None:
    times = np.array([1.0, 0.6, 0.3, 0.05])
    moved = PATH.at(times) - replace(PATH, sway=((0.9, 0.0), (0.1, 0.0))).at(times)
    way = PATH.leave - PATH.stand
    expected = np.array([0.0, -0.05, 0.1, 0.0])[:, None] * way * (1.0, 0.0, 1.0)
    assert np.allclose(moved, expected, atol=1e-12)
