# SPDX-License-Identifier: GPL-3.0-or-later
"""Deforming a motion by prioritized constraints (Le Callennec 2006, chapter 5)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..body.clip import Clip
from ..constraints import Constraint, Ground, Source
from ..core.arrays import BoolArray, IntArray
from ..core.errors import ConstraintError
from ..core.progress import Stage, finished
from .frame_tasks import FrameTasks
from .loop_constraints import Repeated
from .loops import Loop
from .passes.boundaries import BlendedBoundaries, blend_boundaries
from .passes.ground_clearance import keep_feet_above_ground
from .passes.relaxation import relax_unreachable_targets, resolve_blocked_frames
from .passes.smoothing import smooth_displacement
from .passes.swing_phase import SwingPhase, interpolate_swings, slope_span, swing_frames, swing_phases
from .progress import Progress, Steps
from .report import Report, report_on
from .settings import DeformSettings
from .timeline import Timeline
from .workspace import Workspace, neighbours, neighbours_met

COARSE_RATE = 30.0
"""Frames a second of the first, coarse solution. Displacements are smooth: the frames between are interpolated and need
only a step or two."""


@dataclass(frozen=True, eq=False)
class Deformation:
    """A deformed clip."""

    source: Clip
    clip: Clip
    constraints: tuple[Constraint, ...]
    converged: BoolArray
    """(frames,) where the iterations have converged."""
    solved: BoolArray
    """(frames,) which were solved for this deformation, rather than copied from the source or from a solve before."""
    _solution: _Solution
    _looped: _Looped | None = None

    @cached_property
    def report(self) -> Report:
        """The residuals of every constraint, the conflicts between them, and advice."""
        if self._looped is not None:
            loop, whole = self._looped.repeated.loop, self._looped.whole
            middle = loop.first, loop.first + loop.frames - 1
            return self._looped.repeated.report(report_on(self._solution.boundaries.blended, whole.clip, middle))
        return report_on(self._solution.boundaries.blended, self.clip)

    def again(self, constraints: Iterable[Constraint]) -> Deformation:
        """The source deformed by other constraints; only the frames whose tasks have changed are solved."""
        return finished(self.solving_again(constraints))

    def solving_again(self, constraints: Iterable[Constraint]) -> Generator[Progress, None, Deformation]:
        """As `again`, a generator of its progress: see `deforming`."""
        if self._looped is not None:
            return _compiled_loop_solve(self._looped.source, self._looped.repeated.loop, tuple(constraints), self)
        work = self._solution.work
        return _compiled_solve(work.source, tuple(constraints), work.settings, self._solution)


def deform(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
    cyclic: bool = False,
) -> Deformation:
    """Deform a motion so that its constraints are met, in strict priority.

    With `ground`, footplants without a height of their own stand on it, and feet stay above it. Frames in which no
    constraint is active, and joints that none recruits, come back bit for bit. With `cyclic` the clip is a loop (see
    `is_cyclic`): first and last frame of the result meet in pose and velocity as those of the source do.
    """
    return finished(deforming(clip, constraints, ground=ground, settings=settings, cyclic=cyclic))


def deforming(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
    cyclic: bool = False,
) -> Generator[Progress, None, Deformation]:
    """As `deform`, a generator that yields its progress and returns the deformation; to cancel it, close it.

    All errors in the constraints are raised at the call, before the first step.
    """
    if cyclic:
        source = Source(clip, ground)
        return _compiled_loop_solve(source, Loop.of(clip), tuple(constraints), settings or DeformSettings())
    return _compiled_solve(Source(clip, ground), tuple(constraints), settings or DeformSettings(), None)


@dataclass(frozen=True, eq=False)
class _Solution:
    """What the next solve reuses of a solve."""

    work: Workspace
    boundaries: BlendedBoundaries


@dataclass(frozen=True, eq=False)
class _Looped:
    """What the next solve of a loop reuses, beside the solve of the repeated clip."""

    source: Source
    """Of the loop's own clip."""
    repeated: Repeated
    whole: Deformation
    """Of the repeated clip."""


def _compiled_loop_solve(
    source: Source, loop: Loop, constraints: tuple[Constraint, ...], before: Deformation | DeformSettings
) -> Generator[Progress, None, Deformation]:
    """The generator that deforms a loop, repeated with its constraints, which are compiled at once: errors in them are
    raised at the call. `before` is a deformation of the loop to reuse, or the settings of a first one."""
    _check_constraints(constraints)
    source.begin_compilation()
    repeated = Repeated.of(loop, source, constraints)
    if isinstance(before, DeformSettings):
        steps = _compiled_solve(Source(loop.repeated, source.ground, loop.seconds), repeated.constraints, before, None)
    else:
        assert before._looped is not None
        steps = before._looped.whole.solving_again(repeated.constraints)
    return _solve_loop(source, repeated, steps)


def _solve_loop(
    source: Source, repeated: Repeated, steps: Generator[Progress, None, Deformation]
) -> Generator[Progress, None, Deformation]:
    loop = repeated.loop

    def own_clip(whole: Clip) -> Clip:
        return source.clip.with_motion(loop.motion_of_the_clip(whole.motion))

    def own_progress(so_far: Progress) -> Progress:
        return Progress(so_far.stage, so_far.share, lambda: own_clip(so_far.clip))

    try:
        while True:
            try:
                progress = next(steps)
            except StopIteration as stop:
                whole: Deformation = stop.value
                break
            yield own_progress(progress)
    finally:
        steps.close()
    has_changed = whole.clip is not whole.source
    return Deformation(
        source.clip,
        own_clip(whole.clip) if has_changed else source.clip,
        repeated.originals,
        loop.of_the_clip(whole.converged),
        loop.of_the_clip(whole.solved),
        whole._solution,
        _Looped(source, repeated, whole),
    )


