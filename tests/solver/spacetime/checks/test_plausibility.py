# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an optimised motion is one that a body could make."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.solver.core.arrays import Array
from poise.solver.spacetime.checks.plausibility import absurdities, why_not_physical
from poise.solver.spacetime.problem.spacetime_problem import EQUATIONS

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
    assert "body weights" in " ".join(reasons(hard))
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
