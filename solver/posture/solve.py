# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture solver: repeats the strict-priority step until a batch of frames is at rest.

Every frame has its own trust regions. A step that would increase the error of a more important level is refused and a
trust region reduced; a level that is already met may be off by the square of a step, which the next step corrects.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..body.kinematics import WorldState
from ..body.motion import Motion, Pose
from ..body.skeleton import Skeleton
from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.progress import finished
from ..tasks import Task
from . import recruiting
from .problem import Course, Problem, Step
from .settings import SolveSettings
from .strict_priority import LOWER_LEVEL_WEIGHT, MET_TOLERANCE, SELECTIVE_TRANSIENT, level_weights

TRANSIENT_BOUND = 0.02
"""A step of length s (radians, or sizes of the character) changes the error of a level that it should keep by about
s² / 2, by its curvature. Changes up to s² are accepted, but none of more than this share of the character's size, or
`SELECTIVE_TRANSIENT`."""

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

REGAINED = 2.0
"""What is minimized below the strict levels may grow by this many times the error that a step removes from them."""

SHORT_DESCENT = 0.1
"""A descent below this share of the strict levels' step is not what makes it too long."""

STUCK = 0.8
"""The share of a level's error that a step has hardly reduced."""

MUCH = 0.5
"""The share below which a step has reduced a level's error by much, or was itself scaled down by much. An unreachable
level whose error a step reduces by much is taken for reachable again."""

CORRECTED_ERROR = 0.1
"""When the iterations have run out, levels with a smaller error than this (sizes of the character, or radians) are
corrected at the end; the others keep their error."""

CORRECTION_STEPS = 15
"""Newton steps of the feasibility correction at most; they converge quadratically."""

CORRECTION_PATIENCE = 3
"""At boundaries they need not converge, and may lead away: a frame's correction ends once this many steps in a row have
not reduced the error by `MUCH`, and the best of its postures is taken."""


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
    return finished(solving_checked(skeleton, motion, tasks, settings, observer, moving))


def solving_checked(
    skeleton: Skeleton,
    motion: Motion,
    tasks: Sequence[Task],
    settings: SolveSettings,
    observer: Observer | None = None,
    moving: BoolArray | None = None,
) -> Generator[None, None, Postures]:
    """As `solve_checked`, a generator that yields after every step; to cancel it, close it."""
    problem = Problem(skeleton, tasks, settings, moving)
    if not problem.can_move:
        errors = tuple(task.error(WorldState.of(skeleton, motion)) for task in tasks)
        return Postures(motion, errors, np.zeros(motion.frames, dtype=np.int64), np.ones(motion.frames, dtype=bool))
    if motion.frames <= BATCH:
        return (yield from _solved_batch(problem, tasks, motion, 0, observer))
    parts = []
    for first in range(0, motion.frames, BATCH):
        frames = np.arange(first, min(first + BATCH, motion.frames))
        part = motion.at(frames)
        own = [task.at(frames) for task in tasks]
        parts.append((yield from _solved_batch(problem.at(frames), own, part, first, observer)))
    return _concatenated(parts)


def _solved_batch(
    problem: Problem, tasks: Sequence[Task], motion: Motion, first: int, observer: Observer | None
) -> Generator[None, None, Postures]:
    """Solve one batch of frames; `first` is the index of its first frame in the whole motion."""
    watch = (lambda state, frames: observer(state, first + frames)) if observer else None
    descent = yield from _descended(problem, motion, watch)
    errors = tuple(task.cached_error(descent.world) for task in tasks)
    return Postures(descent.world.motion, errors, descent.iterations, descent.converged)


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
    strict: IntArray
    """(frames,) the number of strict levels at the end; the next one is unreachable."""

    def at(self, frames: IntArray) -> _Descent:
        """That of some of the frames."""
        return _Descent(self.world.at(frames), self.iterations[frames], self.converged[frames], self.strict[frames])

    def put(self, frames: IntArray, other: _Descent) -> _Descent:
        """This descent with that of some frames, (some,), replaced by another; all steps count."""
        self.iterations[frames] += other.iterations
        self.converged[frames], self.strict[frames] = other.converged, other.strict
        return replace(self, world=self.world.with_frames(frames, other.world))


