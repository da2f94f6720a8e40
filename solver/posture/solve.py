# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving postures: repeat the strict-priority step until nothing moves any more, a batch of frames at a time.

Every frame has its own trust region. A step that would make a more important level worse is not taken but shortened;
a level that is already met may be off by the square of a step for a moment, which the next step repairs.
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
from .problem import Problem
from .settings import SolveSettings
from .unreachable import shares

TRANSIENT_CURVATURE = 1.0
"""A step of length s (radians, or sizes of the character) bends a level that it should leave alone by about s² / 2;
this many s², twice as much, are let pass."""

TRANSIENT_BOUND = 0.02
"""But never by more than this share of the character's size, lest the important be lost from sight."""

RECRUITED_TRANSIENT = 1e-3
"""A level that may not move all that moves it cannot always repair itself: it is bent by no more than this."""

BATCH = 200
"""Frames that are solved together. More would save nothing, and their arrays would leave the processor's caches and be
handed back to the system after every step."""

BLOCKED = 1e-4
"""Sizes of the character, or radians, by which a level must miss to be called blocked."""

ROUNDING = 1e-12
"""Changes of a level's error below this (sizes of the character, or radians) are none."""

NEARLY_MET = 10.0
"""Tolerances that a level may miss where all steps to come are too short to matter; it is put right at the end."""

SMALLEST_GAIN = 0.02
"""Of the way to the attracting pose at least this share is taken, however much the levels bend it."""

RESTORED_MISS = 0.1
"""When the iterations have run out, a level that misses by less than this (sizes of the character, or radians) was met
or about to be: it is put right, and the others stay where they are."""

RESTORING_STEPS = 15
"""Newton steps for that at most; they converge quadratically."""


@dataclass(frozen=True, eq=False)
class Postures:
    """A solved batch of frames."""

    motion: Motion
    errors: tuple[Array, ...]
    """For each task, (frames, rows): what is still missing, in the skeleton's units or in radians."""
    iterations: IntArray
    """(frames,) how many steps each frame took."""
    converged: BoolArray
    """(frames,) whether it has come to rest."""


@dataclass(frozen=True, eq=False)
class Posture:
    """A solved posture."""

    pose: Pose
    errors: tuple[Array, ...]
    """For each task, (rows,): what is still missing, in the skeleton's units or in radians."""
    iterations: int
    """How many steps it took."""
    converged: bool
    """Whether it has come to rest (an unreachable target does not prevent that)."""
    history: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """(iterations + 1, tasks) length of each task's error before and after every step, if it was asked for."""


Observer = Callable[[WorldState, IntArray], None]
"""Called before the first and after every step with the state of the open frames and their indices."""


def solve_posture(
    skeleton: Skeleton,
    pose: Pose,
    tasks: Sequence[Task],
    iterations: int | None = None,
    settings: SolveSettings | None = None,
    record: bool = False,
) -> Posture:
    """Move one posture so that its tasks hold, the most important first.

    `record` keeps the error of every task over the iterations.
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
    """Move every frame of a motion, each by itself and all together, so that its tasks hold.

    Targets are shared by all frames or given for each. Frames and joints that no task asks to move come back bit for
    bit.
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
) -> Postures:
    """`solve_postures` for a motion and tasks that are known to fit the skeleton; it does not warn."""
    problem = Problem(skeleton, tasks, settings)
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
    return _joined(parts)


def _solved_batch(
    problem: Problem, tasks: Sequence[Task], motion: Motion, first: int, observer: Observer | None
) -> Postures:
    """Solve some frames together, `first` being the first one's index among all."""
    watch = (lambda state, frames: observer(state, first + frames)) if observer else None
    solved = _descend(problem, motion, problem.settings, watch)
    final = _restored(problem, solved.world, solved)
    return Postures(final.motion, tuple(task.error_once(final) for task in tasks), solved.iterations, solved.converged)


def _joined(parts: Sequence[Postures]) -> Postures:
    """Batches one after the other."""
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
class _Solved:
    world: WorldState
    iterations: IntArray
    converged: BoolArray
    unmet_level: IntArray
    """(frames,) the first level that was out of reach at the end; the number of levels where none was."""


