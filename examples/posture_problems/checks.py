# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold of every solution of a posture problem. Lengths are in sizes of the character, angles in radians."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...solver.core.arrays import Array
from ...solver.core.errors import RecruitingWarning
from ...solver.posture.solve import Postures, solve_postures
from ...solver.tasks import Task
from ..joint_limits import excess
from .random_problems import Problem

SATISFIED = 1e-6
"""A level that misses by no more is satisfied."""
DISTURBED = 1e-6
"""A satisfied level that misses by so much more beside less important levels is disturbed by them."""
BEYOND_LIMIT = 1e-6
"""Radians beyond a limit, of a joint that was within it."""


@dataclass(frozen=True)
class Violation:
    """What does not hold in one posture of a problem."""

    check: str
    """"finite", "limits", "priority" or "warning"."""
    seed: int
    frame: int
    figure: float
    sentence: str


@dataclass(frozen=True)
class Verdict:
    """The violations of a problem."""

    solves: int
    """Postures that were solved with all tasks."""
    compared: int
    """Postures in which satisfied levels were compared with those of a solve without less important ones."""
    violations: tuple[Violation, ...]
    by_rounding: tuple[Violation, ...] = ()
    """Levels that are disturbed in the batch, but not where their posture is solved by itself. How numbers are rounded
    depends on the size of a batch, and from a saddle of a level's error the least rounding leads to one local minimum
    or to another: the level may then be missed with and without less important ones."""


def judged(problem: Problem) -> Verdict:
    """Solve a problem with all tasks, and without those below each priority, and check the solutions."""
    found: list[Violation] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RecruitingWarning)
        try:
            solved = _solved(problem, problem.tasks)
        except (RuntimeWarning, ArithmeticError, ValueError) as error:  # NumPy's LinAlgError is a ValueError
            raised = Violation("warning", problem.seed, 0, 1.0, f"{type(error).__name__}: {error}")
            return Verdict(problem.motion.frames, 0, (raised,))
        found += _finite(problem, solved) or _limits(problem, solved)
        compared, disturbed = _compared(problem, solved)
        by_rounding = [each for each in disturbed if not _is_disturbed_alone(problem, each)]
    found += [each for each in disturbed if each not in by_rounding]
    return Verdict(problem.motion.frames, compared, tuple(found), tuple(by_rounding))


def _compared(problem: Problem, solved: Postures) -> tuple[int, list[Violation]]:
    """How many satisfied levels were compared with those of solves without less important ones; those disturbed."""
    compared, disturbed = 0, []
    for priority in sorted({task.priority for task in problem.tasks}, reverse=True)[:-1]:
        higher = [task for task in problem.tasks if task.priority >= priority]
        count, violations = _undisturbed(problem, solved, _solved(problem, higher), higher, priority)
        compared += count
        disturbed += violations
    return compared, disturbed


def _is_disturbed_alone(problem: Problem, violation: Violation) -> bool:
    """Whether a level is disturbed also where its posture is solved by itself."""
    alone = problem.at(np.array([violation.frame]))
    return bool(_compared(alone, _solved(alone, alone.tasks))[1])


def _solved(problem: Problem, tasks: Sequence[Task]) -> Postures:
    return solve_postures(problem.skeleton, problem.motion, tasks)


def _finite(problem: Problem, solved: Postures) -> list[Violation]:
    """No number of the solution is NaN or infinite."""
    parts = [solved.motion.rotations, solved.motion.translations, *solved.errors]
    broken = np.any([~np.isfinite(part.reshape(len(part), -1)).all(axis=1) for part in parts], axis=0)
    return [
        Violation("finite", problem.seed, int(frame), np.inf, "it has numbers that are not finite")
        for frame in np.flatnonzero(broken)
    ]


def _limits(problem: Problem, solved: Postures) -> list[Violation]:
    """No joint that begins within its limits leaves them."""
    before, after = (excess(problem.skeleton, motion) for motion in (problem.motion, solved.motion))
    broken = np.where(before <= 0.0, after, -np.inf).max(axis=1, initial=-np.inf)
    return [
        Violation("limits", problem.seed, int(frame), float(broken[frame]), "a joint leaves its limits")
        for frame in np.flatnonzero(broken > BEYOND_LIMIT)
    ]


def _undisturbed(
    problem: Problem, solved: Postures, alone: Postures, higher: Sequence[Task], priority: int
) -> tuple[int, list[Violation]]:
    """Where a level and all above it are satisfied without less important ones, the level is satisfied beside them."""
    everything = _missed(problem, problem.tasks, solved)
    without = _missed(problem, higher, alone)
    satisfied = without.max(axis=0) <= SATISFIED
    own = [number for number, task in enumerate(problem.tasks) if task.priority == priority]
    beside = everything[own].max(axis=0)
    before = without[[number for number, task in enumerate(higher) if task.priority == priority]].max(axis=0)
    disturbed = satisfied & ~(beside <= before + DISTURBED)
    sentence = f"the tasks of priority {priority} miss by {{:.1e}} beside less important ones, and hold without them"
    return int(satisfied.sum()), [
        Violation("priority", problem.seed, int(frame), float(beside[frame]), sentence.format(beside[frame]))
        for frame in np.flatnonzero(disturbed)
    ]


def _missed(problem: Problem, tasks: Sequence[Task], solved: Postures) -> Array:
    """(tasks, frames) how much of each task is left. What an objective has left says nothing: it is only made small."""
    rows = []
    for task, errors in zip(tasks, solved.errors, strict=True):
        unit = 1.0 if task.is_angular else problem.skeleton.size
        rows.append(np.zeros(len(errors)) if task.is_objective else np.linalg.norm(errors, axis=1) / unit)
    return np.array(rows)
