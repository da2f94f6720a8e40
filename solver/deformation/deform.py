# SPDX-License-Identifier: GPL-3.0-or-later
"""Deforming a motion by prioritized constraints (document 003, chapter 5)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..body.clip import Clip
from ..constraints import Constraint, Ground, Source
from ..core.arrays import BoolArray, IntArray
from ..core.errors import ConstraintError
from ..core.progress import finished
from .frame_tasks import Enforcement
from .loop_constraints import Repeated
from .loops import Loop
from .passes.boundaries import Joined, joining
from .passes.ground_clearance import keeping_above_ground
from .passes.relaxation import insisting, yielding
from .passes.smoothing import smoothing
from .passes.swing_phase import Swing, flown, slope_span, swings, swung
from .report import Report, reported
from .timeline import Timeline
from .workspace import DeformSettings, Progress, Steps, Workspace, are_met, neighbours

COARSE_RATE = 30.0
"""Frames a second of the first, coarse solution: displacements are smooth, so the frames between begin at what their
neighbours give and need only a step or two."""


@dataclass(frozen=True, eq=False)
class Deformation:
    """A deformed clip."""

    source: Clip
    clip: Clip
    constraints: tuple[Constraint, ...]
    converged: BoolArray
    """(frames,) which have come to rest."""
    solved: BoolArray
    """(frames,) which were solved for this, rather than taken over from the source or from a solve before."""
    _solution: _Solution
    _looped: _Looped | None = None

    @cached_property
    def report(self) -> Report:
        """How well every constraint holds, who lost against whom, and what would help."""
        if self._looped is not None:
            loop, whole = self._looped.repeated.loop, self._looped.whole
            middle = loop.first, loop.first + loop.frames - 1
            return self._looped.repeated.report(reported(self._solution.joined.joined, whole.clip, middle))
        return reported(self._solution.joined.joined, self.clip)

    def again(self, constraints: Iterable[Constraint]) -> Deformation:
        """The source deformed by other constraints; only frames for which something has changed are solved."""
        return finished(self.solving_again(constraints))

    def solving_again(self, constraints: Iterable[Constraint]) -> Generator[Progress, None, Deformation]:
        """As `again`, step by step: see `deforming`."""
        if self._looped is not None:
            return _deforming_loop(self._looped.source, self._looped.repeated.loop, tuple(constraints), self)
        work = self._solution.work
        return _deforming(work.source, tuple(constraints), work.settings, self._solution)


def deform(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
    cyclic: bool = False,
) -> Deformation:
    """Deform a motion so that its constraints hold, the most important first.

    With `ground`, footplants stand on it unless they say otherwise, and stay above it. Frames that no constraint
    reaches, and joints that none recruits, come back bit for bit. With `cyclic` the clip is a loop (see `is_cyclic`):
    first and last frame of the result meet in pose and velocity as those of the source do.
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
    """As `deform`, step by step: yields its progress and returns the deformation; to cancel, stop asking.

    All errors in the constraints are raised before the first step.
    """
    if cyclic:
        source = Source(clip, ground)
        return _deforming_loop(source, Loop.of(clip), tuple(constraints), settings or DeformSettings())
    return _deforming(Source(clip, ground), tuple(constraints), settings or DeformSettings(), None)


@dataclass(frozen=True, eq=False)
class _Solution:
    """What is kept of a solve for the next one."""

    work: Workspace
    joined: Joined


@dataclass(frozen=True, eq=False)
class _Looped:
    """What is kept of a loop, beside the solve of the repeated clip."""

    source: Source
    """Of the loop's own clip."""
    repeated: Repeated
    whole: Deformation
    """Of the repeated clip."""


def _deforming_loop(
    source: Source, loop: Loop, constraints: tuple[Constraint, ...], before: Deformation | DeformSettings
) -> Generator[Progress, None, Deformation]:
    """Deform a loop, repeated with its constraints: for the first time, with settings, or after what was solved
    `before`."""
    _check_constraints(constraints)
    source.begin_compilation()
    repeated = Repeated.of(loop, source, constraints)
    if isinstance(before, DeformSettings):
        steps = _deforming(Source(loop.repeated, source.ground, loop.seconds), repeated.constraints, before, None)
    else:
        assert before._looped is not None
        steps = before._looped.whole.solving_again(repeated.constraints)
    return _solving_loop(source, repeated, steps)


