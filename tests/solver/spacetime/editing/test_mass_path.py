# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear program of the centre of mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.spacetime import is_available
from poise.solver.spacetime.editing.mass_path import FASTEST_RUN, REACH, MassPath
from poise.solver.spacetime.problem.spacetime_problem import Problem
from poise.solver.spacetime.problem.time_budget import TimeBudget

from ..small_fits import walk_fit

pytestmark = pytest.mark.skipif(not is_available(), reason="CasADi is not installed")


def long() -> TimeBudget:
    """Begins to run when it is made: modules are imported long before their last test."""
    return TimeBudget(600.0)


def problem(aside: float = 0.0) -> Problem:
    """The walk's problem with its second footprint moved to the left, by sizes of the character."""
    base = walk_fit().problem
    left = base.character.axes[0]
    stances = list(base.stances)
    stances[1] = stances[1].changed(lambda time: time, lambda place: place + aside * left)
    return replace(base, stances=tuple(stances))


def reaches(length: float) -> dict[tuple[str, ...], float]:
    return {stance.points: length for stance in walk_fit().problem.stances}


def misses(path: MassPath) -> Array:
    optimum = path.optimum(long())
    assert optimum is not None
    return optimum.unknowns[path.slacks]


def test_the_walk_itself_has_a_path() -> None:
    assert misses(MassPath(problem(), reaches(1.3))).max() < REACH


def test_the_path_obeys_gravity_and_nothing_pushes_in_flight() -> None:
    path = MassPath(problem(), reaches(1.3))
    optimum = path.optimum(long())
    assert optimum is not None
    forces = optimum.unknowns[path.forces[:, None] + np.arange(3)]
    rates = optimum.unknowns[path.rates[:, None] + np.arange(3)]
    steps = np.diff(path.points)
    gained = (forces[:-1] + forces[1:]) / 2.0 * steps[:, None] + steps[:, None] * problem().gravity
    np.testing.assert_allclose(np.diff(rates, axis=0), gained, atol=1e-6)
    assert np.abs(forces[~path.pushed]).max(initial=0.0) < 1e-9
    assert (forces @ problem().character.up).min() > -1e-6
    assert np.linalg.norm(rates, axis=1).max() < 1.1 * FASTEST_RUN


def test_legs_that_are_too_short_miss_footprints() -> None:
    assert misses(MassPath(problem(), reaches(0.15)))[:-1].max() > REACH


def test_of_a_footprint_that_is_too_far_the_share_that_is_possible_is_found() -> None:
    far = problem(aside=4.0)
    assert misses(MassPath(far, reaches(1.3)))[1] > REACH
    ways = np.array([now.place - was.place for now, was in zip(far.stances, problem().stances, strict=True)])
    path = MassPath(far, reaches(1.3), ways)
    optimum = path.optimum(long())
    assert optimum is not None
    share = float(optimum.unknowns[path.share])
    assert 0.1 < share < 0.95
    assert misses(MassPath(problem(aside=0.98 * 4.0 * share), reaches(1.3))).max() < 2.0 * REACH, "so far is possible"
    assert misses(MassPath(problem(aside=1.1 * 4.0 * share), reaches(1.3))).max() > REACH, "no farther"


def test_a_budget_that_is_spent_finds_nothing() -> None:
    assert MassPath(problem(), reaches(1.3)).optimum(TimeBudget(0.0)) is None


def test_a_heavier_body_is_pushed_less() -> None:
    """The hardest push is a force: a body of a thousand times the mass falls."""
    heavy = problem()
    character = replace(heavy.character, masses=1000.0 * heavy.character.masses)
    heavy = replace(heavy, layout=replace(heavy.layout, character=character))
    assert misses(MassPath(heavy, reaches(1.3))).max() > REACH
