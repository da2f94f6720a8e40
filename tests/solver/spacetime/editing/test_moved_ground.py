# SPDX-License-Identifier: GPL-3.0-or-later
"""How edited footprints carry the rest of the motion along."""

from __future__ import annotations

import numpy as np

from poise.solver.spacetime.editing.moved_ground import ground_change, turned_about
from poise.solver.spacetime.handles.handle import AxisHandle, DistanceHandle, PointHandle
from poise.solver.spacetime.problem.stances import Stance

UP = np.array([0.0, 1.0, 0.0])


def stance(begin: float, end: float, place: tuple[float, float, float]) -> Stance:
    return Stance("foot", ("left_ball",), begin, end, np.array(place), ())


STANCES = (stance(0.0, 1.0, (0.0, 0.0, 0.0)), stance(2.0, 3.0, (0.0, 0.0, 2.0)))


def test_places_follow_their_stance_exactly_and_smoothly_between() -> None:
    change = ground_change(STANCES, [0.0, np.pi / 2], np.array([[0.0, 0.0, 0.0], [0.5, 0.1, 0.0]]), UP)
    times = np.linspace(-0.5, 3.5, 401)
    moved = change.moved(PointHandle("left_ball"), np.tile(STANCES[1].place, (len(times), 1)), times)
    stands = (times >= 2.0) & (times <= 3.0)
    assert np.abs(moved[stands] - (STANCES[1].place + np.array([0.5, 0.1, 0.0]))).max() < 1e-12
    assert np.abs(moved[times <= 1.0] - STANCES[1].place).max() < 1e-12
    assert np.abs(np.diff(moved, 2, axis=0)).max() < 1e-2 * 0.5
    # A step without easing would have a second difference of its whole height.
    assert np.abs(np.diff(moved, axis=0)).max() > 0.0


def test_directions_are_turned_but_not_shifted_and_numbers_stay() -> None:
    change = ground_change(STANCES, [0.0, np.pi / 2], np.array([[0.0, 0.0, 0.0], [0.5, 0.1, 0.0]]), UP)
    times = np.array([0.5, 2.5])
    forward = np.tile([0.0, 0.0, 1.0], (2, 1))
    turned = change.moved(AxisHandle("hips", "forward"), forward, times)
    assert np.allclose(turned, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    lengths = np.array([[1.0], [2.0]])
    assert np.array_equal(change.moved(DistanceHandle("left_hip", "left_ball"), lengths, times), lengths)


def test_stances_at_once_share_their_change() -> None:
    both = (stance(0.0, 2.0, (1.0, 0.0, 0.0)), stance(1.0, 3.0, (-1.0, 0.0, 0.0)))
    change = ground_change(both, [0.0, 0.0], np.array([[0.2, 0.0, 0.0], [-0.4, 0.0, 0.0]]), UP)
    _, shifts = change.at(np.array([0.5, 1.5, 2.5]))
    assert np.allclose(shifts[:, 0], [0.2, -0.1, -0.4])


def test_without_stances_nothing_changes() -> None:
    change = ground_change((), [], np.zeros((0, 3)), UP)
    turns, shifts = change.at(np.array([0.0, 1.0]))
    assert not turns.any() and not shifts.any()


def test_a_turn_keeps_lengths_and_heights() -> None:
    vectors = np.random.default_rng(1).normal(size=(20, 3))
    angles = np.linspace(-3.0, 3.0, 20)
    turned = turned_about(vectors, angles, UP)
    assert np.allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(vectors, axis=1))
    assert np.allclose(turned[:, 1], vectors[:, 1])
    assert np.allclose(turned_about(turned, -angles, UP), vectors)