def _descend(problem: Problem, motion: Motion, settings: SolveSettings, observer: Observer | None) -> _Solved:
    """Step all frames until each has converged or the iterations have run out."""
    skeleton, frames = problem.skeleton, motion.frames
    turned, moved = motion.rotations.copy(), motion.translations.copy()
    iterations = np.zeros(frames, dtype=np.int64)
    converged = np.zeros(frames, dtype=bool)
    unmet = np.zeros(frames, dtype=np.int64)

    open_frames = np.arange(frames)
    state = WorldState.of(skeleton, problem.within_limits(motion))
    misses = problem.misses(state)
    trust = np.full(frames, settings.largest_turn)
    gain = np.ones(frames)
    suspected = np.zeros(frames, dtype=bool)
    reached_before = np.zeros(frames)
    moved_before = pull_before = np.zeros((frames, problem.dofs.count))
    if observer:
        observer(state, open_frames)
    for _ in range(settings.iterations):
        if not open_frames.size:
            break
        step = problem.step(state, trust, gain, suspected)
        unmet_level = step.unmet_level
        trial = WorldState.of(
            skeleton, problem.within_limits(integrate(state, problem.velocities(step.whole), problem.dofs))
        )
        trial_misses = problem.misses(trial)
        reached = np.abs(step.whole).max(axis=1)
        taken, overshot = _verdict(misses, trial_misses, step.whole, unmet_level, problem)
        trust = np.where(taken, np.minimum(2.0 * trust, settings.largest_turn), trust)
        trust = np.where(~taken & ~overshot, 0.25 * np.minimum(trust, reached), trust)
        pull = step.attracted / gain[:, None]
        next_gain = _secant_gain(moved_before, pull_before, pull, gain)
        moved_before, pull_before = step.attracted * (step.shortened * taken)[:, None], pull
        gain = np.where(overshot, 0.5 * gain, next_gain)
        changes = np.abs(trial_misses - misses)
        unchanged = changes.max(axis=1) < settings.tolerance
        at_rest = (reached < 100.0 * settings.tolerance) & (unchanged | ~taken)
        left = np.where(step.shortened == 1.0, _remaining_way(reached, reached_before), np.inf)
        nearly = max(NEARLY_MET * settings.tolerance, settings.restored)
        settled = ((changes < settings.tolerance) | (trial_misses < nearly))[:, : problem.levels].all(axis=1)
        at_rest |= taken & settled & (left < 100.0 * settings.tolerance)
        if (taken & settled & (left < settings.sketched)).all():
            at_rest[:] = True
        reached_before = np.where(taken, reached, reached_before)
        at_rest &= suspected | ~step.seems_out_of_reach  # what seems out of reach has yet to try harder
        state = trial if taken.all() else trial.where(taken, state)
        misses = np.where(taken[:, None], trial_misses, misses)
        iterations[open_frames] += 1
        unmet[open_frames] = unmet_level
        suspected = step.seems_out_of_reach
        if observer:
            observer(state, open_frames)
        if at_rest.any():
            resting = open_frames[at_rest]
            # Where tasks may not move all that serves them, others can block a level that has not come to its end.
            missing = misses[:, : problem.levels].max(axis=1, initial=0.0)
            blocked = ~taken & problem.is_selective.any() & (missing > BLOCKED)
            converged[resting] = ~blocked[at_rest]
            turned[resting], moved[resting] = state.motion.rotations[at_rest], state.motion.translations[at_rest]
            still = np.flatnonzero(~at_rest)
            if len(resting) == frames:
                break  # all at once: their state is the result
            open_frames, trust, gain, misses = open_frames[still], trust[still], gain[still], misses[still]
            moved_before, pull_before, suspected = moved_before[still], pull_before[still], suspected[still]
            reached_before = reached_before[still]
            state, problem = state.at(still), problem.at(still)
    if state.frames < frames:
        turned[open_frames], moved[open_frames] = state.motion.rotations, state.motion.translations
        state = WorldState.of(skeleton, Motion(turned, moved))
    return _Solved(state, iterations, converged, unmet)


def _remaining_way(reached: Array, before: Array) -> Array:
    """(frames,) how far the steps to come will lead after one of the length `reached` (frames,).

    They go on shrinking as they did from the length `before`; where there was none, 0, by what a step bends.
    """
    shrinking = reached < before
    ratio = np.where(shrinking, reached / np.where(shrinking, before, 1.0), 0.0)
    bent = np.where(before == 0.0, 0.5 * reached**2, np.inf)
    return np.where(shrinking, reached * ratio / (1.0 - ratio), bent)