@dataclass(frozen=True, eq=False)
class _Iterate:
    """The frames that are not at rest, between two steps."""

    frames: IntArray
    """(open,) their indices in the batch."""
    problem: Problem
    state: WorldState
    errors: Array
    """(open, levels) the norms of the levels' errors."""
    course: Course
    unreachable_level: IntArray
    """(open,) the first level that the previous step has left its error; the number of levels where it has none."""
    failures: IntArray
    """(open,) how often the strict levels' step has not reduced their largest error since it last did."""
    length: Array
    """(open,) the largest component of the last accepted step, 0 before the first."""

    @staticmethod
    def first(problem: Problem, motion: Motion) -> _Iterate:
        """Before the first step."""
        frames = motion.frames
        state = problem.start(motion)
        return _Iterate(
            np.arange(frames),
            problem,
            state,
            problem.level_errors(state),
            Course.first(problem, frames),
            np.full(frames, problem.levels),
            np.zeros(frames, dtype=np.int64),
            np.zeros(frames),
        )

    def at(self, some: IntArray) -> _Iterate:
        """Some of these frames, by their positions among them."""
        return _Iterate(
            self.frames[some],
            self.problem.at(some),
            self.state.at(some),
            self.errors[some],
            self.course.at(some),
            self.unreachable_level[some],
            self.failures[some],
            self.length[some],
        )


def _descended(problem: Problem, motion: Motion, observer: Observer | None = None) -> Generator[None, None, _Descent]:
    """The descent from a motion, corrected, and defended."""
    descent = yield from _descend(problem, motion, observer)
    descent = yield from _corrected(problem, descent)
    settings = problem.settings
    if not settings.restarts or (problem.is_smooth and not settings.thorough_restarts):
        return descent
    return (yield from _defended(problem, motion, descent))


def _defended(problem: Problem, motion: Motion, descent: _Descent) -> Generator[None, None, _Descent]:
    """The descent, repeated where it misses a level that is met without levels below it, or without the attraction.

    A lower level can lead the descent to where a more important one is stuck: at a boundary, or where the error of the
    more important one has a local minimum. Thorough restarts leave out the lowest level, and solve the rest in the same
    way, so that levels which are met without those below them are met beside them. The others leave out all levels
    below the first that is missed, once.
    """
    errors, scales = problem.task_level_errors(descent.world), problem.smallest_scales
    unmet = errors > MET_TOLERANCE * scales
    if not unmet.any():
        return descent
    lowest = problem.levels - (0 if problem.has_attraction else 1)
    missed = np.where(unmet.any(axis=1), np.argmax(unmet, axis=1), problem.levels)
    if problem.settings.thorough_restarts:
        return (yield from _restarted(problem, motion, descent, np.flatnonzero(missed < lowest), missed, lowest))
    for level in np.unique(missed[missed < lowest]):
        some = np.flatnonzero(missed == level)
        descent = yield from _restarted(problem, motion, descent, some, missed, int(level) + 1)
    return descent


