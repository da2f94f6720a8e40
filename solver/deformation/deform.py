# SPDX-License-Identifier: GPL-3.0-or-later
"""Deforming a motion by prioritized constraints (Le Callennec 2006, chapter 5)."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..body.clip import Clip
from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..constraints import Constraint, Ground, Source
from ..core.arrays import BoolArray, IntArray, dilated
from ..core.errors import ConstraintError, MotionError
from ..core.progress import Stage, finished
from ..posture.recruiting import moving_joints
from .columns import Columns
from .frame_tasks import FrameTasks
from .kept import Kept
from .loop_constraints import Repeated
from .loops import Loop
from .metric import DisplacementMetric
from .passes.boundaries import blend_boundaries
from .passes.draft import (
    FACTORIZATIONS,
    FIRST_FACTORIZATIONS,
    Draft,
    Knots,
    followed_draft,
    refreshed_draft,
    solve_draft,
    transition_times,
)
from .passes.ground_clearance import keep_feet_above_ground
from .passes.projection import preview_projection, project
from .passes.reach import (
    Relaxation,
    find_relaxation,
    followed_relaxation,
    missed_frames,
    missed_knots,
    relaxed,
    spread_knots,
    with_blended_transits,
)
from .progress import Preview, Progress, Steps
from .report import Report, Residual, report_on, residuals_in
from .settings import DeformSettings
from .steady_axes import SteadyAxes
from .timeline import Timeline
from .workspace import Workspace

SEEN_FIRST = 1.0
"""Seconds before and after the frame that a user looks at: frames that are solved on their own first, for a preview. In
a second a displacement has vanished, so the middle of them is nearly as in the result."""

LARGEST_SHARE_FIRST = 0.4
"""Where the frames around the one that a user looks at are more of all frames than this, they are not solved first: all
of them take hardly longer."""

REACHED = 6.0
"""Time constants of a displacement after which its change does not count: a fiftieth of it is left."""

REACH_STEP = 0.7
"""Seconds: the time that a change reaches is rounded up to a multiple of this, so that the same frames are solved while
a target is dragged, and what was kept for them can be reused."""


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
            return self._looped.repeated.report(report_on(self._solution.wanted, whole.clip, middle))
        return report_on(self._solution.wanted, self.clip)

    def residuals_in(self, clip: Clip) -> tuple[Residual, ...]:
        """The residuals of every constraint in another clip of the same character and frames: as the result was stored
        or changed elsewhere."""
        if clip.frames != self.clip.frames or len(clip.skeleton) != len(self.clip.skeleton):
            raise MotionError("Residuals are those of a clip with the joints and the frames of the result.")
        if self._looped is None:
            return residuals_in(self._solution.wanted, clip)
        loop, whole = self._looped.repeated.loop, self._looped.whole
        middle = slice(loop.first, loop.first + loop.frames)
        turned, moved = whole.clip.motion.rotations.copy(), whole.clip.motion.translations.copy()
        turned[middle], moved[middle] = clip.motion.rotations[: loop.frames], clip.motion.translations[: loop.frames]
        found = residuals_in(
            self._solution.wanted, whole.clip.with_motion(Motion(turned, moved)), (middle.start, middle.stop - 1)
        )
        return self._looped.repeated.residuals(found)

    def again(self, constraints: Iterable[Constraint]) -> Deformation:
        """The source deformed by other constraints; only the frames whose tasks have changed are solved."""
        return finished(self.solving_again(constraints))

    def solving_again(
        self,
        constraints: Iterable[Constraint],
        focus: int | None = None,
        kept: Kept | None = None,
        prepares: bool = False,
    ) -> Generator[Progress, None, Deformation]:
        """As `again`, a generator of its progress: see `deforming`. `kept` is what the solves before have left for this
        one, which leaves the same: see `LiveDeformation`, which is made for edits that follow each other. One that
        `prepares` the next one ends when it has left that: what it returns is no result."""
        view = _View(focus, kept, prepares)
        if self._looped is not None:
            loop = self._looped.repeated.loop
            return _compiled_loop_solve(self._looped.source, loop, tuple(constraints), self, view)
        work, solution = self._solution.work, self._solution
        return _compiled_solve(work.source, tuple(constraints), work.settings, solution, solution.keeps_ends, view)


def deform(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
    cyclic: bool = False,
    keep_ends: bool = False,
) -> Deformation:
    """Deform a motion so that its constraints are met, in strict priority.

    With `ground`, footplants without a height of their own stand on it, and feet stay above it. Frames in which no
    constraint is active, and joints that none recruits, come back bit for bit. With `cyclic` the clip is a loop (see
    `is_cyclic`): first and last frame of the result meet in pose and velocity as those of the source do. With
    `keep_ends` the clip is a part of a longer motion: its first and last frame stay as they are, and what the
    constraints change begins and ends smoothly between them.
    """
    return finished(deforming(clip, constraints, ground=ground, settings=settings, cyclic=cyclic, keep_ends=keep_ends))


def deforming(
    clip: Clip,
    constraints: Iterable[Constraint],
    *,
    ground: Ground | None = None,
    settings: DeformSettings | None = None,
    cyclic: bool = False,
    keep_ends: bool = False,
    focus: int | None = None,
) -> Generator[Progress, None, Deformation]:
    """As `deform`, a generator that yields its progress and returns the deformation; to cancel it, close it.

    All errors in the constraints are raised at the call, before the first step. `focus` is the frame that a user looks
    at: frames near it are the first in a `Progress.preview`. The result is the same with any focus.
    """
    if cyclic and keep_ends:
        raise ConstraintError("The ends of a loop cannot be kept: they meet each other, not the motion around them.")
    source, settings, view = Source(clip, ground), settings or DeformSettings(), _View(focus)
    if cyclic:
        return _compiled_loop_solve(source, Loop.of(clip), tuple(constraints), settings, view)
    return _compiled_solve(source, tuple(constraints), settings, None, keep_ends, view)


@dataclass(frozen=True, eq=False)
class _View:
    """What decides in which order frames are solved, and how fast; never the result."""

    focus: int | None = None
    """The frame that a user looks at; None: no frame is solved before others."""
    kept: Kept | None = None
    """What solves before have left; None: nothing is kept."""
    prepares: bool = False
    """Whether only what is kept counts."""


@dataclass(frozen=True, eq=False)
class _Solution:
    """What the next solve reuses of a solve."""

    work: Workspace
    compiled: FrameTasks
    """The tasks of its constraints."""
    wanted: FrameTasks
    """The same with blended boundaries, and without free transits."""
    keeps_ends: bool
    """Whether the first and the last frame stay as they are."""


@dataclass(frozen=True, eq=False)
class _Looped:
    """What the next solve of a loop reuses, beside the solve of the repeated clip."""

    source: Source
    """Of the loop's own clip."""
    repeated: Repeated
    whole: Deformation
    """Of the repeated clip."""


