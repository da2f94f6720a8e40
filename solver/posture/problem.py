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

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.row_space import times
from ..tasks import GoalStep, HalfSpaceTask, PoseTask, Task
from .active_set import Boundaries, Locks
from .settings import SolveSettings
from .strict_priority import Attraction, Levels, prioritized_step

MOST_ROUNDS = 8
"""How often a step is solved again because it met another boundary; what is met later waits for the next iteration."""

BREACH = 1e-9
"""Sizes of the character, or radians, that a step may lie beyond a boundary before that counts."""


@dataclass(frozen=True, eq=False)
class _LevelDerivatives:
    """Second derivatives of one level, evaluated when they are asked for; see `stretching.SecondOrder`."""

    problem: Problem
    state: WorldState
    frames: IntArray
    """(frames,) those of the state that are meant."""
    task_of_row: IntArray
    """(rows,) the position of each row's task among all tasks; inactive tasks have none."""

    def at(self, frames: IntArray) -> _LevelDerivatives:
        return replace(self, frames=self.frames[frames])

    def curvature(self, held: IntArray, pull: Array) -> Array:
        """(held, columns, columns) for a pull (held, rows), all in pure numbers."""
        problem, state = self.problem, self.state.at(self.frames[held])
        curvature = np.zeros((len(held), problem.dofs.count, problem.dofs.count))
        for position in np.unique(self.task_of_row):
            task = problem.tasks[position].at(self.frames[held])
            part = task.curvature(state, problem.dofs, pull[:, self.task_of_row == position])
            if part is not None:
                curvature += problem.row_scale(task) * part
        return curvature * problem.column_scale[:, None] * problem.column_scale


