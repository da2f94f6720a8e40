# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture solver: repeats the strict-priority step until a batch of frames is at rest.

Every frame has its own trust region. A step that would increase the error of a more important level is rejected and the
trust region reduced; a level that is already met may be off by the square of a step, which the next step corrects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..body.kinematics import WorldState, integrate
from ..body.motion import Motion, Pose
from ..body.skeleton import Skeleton
from ..core.arrays import Array, BoolArray, IntArray
from ..tasks import Task
from . import recruiting
from .problem import Problem, Step
from .settings import SolveSettings
from .unreachable import level_weights

TRANSIENT_CURVATURE = 1.0
"""A step of length s (radians, or sizes of the character) changes the error of a level that it should keep by about
s² / 2, by its curvature. Changes up to this many s², twice as much, are accepted."""

TRANSIENT_BOUND = 0.02
"""But never changes of more than this share of the character's size."""

RECRUITED_TRANSIENT = 1e-3
"""The same bound for a level that does not recruit every joint that moves it: it cannot always correct the change."""

BATCH = 200
"""Frames that are solved together. More would save nothing, and their arrays would leave the processor's caches and be
handed back to the system after every step."""

BLOCKED = 1e-4
"""Sizes of the character, or radians: a level with a larger error that rejects its steps is blocked."""

ROUNDING = 1e-12
"""Changes of a level's error below this (sizes of the character, or radians) count as none."""

NEARLY_MET = 10.0
"""Tolerances that a level's error may have where all further steps are too short to matter; the feasibility correction
at the end removes it."""

SMALLEST_GAIN = 0.02
"""The least share of the pose attraction that a step takes, however curved the levels are."""

CORRECTED_ERROR = 0.1
"""When the iterations have run out, levels with a smaller error than this (sizes of the character, or radians) are
corrected at the end; the others keep their error."""

CORRECTION_STEPS = 15
"""Newton steps of the feasibility correction at most; they converge quadratically."""


@dataclass(frozen=True, eq=False)
class Postures:
    """A solved batch of frames."""

    motion: Motion
    errors: tuple[Array, ...]
    """For each task, (frames, rows): the remaining error, in the skeleton's units or in radians."""
    iterations: IntArray
    """(frames,) the number of steps of each frame."""
    converged: BoolArray
    """(frames,) whether it is at rest."""


@dataclass(frozen=True, eq=False)
class Posture:
    """A solved posture."""

    pose: Pose
    errors: tuple[Array, ...]
    """For each task, (rows,): the remaining error, in the skeleton's units or in radians."""
    iterations: int
    """The number of steps."""
    converged: bool
    """Whether it is at rest (an unreachable target does not prevent that)."""
    history: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """(iterations + 1, tasks) the norm of each task's error before and after every step; empty unless recorded."""


Observer = Callable[[WorldState, IntArray], None]
"""Called before the first and after every step with the state of the frames that are not at rest and their indices."""


def solve_posture(
    skeleton: Skeleton,
    pose: Pose,
    tasks: Sequence[Task],
    iterations: int | None = None,
    settings: SolveSettings | None = None,
    record: bool = False,
) -> Posture:
    """Change one posture so that its tasks hold, the most important first.

    `record` keeps the error of every task over the iterations in `Posture.history`.
    """
    chosen = settings or SolveSettings()
    if iterations is not None:
        chosen = replace(chosen, iterations=iterations)
    history: list[list[float]] = []

    def remember(state: WorldState, _: IntArray) -> None:
        history.append([float(np.linalg.norm(task.error(state)[0])) for task in tasks])

    solved = solve_postures(skeleton, pose.motion, tasks, chosen, remember if record else None)
    return Posture(
        solved.motion.pose(0),
        tuple(error[0] for error in solved.errors),
        int(solved.iterations[0]),
        bool(solved.converged[0]),
        np.array(history),
    )


def solve_postures(
    skeleton: Skeleton,
    motion: Motion,
    tasks: Sequence[Task],
    settings: SolveSettings | None = None,
    observer: Observer | None = None,
) -> Postures:
    """Change every frame of a motion, independently of the others, so that its tasks hold.

    Targets are shared by all frames or given for each. Joints that no task recruits, and frames that already satisfy
    their tasks, come back bit for bit.
    """
    motion = motion.checked(skeleton)
    for task in tasks:
        task.check(skeleton, motion.frames)
    recruiting.warn(skeleton, tasks)
    return solve_checked(skeleton, motion, tasks, settings or SolveSettings(), observer)


