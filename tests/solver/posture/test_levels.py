# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacked levels come back unchanged, in all frames and in some of them."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.core.arrays import Array, IntArray
from poise.solver.posture.levels import Attraction, PriorityLevel, PriorityLevels

FRAMES, COLUMNS = 4, 7
SOME = np.array([3, 1])


class Derivatives:
    """Second derivatives that only know their frames."""

    def __init__(self, frames: IntArray) -> None:
        self.frames = frames

    def at(self, frames: IntArray) -> Derivatives:
        return Derivatives(self.frames[frames])

    def curvature(self, frames: IntArray, pull: Array) -> Array:
        return np.zeros((len(frames), COLUMNS, COLUMNS))


@pytest.fixture
def levels(rng: np.random.Generator) -> list[PriorityLevel]:
    """Of three, two and no rows; the first recruits, the second has null rows and derivatives."""

    def level(rows: int, first_task: int, **more: object) -> PriorityLevel:
        jacobian = rng.standard_normal((FRAMES, rows, COLUMNS))
        goal_error, target_error = rng.standard_normal((2, FRAMES, rows))
        return PriorityLevel(jacobian, goal_error, target_error, first_task + np.arange(rows), **more)  # type: ignore[arg-type]

    recruited = np.ones((3, COLUMNS), dtype=bool)
    recruited[1, 2:] = False
    null_rows = rng.standard_normal((FRAMES, 2))
    return [
        level(3, 0, recruited=recruited),
        level(2, 3, null_rows=null_rows, second_order=Derivatives(np.arange(FRAMES))),
        level(0, 5),
    ]


def test_stacked_levels_come_back_in_order(levels: list[PriorityLevel]) -> None:
    stack = PriorityLevels.of(levels)
    assert len(stack) == 3 and stack.jacobian.shape == (FRAMES, 5, COLUMNS)
    assert stack.level_of_row.tolist() == [0, 0, 0, 1, 1]
    for before, after in zip(levels, stack, strict=True):
        for name in ("jacobian", "goal_error", "target_error", "task_of_row"):
            assert np.array_equal(getattr(before, name), getattr(after, name)), name
        assert before.second_order is after.second_order


def test_what_only_one_level_has_is_filled_up_for_the_others(levels: list[PriorityLevel]) -> None:
    first, second, _ = PriorityLevels.of(levels)
    assert first.recruited is not None and np.array_equal(first.recruited, levels[0].recruited)  # type: ignore[arg-type]
    assert second.recruited is None, "a level whose rows recruit all columns needs no mask"
    assert first.null_rows is not None and not first.null_rows.any()
    assert second.null_rows is not None and np.array_equal(second.null_rows, levels[1].null_rows)  # type: ignore[arg-type]
    plain = PriorityLevels.of([levels[2]])
    assert plain.recruited is None and plain.null_rows is None


def test_some_frames_of_a_stack_are_the_stack_of_these_frames(levels: list[PriorityLevel]) -> None:
    stack = PriorityLevels.of(levels)
    some = stack.at(SOME)
    for name in ("jacobian", "goal_error", "target_error", "null_rows"):
        assert np.array_equal(getattr(some, name), getattr(stack, name)[SOME]), name
    derivatives = some.second_order[1]
    assert isinstance(derivatives, Derivatives) and derivatives.frames.tolist() == SOME.tolist()
    assert some.second_order[0] is None


def test_an_attraction_keeps_its_columns_in_some_frames(rng: np.random.Generator) -> None:
    attraction = Attraction(rng.standard_normal((FRAMES, COLUMNS)), np.arange(COLUMNS) > 2)
    some = attraction.at(SOME)
    assert np.array_equal(some.velocity, attraction.velocity[SOME])
    assert some.columns is attraction.columns
