# SPDX-License-Identifier: GPL-3.0-or-later
"""The instants at which the equations of motion hold."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.spacetime.problem.time_grid import SHORTEST, TimeGrid, time_grid


def test_a_grid_without_events_is_even() -> None:
    grid = time_grid(0.5, 2.5, [], 10.0)
    np.testing.assert_allclose(grid.points, np.linspace(0.5, 2.5, 21), atol=1e-12)
    # The nodes of Lobatto's quadrature: with the ends it is exact up to the fifth degree.
    assert grid.between.shape == (40,) and (np.diff(grid.between) > 0.0).all()
    ends, inner = grid.points[:2], grid.between[:2]
    for degree in range(6):
        mean = (np.sum(ends**degree) + 5.0 * np.sum(inner**degree)) / 12.0
        assert mean * 0.1 == pytest.approx((0.6 ** (degree + 1) - 0.5 ** (degree + 1)) / (degree + 1))
    np.testing.assert_allclose(grid.spacing, 0.1, atol=1e-12)
    np.testing.assert_array_equal(grid.source, grid.points)


def test_events_are_points_and_intervals_are_about_as_long_as_usual(rng: np.random.Generator) -> None:
    events = np.sort(rng.uniform(0.0, 5.0, 12))
    grid = time_grid(0.0, 5.0, events[::-1], 30.0)
    far = np.diff(np.concatenate([[0.0], events, [5.0]])) > SHORTEST / 30.0
    for event, before, after in zip(events, far[:-1], far[1:], strict=True):
        assert not (before and after) or np.abs(grid.points - event).min() == 0.0
    assert grid.points[0] == 0.0 and grid.points[-1] == 5.0
    assert grid.spacing.min() > SHORTEST / 30.0 and grid.spacing.max() < 1.5 / 30.0


def test_of_events_close_together_the_first_is_a_point() -> None:
    grid = time_grid(0.0, 1.0, [0.502, 0.5, 0.001, 0.999, -3.0, 7.0], 20.0)
    assert 0.5 in grid.points
    assert not np.isin([0.502, 0.001, 0.999, -3.0, 7.0], grid.points).any()
    assert (np.diff(grid.points) > SHORTEST / 20.0).all()


def test_weights_integrate_what_is_linear_between_points(rng: np.random.Generator) -> None:
    grid = time_grid(0.0, 2.0, [0.33, 0.9, 1.71], 12.0)
    assert grid.weights.sum() == pytest.approx(2.0)
    assert grid.weights @ grid.points == pytest.approx(2.0)
    values = rng.standard_normal(len(grid.points))
    fine = np.linspace(0.0, 2.0, 200001)
    assert grid.weights @ values == pytest.approx(np.interp(fine, grid.points, values).mean() * 2.0, abs=1e-4)


def test_retiming_moves_events_and_stretches_the_times_between() -> None:
    grid = time_grid(0.0, 2.0, [0.5, 1.0], 10.0)
    retimed = grid.retimed([0.5, 1.0], [0.7, 2.2])
    assert retimed.from_source(0.5) == pytest.approx(0.7) and retimed.from_source(1.0) == pytest.approx(2.2)
    assert retimed.from_source(0.75) == pytest.approx(1.45)
    # Before the first and after the last event times keep their distance.
    assert retimed.points[0] == pytest.approx(0.2) and retimed.points[-1] == pytest.approx(3.2)
    np.testing.assert_array_equal(retimed.source, grid.source)
    assert (retimed.spacing > 0.0).all()
    times = np.linspace(0.2, 3.2, 50)
    np.testing.assert_allclose(retimed.from_source(retimed.in_source(times)), times, atol=1e-12)


def test_times_outside_the_source_are_those_of_its_ends() -> None:
    grid = time_grid(0.0, 1.0, [], 10.0).retimed([0.0, 1.0], [3.0, 5.0])
    assert grid.from_source(-1.0) == 3.0 and grid.from_source(9.0) == 5.0
    assert grid.in_source(0.0) == 0.0 and grid.in_source(9.0) == 1.0


def test_the_nearest_point() -> None:
    grid = TimeGrid(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 3.0]))
    assert [grid.nearest(time) for time in (-5.0, 0.6, 1.9, 2.1, 9.0)] == [0, 1, 1, 2, 2]