def _restarted(
    problem: Problem, motion: Motion, descent: _Descent, frames: IntArray, missed: IntArray, count: int
) -> Generator[None, None, _Descent]:
    """The descent, repeated in those of the frames in which the first `count` levels alone come nearer to meeting the
    first level that it misses, given for all frames of the batch.

    Such a frame starts again from the posture of these levels, and ends there if a level is lost again that they meet.
    """
    if not frames.size:
        return descent
    above = problem.down_to(count - 1)
    count = above.levels  # without a pose or an objective at the bottom of them, which has no level of its own
    frames = frames[missed[frames] < count]
    if not frames.size or not above.can_move:
        return descent
    above = above.at(frames)
    alone = yield from _descend(above, motion.at(frames), None)
    alone = yield from _corrected(above, alone)
    if problem.settings.thorough_restarts:
        alone = yield from _defended(above, motion.at(frames), alone)
    possible, tolerance = above.task_level_errors(alone.world), MET_TOLERANCE * problem.smallest_scales[:count]
    first = missed[frames]
    error = problem.at(frames).task_level_errors(descent.world.at(frames))[np.arange(len(frames)), first]
    kept = (np.arange(count) <= first[:, None]) & np.isfinite(tolerance)
    better = np.flatnonzero(np.where(kept, possible, 0.0).max(axis=1) < MUCH * error)
    if not better.size:
        return descent
    frames, alone, possible, kept = frames[better], alone.at(better), possible[better], kept[better]
    part = problem.at(frames)
    again = yield from _descend(part, alone.world.motion, None)
    again = yield from _corrected(part, again)
    reached = part.task_level_errors(again.world)[:, :count]
    # All levels down to the first that these levels miss alone are to be kept.
    kept |= np.cumsum(possible > tolerance, axis=1) == 0
    lost = np.flatnonzero(((reached > np.maximum(possible, tolerance)) & kept).any(axis=1))
    return descent.put(frames, again).put(frames[lost], alone.at(lost))


def _descend(problem: Problem, motion: Motion, observer: Observer | None) -> Generator[None, None, _Descent]:
    """Step all frames until each is at rest or the iterations have run out."""
    local_rotations, translations = motion.rotations.copy(), motion.translations.copy()
    iterations = np.zeros(motion.frames, dtype=np.int64)
    converged = np.zeros(motion.frames, dtype=bool)
    strict = np.full(motion.frames, problem.levels)

    current = _Iterate.first(problem, motion)
    if observer:
        observer(current.state, current.frames)
    for _ in range(problem.settings.iterations):
        if not current.frames.size:
            break
        current, at_rest = _stepped(current)
        yield
        iterations[current.frames] += 1
        strict[current.frames] = current.course.strict
        if observer:
            observer(current.state, current.frames)
        if at_rest.any():
            resting = current.frames[at_rest]
            converged[resting] = True
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
    return _Descent(state, iterations, converged, strict)


def _stepped(current: _Iterate) -> tuple[_Iterate, BoolArray]:
    """One step of all open frames: the next iterate, and where frames are at rest."""
    problem, course = current.problem, current.course
    step = problem.step(current.state, course)
    solution = step.solution
    trial = problem.moved(current.state, step.whole)
    trial_errors = problem.level_errors(trial)
    length = np.abs(step.whole).max(axis=1)
    gains = _regained_objective(current, solution.multipliers, trial)
    accepted = _accepted(current.errors, trial_errors, step.whole, course.strict, problem, gains)
    by_descent = step.descent_length > SHORT_DESCENT * step.strict_length
    refused = ~accepted & ~solution.leaves_saddle
    failures = _failures(current, step, trial_errors, refused, by_descent)
    # A step that was scaled down says little about what a whole one would leave.
    is_short = step.strict_length < MUCH * np.abs(solution.strict_step).max(axis=1, initial=0.0)
    unreachable_level = np.where(is_short, problem.levels, solution.unreachable_level)
    strict = _strict_levels(current, unreachable_level, failures, accepted, trial_errors)
    kept = strict == course.strict
    at_rest = _is_at_rest(current, step, accepted, length, trial_errors) & kept & (unreachable_level >= course.strict)
    blocked = at_rest & _is_blocked(current, accepted)
    largest = problem.settings.largest_turn
    trusts = (np.minimum(np.where(accepted, 2.0, 1.0) * each, largest) for each in (course.trust, course.descent_trust))
    trust, descent_trust = (np.where(blocked, largest, each) for each in trusts)
    shrunk = refused & ~blocked
    following = _Iterate(
        current.frames,
        problem,
        trial if accepted.all() else trial.where(accepted, current.state),
        np.where(accepted[:, None], trial_errors, current.errors),
        Course(
            np.where(shrunk & ~by_descent, 0.25 * step.strict_length, trust),
            np.where(shrunk & by_descent, 0.25 * step.descent_length, descent_trust),
            strict,
            course.may_bend & ~solution.leaves_saddle,
            course.shared_only | blocked,
            solution.secants.after(step.whole, solution.gradient, accepted, kept),
        ),
        np.where(kept, unreachable_level, problem.levels),
        failures * kept,
        np.where(accepted, length, current.length),
    )
    return following, at_rest & ~blocked


