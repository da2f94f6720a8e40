# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bones and a hinge: the length at a bend, the bend for a length, and the sign of the bend."""

from __future__ import annotations

import numpy as np

from poise.solver.body.two_bones import bend_of, reach_of
from poise.solver.core import rotations


def bones(rng: np.random.Generator, count: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random bones and axes, no bone along its axis."""
    axis = rng.standard_normal((count, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    upper, lower = rng.standard_normal((2, count, 3))
    return upper, lower, axis


def test_the_length_at_a_bend_is_that_of_the_bent_bones(rng):
    upper, lower, axis = bones(rng)
    reach, bend = reach_of(upper, lower, axis), bend_of(upper, lower, axis)
    assert np.allclose(reach.length(bend), np.linalg.norm(upper + lower, axis=1), rtol=1e-12)
    turn = rng.uniform(-np.pi, np.pi, len(bend))
    turned = rotations.rotate(rotations.from_axis_angle(axis, turn), lower)
    assert np.allclose(reach.length(bend + turn), np.linalg.norm(upper + turned, axis=1), rtol=1e-9, atol=1e-9), (
        "parts along the axis must add with their signs"
    )


def test_bend_and_length_are_inverse_to_each_other(rng):
    reach = reach_of(*bones(rng))
    bend = rng.uniform(0.0, np.pi, np.shape(reach.mean))
    assert np.allclose(reach.bend(reach.length(bend)), bend, atol=1e-6)
    assert np.allclose(reach.bend(1.1 * reach.longest), 0.0)
    assert np.allclose(reach.bend(0.9 * reach.shortest), np.pi)


def test_the_inverse_keeps_its_digits_at_full_extension():
    reach = reach_of(*map(np.array, ([0.0, 1.0, 0.0], [0.0, 1.1, 0.0], [1.0, 0.0, 0.0])))
    bend = np.array([1e-2, 1e-3, 1e-4])
    assert np.allclose(reach.bend(reach.length(bend)), bend, rtol=1e-6)


def test_a_bend_is_the_angle_that_the_hinge_has_rotated(rng):
    upper, _, axis = bones(rng)
    upper -= rotations.scaled(axis, rotations.dot(upper, axis))
    angle = rng.uniform(-3.0, 3.0, len(upper))
    lower = rotations.rotate(rotations.from_axis_angle(axis, angle), 0.7 * upper)
    assert np.allclose(bend_of(upper, lower, axis), angle, atol=1e-12)
    longest = reach_of(upper, lower, axis).longest
    assert np.allclose(longest, 1.7 * np.linalg.norm(upper, axis=1), rtol=1e-12)