@dataclass(frozen=True, eq=False)
class _Layout:
    """Which rows belong to which task: the same in all frames and steps."""

    rows: list[slice]
    """For each task."""
    task_of_row: IntArray
    """(rows,)"""
    level_of_row: IntArray
    """(rows,)"""
    is_of_level: Array
    """(rows, levels) 1 where a row belongs to a level, 0 elsewhere."""
    row_scale: Array
    """(rows,)"""
    scale: Array
    """(rows, columns) of rows and columns together."""
    recruited: BoolArray | None
    """(rows, columns) false where a joint serves a row's task but may not move for it; None where there is no such."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """All levels, evaluated."""

    problem: Problem
    layout: _Layout
    state: WorldState
    frames: IntArray
    """(frames,) those of the state that are meant."""
    jacobian: Array
    """(frames, rows, columns)"""
    residual: Array
    """(frames, rows); of an inequality: to its boundary, negative where that lies ahead."""
    missing: Array
    """(frames, rows) to the target rather than to the next goal."""
    active: BoolArray
    """(frames, rows) false for inequalities that are not broken."""
    recruited: BoolArray | None
    """(rows, columns); see `hierarchy.Levels`."""
    idle: Array | None
    """(frames, rows); see `hierarchy.Level`."""

    def levels(self) -> Levels:
        """The rows that are active in some frame, zero in the others."""
        jacobian, residual, missing, recruited = self.jacobian, self.residual, self.missing, self.recruited
        level_of_row, task_of_row, idle = self.layout.level_of_row, self.layout.task_of_row, self.idle
        if not self.active.all():
            some = np.flatnonzero(self.active.any(axis=0))
            active = self.active[:, some]
            jacobian = jacobian[:, some] * active[:, :, None]
            residual, missing = residual[:, some] * active, missing[:, some] * active
            recruited = None if recruited is None else recruited[some]
            idle = None if idle is None else idle[:, some]
            level_of_row, task_of_row = level_of_row[some], task_of_row[some]
        derivatives = tuple(
            _LevelDerivatives(self.problem, self.state, self.frames, task_of_row[level_of_row == level])
            for level in range(self.problem.levels)
        )
        return Levels(jacobian, residual, missing, level_of_row, task_of_row, recruited, derivatives, idle)

    def at(self, frames: IntArray) -> _Rows:
        return replace(
            self,
            frames=self.frames[frames],
            jacobian=self.jacobian[frames],
            residual=self.residual[frames],
            missing=self.missing[frames],
            active=self.active[frames],
            idle=None if self.idle is None else self.idle[frames],
        )

    def met_by(self, step: Array) -> BoolArray:
        """(frames, rows) the inactive inequalities that a step would break."""
        if self.active.all():
            return np.zeros_like(self.active)
        return ~self.active & (self.residual - times(self.jacobian, step) > BREACH)

    def activated(self, met: BoolArray) -> _Rows:
        return replace(self, active=self.active | met)


@dataclass(frozen=True, eq=False)
class _Evaluation:
    """Everything that one step is solved from."""

    rows: _Rows
    locks: Locks
    attraction: Attraction
    trust: Array
    """(frames,)"""
    suspected: BoolArray
    """(frames,)"""

    def at(self, frames: IntArray) -> _Evaluation:
        return _Evaluation(
            self.rows.at(frames),
            self.locks.at(frames),
            self.attraction.at(frames),
            self.trust[frames],
            self.suspected[frames],
        )

    def activated(self, met_rows: BoolArray, met_locks: BoolArray) -> _Evaluation:
        return replace(self, rows=self.rows.activated(met_rows), locks=self.locks.activated(met_locks))


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

    def __init__(
        self, skeleton: Skeleton, tasks: Sequence[Task], settings: SolveSettings, movers: BoolArray | None = None
    ) -> None:
        """The tasks on a skeleton; `movers` (joints,) may move, None for all that are recruited."""
        self.skeleton = skeleton
        self.settings = settings
        recruited = np.zeros(len(skeleton), dtype=bool) if movers is None else movers
        if movers is None:
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
        levels = [[task for task in tasks if task.priority == priority] for priority in priorities]
        self._attraction: PoseTask | None = None
        # A pose that is alone at the bottom needs no rows of its own: each of its rows has one column.
        if levels and len(levels[-1]) == 1 and isinstance(lowest := levels[-1][0], PoseTask):
            self._attraction = lowest
            self._attracted_columns = lowest.attracted_columns(skeleton, self.dofs)
            levels.pop()
        self.tasks = [task for level in levels for task in level]
        """Those that have rows, the most important first."""
        self.levels = len(levels)
        """How many levels there are, the pose attraction not counted."""
        self._level_of_task = np.repeat(np.arange(self.levels), [len(level) for level in levels])
        self._recruited = [self._recruited_columns(task) for task in self.tasks]
        self.is_selective = np.zeros(self.levels + self.has_attraction, dtype=bool)
        """(levels,) which of the levels that `misses` counts have tasks that may not move all that moves them."""
        self.is_selective[self._level_of_task[[not columns.all() for columns in self._recruited]]] = True
        self._layout: _Layout | None = None
        self._memory_key = object()

    @property
    def can_move(self) -> bool:
        """Whether there is anything to solve and anyone to move."""
        return self.dofs.count > 0

    def at(self, frames: IntArray) -> Problem:
        """The same problem for some of the frames it was given for."""
        some = copy.copy(self)
        some.tasks = [task.at(frames) for task in self.tasks]
        some._attraction = self._attraction.at(frames) if self._attraction else None
        return some

    def velocities(self, step: Array) -> Array:
        """A step in the solver's pure numbers as velocities in the coordinates of `dofs`."""
        return step * self.column_scale

    def within_limits(self, motion: Motion) -> Motion:
        """The motion with every joint that may move put back inside its limits."""
        return self._boundaries.clamped(motion)

    def misses(self, state: WorldState) -> Array:
        """(frames, levels) how far each level is from holding, in sizes of the character or radians.

        Where there is a pose attraction, it is the last of them.
        """
        missing = self.level_misses(state)
        if not self._attraction:
            return missing
        pull = self._pull_of_pose(state)
        return np.concatenate([missing, np.sqrt(np.einsum("fc,fc->f", pull, pull))[:, None]], axis=1)

    def level_misses(self, state: WorldState) -> Array:
        """(frames, levels) as `misses`, the pose attraction left out."""
        return np.sqrt(self.missing(state) ** 2 @ self._laid_out(state).is_of_level)

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

    def restoring_step(self, state: WorldState, restored: BoolArray) -> Array:
        """The step that only completes some levels, (frames, levels), and leaves the others where they are.

        It may use any joint that somebody recruits: it undoes what others have done to a level.
        """
        trust, everywhere = np.full(state.frames, self.settings.largest_turn), np.ones(state.frames, dtype=bool)
        rows = self._rows(state)
        residual = rows.residual * restored[:, rows.layout.level_of_row]
        rows = replace(rows, residual=residual, recruited=None)
        locks = self._boundaries.unmeasured(state, self.column_scale)
        nowhere = self._no_attraction(state.frames)
        return self._inside_boundaries(_Evaluation(rows, locks, nowhere, trust, everywhere)).whole

    def _pull_of_pose(self, state: WorldState) -> Array:
        """(frames, columns) the way to the attracting pose, in pure numbers."""
        pose = self._attraction
        assert pose is not None
        return state.remembered(
            (self._memory_key, "pull"), lambda: pose.attraction(state, self.dofs) / self.column_scale
        )

    def _no_attraction(self, frames: int) -> Attraction:
        return Attraction(np.zeros((frames, self.dofs.count)), np.zeros(self.dofs.count, dtype=bool))

    # Evaluating ----------------------------------------------------------------------------------------------------

    def row_scale(self, task: Task) -> float:
        return float(np.sqrt(task.weight)) / (1.0 if task.is_angular else self.skeleton.size)

    def _evaluated(self, state: WorldState, trust: Array, gain: Array, suspected: BoolArray) -> _Evaluation:
        attraction = self._no_attraction(state.frames)
        if self._attraction:
            attraction = Attraction(self._pull_of_pose(state) * gain[:, None], self._attracted_columns)
        locks = self._boundaries.unmeasured(state, self.column_scale)
        return _Evaluation(self._rows(state), locks, attraction, trust, suspected)

    def _laid_out(self, state: WorldState) -> _Layout:
        """The layout of the rows; only their evaluation tells how many each task has."""
        if self._layout is None:
            counts = [task.error_once(state).shape[1] for task in self.tasks]
            ends = np.cumsum(counts, dtype=np.int64)
            task_of_row = np.repeat(np.arange(len(counts)), counts)
            level_of_row = self._level_of_task[task_of_row]
            row_scale = np.repeat([self.row_scale(task) for task in self.tasks], counts)
            recruited = np.zeros((len(task_of_row), self.dofs.count), dtype=bool)
            for position, columns in enumerate(self._recruited):
                recruited[task_of_row == position] = columns
            self._layout = _Layout(
                [slice(end - count, end) for end, count in zip(ends, counts, strict=True)],
                task_of_row,
                level_of_row,
                (level_of_row[:, None] == np.arange(self.levels)).astype(np.float64),
                row_scale,
                row_scale[:, None] * self.column_scale,
                None if recruited.all() else recruited,
            )
        return self._layout

    def missing(self, state: WorldState) -> Array:
        """(frames, rows) the errors of all tasks, in pure numbers; not to be written to."""

        def stacked() -> Array:
            errors = [np.zeros((state.frames, 0)), *(task.error_once(state) for task in self.tasks)]
            return np.concatenate(errors, axis=1) * self._laid_out(state).row_scale

        return state.remembered((self._memory_key, "missing"), stacked)

    def jacobian(self, state: WorldState) -> Array:
        """(frames, rows, columns) of all tasks, in pure numbers."""
        layout = self._laid_out(state)
        jacobian = np.empty((state.frames, *layout.scale.shape))
        for task, rows in zip(self.tasks, layout.rows, strict=True):
            np.multiply(task.jacobian(state, self.dofs), layout.scale[rows], out=jacobian[:, rows])
        return jacobian

    def _rows(self, state: WorldState) -> _Rows:
        layout, missing, jacobian = self._laid_out(state), self.missing(state), self.jacobian(state)
        residual = np.empty_like(missing)
        active = np.ones(missing.shape, dtype=bool)
        idle = None
        for task, rows in zip(self.tasks, layout.rows, strict=True):
            if isinstance(task, HalfSpaceTask):
                depth = task.depth(state)
                missing = missing.copy()  # others share it
                missing[:, rows] = depth * layout.row_scale[rows]
                residual[:, rows] = np.minimum(depth, self.goal_step.length)
                active[:, rows] = depth > 0.0
            else:
                residual[:, rows] = task.goal(state, self.goal_step)
            nowhere = task.idle(state)
            if nowhere is not None:
                idle = np.zeros(missing.shape) if idle is None else idle
                idle[:, rows] = nowhere
        residual *= layout.row_scale
        every = np.arange(state.frames)
        return _Rows(self, layout, state, every, jacobian, residual, missing, active, layout.recruited, idle)

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
            going = step.whole[pending]
            evaluation = replace(evaluation, locks=evaluation.locks.measured_for(going))
            met_rows, met_locks = evaluation.rows.met_by(going), evaluation.locks.met_by(going, BREACH)
            again = met_rows.any(axis=1) | met_locks.any(axis=1)
            if not again.any():
                break
            frames = np.flatnonzero(again)
            evaluation = evaluation.activated(met_rows, met_locks).at(frames)
            pending = pending[frames]
            step.put(pending, self._solved(evaluation))
        return step

    def _solved(self, evaluation: _Evaluation) -> Step:
        frames = len(evaluation.trust)
        levels = evaluation.rows.levels()
        if evaluation.locks.any_active:
            levels = Levels.of([evaluation.locks.level(), *levels])
        solution = prioritized_step(levels, evaluation.attraction, self._hint, evaluation.suspected, self._stiffest)
        unmet_level = solution.unmet_level - (len(levels) - self.levels)
        step = Step(solution.step, solution.attracted, np.ones(frames), unmet_level, solution.seems_out_of_reach)
        return step.within(evaluation.trust)