def solve_checked(
    skeleton: Skeleton,
    motion: Motion,
    tasks: Sequence[Task],
    settings: SolveSettings,
    observer: Observer | None = None,
    moving: BoolArray | None = None,
) -> Postures:
    """`solve_postures` without its checks and warnings, for a motion and tasks that are known to fit the skeleton.

    `moving` (joints,) are the joints that may move; None: all that a task recruits.
    """
    problem = Problem(skeleton, tasks, settings, moving)
    if not problem.can_move:
        errors = tuple(task.error(WorldState.of(skeleton, motion)) for task in tasks)
        return Postures(motion, errors, np.zeros(motion.frames, dtype=np.int64), np.ones(motion.frames, dtype=bool))
    if motion.frames <= BATCH:
        return _solved_batch(problem, tasks, motion, 0, observer)
    parts = []
    for first in range(0, motion.frames, BATCH):
        frames = np.arange(first, min(first + BATCH, motion.frames))
        part = motion.at(frames)
        parts.append(_solved_batch(problem.at(frames), [task.at(frames) for task in tasks], part, first, observer))
    return _concatenated(parts)


def _solved_batch(
    problem: Problem, tasks: Sequence[Task], motion: Motion, first: int, observer: Observer | None
) -> Postures:
    """Solve one batch of frames; `first` is the index of its first frame in the whole motion."""
    watch = (lambda state, frames: observer(state, first + frames)) if observer else None
    descent = _descend(problem, motion, watch)
    final = _with_met_levels_corrected(problem, descent)
    return Postures(
        final.motion, tuple(task.cached_error(final) for task in tasks), descent.iterations, descent.converged
    )


def _concatenated(parts: Sequence[Postures]) -> Postures:
    """The batches as one."""
    return Postures(
        Motion(
            np.concatenate([part.motion.rotations for part in parts]),
            np.concatenate([part.motion.translations for part in parts]),
        ),
        tuple(np.concatenate(errors) for errors in zip(*(part.errors for part in parts), strict=True)),
        np.concatenate([part.iterations for part in parts]),
        np.concatenate([part.converged for part in parts]),
    )


@dataclass(frozen=True, eq=False)
class _Descent:
    """The result of the iteration."""

    world: WorldState
    iterations: IntArray
    """(frames,)"""
    converged: BoolArray
    """(frames,)"""
    unreachable_level: IntArray
    """(frames,) the first level that was unreachable at the end; the number of levels where none was."""


@dataclass(frozen=True, eq=False)
class _Iterate:
    """The frames that are not at rest, between two steps."""

    frames: IntArray
    """(open,) their indices in the batch."""
    problem: Problem
    state: WorldState
    errors: Array
    """(open, levels) the norms of the levels' errors."""
    trust: Array
    """(open,) radius of the trust region, in radians or sizes of the character."""
    gain: Array
    """(open,) the share of the pose attraction that the next step takes."""
    was_unreachable: BoolArray
    """(open,) where the previous step found a level unreachable."""
    length: Array
    """(open,) the largest component of the last accepted step, 0 before the first."""
    attracted: Array
    """(open, columns) the part of the last step that the attraction has added; zero where it was rejected."""
    attraction: Array
    """(open, columns) the projected attraction of the last step, before the gain."""

    @staticmethod
    def first(problem: Problem, motion: Motion) -> _Iterate:
        """Before the first step."""
        frames = motion.frames
        state = WorldState.of(problem.skeleton, problem.within_limits(motion))
        nothing = np.zeros((frames, problem.dofs.count))
        return _Iterate(
            np.arange(frames),
            problem,
            state,
            problem.level_errors(state),
            np.full(frames, problem.settings.largest_turn),
            np.ones(frames),
            np.zeros(frames, dtype=bool),
            np.zeros(frames),
            nothing,
            nothing,
        )

    def at(self, some: IntArray) -> _Iterate:
        """Some of these frames, by their positions among them."""
        return _Iterate(
            self.frames[some],
            self.problem.at(some),
            self.state.at(some),
            self.errors[some],
            self.trust[some],
            self.gain[some],
            self.was_unreachable[some],
            self.length[some],
            self.attracted[some],
            self.attraction[some],
        )