def _solving_loop(
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


def _deforming(
    source: Source, constraints: tuple[Constraint, ...], settings: DeformSettings, before: _Solution | None
) -> Generator[Progress, None, Deformation]:
    _check_constraints(constraints)
    if not source.frames:
        raise ConstraintError("The clip has no frames, so there is nothing to deform.")
    enforcement = Enforcement(Timeline.of(source, constraints))
    enforcement.check()
    return _solving(enforcement, settings, before)


def _solving(
    enforcement: Enforcement, settings: DeformSettings, before: _Solution | None
) -> Generator[Progress, None, Deformation]:
    timeline, source = enforcement.timeline, enforcement.timeline.source
    work = Workspace(source, settings, before.work if before else None)
    joined = yield from joining(enforcement, work, before.joined if before else None)
    asked = joined.joined
    changed = asked.changed(before.joined.joined) if before else np.ones(source.frames, dtype=bool)
    work.restore(np.flatnonzero(changed & ~timeline.active))
    frames = np.flatnonzero(changed & timeline.active)
    work.refer(frames, source.clip.motion.at(frames))
    if settings.coherence == "sequential":
        enforced = asked
        yield from work.solve_in_turn(asked, frames, "solving")
    else:
        enforced = Enforcement(timeline.aground(), asked.targets)
        yield from _solving_together(enforced, timeline, work, changed)
        yield from insisting(enforced, work, frames)
    yielded = yield from yielding(enforced, work, frames)
    if yielded.enforcement is not enforced and settings.coherence == "batch":
        # Where something gave way, the frames between which feet swing have moved.
        in_the_air = _swinging(_reached(timeline, changed), work)
        yield from work.polish_or_solve(yielded.enforcement, in_the_air, "swinging")
    touched = yield from smoothing(yielded.winners, work, changed, asked.movable)
    touched[frames] = True
    yield from keeping_above_ground(yielded.winners, timeline, work, touched)
    clip = work.clip() if timeline.active.any() else source.clip
    return Deformation(source.clip, clip, timeline.constraints, work.converged, touched, _Solution(work, joined))


def _solving_together(enforced: Enforcement, timeline: Timeline, work: Workspace, changed: BoolArray) -> Steps:
    """Solve all frames that have changed: coarsely first where the frame rate allows, and firm ones before those in
    which a foot is in the air, which are attracted to what lies between."""
    frames = np.flatnonzero(changed & timeline.active)
    stride = max(1, round(work.source.clip.fps / COARSE_RATE))
    if len(frames) <= 2 * stride:
        stride = 1
    flying = flown(timeline)
    swinging = _reached(timeline, changed)
    ends = [end for swing in swinging for end in swing.ends(slope_span(work.source.clip.fps))]
    coarse = _coarse(frames[~flying[frames]], stride, ends)
    yield from work.solve(enforced, coarse, "coarse", roughly=True)
    rough = coarse[work.met[coarse]]
    known = np.union1d(coarse, neighbours(frames, work.source.frames))
    rest = np.setdiff1d(frames, coarse)
    easy = rest[:0]
    if rest.size and known.size:
        work.put(rest, work.between(known, rest))
        in_the_air = rest[flying[rest]]
        work.refer(in_the_air, work.at(in_the_air))
        _swinging(swinging, work)
        yield work.progress("coarse", 1.0)
        easy = rest[are_met(work.met, known, rest)]
    yield from work.polish_or_solve(enforced, np.union1d(rough, easy), "fine")
    yield from work.solve(enforced, np.setdiff1d(rest, easy), "fine")
    yield from work.settle(enforced, frames[~work.met[frames] & ~work.converged[frames]], "fine")


def _reached(timeline: Timeline, changed: BoolArray) -> list[Swing]:
    """The swings that a change reaches."""
    return [swing for swing in swings(timeline) if changed[swing.before : swing.after + 1].any()]


def _swinging(swinging: Sequence[Swing], work: Workspace) -> IntArray:
    """Let feet in the air swing by the joints of their legs; returns the frames in which they do."""
    if not swinging:
        return np.zeros(0, dtype=np.int64)
    work.motion = swung(work.source, swinging, work.motion)
    frames = np.unique(np.concatenate([swing.frames for swing in swinging]))
    work.refer(frames, work.at(frames))
    return frames


def _coarse(frames: IntArray, stride: int, needed: Sequence[int]) -> IntArray:
    """Every so many of some frames, both ends of each of their runs, and those among them that are needed."""
    ends = np.flatnonzero(np.diff(frames) > 1)
    chosen = np.concatenate([frames[frames % stride == 0], frames[:1], frames[ends], frames[ends + 1], frames[-1:]])
    return np.union1d(chosen, np.intersect1d(frames, np.array(needed, dtype=np.int64)))
