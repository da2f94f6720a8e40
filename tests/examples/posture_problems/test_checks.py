# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of posture problems: each finds what it is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.examples.joint_limits import excess
from poise.examples.posture_problems import checks
from poise.examples.posture_problems.random_problems import random_problem
from poise.solver.body.motion import Motion
from poise.solver.posture.solve import Postures

pytestmark = pytest.mark.slow

SMALL = next(
    problem
    for problem in map(random_problem, range(1000))
    if len(problem.skeleton) < 6 and problem.skeleton.limits and len({each.priority for each in problem.tasks}) > 1
).at(np.arange(8))


def broken(monkeypatch: pytest.MonkeyPatch, change: Callable[[Postures], Postures]) -> set[str]:
    """The checks that find a change of the solution with all tasks."""
    solve = checks.solve_postures

    def solved(skeleton: Any, motion: Any, tasks: Any) -> Postures:
        found = solve(skeleton, motion, tasks)
        return change(found) if len(tasks) == len(SMALL.tasks) else found

    monkeypatch.setattr(checks, "solve_postures", solved)
    return {violation.check for violation in checks.judged(SMALL).violations}


def test_a_solution_is_accepted() -> None:
    verdict = checks.judged(SMALL)
    assert verdict.violations == () and verdict.solves == SMALL.motion.frames
    assert verdict.compared > 0, "the case must have levels that are satisfied"


def test_numbers_that_are_not_finite_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(found: Postures) -> Postures:
        turned = found.motion.rotations.copy()
        turned[3] = np.nan
        return replace(found, motion=Motion(turned, found.motion.translations))

    assert "finite" in broken(monkeypatch, change)


def test_a_joint_beyond_its_limit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    turned = rng.standard_normal((SMALL.motion.frames, len(SMALL.skeleton), 4))
    turned /= np.linalg.norm(turned, axis=-1, keepdims=True)
    wild = Motion(turned, SMALL.motion.translations)
    assert (excess(SMALL.skeleton, wild) > 0.1).any()
    assert "limits" in broken(monkeypatch, lambda found: replace(found, motion=wild))


def test_a_disturbed_level_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    disturbed = broken(monkeypatch, lambda found: replace(found, errors=tuple(each + 0.01 for each in found.errors)))
    assert disturbed == {"priority"}


def test_a_level_that_is_disturbed_only_in_its_batch_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = checks.solve_postures

    def solved(skeleton: Any, motion: Any, tasks: Any) -> Postures:
        found = solve(skeleton, motion, tasks)
        if motion.frames == 1 or len(tasks) < len(SMALL.tasks):
            return found
        return replace(found, errors=tuple(each + 0.01 for each in found.errors))

    monkeypatch.setattr(checks, "solve_postures", solved)
    verdict = checks.judged(SMALL)
    assert verdict.violations == () and len(verdict.by_rounding) > 0


def test_an_exception_is_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*given: Any) -> Postures:
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr(checks, "solve_postures", raises)
    (violation,) = checks.judged(SMALL).violations
    assert violation.check == "warning" and "Singular" in violation.sentence


@pytest.mark.parametrize(("seed", "frames"), [(2031, [0]), (2038, [3, 6]), (2070, [5])])
def test_levels_that_are_met_alone_are_met_beside_lower_ones(seed: int, frames: list[int]) -> None:
    """In these postures lower levels led the descent to a local minimum of one that is more important."""
    verdict = checks.judged(random_problem(seed, 12).at(np.array(frames)))
    assert verdict.compared > 0 and verdict.violations == ()