def _descend(problem: Problem, motion: Motion, observer: Observer | None) -> _Descent:
    """Step all frames until each is at rest or the iterations have run out."""
    local_rotations, translations = motion.rotations.copy(), motion.translations.copy()
    iterations = np.zeros(motion.frames, dtype=np.int64)
    converged = np.zeros(motion.frames, dtype=bool)
    unreachable_level = np.zeros(motion.frames, dtype=np.int64)

    current = _Iterate.first(problem, motion)
    if observer:
        observer(current.state, current.frames)
    for _ in range(problem.settings.iterations):
        if not current.frames.size:
            break
        current, step, accepted, at_rest = _stepped(current)
        iterations[current.frames] += 1
        unreachable_level[current.frames] = step.unreachable_level
        if observer:
            observer(current.state, current.frames)
        if at_rest.any():
            resting = current.frames[at_rest]
            converged[resting] = ~_is_blocked(current, accepted)[at_rest]
            local_rotations[resting] = current.state.motion.rotations[at_rest]
            translations[resting] = current.state.motion.translations[at_rest]
            if len(resting) == motion.frames:
                break  # all at once: their state is the result
            current = current.at(np.flatnonzero(~at_rest))
    state = current.state
    if state.frames < motion.frames:
        local_rotations[current.frames], translations[current.frames] = (
            state.motion.rotations,
            state.motion.translations,
        )
        state = WorldState.of(problem.skeleton, Motion(local_rotations, translations))
    return _Descent(state, iterations, converged, unreachable_level)


def _stepped(current: _Iterate) -> tuple[_Iterate, Step, BoolArray, BoolArray]:
    """One step of all open frames: the next iterate, the step, where it was accepted, and where frames are at rest."""
    problem, settings = current.problem, current.problem.settings
    step = problem.step(current.state, current.trust, current.gain, current.was_unreachable)
    trial = WorldState.of(
        problem.skeleton,
        problem.within_limits(integrate(current.state, problem.velocities(step.whole), problem.dofs)),
    )
    trial_errors = problem.level_errors(trial)
    length = np.abs(step.whole).max(axis=1)
    accepted, overshot = _accepted(current.errors, trial_errors, step.whole, step.unreachable_level, problem)
    trust = np.where(accepted, np.minimum(2.0 * current.trust, settings.largest_turn), current.trust)
    trust = np.where(~accepted & ~overshot, 0.25 * np.minimum(trust, length), trust)
    attraction = step.attracted / current.gain[:, None]
    gain = _secant_gain(current.attracted, current.attraction, attraction, current.gain)
    following = _Iterate(
        current.frames,
        problem,
        trial if accepted.all() else trial.where(accepted, current.state),
        np.where(accepted[:, None], trial_errors, current.errors),
        trust,
        np.where(overshot, 0.5 * current.gain, gain),
        step.seems_unreachable,
        np.where(accepted, length, current.length),
        step.attracted * (step.scale * accepted)[:, None],
        attraction,
    )
    return following, step, accepted, _is_at_rest(current, step, accepted, length, trial_errors)


def _is_at_rest(current: _Iterate, step: Step, accepted: BoolArray, length: Array, trial_errors: Array) -> BoolArray:
    """(open,) which frames are at rest after a step with the largest components `length` (open,)."""
    settings = current.problem.settings
    changes = np.abs(trial_errors - current.errors)
    unchanged = changes.max(axis=1) < settings.tolerance
    at_rest = (length < 100.0 * settings.tolerance) & (unchanged | ~accepted)
    remaining = np.where(step.scale == 1.0, _remaining_length(length, current.length), np.inf)
    nearly_met = max(NEARLY_MET * settings.tolerance, settings.feasibility_tolerance)
    stationary = (changes < settings.tolerance) | (trial_errors < nearly_met)
    stationary = accepted & stationary[:, : current.problem.levels].all(axis=1)
    at_rest |= stationary & (remaining < 100.0 * settings.tolerance)
    if (stationary & (remaining < settings.early_stop)).all():
        at_rest[:] = True
    # A level that seems unreachable for the first time has yet to take its second-order step.
    return np.asarray(at_rest & (current.was_unreachable | ~step.seems_unreachable))


def _is_blocked(current: _Iterate, accepted: BoolArray) -> BoolArray:
    """(open,) which frames rejected a step while a level has an error.

    Where tasks do not recruit every joint that moves them, others can block a level that has not converged.
    """
    problem = current.problem
    error = current.errors[:, : problem.levels].max(axis=1, initial=0.0)
    return np.asarray(~accepted & problem.is_selective.any() & (error > BLOCKED))


