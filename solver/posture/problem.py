# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks of a skeleton as a linear problem: levels of scaled rows over the columns of recruited joints.

Rows are scaled to pure numbers (lengths by the character's size, all by the square root of their weight), columns by
the square root of the joint's stiffness (translations by the size), so that nothing depends on units.

Inequalities (joint limits, and tasks such as half-spaces) are handled by an active set: where a step would violate one,
its row is activated with a residual that leads exactly to the boundary, and the step is solved again for the frames
concerned.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState, integrate
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.row_space import times
from ..tasks import GoalStep, PoseTask, Task
from .active_set import ActiveSet, LimitBoundaries
from .levels import Attraction, PriorityLevels
from .objective_descent import OBJECTIVE_PAIRS
from .secants import PAIRS, Secants
from .settings import SolveSettings
from .strict_priority import Solution, prioritized_step

ACTIVATION_ROUNDS = 8
"""How often a step is solved again because it violates another inequality; further ones wait for the next iteration."""

STILL = 1e-11
"""Sizes of the character, or radians, by which a task moves for each radian of a joint: less is the rounding of places
in the world. Such a row would else turn joints that do not move its task, by whatever the rounding of its error is."""

VIOLATION_TOLERANCE = 1e-9
"""Sizes of the character, or radians, by which a step may pass a boundary without activating it."""


@dataclass(frozen=True, eq=False)
class _Layout:
    """Which rows belong to which task and level: the same in all frames and steps."""

    rows: list[slice]
    """The rows of each task."""
    task_of_row: IntArray
    """(rows,)"""
    level_of_row: IntArray
    """(rows,)"""
    is_of_task: Array
    """(rows, tasks) 1 where a row belongs to a task, 0 elsewhere."""
    is_of_level: Array
    """(rows, levels) 1 where a row belongs to a level, 0 elsewhere."""
    longest: Array
    """(tasks,) the distance of intermediate goals, in pure numbers."""
    special: list[int]
    """The tasks that are inequalities, or have goals or null rows of their own."""
    row_scale: Array
    """(rows,)"""
    scale: Array
    """(rows, columns) the product of row and column scales."""
    recruited: BoolArray | None
    """(rows, columns) which columns may move for each row; None where all may for all."""
    still_squares: Array
    """(rows,) the squared length of a row, in pure numbers, below which no joint moves its task."""

    def shortened(self, errors: Array) -> Array:
        """Errors (frames, rows) to intermediate goals, given those to the targets."""
        squares = errors**2 @ self.is_of_task
        too_long = squares > self.longest**2
        if not too_long.any():
            return errors.copy() if self.special else errors
        factors = np.where(too_long, self.longest / np.sqrt(np.where(too_long, squares, 1.0)), 1.0)
        return np.asarray(errors * factors[:, self.task_of_row])


@dataclass(frozen=True, eq=False)
class _Evaluation:
    """The linear problem of one step in a batch of frames."""

    levels: PriorityLevels
    """The goal error of an inequality leads to its boundary, and is negative while it is satisfied."""
    active: BoolArray | None
    """(frames, rows) false for inequalities that are satisfied; None where there are none."""
    limits: ActiveSet
    attraction: Attraction
    course: Course

    def at(self, frames: IntArray) -> _Evaluation:
        return _Evaluation(
            self.levels.at(frames),
            None if self.active is None else self.active[frames],
            self.limits.at(frames),
            self.attraction.at(frames),
            self.course.at(frames),
        )

    def violated_by(self, step: Array) -> BoolArray:
        """(frames, rows) the inactive inequalities that a step would violate."""
        levels = self.levels
        if self.active is None:
            return np.zeros(levels.goal_error.shape, dtype=bool)
        return ~self.active & (levels.goal_error - times(levels.jacobian, step) > VIOLATION_TOLERANCE)

    def activated(self, rows: BoolArray, limits: BoolArray) -> _Evaluation:
        active = None if self.active is None else self.active | rows
        return replace(self, active=active, limits=self.limits.activated(limits))

    def active_levels(self) -> PriorityLevels:
        """The rows, zero in the frames in which they are not active, below the active limits."""
        levels = self.levels if self.active is None or self.active.all() else self.levels.masked(self.active)
        return levels.below(*self.limits.rows()) if self.limits.any_active else levels


@dataclass(frozen=True, eq=False)
class Course:
    """What the steps of a batch of frames so far say about the next one."""

    trust: Array
    """(frames,) radius of the trust region of the strict levels, in radians or sizes of the character."""
    descent_trust: Array
    """(frames,) that of the descent in their null space."""
    strict: IntArray
    """(frames,) the number of levels that are strict; the next one is unreachable."""
    may_bend: BoolArray
    """(frames,) where no step has tried to leave a saddle yet."""
    shared_only: BoolArray
    """(frames,) where only columns move that every task which they move recruits."""
    secants: Secants

    @staticmethod
    def first(problem: Problem, frames: int) -> Course:
        """Before the first step."""
        return Course(
            np.full(frames, problem.settings.largest_turn),
            np.full(frames, problem.settings.largest_turn),
            np.full(frames, problem.levels),
            np.ones(frames, dtype=bool),
            np.zeros(frames, dtype=bool),
            Secants.none(frames, problem.dofs.count, OBJECTIVE_PAIRS if problem.has_objective else PAIRS),
        )

    def at(self, frames: IntArray) -> Course:
        """That of some of the frames."""
        return Course(
            self.trust[frames],
            self.descent_trust[frames],
            self.strict[frames],
            self.may_bend[frames],
            self.shared_only[frames],
            self.secants.at(frames),
        )


@dataclass(frozen=True, eq=False)
class Step:
    """A step of a batch of frames, in pure numbers."""

    whole: Array
    """(frames, columns) the step."""
    strict_length: Array
    """(frames,) the largest component of the strict levels' part, in radians or sizes of the character."""
    descent_length: Array
    """(frames,) that of the descent in their null space."""
    is_short: BoolArray
    """(frames,) where neither part was scaled down to its trust region."""
    solution: Solution
    """Before it was scaled down."""

    def put(self, frames: IntArray, other: Step) -> None:
        """Write the steps of some frames, (some,), over these."""
        self.whole[frames], self.is_short[frames] = other.whole, other.is_short
        self.strict_length[frames], self.descent_length[frames] = other.strict_length, other.descent_length
        self.solution.put(frames, other.solution)


def _smallest_scale(level: Sequence[Task]) -> float:
    """The root of the least weight of the tasks of a level."""
    return float(np.sqrt(min(task.weight for task in level)))


class Problem:
    """The tasks of a batch of frames on a skeleton: evaluates their rows and computes steps."""

    def __init__(
        self, skeleton: Skeleton, tasks: Sequence[Task], settings: SolveSettings, moving: BoolArray | None = None
    ) -> None:
        """Compile tasks on a skeleton; `moving` (joints,) are the joints that may move, None for all recruited ones."""
        self.skeleton = skeleton
        self.settings = settings
        recruited = np.zeros(len(skeleton), dtype=bool) if moving is None else moving
        if moving is None:
            for task in tasks:
                recruited |= task.recruited(skeleton)
        self.dofs = Dofs(skeleton.kinds, recruited)
        self._boundaries = LimitBoundaries(skeleton, self.dofs)
        self.goal_step = GoalStep(settings.goal_length * skeleton.size, settings.goal_angle)
        self.column_scale = self.dofs.spread(1.0 / np.sqrt(skeleton.stiffness))
        self.column_scale[self.dofs.translation_columns] *= skeleton.size
        self._largest_stiffness = float(skeleton.stiffness[recruited].max(initial=1.0))
        # Any fixed direction that is no symmetry axis of a straight body.
        self._bend_hint = np.sin(1.0 + np.arange(self.dofs.count))

        priorities = sorted({task.priority for task in tasks}, reverse=True)
        levels = [[task for task in tasks if task.priority == priority] for priority in priorities]
        self._attraction: Task | None = None
        # A pose that is alone at the bottom needs no rows of its own: each of its rows has one column. Nor does an
        # objective, of which no level is below.
        if levels and len(levels[-1]) == 1 and (isinstance(levels[-1][0], PoseTask) or levels[-1][0].is_objective):
            (self._attraction,) = levels.pop()
            self._attracted_columns = _attracted_columns(self._attraction, skeleton, self.dofs)
            self._attraction_scale = self._attracted_columns / self.column_scale
        self.tasks = [task for level in levels for task in level]
        """The tasks that have rows, the most important first."""
        self.levels = len(levels)
        """The number of levels without the pose attraction."""
        self._level_of_task = np.repeat(np.arange(self.levels), [len(level) for level in levels])
        self._recruited = [self._recruited_columns(task) for task in self.tasks]
        self._shared_columns = np.ones(self.dofs.count, dtype=bool)
        for task in self.tasks:
            self._shared_columns &= ~self._withheld_columns(task)
        self.is_selective = np.zeros(self.levels + self.has_attraction, dtype=bool)
        """(levels,) which levels of `level_errors` have tasks that do not recruit every joint that moves them."""
        self.is_selective[self._level_of_task[[not columns.all() for columns in self._recruited]]] = True
        self.smallest_scales = np.array(
            [np.inf if any(task.is_objective for task in level) else _smallest_scale(level) for level in levels]
        )
        """(levels,) what an error is multiplied by in `task_level_errors`, of the task with the least weight; infinite
        for levels with an objective, which is made small but never met."""
        self._layout: _Layout | None = None
        self._memory_key = object()

    @property
    def is_smooth(self) -> bool:
        """Whether no boundary and no recruiting makes steps end abruptly."""
        return not (self._boundaries or self.is_selective.any() or any(task.is_inequality for task in self.tasks))

    def down_to(self, level: int) -> Problem:
        """The problem without the tasks below a level and without the attraction."""
        above = [task for task, own in zip(self.tasks, self._level_of_task, strict=True) if own <= level]
        return Problem(self.skeleton, above, self.settings)

    @property
    def can_move(self) -> bool:
        """Whether any recruited joint has degrees of freedom."""
        return self.dofs.count > 0

    def at(self, frames: IntArray) -> Problem:
        """The problem of some of its frames."""
        some = copy.copy(self)
        some.tasks = [task.at(frames) for task in self.tasks]
        some._attraction = self._attraction.at(frames) if self._attraction else None
        return some

    def velocities(self, step: Array) -> Array:
        """A step in the solver's pure numbers as velocities in the coordinates of `dofs`."""
        return step * self.column_scale

    def start(self, motion: Motion) -> WorldState:
        """The state of a motion, with every moving joint clamped to its limits."""
        return WorldState.of(self.skeleton, self._boundaries.clamped(motion))

    def moved(self, state: WorldState, step: Array) -> WorldState:
        """The state after a step in the solver's pure numbers (frames, columns), within all limits."""
        return self.start(integrate(state, self.velocities(step), self.dofs))

    def level_errors(self, state: WorldState) -> Array:
        """(frames, levels) the norm of each level's error, in sizes of the character or radians.

        Where there is an attraction, to a pose or of an objective, it is the last level.
        """
        errors = self.task_level_errors(state)
        if not self._attraction:
            return errors
        if isinstance(self._attraction, PoseTask):
            pull = self._pose_attraction(self._attraction, state)
        else:
            pull = self._attraction.cached_error(state) * self.row_scale(self._attraction)
        return np.concatenate([errors, np.sqrt(np.einsum("fc,fc->f", pull, pull))[:, None]], axis=1)

    def task_level_errors(self, state: WorldState) -> Array:
        """(frames, levels) as `level_errors`, without the attraction."""
        return np.sqrt(self.row_errors(state) ** 2 @ self._laid_out(state).is_of_level)

    @property
    def has_attraction(self) -> bool:
        """Whether the last of the level errors is that of an attraction."""
        return self._attraction is not None

    @property
    def has_objective(self) -> bool:
        """Whether the attraction is that of an objective, not to a pose."""
        return self._attraction is not None and not isinstance(self._attraction, PoseTask)

    def step(self, state: WorldState, course: Course) -> Step:
        """The next step; no component exceeds its frame's trust radius."""
        attraction = self._attracting(state)
        levels, active = self._rows(state)
        if course.shared_only.any():
            moving = ~course.shared_only[:, None] | self._shared_columns
            levels = replace(levels, jacobian=levels.jacobian * moving[:, None])
            attraction = attraction.within(moving)
        limits = self._boundaries.unmeasured(state, self.column_scale)
        return self._solved_with_inequalities(_Evaluation(levels, active, limits, attraction, course))

    def feasibility_step(self, state: WorldState, chosen: BoolArray) -> Step:
        """The step that meets the chosen levels, (frames, levels), and keeps the errors of others.

        A level may use all recruited joints, since the errors come from joints that other levels recruit.
        """
        levels, active = self._rows(state)
        goal_error = levels.goal_error * chosen[:, levels.level_of_row]
        levels = replace(levels, goal_error=goal_error, recruited=None)
        limits = self._boundaries.unmeasured(state, self.column_scale)
        attraction, course = self._no_attraction(state.frames), Course.first(self, state.frames)
        return self._solved_with_inequalities(_Evaluation(levels, active, limits, attraction, course))

    def _attracting(self, state: WorldState) -> Attraction:
        """The attraction in the frames of a state, in pure numbers."""
        if self._attraction is None:
            return self._no_attraction(state.frames)
        if isinstance(self._attraction, PoseTask):
            return Attraction(self._pose_attraction(self._attraction, state), self._attracted_columns)
        velocity, curvature = self._attraction.quadratic_model(state, self.dofs)
        scale = self.row_scale(self._attraction) * self._attracted_columns * self.column_scale
        velocity = velocity * (self.row_scale(self._attraction) * scale)
        return Attraction(velocity, self._attracted_columns, curvature * np.outer(scale, scale))

    def _pose_attraction(self, pose: PoseTask, state: WorldState) -> Array:
        """(frames, columns) the step to the attracting pose, in pure numbers."""
        return state.cached(
            (self._memory_key, "attraction"), lambda: pose.velocity(state, self.dofs) * self._attraction_scale
        )

    def _no_attraction(self, frames: int) -> Attraction:
        return Attraction(np.zeros((frames, self.dofs.count)), np.zeros(self.dofs.count, dtype=bool))

    # Evaluating ----------------------------------------------------------------------------------------------------

    def row_scale(self, task: Task) -> float:
        """The factor that makes a task's rows pure numbers."""
        return float(np.sqrt(task.weight)) / (1.0 if task.is_angular else self.skeleton.size)

    def _laid_out(self, state: WorldState) -> _Layout:
        """The layout of the rows; a task's number of rows is known from its first error."""
        if self._layout is None:
            counts = [task.cached_error(state).shape[1] for task in self.tasks]
            ends = np.cumsum(counts, dtype=np.int64)
            rows = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
            task_of_row = np.repeat(np.arange(len(counts)), counts)
            level_of_row = self._level_of_task[task_of_row]
            row_scale = np.array([self.row_scale(task) for task in self.tasks])
            goal_step = [self.goal_step.angle if task.is_angular else self.goal_step.length for task in self.tasks]
            recruited = np.zeros((len(task_of_row), self.dofs.count), dtype=bool)
            for own_rows, columns in zip(rows, self._recruited, strict=True):
                recruited[own_rows] = columns
            self._layout = _Layout(
                rows,
                task_of_row,
                level_of_row,
                (task_of_row[:, None] == np.arange(len(counts))).astype(np.float64),
                (level_of_row[:, None] == np.arange(self.levels)).astype(np.float64),
                np.array(goal_step) * row_scale,
                [position for position, task in enumerate(self.tasks) if task.is_special],
                row_scale[task_of_row],
                row_scale[task_of_row, None] * self.column_scale,
                None if recruited.all() else recruited,
                STILL**2 * np.array([task.weight for task in self.tasks])[task_of_row],
            )
        return self._layout

    def row_errors(self, state: WorldState) -> Array:
        """(frames, rows) the errors of all tasks, in pure numbers; not to be written to."""

        def stacked() -> Array:
            errors = [np.zeros((state.frames, 0)), *(task.cached_error(state) for task in self.tasks)]
            return np.concatenate(errors, axis=1) * self._laid_out(state).row_scale

        return state.cached((self._memory_key, "errors"), stacked)

    def jacobian(self, state: WorldState) -> Array:
        """(frames, rows, columns) of all tasks, in pure numbers."""
        layout = self._laid_out(state)
        jacobian = np.empty((state.frames, *layout.scale.shape))
        for task, rows in zip(self.tasks, layout.rows, strict=True):
            np.multiply(task.jacobian(state, self.dofs), layout.scale[rows], out=jacobian[:, rows])
        still = np.einsum("frc,frc->fr", jacobian, jacobian) < layout.still_squares
        if still.any():
            jacobian[still] = 0.0
        return jacobian

    def _rows(self, state: WorldState) -> tuple[PriorityLevels, BoolArray | None]:
        """The rows of all levels, and which of them are active, (frames, rows); None where all are."""
        layout, target_error, jacobian = self._laid_out(state), self.row_errors(state), self.jacobian(state)
        goal_error = layout.shortened(target_error)
        active = null_rows = None
        for task, rows in ((self.tasks[position], layout.rows[position]) for position in layout.special):
            if task.is_inequality:
                depth = task.depth(state) * layout.row_scale[rows]
                if active is None:
                    target_error, active = target_error.copy(), np.ones(target_error.shape, dtype=bool)
                target_error[:, rows] = depth
                goal_error[:, rows] = np.minimum(depth, layout.longest[layout.task_of_row[rows]])
                active[:, rows] = depth > 0.0
            else:
                goal_error[:, rows] = task.goal(state, self.goal_step) * layout.row_scale[rows]
            own_null_rows = task.null_rows(state)
            if own_null_rows is not None:
                null_rows = np.zeros(target_error.shape) if null_rows is None else null_rows
                null_rows[:, rows] = own_null_rows
        levels = PriorityLevels(
            self.levels,
            jacobian,
            goal_error,
            target_error,
            layout.level_of_row,
            layout.task_of_row,
            layout.recruited,
            null_rows,
        )
        return levels, active

    def _recruited_columns(self, task: Task) -> BoolArray:
        """(columns,) the columns that may move for a task: all where it recruits every joint that moves it, with those
        that compensate for the levels above."""
        withheld = self._withheld_columns(task)
        return self.dofs.spread(task.recruited(self.skeleton)) if withheld.any() else ~withheld

    def _withheld_columns(self, task: Task) -> BoolArray:
        """(columns,) the columns that move a task which does not recruit them."""
        return self.dofs.spread(task.influencing_joints(self.skeleton) & ~task.recruited(self.skeleton))

    # Solving -------------------------------------------------------------------------------------------------------

    def _solved_with_inequalities(self, evaluation: _Evaluation) -> Step:
        """Solve, activate the inequalities that the step violates, and solve again the frames that have any."""
        step = self._solved(evaluation)
        pending = np.arange(len(step.whole))
        for _ in range(ACTIVATION_ROUNDS if self._boundaries or evaluation.active is not None else 0):
            taken = step.whole[pending]
            evaluation = replace(evaluation, limits=evaluation.limits.measured_for(taken))
            rows = evaluation.violated_by(taken)
            limits = evaluation.limits.violated_by(taken, VIOLATION_TOLERANCE)
            frames = np.flatnonzero(rows.any(axis=1) | limits.any(axis=1))
            if not frames.size:
                break
            evaluation = evaluation.activated(rows, limits).at(frames)
            pending = pending[frames]
            step.put(pending, self._solved(evaluation))
        return step

    def _solved(self, evaluation: _Evaluation) -> Step:
        """The step, each part scaled down until no component exceeds its trust radius."""
        course = evaluation.course
        solution = prioritized_step(
            evaluation.active_levels(),
            evaluation.attraction,
            course.strict,
            course.secants,
            self._bend_hint,
            course.may_bend,
            self._largest_stiffness,
            course.descent_trust,
        )
        strict, strict_length, whole_strict = _within(solution.strict_step, course.trust)
        descent, descent_length, whole_descent = _within(solution.descent_step, course.descent_trust)
        return Step(strict + descent, strict_length, descent_length, whole_strict & whole_descent, solution)


def _attracted_columns(task: Task, skeleton: Skeleton, dofs: Dofs) -> BoolArray:
    """(columns,) the columns that a task at the bottom attracts."""
    if isinstance(task, PoseTask):
        return task.attracted_columns(skeleton, dofs)
    return dofs.spread(task.recruited(skeleton))


def _within(step: Array, trust: Array) -> tuple[Array, Array, BoolArray]:
    """A step (frames, columns) scaled down until no component exceeds the trust radius (frames,); its largest
    component, (frames,); and where it was short enough before."""
    length = np.abs(step).max(axis=1, initial=0.0)
    is_short = length <= trust
    if is_short.all():
        return step, length, is_short
    return (
        step * np.where(is_short, 1.0, trust / np.maximum(length, TINY))[:, None],
        np.minimum(length, trust),
        is_short,
    )