def _compiled_loop_solve(
    source: Source,
    loop: Loop,
    constraints: tuple[Constraint, ...],
    before: Deformation | DeformSettings,
    view: _View,
) -> Generator[Progress, None, Deformation]:
    """The generator that deforms a loop, repeated with its constraints, which are compiled at once: errors in them are
    raised at the call. `before` is a deformation of the loop to reuse, or the settings of a first one."""
    focus = None if view.focus is None else view.focus + loop.first
    _check_constraints(constraints)
    source.begin_compilation(constraints)
    repeated = Repeated.of(loop, source, constraints)
    if isinstance(before, DeformSettings):
        whole = Source(loop.repeated, source.ground, loop.seconds, loop.frames)
        steps = _compiled_solve(whole, repeated.constraints, before, None, view=replace(view, focus=focus))
    else:
        assert before._looped is not None
        steps = before._looped.whole.solving_again(repeated.constraints, focus, view.kept, view.prepares)
    return _solve_loop(source, repeated, steps)


def _solve_loop(
    source: Source, repeated: Repeated, steps: Generator[Progress, None, Deformation]
) -> Generator[Progress, None, Deformation]:
    loop = repeated.loop

    def own_clip(whole: Clip) -> Clip:
        return source.clip.with_motion(loop.motion_of_the_clip(whole.motion))

    def own_progress(so_far: Progress) -> Progress:
        shown = so_far.preview
        preview = shown and Preview(loop.of_the_clip(shown.frames), lambda: own_clip(shown.clip))
        return Progress(so_far.stage, so_far.share, lambda: own_clip(so_far.clip), preview)

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
    source: Source,
    constraints: tuple[Constraint, ...],
    settings: DeformSettings,
    before: _Solution | None,
    keep_ends: bool = False,
    view: _View | None = None,
) -> Generator[Progress, None, Deformation]:
    """The generator that solves constraints, which are compiled at once: errors in them are raised at the call."""
    _check_constraints(constraints)
    if not source.frames:
        raise ConstraintError("The clip has no frames, so there is nothing to deform.")
    frame_tasks = FrameTasks(Timeline.of(source, constraints))
    frame_tasks.check()
    if keep_ends:
        movable = frame_tasks.movable.copy()
        movable[[0, -1]] = False
        frame_tasks = FrameTasks(frame_tasks.timeline.with_kept_ends(), None, movable)
    return _solve(frame_tasks, settings, before, keep_ends, view or _View())