def _remaining_length(length: Array, before: Array) -> Array:
    """(frames,) the estimated sum of all further steps after one of the given length (frames,).

    The lengths are taken as a geometric series with the ratio to the step `before` (frames,); after a first step, where
    `before` is 0, the remainder is what the curvature of a step makes.
    """
    shrinking = length < before
    ratio = np.where(shrinking, length / np.where(shrinking, before, 1.0), 0.0)
    by_curvature = np.where(before == 0.0, 0.5 * length**2, np.inf)
    return np.where(shrinking, length * ratio / (1.0 - ratio), by_curvature)


def _secant_gain(step: Array, attraction_before: Array, attraction: Array, gain: Array) -> Array:
    """(frames,) the share of the pose attraction to take next (Barzilai and Borwein's step length).

    Along curved levels the projected attraction changes by more than the step. Where a step (frames, columns) has
    changed it from `attraction_before` to `attraction`, |step|² / step · (attraction_before - attraction) is the share
    that does not overshoot.
    """
    squared_length = np.einsum("fc,fc->f", step, step)
    change = np.einsum("fc,fc->f", step, attraction_before - attraction)
    secant = np.where(change > 0.0, squared_length / np.where(change > 0.0, change, 1.0), 1.0)
    # The change of the attraction says nothing about a step that is only rounding.
    return np.clip(np.where(squared_length > ROUNDING**2, secant, 1.25 * gain), SMALLEST_GAIN, 1.0)


def _accepted(
    before: Array, after: Array, step: Array, unreachable_level: IntArray, problem: Problem
) -> tuple[BoolArray, BoolArray]:
    """(frames,) whether the most important level whose error a step changes decreases; and whether a step is rejected
    only because the pose attraction increases.

    `before` and `after` (frames, levels) are the levels' errors, the most important first. From the first unreachable
    level on, the sum that its Newton step minimizes counts.
    """
    levels = before.shape[1]
    bounds = np.where(problem.is_selective, RECRUITED_TRANSIENT, TRANSIENT_BOUND)
    transient = np.minimum(TRANSIENT_CURVATURE * np.einsum("fc,fc->f", step, step)[:, None], bounds)
    before, after = _with_unreachable_merged((before, after), unreachable_level)
    # The error of the last level, which no other can disturb, must not grow at all.
    last = np.arange(levels) >= np.minimum(unreachable_level, levels - 1 if problem.has_attraction else levels)[:, None]
    worse = after > np.where(last, before, np.maximum(before, transient)) + ROUNDING
    better = after < before - ROUNDING
    first = np.argmax(worse | better, axis=1)
    accepted = ~worse[np.arange(len(first)), first]
    overshot = ~accepted & (first == levels - 1) & (unreachable_level == levels - 1) & problem.has_attraction
    return accepted, overshot


def _with_unreachable_merged(errors: tuple[Array, Array], unreachable_level: IntArray) -> tuple[Array, Array]:
    """Levels' errors (frames, levels) before and after a step, those from the unreachable level on replaced by the one
    sum that `unreachable_level_step` minimizes."""
    levels = errors[0].shape[1]
    below = np.arange(levels) - unreachable_level[:, None]
    frames = np.arange(len(below))
    error = errors[0][frames, np.minimum(unreachable_level, levels - 1)]
    weights = level_weights(error, levels)[frames[:, None], np.maximum(below, 0)] * (below >= 0)

    def merged(each: Array) -> Array:
        total = 0.5 * np.einsum("fl,fl->f", weights, each**2)
        return np.where(below < 0, each, np.where(below == 0, total[:, None], 0.0))

    return merged(errors[0]), merged(errors[1])


def _with_met_levels_corrected(problem: Problem, descent: _Descent) -> WorldState:
    """The state with the errors of levels that are nearly met reduced to zero; the others keep their errors."""
    state, converged = descent.world, descent.converged[:, None]
    bound = np.where(converged, TRANSIENT_BOUND, CORRECTED_ERROR)
    errors = problem.task_level_errors(state)
    met = (errors <= bound) & (~converged | (np.arange(problem.levels) < descent.unreachable_level[:, None]))
    met |= problem.is_selective[: problem.levels] & (errors <= 2.0 * RECRUITED_TRANSIENT)
    for _ in range(CORRECTION_STEPS):
        some = np.flatnonzero((met & (errors > problem.settings.feasibility_tolerance)).any(axis=1))
        if not some.size:
            break
        part = state.at(some)
        velocities = problem.velocities(problem.at(some).feasibility_step(part, met[some]))
        corrected = WorldState.of(problem.skeleton, problem.within_limits(integrate(part, velocities, problem.dofs)))
        state = state.with_frames(some, corrected)
        errors = problem.task_level_errors(state)
    return state