def _largest_strict(current: _Iterate) -> IntArray:
    """(open,) the strict level with the largest error."""
    levels = current.problem.levels
    strict = np.arange(levels) < current.course.strict[:, None]
    return np.argmax(np.where(strict, current.errors[:, :levels], 0.0), axis=1)


def _failures(
    current: _Iterate, step: Step, trial_errors: Array, refused: BoolArray, by_descent: BoolArray
) -> IntArray:
    """(open,) `_Iterate.failures` after a step; those that a long descent may have caused do not count."""
    if not current.problem.levels:
        return current.failures
    frames, level = np.arange(len(refused)), _largest_strict(current)
    before, after = current.errors[frames, level], trial_errors[frames, level]
    expected = np.minimum(before, current.problem.settings.goal_length)
    if current.problem.is_selective.any():
        # Short steps are refused for the sake of other levels: they must only give what their own length would.
        whole = np.abs(step.solution.strict_step).max(axis=1, initial=0.0)
        expected = expected * np.where(refused, step.strict_length / np.maximum(whole, TINY), 1.0)
    reduced = before - after > (1.0 - MUCH) * expected
    failed = ~by_descent & (refused | (before > BLOCKED)) & ~reduced
    taken = ~refused & (step.strict_length < current.course.trust)
    return np.where(reduced & taken, 0, current.failures + failed)


def _strict_levels(
    current: _Iterate, unreachable_level: IntArray, failures: IntArray, accepted: BoolArray, trial_errors: Array
) -> IntArray:
    """(open,) the number of strict levels of the next step.

    A level is unreachable once two steps in a row have left its error and the second has hardly reduced it, since many
    targets seem unreachable for one step; or once its own step has failed twice, as happens at the edge of the reach.
    It is taken for reachable again when a step reduces its error quickly.
    """
    levels, strict = current.problem.levels, current.course.strict
    if not ((failures > 1) | (np.minimum(unreachable_level, strict) < levels)).any():
        return strict
    frames, level = np.arange(len(strict)), np.minimum(strict, levels - 1)
    reduced = accepted & (trial_errors[frames, level] < MUCH * current.errors[frames, level])
    largest = _largest_strict(current)
    failed = (failures > 1) & (current.errors[frames, largest] > BLOCKED)
    strict = np.where(failed, largest, np.where(reduced, levels, strict))
    left = np.minimum(unreachable_level, levels - 1)
    stuck = ~accepted | (trial_errors[frames, left] > STUCK * current.errors[frames, left])
    stuck &= np.maximum(unreachable_level, current.unreachable_level) < strict
    return np.where(stuck, unreachable_level, strict)