def _solve(
    frame_tasks: FrameTasks, settings: DeformSettings, before: _Solution | None, keep_ends: bool, view: _View
) -> Generator[Progress, None, Deformation]:
    """The passes of a deformation, one after the other."""
    timeline, source = frame_tasks.timeline, frame_tasks.timeline.source
    work = Workspace(source, settings, before.work if before else None)
    if view.kept is not None:
        view.kept.shown = work.shown = view.kept.shown or work.shown
    changed = _reached_frames(frame_tasks, before, follows=view.kept is not None)
    active = frame_tasks.movable.any(axis=1)
    work.restore_source(np.flatnonzero(changed & ~active))
    frames = np.flatnonzero(changed & active)
    wanted = frame_tasks
    if settings.coherence == "sequential":
        yield from work.solve_sequentially(frame_tasks, frames, Stage.SOLVING)
    elif frames.size:
        parts = frame_tasks.independent_parts()
        near = _around(frames, view.focus, source)
        if near.size:
            around = Workspace(source, settings, work)
            around.before, around.shown = work.before, work.shown
            yield from _solve_parts(parts, around, near, view)
        wanted = frame_tasks.joined((yield from _solve_parts(parts, work, frames, view)))
    clip = work.clip() if active.any() else source.clip
    if view.kept is not None:
        view.kept.shown = Motion(work.motion.rotations.copy(), work.motion.translations.copy())
    solution = _Solution(work, frame_tasks, wanted, keep_ends)
    return Deformation(source.clip, clip, timeline.constraints, work.converged, changed & active, solution)


def _around(frames: IntArray, focus: int | None, source: Source) -> IntArray:
    """Those of some frames around a focus that are solved on their own first; none where these are most of them."""
    if focus is None:
        return frames[:0]
    near = frames[np.abs(frames - focus) <= source.frames_in(SEEN_FIRST)]
    return near if len(near) < LARGEST_SHARE_FIRST * len(frames) else frames[:0]


def _solve_parts(
    parts: list[FrameTasks], work: Workspace, frames: IntArray, view: _View
) -> Generator[Progress, None, list[FrameTasks]]:
    """Solve some frames for the tasks of all independent parts; returns these with blended boundaries."""
    work.restore_source(frames)
    solved = []
    for part in parts:
        others = Workspace(work.source, work.settings, work) if len(parts) > 1 else work
        solved.append((yield from _solve_all_frames(part, work, frames, view)))
        work.keep_other_joints(others, part.movable.any(axis=0))
    return solved


