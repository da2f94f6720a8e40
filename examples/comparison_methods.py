# SPDX-License-Identifier: GPL-3.0-or-later
"""Two iterations of the literature to compare the solver with: damped least squares with fixed parameters, and the
Jacobian transpose (Le Callennec 2006, sections 3.2.5 and 3.3.3).

Every step is taken, whether it reduces the errors or not. Joint limits, inequalities and recruiting are not supported:
all joints of the skeleton move for all tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..solver.body.kinematics import WorldState, integrate
from ..solver.body.motion import Motion, Pose
from ..solver.body.skeleton import Skeleton
from ..solver.core.arrays import TINY, Array, IntArray
from ..solver.core.row_space import RowSpace, combined, outside, times
from ..solver.posture.settings import SolveSettings
from ..solver.posture.solve import Observer, Posture, Postures
from ..solver.tasks import GoalStep, Task


@dataclass(frozen=True, eq=False)
class LevelRows:
    """The tasks of one priority, in pure numbers: lengths are divided by the character's size."""

    jacobian: Array
    """(frames, rows, columns)"""
    residual: Array
    """(frames, rows) error to the intermediate goal."""


Method = Callable[[Sequence[LevelRows]], Array]
"""Returns the step (frames, columns) of some levels, the most important first."""


def damped_least_squares(integration_step: float, damping: float) -> Method:
    """Strict priorities with one damping factor for all directions, in sizes of the character; `integration_step` is
    the share of each step that is taken."""

    def method(levels: Sequence[LevelRows]) -> Array:
        frames, _, columns = levels[0].jacobian.shape
        step, basis = np.zeros((frames, columns)), np.zeros((frames, 0, columns))
        for level in levels:
            projected = outside(basis, level.jacobian)
            space = RowSpace(projected, level.jacobian)
            residual = level.residual - times(level.jacobian, step)
            inverse = space.alive / np.where(space.alive, space.squares + damping**2, 1.0)
            components = combined(residual, space.directions) * inverse
            step = step + combined(times(space.directions, components), projected)
            basis = np.concatenate([basis, space.basis()], axis=1)
        return integration_step * step

    return method


def transpose(gain: float | None = None) -> Method:
    """The Jacobian transpose: all tasks at once, no priorities.

    `gain` is the fixed factor of the classic method; None takes the one that reduces the linearized error most.
    """

    def method(levels: Sequence[LevelRows]) -> Array:
        jacobian = np.concatenate([level.jacobian for level in levels], axis=1)
        residual = np.concatenate([level.residual for level in levels], axis=1)
        gradient = combined(residual, jacobian)
        if gain is not None:
            return gain * gradient
        change = times(jacobian, gradient)
        best = np.einsum("fr,fr->f", residual, change) / np.maximum(np.einsum("fr,fr->f", change, change), TINY)
        return gradient * best[:, None]

    return method


def iterate(
    skeleton: Skeleton,
    motion: Motion,
    tasks: Sequence[Task],
    method: Method,
    settings: SolveSettings,
    observer: Observer | None = None,
) -> Postures:
    """Step every frame of a motion by a method until it is at rest or the iterations have run out.

    Of the settings, `iterations`, `tolerance`, `goal_length` and `goal_angle` count; they mean what they mean to
    `solve_postures`.
    """
    state = WorldState.of(skeleton, motion)
    final = Motion(motion.rotations.copy(), motion.translations.copy())
    iterations = np.zeros(motion.frames, dtype=np.int64)
    converged = np.zeros(motion.frames, dtype=bool)
    open_frames, open_tasks = np.arange(motion.frames), list(tasks)
    errors = _level_errors(state, open_tasks)
    if observer:
        observer(state, open_frames)
    for _ in range(settings.iterations):
        step = method(_levels(state, open_tasks, settings))
        velocities = step * _column_scale(skeleton)
        state = WorldState.of(skeleton, integrate(state, velocities, skeleton.dofs))
        before, errors = errors, _level_errors(state, open_tasks)
        iterations[open_frames] += 1
        if observer:
            observer(state, open_frames)
        _write(final, open_frames, state.motion)
        at_rest = np.abs(step).max(axis=1) < 100.0 * settings.tolerance
        at_rest &= np.abs(errors - before).max(axis=1) < settings.tolerance
        converged[open_frames] = at_rest
        if at_rest.any():
            still = np.flatnonzero(~at_rest)
            open_frames, state, errors = open_frames[still], state.at(still), errors[still]
            open_tasks = [task.at(still) for task in open_tasks]
        if not open_frames.size:
            break
    world = WorldState.of(skeleton, final)
    return Postures(final, tuple(task.error(world) for task in tasks), iterations, converged)


def iterate_posture(
    skeleton: Skeleton, pose: Pose, tasks: Sequence[Task], method: Method, settings: SolveSettings
) -> Posture:
    """`iterate` for one posture, with the error of every task over the iterations."""
    history: list[list[float]] = []

    def record(state: WorldState, _: IntArray) -> None:
        history.append([float(np.linalg.norm(task.error(state)[0])) for task in tasks])

    result = iterate(skeleton, pose.motion, tasks, method, settings, record)
    return Posture(
        result.motion.pose(0),
        tuple(error[0] for error in result.errors),
        int(result.iterations[0]),
        bool(result.converged[0]),
        np.array(history),
    )


def _by_level(tasks: Sequence[Task]) -> list[list[Task]]:
    priorities = sorted({task.priority for task in tasks}, reverse=True)
    return [[task for task in tasks if task.priority == priority] for priority in priorities]


def _levels(state: WorldState, tasks: Sequence[Task], settings: SolveSettings) -> list[LevelRows]:
    skeleton = state.skeleton
    goal = GoalStep(settings.goal_length * skeleton.size, settings.goal_angle)
    return [
        LevelRows(
            np.concatenate([_row_scale(task, skeleton) * task.jacobian(state, skeleton.dofs) for task in level], axis=1)
            * _column_scale(skeleton),
            np.concatenate([_row_scale(task, skeleton) * task.goal(state, goal) for task in level], axis=1),
        )
        for level in _by_level(tasks)
    ]


def _level_errors(state: WorldState, tasks: Sequence[Task]) -> Array:
    """(frames, levels) in sizes of the character, or radians."""
    errors = [
        np.concatenate([_row_scale(task, state.skeleton) * task.error(state) for task in level], axis=1)
        for level in _by_level(tasks)
    ]
    return np.stack([np.linalg.norm(rows, axis=1) for rows in errors], axis=1)


def _row_scale(task: Task, skeleton: Skeleton) -> float:
    return float(np.sqrt(task.weight)) / (1.0 if task.is_angular else skeleton.size)


def _column_scale(skeleton: Skeleton) -> Array:
    """(columns,) translations in sizes of the character, all by the root of the joint's stiffness."""
    scale = skeleton.dofs.spread(1.0 / np.sqrt(skeleton.stiffness))
    scale[skeleton.dofs.translation_columns] *= skeleton.size
    return scale


def _write(motion: Motion, frames: IntArray, other: Motion) -> None:
    motion.rotations[frames], motion.translations[frames] = other.rotations, other.translations