def _is_at_rest(current: _Iterate, step: Step, accepted: BoolArray, length: Array, trial_errors: Array) -> BoolArray:
    """(open,) which frames are at rest after a step with the largest components `length` (open,)."""
    settings, levels, strict = current.problem.settings, current.problem.levels, current.course.strict
    changes = np.abs(trial_errors - current.errors)
    short = 100.0 * settings.tolerance
    at_rest = (length < short) & (~accepted | (changes.max(axis=1) < settings.tolerance))
    relaxed = strict < levels
    remaining = np.where(step.is_short & ~relaxed, _remaining_length(length, current.length), np.inf)
    nearly_met = max(NEARLY_MET * settings.tolerance, settings.feasibility_tolerance)
    stationary = (changes < settings.tolerance) | (trial_errors < nearly_met)
    stationary = (stationary[:, :levels] | (np.arange(levels) >= strict[:, None])).all(axis=1)
    at_rest |= accepted & stationary & (remaining < short)
    if relaxed.any() and not current.problem.is_smooth:
        # At boundaries, descents that promise almost nothing need not become short.
        solution, error = step.solution, current.errors[np.arange(len(strict)), np.minimum(strict, levels - 1)]
        promised = np.einsum("fc,fc->f", solution.gradient, solution.descent_step)
        settled = promised < LOWER_LEVEL_WEIGHT * error * settings.tolerance
        at_rest |= relaxed & settled & stationary & ~solution.leaves_saddle
    return at_rest


def _is_blocked(current: _Iterate, accepted: BoolArray) -> BoolArray:
    """(open,) which frames rejected a step while a level has an error, and may still move columns that are not shared.

    Where tasks do not recruit every joint that moves them, a step need not decrease the sum that is minimized: joints
    then keep still that move a task which does not recruit them, so that the others come to rest.
    """
    problem = current.problem
    error = current.errors[:, : problem.levels].max(axis=1, initial=0.0)
    return ~accepted & problem.is_selective.any() & (error > BLOCKED) & ~current.course.shared_only


def _remaining_length(length: Array, before: Array) -> Array:
    """(frames,) the estimated sum of all further steps after one of the given length (frames,).

    The lengths are taken as a geometric series with the ratio to the step `before` (frames,); after a first step, where
    `before` is 0, the remainder is what the curvature of a step makes.
    """
    shrinking = length < before
    ratio = np.where(shrinking, length / np.where(shrinking, before, 1.0), 0.0)
    by_curvature = np.where(before == 0.0, 0.5 * length**2, np.inf)
    return np.where(shrinking, length * ratio / (1.0 - ratio), by_curvature)


def _regained_objective(current: _Iterate, multipliers: Array | None, trial: WorldState) -> tuple[Array, Array] | None:
    """(open,) before and after a step: by how much what is minimized would shrink if the strict levels were met, to
    first order; None where there is no objective."""
    if multipliers is None:
        return None
    rows = (current.problem.row_errors(state) for state in (current.state, trial))
    before, after = (np.einsum("fr,fr->f", multipliers, each) for each in rows)
    return before, after


def _accepted(
    before: Array,
    after: Array,
    step: Array,
    strict: IntArray,
    problem: Problem,
    gains: tuple[Array, Array] | None = None,
) -> BoolArray:
    """(frames,) whether the most important level whose error a step changes decreases.

    `before` and `after` (frames, levels) are the levels' errors, the most important first. After the strict levels,
    whose number is `strict` (frames,), the sum that is minimized counts. An objective counts with its `gains`, as it
    would be with all strict levels met: otherwise steps along levels that curve would be refused for the little that
    they leave them by.
    """
    levels = before.shape[1]
    bounds = np.where(problem.is_selective, SELECTIVE_TRANSIENT, TRANSIENT_BOUND)
    transient = np.minimum(np.einsum("fc,fc->f", step, step)[:, None], bounds)
    force = np.ones(len(before))
    if (strict < problem.levels).any():
        before, after, force = _with_relaxed_merged((before, after), strict)
    if gains is not None:
        before, after = (_with_gain(each, gain, strict) for each, gain in zip((before, after), gains, strict=True))
        force = np.zeros(len(before))
    # What is minimized below the strict levels, which no other level can disturb, may only grow by what they regain.
    last = np.arange(levels) >= np.minimum(strict, levels - 1 if problem.has_attraction else levels)[:, None]
    regained = np.where(last, 0.0, np.maximum(before - after, 0.0)).sum(axis=1)
    allowed = np.where(last, before + (REGAINED * force * regained)[:, None], np.maximum(before, transient))
    worse = after > allowed + ROUNDING
    better = (after < before - ROUNDING) & (last | (before > transient))
    first = np.argmax(worse | better, axis=1)
    return np.asarray(~worse[np.arange(len(first)), first])


