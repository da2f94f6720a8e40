# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth ways between displacements: their ends and the velocities there."""

from __future__ import annotations

import numpy as np

from poise.solver.constraints.eases import bridge, velocity_blend
from poise.solver.core.arrays import Array

from ..rounding import assert_equal_to_rounding

STEP = 1e-5


def slopes(values: Array) -> tuple[Array, Array]:
    """First and second derivative in the middle of three values a step apart."""
    return (values[2] - values[0]) / (2.0 * STEP), (values[2] - 2.0 * values[1] + values[0]) / STEP**2


def around(time: float) -> Array:
    return time + STEP * np.array([-1.0, 0.0, 1.0])


def test_a_departure_starts_with_velocity_1_and_comes_to_nothing() -> None:
    for duration in (0.5, 7.0, 30.0):
        np.testing.assert_array_equal(velocity_blend([-3.0, 0.0, duration, 2.0 * duration], duration), np.zeros((4, 1)))
        assert abs(velocity_blend([STEP], duration)[0, 0] / STEP - 1.0) < 1e-4
        first, second = slopes(velocity_blend(around(duration), duration)[:, 0])
        assert abs(first) < 1e-8 and abs(second) < 1e-3
        assert (velocity_blend(np.linspace(0.01, 0.99, 50) * duration, duration) > 0.0).all()
    assert not velocity_blend([-1.0, 0.0, 1.0], 0.0).any()


def test_a_bridge_begins_and_ends_where_and_as_fast_as_it_should(rng: np.random.Generator) -> None:
    for ease in (2.0, 7.5, 100.0):
        first, last, leaving, arriving = rng.standard_normal((4, 3))
        begin, end = 10.0, 10.0 + rng.uniform(3.0, 30.0)

        def at(times: Array, given: tuple = (begin, end, first, last, leaving, arriving, ease)) -> Array:
            return bridge(times, *given)

        np.testing.assert_allclose(at(np.array([begin, end])), [first, last], atol=1e-14)
        started = (at(np.array([begin + STEP])) - first)[0] / STEP
        stopped = (last - at(np.array([end - STEP])))[0] / STEP
        np.testing.assert_allclose(started, leaving, atol=2e-4)
        np.testing.assert_allclose(stopped, arriving, atol=2e-4)


def test_velocities_are_handed_over_within_the_ease(rng: np.random.Generator) -> None:
    times = np.linspace(0.0, 40.0, 81)
    still = bridge(times, 0.0, 40.0, np.zeros(3), np.ones(3), np.zeros(3), np.zeros(3), 6.0)
    moving = bridge(times, 0.0, 40.0, np.zeros(3), np.ones(3), *rng.standard_normal((2, 3)), 6.0)
    settled = (times >= 6.0) & (times <= 34.0)
    assert_equal_to_rounding(moving[settled], still[settled])
    assert (moving[1:12] != still[1:12]).all() and (moving[-12:-1] != still[-12:-1]).all()
    np.testing.assert_allclose(still[40], 0.5)


def test_a_bridge_of_no_duration_is_its_end(rng: np.random.Generator) -> None:
    first, last, velocity = rng.standard_normal((3, 3))
    for end in (5.0, 4.0):
        np.testing.assert_array_equal(bridge([5.0, 6.0], 5.0, end, first, last, velocity, velocity, 3.0), [last, last])