def _secant_gain(moved: Array, pull_before: Array, pull: Array, gain: Array) -> Array:
    """(frames,) the share of the way to the attracting pose to take next (Barzilai and Borwein's step length).

    Along curved levels the pull changes by more than the step. Where moving by `moved` (frames, columns) has changed
    the pull from `pull_before` to `pull`, |moved|² / moved · (pull_before - pull) is the share that stops in time.
    """
    length = np.einsum("fc,fc->f", moved, moved)
    change = np.einsum("fc,fc->f", moved, pull_before - pull)
    secant = np.where(change > 0.0, length / np.where(change > 0.0, change, 1.0), 1.0)
    # A step that was only rounding has changed nothing: what the pull did meanwhile is not its doing.
    return np.clip(np.where(length > ROUNDING**2, secant, 1.25 * gain), SMALLEST_GAIN, 1.0)


def _verdict(
    before: Array, after: Array, step: Array, unmet_level: IntArray, problem: Problem
) -> tuple[BoolArray, BoolArray]:
    """(frames,) whether the most important level that a step changes for sure becomes better by it; and whether the
    one that becomes worse is only the pose attraction.

    `before` and `after` are the levels' misses (frames, levels), the most important first. From the first unmet level
    on, what counts is the sum that its Newton step minimizes.
    """
    levels = before.shape[1]
    bounds = np.where(problem.is_selective, RECRUITED_TRANSIENT, TRANSIENT_BOUND)
    transient = np.minimum(TRANSIENT_CURVATURE * np.einsum("fc,fc->f", step, step)[:, None], bounds)
    before, after = _with_unmet_merged((before, after), unmet_level)
    # What nothing below could have disturbed has no excuse for becoming worse.
    last = np.arange(levels) >= np.minimum(unmet_level, levels - 1 if problem.has_attraction else levels)[:, None]
    worse = after > np.where(last, before, np.maximum(before, transient)) + ROUNDING
    better = after < before - ROUNDING
    first = np.argmax(worse | better, axis=1)
    taken = ~worse[np.arange(len(first)), first]
    return taken, ~taken & (first == levels - 1) & (unmet_level == levels - 1) & problem.has_attraction


def _with_unmet_merged(misses: tuple[Array, Array], unmet_level: IntArray) -> tuple[Array, Array]:
    """Misses (frames, levels) before and after a step, those from an unmet level on replaced by the one number that
    `stretching` minimizes."""
    levels = misses[0].shape[1]
    below = np.arange(levels) - unmet_level[:, None]
    frames = np.arange(len(below))
    lacking = misses[0][frames, np.minimum(unmet_level, levels - 1)]
    weights = shares(lacking, levels)[frames[:, None], np.maximum(below, 0)] * (below >= 0)

    def merged(each: Array) -> Array:
        whole = 0.5 * np.einsum("fl,fl->f", weights, each**2)
        return np.where(below < 0, each, np.where(below == 0, whole[:, None], 0.0))

    return merged(misses[0]), merged(misses[1])


def _restored(problem: Problem, state: WorldState, solved: _Solved) -> WorldState:
    """Bring the levels that were met, or about to be, to zero while the others stay where they are."""
    bound = np.where(solved.converged, TRANSIENT_BOUND, RESTORED_MISS)[:, None]
    misses = problem.level_misses(state)
    met = (misses <= bound) & (~solved.converged[:, None] | (np.arange(problem.levels) < solved.unmet_level[:, None]))
    met |= problem.is_selective[: problem.levels] & (misses <= 2.0 * RECRUITED_TRANSIENT)
    for _ in range(RESTORING_STEPS):
        wrong = np.flatnonzero((met & (misses > problem.settings.restored)).any(axis=1))
        if not wrong.size:
            break
        some, there = problem.at(wrong), state.at(wrong)
        velocities = problem.velocities(some.restoring_step(there, met[wrong]))
        right = WorldState.of(problem.skeleton, problem.within_limits(integrate(there, velocities, problem.dofs)))
        state = state.with_frames(wrong, right)
        misses = problem.level_misses(state)
    return state