def _reached_frames(frame_tasks: FrameTasks, before: _Solution | None, follows: bool) -> BoolArray:
    """(frames,) those that constraints can reach which differ from those of a solve before: their own, and those around
    within which a displacement appears or vanishes; where it `follows` an edit, rounded up (`REACH_STEP`)."""
    frames, source = frame_tasks.timeline.frames, frame_tasks.timeline.source
    if before is None or before.work.settings.coherence == "sequential":
        return np.ones(frames, dtype=bool)
    changed = frame_tasks.differs_from(before.compiled)
    if not changed.any():
        return changed
    seconds = REACHED * float(transition_times(np.array(frame_tasks.largest_change(before.compiled))))
    if follows:
        seconds = REACH_STEP * np.ceil(seconds / REACH_STEP)
    return dilated(changed, source.frames_in(seconds))


def _solve_all_frames(
    compiled: FrameTasks, work: Workspace, frames: IntArray, view: _View
) -> Generator[Progress, None, FrameTasks]:
    """Solve some frames for the tasks of one independent part; returns these with blended boundaries."""
    timeline = compiled.timeline
    wanted = FrameTasks(timeline.without_free_transits(), compiled.targets, compiled.movable)
    part = _Part(wanted, work, frames)
    is_far = wanted.largest_displacement() > work.settings.tolerances.far
    start = part.undisplaced(wanted.timeline.events() if is_far else None)
    if not len(start.knots.frames):
        return wanted  # no joint that can move is recruited
    tasks, draft, missed, relaxation = wanted, start, np.zeros(0, dtype=np.int64), None
    if not view.prepares:
        yield from _follow(part, wanted, view)
    if not is_far:
        wanted, draft = yield from _draft_in_reach(part, wanted, start)
        tasks, missed = wanted, missed_knots(draft, work.settings.tolerances.close)
    if is_far or missed.size:
        wanted, tasks, draft, relaxation = yield from _draft_out_of_reach(part, wanted, start, missed)
    work.write_draft(frames, part.displaced(draft, frames))
    kept = (view.kept or Kept()).part(part.joints, frames, work.before)
    kept.draft, kept.wanted, kept.relaxation = draft, wanted, relaxation
    unmet = yield from project(tasks, work, frames, draft, view.focus, kept.systems)
    if view.prepares:
        return wanted
    yield from work.solve_strictly(tasks, unmet, Stage.CONFLICTS)
    yield from keep_feet_above_ground(tasks, timeline, work, part.changed, draft)
    return with_blended_transits(wanted, timeline, WorldState.of(compiled.skeleton, work.motion))


def _follow(part: _Part, wanted: FrameTasks, view: _View) -> Steps:
    """Preview targets that have moved since a solve before, with what is kept of it, where that fits. Boundaries are
    blended into the draft of that solve."""
    work = part.work
    kept = None if view.kept is None else view.kept.solved_before(part.joints, part.frames, work.before)
    if kept is None or kept.draft is None or kept.wanted is None:
        return
    tasks = wanted = part.blended(wanted, kept.draft)
    relaxation = kept.relaxation
    if relaxation is not None:
        relaxation = followed_relaxation(kept.wanted, wanted, relaxation)
        tasks = relaxed(wanted, relaxation, kept.draft.knots.frames)
    draft = followed_draft(tasks, work, part.metric, kept.draft)
    if draft is None:
        return
    yield work.progress(Stage.COARSE, 1.0)
    work.write_draft(kept.frames, part.displaced(draft, kept.frames))
    kept.draft, kept.wanted, kept.relaxation = draft, wanted, relaxation
    yield from preview_projection(tasks, work, kept.frames, draft, view.focus, kept.systems)
    kept.draft = refreshed_draft(tasks, work, part.metric, draft)
    yield work.progress(Stage.COARSE, 1.0)


