# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors and quaternions as components: the same as `rotations`, and the same bits for one frame as for many."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poise.solver.cleanup import components
from poise.solver.core import rotations


def quaternions(rng: np.random.Generator, count: int = 300) -> np.ndarray:
    return rotations.random(rng, count)


def vectors(rng: np.random.Generator, count: int = 300) -> np.ndarray:
    return rng.standard_normal((count, 3))


CASES = {
    "multiply": (components.multiply, ("q", "q")),
    "conjugate": (components.conjugate, ("q",)),
    "rotate": (components.rotate, ("q", "v")),
    "normalized": (components.normalized, ("4",)),
    "about": (components.about, ("u", "1")),
    "between": (components.between, ("v", "v")),
    "powered": (components.powered, ("q", "1")),
    "twist": (components.twist, ("q", "u")),
    "unit": (components.unit, ("v",)),
    "cross": (components.cross, ("v", "v")),
}


@pytest.mark.parametrize("name", CASES)
def test_one_frame_and_many_give_the_same_bits(rng, name):
    function, kinds = CASES[name]
    made = {
        "q": lambda: components.split(quaternions(rng)),
        "4": lambda: components.split(rng.standard_normal((300, 4))),
        "v": lambda: components.split(vectors(rng)),
        "u": lambda: components.unit(components.split(vectors(rng))),
        "1": lambda: rng.uniform(-3.0, 3.0, 300),
    }
    values = [made[kind]() for kind in kinds]
    together = components.joined(np.atleast_1d(function(*values)) if name == "twist" else function(*values))
    for frame in range(300):
        one = function(
            *(
                tuple(float(part[frame]) for part in value) if isinstance(value, tuple) else float(value[frame])
                for value in values
            )
        )
        alone = np.array(one)
        assert np.array_equal(alone, together[frame] if alone.ndim else together[..., frame].ravel()[0])


def test_they_are_the_rotations_that_everybody_uses(rng):
    p, q, v, w = quaternions(rng), quaternions(rng), vectors(rng), vectors(rng)
    P, Q, V, W = (components.split(each) for each in (p, q, v, w))

    def off(one: components.Quaternion, other: np.ndarray) -> float:
        return float(rotations.angle_between(components.joined(one), other).max())

    share = rng.uniform(0.0, 1.0, len(p))
    assert off(components.multiply(P, Q), rotations.multiply(p, q)) < 1e-12
    assert np.allclose(components.joined(components.rotate(P, V)), rotations.rotate(p, v), atol=1e-12)
    assert off(components.between(V, W), rotations.between(v, w)) < 1e-7
    assert off(components.powered(P, share), rotations.exp(share[:, None] * rotations.log(p))) < 1e-7
    axis = rotations.rotate(q, np.array([1.0, 0.0, 0.0]))
    assert np.allclose(components.twist(P, components.split(axis)), rotations.twist_angle(p, axis), atol=1e-9)


def test_the_twist_brings_the_nearest_turn_about_an_axis(rng):
    # Document 000, 3.11, lacks a factor of two: the turn about n nearest to (w, v) is by 2 atan2(n·v, w).
    q, axis = quaternions(rng, 40), vectors(rng, 40)
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    best = components.twist(components.split(q), components.split(axis))
    angles = np.linspace(-np.pi, np.pi, 721)
    for number in range(len(q)):
        turns = rotations.from_axis_angle(axis[number], angles)
        left = rotations.angle_between(turns, q[number])
        found = rotations.angle_between(rotations.from_axis_angle(axis[number], best[number]), q[number])
        assert found <= left.min() + 1e-9


@pytest.mark.parametrize("vector", [(1.0, 0.0, 0.0), (0.0, -2.0, 0.0), (0.3, 0.4, -5.0), (0.0, 0.0, 1e-9)])
def test_opposite_directions_are_half_a_turn_apart(vector):
    opposite = tuple(-2.0 * each for each in vector)
    turn = components.between(vector, opposite)
    turned = np.array(components.unit(components.rotate(turn, vector)))
    assert np.allclose(turned, np.array(components.unit(opposite)), atol=1e-9)
    assert abs(sum(each * each for each in turn) - 1.0) < 1e-12


def test_what_has_no_length_is_not_turned():
    assert components.unit(components.ZERO) == components.ZERO
    assert components.between(components.ZERO, (1.0, 0.0, 0.0)) == components.IDENTITY
    assert components.normalized((0.0, 0.0, 0.0, 0.0)) == components.IDENTITY
    assert components.powered(components.IDENTITY, 0.7) == components.IDENTITY
    assert components.root(-1e-17) == 0.0
    assert components.arc_tangent(0.0, 0.0) == 0.0


def test_a_share_of_a_turn_is_about_the_same_axis():
    turn = components.about((0.0, 0.6, 0.8), 1.2)
    assert np.allclose(components.powered(turn, 0.25), components.about((0.0, 0.6, 0.8), 0.3), atol=1e-15)
    longer = tuple(-each for each in turn)
    assert np.allclose(components.powered(longer, 0.25), components.about((0.0, 0.6, 0.8), 0.3), atol=1e-15)
    assert math.isclose(components.twist(turn, (0.0, 0.6, 0.8)), 1.2)