def _check_constraints(constraints: tuple[Constraint, ...]) -> None:
    for constraint in constraints:
        if not isinstance(constraint, Constraint):
            raise ConstraintError(f"A motion is deformed by constraints, not by {constraint!r}.")


def _compiled_solve(
    source: Source, constraints: tuple[Constraint, ...], settings: DeformSettings, before: _Solution | None
) -> Generator[Progress, None, Deformation]:
    """The generator that solves constraints, which are compiled at once: errors in them are raised at the call."""
    _check_constraints(constraints)
    if not source.frames:
        raise ConstraintError("The clip has no frames, so there is nothing to deform.")
    frame_tasks = FrameTasks(Timeline.of(source, constraints))
    frame_tasks.check()
    return _solve(frame_tasks, settings, before)


def _solve(
    frame_tasks: FrameTasks, settings: DeformSettings, before: _Solution | None
) -> Generator[Progress, None, Deformation]:
    """The passes of a deformation, one after the other."""
    timeline, source = frame_tasks.timeline, frame_tasks.timeline.source
    work = Workspace(source, settings, before.work if before else None)
    boundaries = yield from blend_boundaries(frame_tasks, work, before.boundaries if before else None)
    blended = boundaries.blended
    changed = blended.differs_from(before.boundaries.blended) if before else np.ones(source.frames, dtype=bool)
    work.restore_source(np.flatnonzero(changed & ~timeline.active))
    frames = np.flatnonzero(changed & timeline.active)
    work.write_reference(frames, source.clip.motion.at(frames))
    if settings.coherence == "sequential":
        tasks = blended
        yield from work.solve_sequentially(tasks, frames, Stage.SOLVING)
    else:
        tasks = FrameTasks(timeline.stance_only(), blended.targets)
        yield from _solve_all_frames(tasks, timeline, work, changed)
        yield from resolve_blocked_frames(tasks, work, frames)
    relaxed = yield from relax_unreachable_targets(tasks, work, frames)
    if relaxed.tasks is not tasks and settings.coherence == "batch":
        # Relaxation has moved the stance frames between which the legs are interpolated.
        in_swing = _interpolate_legs(_changed_phases(timeline, changed), work)
        yield from work.correct_or_solve(relaxed.tasks, in_swing, Stage.CONFLICTS)
    solved = yield from smooth_displacement(relaxed.without_relaxed, work, changed, blended.movable)
    solved[frames] = True
    yield from keep_feet_above_ground(relaxed.without_relaxed, timeline, work, solved)
    clip = work.clip() if timeline.active.any() else source.clip
    return Deformation(source.clip, clip, timeline.constraints, work.converged, solved, _Solution(work, boundaries))


def _solve_all_frames(tasks: FrameTasks, timeline: Timeline, work: Workspace, changed: BoolArray) -> Steps:
    """Solve all frames that have changed: first, coarsely, every few of the stance frames; then the others from their
    interpolation, with the legs in their swing phases interpolated joint by joint."""
    frames = np.flatnonzero(changed & timeline.active)
    stride = max(1, round(work.source.clip.fps / COARSE_RATE))
    if len(frames) <= 2 * stride:
        stride = 1
    in_swing = swing_frames(timeline)
    phases = _changed_phases(timeline, changed)
    ends = [end for phase in phases for end in phase.end_frames(slope_span(work.source.clip.fps))]
    coarse = _coarse_frames(frames[~in_swing[frames]], stride, ends)
    yield from work.solve(tasks, coarse, Stage.COARSE, coarse=True)
    met = coarse[work.met[coarse]]
    known = np.union1d(coarse, neighbours(frames, work.source.frames))
    rest = np.setdiff1d(frames, coarse)
    between_met = rest[:0]
    if rest.size and known.size:
        work.write(rest, work.interpolated(known, rest))
        swing = rest[in_swing[rest]]
        work.write_reference(swing, work.at(swing))
        _interpolate_legs(phases, work)
        yield work.progress(Stage.COARSE, 1.0)
        between_met = rest[neighbours_met(work.met, known, rest)]
    yield from work.correct_or_solve(tasks, np.union1d(met, between_met), Stage.SOLVING)
    yield from work.solve(tasks, np.setdiff1d(rest, between_met), Stage.SOLVING)
    unconverged = frames[~work.met[frames] & ~work.converged[frames]]
    yield from work.interpolate_unconverged(tasks, unconverged, Stage.SOLVING)


def _changed_phases(timeline: Timeline, changed: BoolArray) -> list[SwingPhase]:
    """The swing phases in which, or at whose ends, a frame has changed."""
    return [phase for phase in swing_phases(timeline) if changed[phase.before : phase.after + 1].any()]


def _interpolate_legs(phases: Sequence[SwingPhase], work: Workspace) -> IntArray:
    """Interpolate the legs of swing phases, in the result and in the reference; returns the frames of the phases."""
    if not phases:
        return np.zeros(0, dtype=np.int64)
    work.motion = interpolate_swings(work.source, phases, work.motion)
    frames = np.unique(np.concatenate([phase.frames for phase in phases]))
    work.write_reference(frames, work.at(frames))
    return frames


def _coarse_frames(frames: IntArray, stride: int, needed: Sequence[int]) -> IntArray:
    """Every `stride`-th of some frames, both ends of each of their runs, and those of them that are needed."""
    ends = np.flatnonzero(np.diff(frames) > 1)
    chosen = np.concatenate([frames[frames % stride == 0], frames[:1], frames[ends], frames[ends + 1], frames[-1:]])
    return np.union1d(chosen, np.intersect1d(frames, np.array(needed, dtype=np.int64)))
