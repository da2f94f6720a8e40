# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of rotations. What orientation constraints make of them is in test_orientation."""

from __future__ import annotations

import numpy as np

from poise.solver.constraints.paths import Knot
from poise.solver.constraints.rotation_paths import rotation_path
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from ..made_up import smooth_way

RUNS = 10


def angles(one: Array, other: Array) -> Array:
    return np.linalg.norm(rotations.log(rotations.multiply(one, rotations.conjugate(other))), axis=-1)


def test_it_meets_its_knots_and_stays_there_to_the_last_bit(rng: np.random.Generator) -> None:
    for _ in range(RUNS):
        source = rotations.exp(smooth_way(rng)(np.arange(41)))
        knots = [Knot(rotations.random(rng), 8.0, 14.0), Knot(rotations.random(rng), 20.0, 20.0)]
        path = rotation_path(source, 3.0, 33.0, knots, np.arange(3, 34))
        assert angles(path[[0, 5, 17, 30]], [source[3], *(knot.location for knot in knots), source[33]]).max() < 1e-7
        np.testing.assert_array_equal(path[6:12], np.tile(path[5], (6, 1)))
        np.testing.assert_allclose(np.linalg.norm(path, axis=1), 1.0, atol=1e-14)


def test_it_leaves_and_arrives_with_the_source_s_velocity(rng: np.random.Generator) -> None:
    """Seen in frames so fine that nothing else can happen in one."""
    fine = 200
    for _ in range(RUNS):
        source = rotations.exp(smooth_way(rng)(np.arange(20 * fine + 1) / fine))
        knots = [Knot(rotations.random(rng), 10.0 * fine, 10.0 * fine)]
        begin, end = 3 * fine, 17 * fine
        path = rotation_path(source, begin, end, knots, np.arange(begin, end + 1))
        for at, was in ((0, begin), (len(path) - 2, end - 1)):
            turned = rotations.log(rotations.multiply(path[at + 1], rotations.conjugate(path[at]))) * fine
            expected = rotations.log(rotations.multiply(source[was + 1], rotations.conjugate(source[was]))) * fine
            np.testing.assert_allclose(turned, expected, atol=0.02)


def test_it_takes_the_shortest_way_from_one_knot_to_the_next(rng: np.random.Generator) -> None:
    """From rest to rest that is one turn about one axis, half done after half the time."""
    still = np.tile(rotations.random(rng), (31, 1))
    for _ in range(RUNS):
        wanted = rotations.random(rng)
        path = rotation_path(still, 0.0, 30.0, [Knot(wanted, 10.0, 20.0)], np.arange(31))
        whole = rotations.log(rotations.multiply(wanted, rotations.conjugate(still[0])))
        share = np.arange(11)[:, None] / 10.0
        expected = rotations.multiply(rotations.exp(share**2 * (3.0 - 2.0 * share) * whole), still[0])
        assert angles(path[:11], expected).max() < 1e-7
        assert angles(path[30:19:-1], expected).max() < 1e-7


def test_a_whole_turn_in_thirds_goes_round() -> None:
    """Three knots evenly round the circle have no middle: the way passes through them all the same."""
    thirds = [rotations.exp(np.array([0.0, angle, 0.0])) for angle in 2.0 * np.pi * np.arange(4) / 3.0]
    source = rotations.exp(np.outer(np.arange(31), [0.0, 2.0 * np.pi / 30.0, 0.0]))
    knots = [Knot(thirds[1], 10.0, 10.0), Knot(thirds[2], 20.0, 20.0)]
    assert angles(rotation_path(source, 0.0, 30.0, knots, np.arange(31)), source).max() < 1e-7


def test_it_begins_and_ends_between_frames_too() -> None:
    """A source that turns evenly, through its own rotations, is met everywhere."""
    rate = np.array([0.02, 0.05, -0.03])
    source = rotations.exp(np.outer(np.arange(31), rate))
    knots = [Knot(rotations.exp(12.75 * rate), 12.75, 12.75)]
    for begin, end in ((3.25, 27.5), (0.0, 30.0), (2.5, 30.0)):
        frames = np.arange(int(np.ceil(begin)), int(end) + 1)
        assert angles(rotation_path(source, begin, end, knots, frames), source[frames]).max() < 1e-7


def test_one_knot_alone_is_all_there_is(rng: np.random.Generator) -> None:
    wanted = rotations.random(rng)
    for begin, end, frames in ((4.0, 9.0, np.arange(4, 10)), (4.0, 4.0, np.array([4]))):
        source = rotations.random(rng, 12)
        path = rotation_path(source, begin, end, [Knot(wanted, begin, end)], frames)
        np.testing.assert_array_equal(path, np.tile(wanted, (len(frames), 1)))
