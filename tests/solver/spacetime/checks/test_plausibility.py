# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an optimised motion is one that a body could make."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.spacetime.checks.plausibility import absurdities, phase_of, why_not_physical
from poise.solver.spacetime.problem.spacetime_problem import EQUATIONS, UNDER

from ..small_fits import walk_fit


def reasons(unknowns: Array | None = None, **violations: Array) -> list[str]:
    fit = walk_fit()
    motion = fit.motion if unknowns is None else replace(fit.motion, unknowns=unknowns)
    optimum = replace(fit.optimum, unknowns=motion.unknowns, violations={**fit.optimum.violations, **violations})
    return why_not_physical(motion, fit.problem, optimum)


def test_a_fit_is_physical() -> None:
    assert reasons() == []


def test_a_missed_footprint_is_named_before_the_equations() -> None:
    fit = walk_fit()
    label = fit.problem.stances[0].label
    wrong = fit.motion.unknowns.copy()
    wrong[fit.motion.layout.dof_slices[1]] *= 1.1
    found = reasons(wrong, **{label: np.array([0.2])})
    assert label in found[0] and "20 %" in found[0] and "equations" in found[1]


def test_what_an_unfinished_solve_misses_slightly_is_named_after_the_equations() -> None:
    fit = walk_fit()
    label = fit.problem.stances[0].label
    wrong = fit.motion.unknowns.copy()
    wrong[fit.motion.layout.dof_slices[1]] *= 1.1
    found = reasons(wrong, **{label: np.array([0.002])})
    assert "equations" in found[0] and label in found[1] and "0.2 %" in found[1]


def test_a_foot_that_is_too_low_is_named_with_what_it_is_over() -> None:
    (found,) = reasons(**{f"obstacle 2{UNDER}left foot": np.array([0.25])})
    assert found == "the left foot would have to be 25 % of the leg's length higher over obstacle 2"


@pytest.mark.parametrize(("missed", "told"), [(0.0012, "0.1 %"), (0.134, "13 %"), (9.0, "900 %"), (3e90, "3e+92 %")])
def test_a_miss_is_told_in_few_digits(missed: float, told: str) -> None:
    label = walk_fit().problem.stances[0].label
    assert reasons(**{label: np.array([missed])}) == [f"{label} is missed by {told} of the leg's length"]


def test_the_time_of_a_residual_is_told_by_the_stance_or_the_flight() -> None:
    problem = walk_fit().problem
    first, last = problem.stances[0], problem.stances[-1]
    assert phase_of(problem, (first.begin + first.end) / 2.0) == f"in {first.label}"
    alone = replace(problem, stances=(last,))
    assert phase_of(alone, last.touch - 0.1) == f"in the air before {last.label}"
    assert phase_of(alone, last.release + 0.1) == f"in the air after {last.label}"


def test_equations_are_judged_by_the_motion_and_not_by_the_optimiser() -> None:
    fit = walk_fit()
    wrong = fit.motion.unknowns.copy()
    wrong[fit.motion.layout.force_slices[0]] *= 1.1
    assert "equations of motion" in reasons(wrong)[0]
    assert reasons(**{EQUATIONS: np.array([3.0])}) == []


def test_an_optimiser_without_a_motion_is_no_result() -> None:
    assert reasons(np.full_like(walk_fit().motion.unknowns, np.nan))


def test_absurd_motions_are_named() -> None:
    fit = walk_fit()

    def reasons(unknowns: Array) -> list[str]:
        return absurdities(replace(fit.motion, unknowns=unknowns), fit.problem)

    layout = fit.motion.layout
    hard = fit.motion.unknowns.copy()
    hard[layout.force_slices[0]] *= 30.0
    assert "body weights in the stance of the right foot at 0.00 s, and legs bear at most 8" in " ".join(reasons(hard))
    low = fit.motion.unknowns.copy()
    low[layout.dof_slices[1]] -= 2.0
    assert "sink" in " ".join(reasons(low))
    high = fit.motion.unknowns.copy()
    high[layout.dof_slices[1]] += 9.0
    assert "fly higher" in " ".join(reasons(high))
    knee = fit.problem.character.joint_of["left_knee"][0]
    bent = fit.motion.unknowns.copy()
    bent[layout.dof_slices[knee]] -= 4.0
    assert "left knee" in " ".join(reasons(bent))
    wild = fit.motion.unknowns.copy()
    own = layout.dof_slices[knee]
    wild[own] += 40.0 * np.arange(own.stop - own.start)
    assert "faster than any limb" in " ".join(reasons(wild))