def _with_gain(errors: Array, gain: Array, strict: IntArray) -> Array:
    """Levels' errors (frames, levels), in which what is minimized is smaller by a gain (frames,).

    The level after the strict ones holds the sum that is minimized, the last one the root of twice that sum.
    """
    frames, levels = np.arange(len(errors)), errors.shape[1]
    value = errors[frames, strict]
    corrected = errors.copy()
    root = np.sqrt(np.maximum(value**2 - 2.0 * gain, 0.0))
    corrected[frames, strict] = np.where(strict < levels - 1, value - gain, root)
    return corrected


def _with_relaxed_merged(errors: tuple[Array, Array], strict: IntArray) -> tuple[Array, Array, Array]:
    """Levels' errors (frames, levels) before and after a step, those that are not strict replaced by the one sum that
    is minimized; and (frames,) by how much that may change for each unit of the others' errors."""
    levels = errors[0].shape[1]
    depths = np.arange(levels) - strict[:, None]
    error = errors[0][np.arange(len(depths)), np.minimum(strict, levels - 1)]
    weights = level_weights(error, depths)

    def merged(each: Array) -> Array:
        total = 0.5 * np.einsum("fl,fl->f", weights, each**2)
        return np.where(depths < 0, each, np.where(depths == 0, total[:, None], 0.0))

    return merged(errors[0]), merged(errors[1]), np.where(strict < levels, error, 1.0)


def _corrected(problem: Problem, descent: _Descent) -> Generator[None, None, _Descent]:
    """The descent with the errors of levels that are nearly met reduced to zero; the others keep their errors."""
    state, converged = descent.world, descent.converged[:, None]
    bound = np.where(converged, TRANSIENT_BOUND, CORRECTED_ERROR)
    errors = problem.task_level_errors(state)
    strict = np.arange(problem.levels) < descent.strict[:, None]
    met = (errors <= bound) & (~converged | strict)
    # What a level does not recruit may restore it, but not bring it nearer to a target that is out of its reach.
    met &= ~problem.is_selective[: problem.levels] | (strict & (errors <= 2.0 * SELECTIVE_TRANSIENT))
    judged, best, best_errors = met.copy(), state, errors
    patience = np.full(state.frames, CORRECTION_PATIENCE)
    for _ in range(CORRECTION_STEPS):
        open_levels = met & (errors > problem.settings.feasibility_tolerance)
        some = np.flatnonzero(open_levels.any(axis=1) & (patience > 0))
        if not some.size:
            break
        part = state.at(some)
        step = problem.at(some).feasibility_step(part, met[some])
        met[some] &= np.arange(problem.levels) < step.solution.unreachable_level[:, None]
        state = state.with_frames(some, problem.moved(part, step.whole))
        errors = problem.task_level_errors(state)
        ratio = _first_change(best_errors * judged, errors * judged, problem.settings.feasibility_tolerance)
        patience = np.where(ratio < MUCH, CORRECTION_PATIENCE, patience - 1)
        better = ratio < 1.0
        best = state if better.all() else state.where(better, best)
        best_errors = np.where(better[:, None], errors, best_errors)
        yield
    return replace(descent, world=best)


def _first_change(before: Array, after: Array, tolerance: float) -> Array:
    """(frames,) the share that is left of the error of the most important level whose error changes by more than a
    tolerance; 1 where none does. Errors are (frames, levels)."""
    changed = np.abs(after - before) > tolerance
    first = np.argmax(changed, axis=1)[:, None]
    own_before, own_after = (np.take_along_axis(each, first, axis=1)[:, 0] for each in (before, after))
    return np.where(changed.any(axis=1), own_after / np.maximum(own_before, TINY), 1.0)