class _Part:
    """An independent part of a clip's motion while some frames are solved."""

    def __init__(self, wanted: FrameTasks, work: Workspace, frames: IntArray) -> None:
        skeleton, self._clip = wanted.skeleton, work.source.clip
        self.work, self.frames = work, frames
        self.changed = np.zeros(self._clip.frames, dtype=bool)
        """(frames of the clip,) those that are solved."""
        self.changed[frames] = True
        tasks = [each.task for each in wanted.single_level(frames[:1])]
        moving, source = moving_joints(skeleton, tasks), work.source
        key = moving.tobytes()
        self.joints = np.flatnonzero(moving)
        """(moving joints,)"""
        self._columns = source.cached(("columns", key), lambda: Columns(skeleton, moving))
        self._axes = source.cached(("axes", key), lambda: SteadyAxes(self._clip, self._columns))
        self._movable = self._columns.movable(wanted.movable)
        self.metric = source.cached(("metric", key), lambda: DisplacementMetric(self._clip, self._columns))

    def knots(self, events: IntArray | None) -> Knots:
        """The knots, among them some events."""
        return Knots.of(self._movable, self.changed, self._clip.fps, self.work.source.period, events)

    def undisplaced(self, events: IntArray | None) -> Draft:
        """The draft without a displacement but for that of frames which stay as they were solved before."""
        knots, columns, axes = self.knots(events), self._columns, self._axes
        before = self.work.reference.at(knots.frames)
        fixed = columns.displacement(self._clip.motion.at(knots.frames), before)
        fixed *= knots.fixed[:, None] & self._movable[knots.frames]
        return Draft(knots, columns, self._movable, axes, axes.from_parents(fixed, knots.frames), np.zeros(0))

    def displaced(self, draft: Draft, frames: IntArray) -> Motion:
        """Some frames of the source, displaced by a draft."""
        return self._columns.displaced(self._clip.motion.at(frames), draft.at(frames))

    def blended(self, wanted: FrameTasks, draft: Draft) -> FrameTasks:
        """The tasks with boundaries blended into the motion of a draft."""
        return blend_boundaries(wanted, lambda frames: WorldState.of(wanted.skeleton, self.displaced(draft, frames)))


def _draft_in_reach(
    part: _Part, wanted: FrameTasks, start: Draft
) -> Generator[Progress, None, tuple[FrameTasks, Draft]]:
    """The draft that meets all targets, as far as it can, and the tasks with blended boundaries."""
    draft = yield from solve_draft(wanted, part.work, part.metric, start, Stage.COARSE)
    yield part.work.progress(Stage.COARSE, 1.0)
    blended = part.blended(wanted, draft)
    if blended is not wanted:
        draft = yield from solve_draft(blended, part.work, part.metric, draft, Stage.BOUNDARIES)
        yield part.work.progress(Stage.BOUNDARIES, 1.0)
    return blended, draft


def _draft_out_of_reach(
    part: _Part, wanted: FrameTasks, start: Draft, missed: IntArray
) -> Generator[Progress, None, tuple[FrameTasks, FrameTasks, Draft, Relaxation]]:
    """The tasks with blended boundaries, the same with relaxed targets, the draft that meets all targets which can be
    met, and by how much others are relaxed. `missed` (missed,) are knots at which a draft before missed a target; none
    if there was no draft, because a target is far away."""
    work = part.work
    yield work.progress(Stage.COARSE, 0.0)
    chosen = np.union1d(missed, spread_knots(wanted, start.knots))
    relaxation, draft = yield from find_relaxation(wanted, work, start, chosen)
    tasks = relaxed(wanted, relaxation, draft.knots.frames)
    most = FIRST_FACTORIZATIONS if tasks.relaxed.any() else FACTORIZATIONS
    draft = yield from solve_draft(tasks, work, part.metric, draft, Stage.COARSE, most)
    yield work.progress(Stage.COARSE, 1.0)
    if not missed.size:
        wanted = part.blended(wanted, draft)
        tasks = relaxed(wanted, relaxation, draft.knots.frames)
    between = missed_frames(tasks, work, draft, part.frames, work.settings.tolerances.rough)
    draft = draft.refined(part.knots(np.union1d(between, wanted.timeline.events())))
    tasks = relaxed(wanted, relaxation, draft.knots.frames)
    draft = yield from solve_draft(tasks, work, part.metric, draft, Stage.CONFLICTS)
    yield work.progress(Stage.CONFLICTS, 1.0)
    return wanted, tasks, draft, relaxation
