# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds that several solves share."""

from __future__ import annotations

from poise.solver.spacetime.problem.time_budget import TimeBudget


def test_a_budget_counts_from_when_it_was_made_by_its_own_clock() -> None:
    now = [100.0]
    budget = TimeBudget(20.0, lambda: now[0])
    assert budget.left == 20.0 and not budget.is_spent
    now[0] = 115.0
    assert budget.left == 5.0 and not budget.is_spent
    now[0] = 120.0
    assert budget.left == 0.0 and budget.is_spent
    now[0] = 500.0
    assert budget.left == 0.0, "never negative"


def test_without_a_clock_time_passes_by_that_of_the_machine() -> None:
    budget = TimeBudget(1e6)
    first, second = budget.left, budget.left
    assert 0.0 < second <= first <= 1e6
    assert TimeBudget(0.0).is_spent
