# SPDX-License-Identifier: GPL-3.0-or-later
"""Running a generator to its end returns its result and raises its exceptions."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from poise.solver.core.progress import Stage, converted, finished, with_each_step


def test_all_steps_are_taken_and_the_result_is_returned() -> None:
    taken = []

    def work() -> Generator[float, None, str]:
        for step in range(3):
            taken.append(step)
            yield step / 3
        return "done"

    assert finished(work()) == "done"
    assert taken == [0, 1, 2]


def test_what_goes_wrong_in_a_step_is_raised() -> None:
    def work() -> Generator[float, None, None]:
        yield 0.5
        raise ValueError("half-way")

    with pytest.raises(ValueError, match="half-way"):
        finished(work())


def test_stages_are_told_apart_by_their_values() -> None:
    assert len({stage.value for stage in Stage}) == len(Stage)
    assert [stage.name for stage in Stage] == [stage.value.upper() for stage in Stage]


def test_each_step_is_converted() -> None:
    def work() -> Generator[int, None, str]:
        yield 1
        yield 2
        return "done"

    steps = converted(work(), lambda step: step / 4)
    assert [next(steps), next(steps)] == [0.25, 0.5]
    with pytest.raises(StopIteration) as stop:
        next(steps)
    assert stop.value.value == "done"


def test_a_value_at_each_step_of_other_work() -> None:
    closed = []

    def work() -> Generator[str, None, int]:
        try:
            yield "first"
            yield "second"
        finally:
            closed.append(True)
        return 7

    steps = with_each_step(work(), 0.5)
    assert [next(steps), next(steps)] == [0.5, 0.5]
    with pytest.raises(StopIteration) as stop:
        next(steps)
    assert stop.value.value == 7 and closed == [True]
    cancelled = with_each_step(work(), 0.1)
    next(cancelled)
    cancelled.close()
    assert closed == [True, True]
