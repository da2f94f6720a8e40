# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacked levels: those of some frames, and below the rows of limits."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.posture.levels import LIMITS, Attraction, PriorityLevels

FRAMES, COLUMNS = 4, 7
SOME = np.array([3, 1])


@pytest.fixture
def levels(rng: np.random.Generator) -> PriorityLevels:
    """Of three, two and no rows."""
    recruited = np.ones((5, COLUMNS), dtype=bool)
    recruited[1, 2:] = False
    return PriorityLevels(
        3,
        rng.standard_normal((FRAMES, 5, COLUMNS)),
        *rng.standard_normal((2, FRAMES, 5)),
        np.array([0, 0, 0, 1, 1]),
        np.array([0, 0, 1, 2, 2]),
        recruited,
        rng.standard_normal((FRAMES, 5)),
    )


def test_each_level_has_its_rows(levels):
    assert [levels.rows_of(level) for level in (LIMITS, 0, 1, 2)] == [
        slice(0, 0),
        slice(0, 3),
        slice(3, 5),
        slice(5, 5),
    ]


def test_some_frames_of_all_levels_are_the_levels_of_these_frames(levels):
    some = levels.at(SOME)
    for name in ("jacobian", "goal_error", "target_error", "null_rows"):
        assert np.array_equal(getattr(some, name), getattr(levels, name)[SOME]), name
    assert some.count == 3 and some.recruited is levels.recruited


def test_limits_come_first_and_may_use_every_column(levels, rng):
    jacobian, residual = rng.standard_normal((FRAMES, 2, COLUMNS)), rng.standard_normal((FRAMES, 2))
    below = levels.below(jacobian, residual)
    assert below.count == 3 and below.rows_of(LIMITS) == slice(0, 2) and below.rows_of(1) == slice(5, 7)
    assert np.array_equal(below.jacobian[:, :2], jacobian) and np.array_equal(below.jacobian[:, 2:], levels.jacobian)
    assert np.array_equal(below.goal_error[:, :2], residual) and np.array_equal(below.target_error[:, :2], residual)
    assert below.recruited[:2].all() and np.array_equal(below.recruited[2:], levels.recruited)
    assert not below.null_rows[:, :2].any() and np.array_equal(below.null_rows[:, 2:], levels.null_rows)


def test_an_attraction_keeps_its_columns_in_some_frames(rng):
    attraction = Attraction(rng.standard_normal((FRAMES, COLUMNS)), np.arange(COLUMNS) > 2)
    some = attraction.at(SOME)
    assert np.array_equal(some.velocity, attraction.velocity[SOME])
    assert some.columns is attraction.columns


def test_the_descent_after_a_step_is_that_of_the_quadratic(rng):
    velocity, step = rng.standard_normal((2, FRAMES, COLUMNS))
    columns = np.arange(COLUMNS) > 2
    pose = Attraction(velocity, columns)
    assert np.array_equal(pose.after(step), (velocity - step) * columns)
    curvature = rng.standard_normal((FRAMES, COLUMNS, COLUMNS))
    objective = Attraction(velocity, columns, curvature)
    assert np.allclose(objective.after(step), velocity - np.einsum("fcd,fd->fc", curvature, step))
    assert np.array_equal(objective.at(SOME).curvature, curvature[SOME])


def test_an_attraction_of_some_columns_leaves_the_others_alone(rng):
    velocity, curvature = rng.standard_normal((FRAMES, COLUMNS)), rng.standard_normal((FRAMES, COLUMNS, COLUMNS))
    moving = rng.random((FRAMES, COLUMNS)) < 0.5
    within = Attraction(velocity, np.ones(COLUMNS, dtype=bool), curvature).within(moving)
    assert not within.velocity[~moving].any() and np.array_equal(within.velocity[moving], velocity[moving])
    both = moving[:, :, None] & moving[:, None]
    assert not within.curvature[~both].any() and np.array_equal(within.curvature[both], curvature[both])
