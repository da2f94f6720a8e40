# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks on a skeleton, compiled for solving: levels of scaled rows over the columns of recruited joints.

Rows are scaled to pure numbers (lengths by the character's size, all by the square root of their weight), columns by
the square root of the joint's stiffness (translations by the size), so that nothing depends on units.

Inequalities, which are joint limits and half-spaces, join as rows only where a step would break them: such a row is
switched on, it leads exactly to its boundary, and the step is solved again for the frames concerned.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from .arrays import TINY, Array, BoolArray, IntArray
from .dofs import Dofs
from .hierarchy import Attraction, Level, prioritized_step, transpose_step
from .kinematics import WorldState
from .locking import Boundaries, Locks
from .motion import Motion
from .settings import SolveSettings
from .skeleton import Skeleton
from .tasks import GoalStep, HalfSpaceTask, PoseTask, Task

_Stackable = TypeVar("_Stackable", Array, BoolArray)

MOST_ROUNDS = 8
"""How often a step is solved again because it met another boundary; what is met later waits for the next iteration."""

BREACH = 1e-9
"""Sizes of the character, or radians, that a step may lie beyond a boundary before that counts."""


@dataclass(frozen=True, eq=False)
class _LevelDerivatives:
    """Second derivatives of one level, evaluated when they are asked for; see `stretching.SecondOrder`."""

    problem: Problem
    tasks: list[Task]
    state: WorldState
    task_of_row: IntArray
    """(rows,) the position in `tasks` of each row's task; inactive tasks have none."""
    frames: IntArray
    """(frames,) those of the state that are meant."""

    def at(self, frames: IntArray) -> _LevelDerivatives:
        return replace(self, frames=self.frames[frames])

    def curvature(self, held: IntArray, pull: Array) -> Array:
        """(held, columns, columns) for a pull (held, rows), all in pure numbers."""
        problem, state = self.problem, self.state.at(self.frames[held])
        curvature = np.zeros((len(held), problem.dofs.count, problem.dofs.count))
        for position in np.unique(self.task_of_row):
            task = self.tasks[position]
            part = task.curvature(state, problem.dofs, pull[:, self.task_of_row == position])
            if part is not None:
                curvature += problem.row_scale(task) * part
        return curvature * problem.column_scale[:, None] * problem.column_scale


@dataclass(frozen=True, eq=False)
class _Rows:
    """One level, evaluated."""

    jacobian: Array
    """(frames, rows, columns)"""
    residual: Array
    """(frames, rows); of an inequality: to its boundary, negative where that lies ahead."""
    active: BoolArray
    """(frames, rows) false for inequalities that are not broken."""
    missing: Array
    """(frames, rows) to the target rather than to the next goal."""
    recruited: BoolArray | None
    derivatives: _LevelDerivatives

    def level(self) -> Level:
        """The rows that are active in some frame, zero in the others."""
        jacobian, residual, missing, derivatives = self.jacobian, self.residual, self.missing, self.derivatives
        recruited = self.recruited
        if not self.active.all():
            some = np.flatnonzero(self.active.any(axis=0))
            active = self.active[:, some]
            jacobian = jacobian[:, some] * active[:, :, None]
            residual, missing = residual[:, some] * active, missing[:, some] * active
            recruited = None if recruited is None else recruited[some]
            derivatives = replace(derivatives, task_of_row=derivatives.task_of_row[some])
        return Level(jacobian, residual, missing, derivatives.task_of_row, recruited, derivatives)

    def at(self, frames: IntArray) -> _Rows:
        return replace(
            self,
            jacobian=self.jacobian[frames],
            residual=self.residual[frames],
            active=self.active[frames],
            missing=self.missing[frames],
            derivatives=self.derivatives.at(frames),
        )

    def met_by(self, step: Array) -> BoolArray:
        """(frames, rows) the inactive inequalities that a step would break."""
        if self.active.all():
            return np.zeros_like(self.active)
        return ~self.active & (self.residual - np.einsum("frc,fc->fr", self.jacobian, step) > BREACH)

    def activated(self, met: BoolArray) -> _Rows:
        return replace(self, active=self.active | met)


@dataclass(frozen=True, eq=False)
class _Evaluation:
    """Everything that one step is solved from."""

    levels: list[_Rows]
    locks: Locks
    attraction: Attraction
    trust: Array
    """(frames,)"""
    suspected: BoolArray
    """(frames,)"""

    def at(self, frames: IntArray) -> _Evaluation:
        attraction = Attraction(self.attraction.velocity[frames], self.attraction.columns)
        return _Evaluation(
            [rows.at(frames) for rows in self.levels],
            self.locks.at(frames),
            attraction,
            self.trust[frames],
            self.suspected[frames],
        )

    def met_by(self, step: Array) -> tuple[list[BoolArray], BoolArray]:
        return [rows.met_by(step) for rows in self.levels], self.locks.met_by(step, BREACH)

    def activated(self, met: list[BoolArray], met_locks: BoolArray) -> _Evaluation:
        levels = [rows.activated(more) for rows, more in zip(self.levels, met, strict=True)]
        return _Evaluation(levels, self.locks.activated(met_locks), self.attraction, self.trust, self.suspected)


@dataclass(frozen=True, eq=False)
class Step:
    """Where to go from a state, in pure numbers."""

    whole: Array
    """(frames, columns)"""
    attracted: Array
    """(frames, columns) what the pose attraction alone has added to it, before it was shortened."""
    shortened: Array
    """(frames,) to what share of itself the step was shortened."""
    unmet_level: IntArray
    """(frames,) the first level that is out of reach; the number of levels where none is."""
    seems_out_of_reach: BoolArray
    """(frames,) where a first-order step leaves some level unmet."""

    def put(self, frames: IntArray, other: Step) -> None:
        """Write the steps of some frames, (some,), over this one's."""
        self.whole[frames], self.attracted[frames] = other.whole, other.attracted
        self.shortened[frames], self.unmet_level[frames] = other.shortened, other.unmet_level
        self.seems_out_of_reach[frames] = other.seems_out_of_reach

    def within(self, trust: Array) -> Step:
        """The step, scaled down in each frame until no component exceeds its trust, (frames,)."""
        share = np.minimum(1.0, trust / np.maximum(np.abs(self.whole).max(axis=1, initial=0.0), TINY))
        return replace(self, whole=self.whole * share[:, None], shortened=share)


class Problem:
    """What `posture` iterates on."""

    def __init__(self, skeleton: Skeleton, tasks: Sequence[Task], settings: SolveSettings) -> None:
        self.skeleton = skeleton
        self.settings = settings
        recruited = np.zeros(len(skeleton), dtype=bool)
        for task in tasks:
            recruited |= task.recruited(skeleton)
        self.dofs = Dofs(skeleton.kinds, recruited)
        self._boundaries = Boundaries(skeleton, self.dofs)
        self.goal_step = GoalStep(settings.goal_length * skeleton.size, settings.goal_angle)
        self.column_scale = self.dofs.spread(1.0 / np.sqrt(skeleton.stiffness))
        self.column_scale[self.dofs.translation_columns] *= skeleton.size
        self._stiffest = float(skeleton.stiffness[recruited].max(initial=1.0))
        # Any fixed direction will do, as long as it is no symmetry axis of a straight body and always the same.
        self._hint = np.sin(1.0 + np.arange(self.dofs.count))

        priorities = sorted({task.priority for task in tasks}, reverse=True)
        self._levels = [[task for task in tasks if task.priority == priority] for priority in priorities]
        self._attraction: PoseTask | None = None
        # A pose that is alone at the bottom needs no rows of its own: each of its rows has one column.
        if self._levels and len(self._levels[-1]) == 1 and isinstance(self._levels[-1][0], PoseTask):
            self._attraction = self._levels[-1][0]
            self._attracted_columns = self._attraction.attracted_columns(skeleton, self.dofs)
            self._levels = self._levels[:-1]
        self._recruited = [[self._recruited_columns(task) for task in level] for level in self._levels]
        selective = [not all(columns.all() for columns in level) for level in self._recruited]
        self.is_selective = np.array(selective + [False] * self.has_attraction, dtype=bool)
        """(levels,) which of the levels that `misses` counts have tasks that may not move all that moves them."""

    @property
    def can_move(self) -> bool:
        """Whether there is anything to solve and anyone to move."""
        return self.dofs.count > 0

    def at(self, frames: IntArray) -> Problem:
        """The same problem for some of the frames it was given for."""
        some = copy.copy(self)
        some._levels = [[task.at(frames) for task in level] for level in self._levels]
        some._attraction = self._attraction.at(frames) if self._attraction else None
        return some

    def velocities(self, step: Array) -> Array:
        """A step in the solver's pure numbers as velocities in the coordinates of `dofs`."""
        return step * self.column_scale

    def within_limits(self, motion: Motion) -> Motion:
        """The motion with every joint that may move put back inside its limits."""
        return self._boundaries.clamped(motion)

    def misses(self, state: WorldState) -> Array:
        """(frames, levels) how far each level is from holding, in sizes of the character or radians."""
        columns = [self._level_miss(level, state) for level in self._levels]
        if self._attraction:
            columns.append(np.linalg.norm(self._pull_of_pose(state), axis=1))
        return np.stack(columns, axis=1)

    def _level_miss(self, level: list[Task], state: WorldState) -> Array:
        squares = np.zeros(state.frames)
        for task in level:
            error = task.error_once(state) * self.row_scale(task)
            squares += np.einsum("fr,fr->f", error, error)
        return np.sqrt(squares)

    @property
    def has_attraction(self) -> bool:
        """Whether the last of the misses is that of a pose attraction."""
        return self._attraction is not None

    def step(self, state: WorldState, trust: Array, gain: Array, suspected: BoolArray) -> Step:
        """The next step.

        No joint turns more than its frame's trust, (frames,), and of the way to the attracting pose the step takes the
        share `gain`, (frames,). `suspected` (frames,) says where the last step found something out of reach.
        """
        return self._inside_boundaries(self._evaluated(state, trust, gain, suspected))

    @property
    def levels(self) -> int:
        """How many levels there are, the pose attraction not counted."""
        return len(self._levels)

    def restoring_step(self, state: WorldState, restored: BoolArray) -> Array:
        """The step that only completes some levels, (frames, levels), and leaves the others where they are.

        It may use any joint that somebody recruits: it undoes what others have done to a level.
        """
        trust, everywhere = np.full(state.frames, self.settings.largest_turn), np.ones(state.frames, dtype=bool)
        evaluation = self._evaluated(state, trust, np.zeros(state.frames), everywhere)
        levels = [
            replace(rows, residual=rows.residual * restored[:, index, None], recruited=None)
            for index, rows in enumerate(evaluation.levels)
        ]
        nowhere = self._no_attraction(state.frames)
        return self._inside_boundaries(_Evaluation(levels, evaluation.locks, nowhere, trust, everywhere)).whole

    def _pull_of_pose(self, state: WorldState) -> Array:
        """(frames, columns) the way to the attracting pose, in pure numbers."""
        pose = self._attraction
        assert pose is not None
        return state.remembered((pose, "pull"), lambda: pose.attraction(state, self.dofs) / self.column_scale)

    def _no_attraction(self, frames: int) -> Attraction:
        return Attraction(np.zeros((frames, self.dofs.count)), np.zeros(self.dofs.count, dtype=bool))

    # Evaluating ----------------------------------------------------------------------------------------------------

    def row_scale(self, task: Task) -> float:
        return float(np.sqrt(task.weight)) / (1.0 if task.is_angular else self.skeleton.size)

    def _evaluated(self, state: WorldState, trust: Array, gain: Array, suspected: BoolArray) -> _Evaluation:
        attraction = self._no_attraction(state.frames)
        if self._attraction:
            attraction = Attraction(self._pull_of_pose(state) * gain[:, None], self._attracted_columns)
        locks = self._boundaries.locks(state, self.column_scale)
        levels = [self._rows(*level, state) for level in zip(self._levels, self._recruited, strict=True)]
        return _Evaluation(levels, locks, attraction, trust, suspected)

    def _rows(self, level: list[Task], recruited_columns: list[BoolArray], state: WorldState) -> _Rows:
        jacobians, residuals, actives, missings, masks = [], [], [], [], []
        for task, columns in zip(level, recruited_columns, strict=True):
            row_scale = self.row_scale(task)
            jacobian = task.jacobian(state, self.dofs)
            if isinstance(task, HalfSpaceTask):
                missing = task.depth(state)
                residual = np.minimum(missing, self.goal_step.length)
                active = residual > 0.0
            else:
                missing = task.error_once(state)
                residual = task.goal(state, self.goal_step)
                active = np.ones(residual.shape, dtype=bool)
            jacobians.append(jacobian)
            residuals.append(residual * row_scale)
            missings.append(missing * row_scale)
            actives.append(active)
            masks.append(np.broadcast_to(columns, jacobian.shape[1:]))
        recruited = None if all(mask.all() for mask in masks) else np.concatenate(masks)
        task_of_row = np.repeat(np.arange(len(level)), [residual.shape[1] for residual in residuals])
        stacked = np.empty((state.frames, len(task_of_row), self.dofs.count))
        first = 0
        for task, jacobian in zip(level, jacobians, strict=True):
            last = first + jacobian.shape[1]
            np.multiply(jacobian, self.row_scale(task) * self.column_scale, out=stacked[:, first:last])
            first = last
        return _Rows(
            stacked,
            _stacked(residuals),
            _stacked(actives),
            _stacked(missings),
            recruited,
            _LevelDerivatives(self, level, state, task_of_row, np.arange(state.frames)),
        )

    def _recruited_columns(self, task: Task) -> BoolArray:
        """(columns,) false where a joint serves the task but may not move for it."""
        withheld = task.serving(self.skeleton) & ~task.recruited(self.skeleton)
        return ~self.dofs.spread(withheld)

    # Solving -------------------------------------------------------------------------------------------------------

    def _inside_boundaries(self, evaluation: _Evaluation) -> Step:
        """Solve, switch on what the step breaks, and solve again where something was switched on."""
        step = self._solved(evaluation)
        pending = np.arange(len(step.whole))
        for _ in range(MOST_ROUNDS):
            met, met_locks = evaluation.met_by(step.whole[pending])
            again = met_locks.any(axis=1)
            for more in met:
                again |= more.any(axis=1)
            if not again.any():
                break
            frames = np.flatnonzero(again)
            evaluation = evaluation.activated(met, met_locks).at(frames)
            pending = pending[frames]
            step.put(pending, self._solved(evaluation))
        return step

    def _solved(self, evaluation: _Evaluation) -> Step:
        frames = len(evaluation.trust)
        levels = [rows.level() for rows in evaluation.levels]
        if self.settings.method == "transpose":
            whole = transpose_step(levels, self.settings.integration_step)
            return Step(
                whole, np.zeros_like(whole), np.ones(frames), np.full(frames, len(levels)), np.zeros(frames, dtype=bool)
            ).within(evaluation.trust)
        if evaluation.locks.any_active:
            levels.insert(0, evaluation.locks.level())
        solution = prioritized_step(
            levels, evaluation.attraction, self._hint, evaluation.suspected, self._stiffest, self.settings.damping
        )
        unmet_level = solution.unmet_level - (len(levels) - len(evaluation.levels))
        step = Step(solution.step, solution.attracted, np.ones(frames), unmet_level, solution.seems_out_of_reach)
        if self.settings.integration_step is not None:
            return replace(step, whole=self.settings.integration_step * step.whole)
        return step.within(evaluation.trust)


def _stacked(parts: list[_Stackable]) -> _Stackable:
    """Arrays of some tasks, joined along their rows."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
