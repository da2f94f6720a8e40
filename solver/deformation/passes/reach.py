# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: how far targets can be met, and relaxed targets where they cannot.

Some knots are solved on their own in strict priority, from the source. A target that is then still missed is relaxed:
moved, smoothly over time, to where its effector comes. The draft nearly meets relaxed targets, and the projection has
no rows for them: at the edge of the reach a limb cannot follow a path exactly and smoothly.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ...body.kinematics import WorldState
from ...core.arrays import TINY, Array, BoolArray, IntArray, dilated, runs
from ...core.progress import Stage
from ..frame_tasks import FrameTasks
from ..progress import Progress
from ..rows import Rows
from ..smoothing import envelope, lowpass
from ..timeline import Timeline
from ..workspace import Workspace
from .draft import Draft, Knots, frames_between

STRIDE = 2
"""Of so many knots with tasks one is solved in strict priority: a tenth of a second apart, which is about as fast as
the reach of a limb changes while its foot stands."""

RADIUS = 0.05
"""Seconds, to either side, over which a relaxation is smoothed."""

SURROUNDINGS = 0.1
"""Seconds before and after relaxed targets in which others of the same constraint are nearly met, not exactly: a limb
that is straight cannot follow a path exactly and smoothly."""

STEPS = 25
"""The most iterations of a strict-priority solve of a knot."""

NEARLY_MET = 0.02
"""Sizes of the character, or radians: knots that miss no target by more have as many iterations as other frames."""

LEAST_RELAXATION = 0.02
"""Share of a relaxation that is left while its target is dragged into reach."""

Relaxation = list[Array | None]
"""For each channel (frames, 3): by how much its targets are relaxed, a displacement; None where they are not."""


def no_relaxation(wanted: FrameTasks) -> Relaxation:
    """Of tasks whose targets can all be met."""
    return [None] * len(wanted.timeline.channels)


def relaxed(wanted: FrameTasks, relaxation: Relaxation, knots: IntArray) -> FrameTasks:
    """The tasks with relaxed targets. Those around them, up to the next knot that is not near them, count as relaxed
    too, but are not moved; `knots` (knots,) are frames."""
    timeline, targets, is_relaxed = wanted.timeline, list(wanted.targets), wanted.relaxed.copy()
    for number, (channel, given) in enumerate(zip(timeline.channels, relaxation, strict=True)):
        if given is None:
            continue
        effector, values = channel.effector, timeline.source.values(channel.effector)
        around = timeline.source.frames_in(SURROUNDINGS)
        for first, last in channel.owned_runs():
            near = np.zeros(timeline.frames, dtype=bool)
            near[first : last + 1] = dilated(given[first : last + 1].any(axis=1), around)
            is_relaxed[first : last + 1, number] = _up_to_knots(near, knots)[first : last + 1]
        frames = np.flatnonzero(is_relaxed[:, number])
        asked = effector.displacement(values[frames], targets[number][frames])
        targets[number] = targets[number].copy()
        targets[number][frames] = effector.displaced(values[frames], asked - given[frames])
    return FrameTasks(timeline, targets, wanted.movable, is_relaxed)


def followed_relaxation(before: FrameTasks, wanted: FrameTasks, relaxation: Relaxation) -> Relaxation:
    """The relaxation of tasks whose targets have moved since that of others was found, as it probably is.

    A target that is out of reach by m, in a direction, has its effector on a sphere of about the size of the character:
    it follows what moves across this direction, in proportion to both distances from the middle of the sphere.
    """
    size, found = wanted.skeleton.size, list(relaxation)
    for number, given in enumerate(relaxation):
        if given is None:
            continue
        channel = wanted.timeline.channels[number]
        values = wanted.timeline.source.values(channel.effector)
        asked, former = (channel.effector.displacement(values, each.targets[number]) for each in (wanted, before))
        moved = (asked - former) * channel.active[:, None]
        distance = np.linalg.norm(given, axis=1, keepdims=True)
        along = given / np.maximum(distance, TINY)
        radial = (moved * along).sum(axis=1, keepdims=True)
        reach = 1.0 if channel.effector.is_angular else size
        left = distance / (reach + distance) * (moved - radial * along)
        # A relaxed target stays relaxed: how firm targets are must not change between previews.
        found[number] = np.maximum(distance + radial, LEAST_RELAXATION * distance) * along + left * (distance > 0.0)
    return found


def _up_to_knots(mask: BoolArray, knots: IntArray) -> BoolArray:
    """(frames,) a mask (frames,) whose runs are extended to just before the next knot outside of them: a draft meets
    its targets at knots, and nearly between two of them."""
    outside = knots[~mask[knots]]
    extended = np.zeros_like(mask)
    for first, last in runs(mask):
        before, after = outside[outside < first], outside[outside > last]
        begin = before[-1] + 1 if before.size else 0
        end = after[0] if after.size else len(mask)
        extended[begin:end] = True
    return extended


def missed_frames(
    frame_tasks: FrameTasks, work: Workspace, draft: Draft, frames: IntArray, tolerance: float
) -> IntArray:
    """Those of some active frames in which a draft misses a target that is not relaxed by more than a tolerance, in
    sizes of the character or radians; between two knots only the worst one."""
    motion = draft.columns.displaced(work.source.clip.motion.at(frames), draft.at(frames))
    rows = Rows(frame_tasks, frames, draft.columns, exact_only=True)
    worst = rows.distances(rows.errors(WorldState.of(frame_tasks.skeleton, motion))).max(axis=1, initial=0.0)
    missed = np.flatnonzero(worst > tolerance)
    order = missed[np.argsort(-worst[missed], kind="stable")]
    interval = np.searchsorted(draft.knots.frames, frames[order], side="right")
    return np.sort(frames[order[np.unique(interval, return_index=True)[1]]])


def missed_knots(draft: Draft, tolerance: float) -> IntArray:
    """The free knots at which a draft that was solved misses a target that is not relaxed by more than a tolerance, in
    sizes of the character or radians."""
    assert draft.misses is not None
    return np.flatnonzero(~draft.knots.fixed & (draft.misses > tolerance))


def spread_knots(frame_tasks: FrameTasks, knots: Knots) -> IntArray:
    """Of the free knots that have tasks, those at events, and the first of each of many equal parts of the clip, so
    that solving some of the frames again chooses the same ones."""
    timeline = frame_tasks.timeline
    chosen = np.isin(knots.frames, timeline.events())
    parts = knots.frames // (STRIDE * frames_between(timeline.source.clip.fps))
    chosen[np.unique(parts, return_index=True)[1]] = True
    return np.flatnonzero(chosen & (frame_tasks.codes[knots.frames] >= 0).any(axis=1) & ~knots.fixed)


def find_relaxation(
    wanted: FrameTasks, work: Workspace, draft: Draft, chosen: IntArray
) -> Generator[Progress, None, tuple[Relaxation, Draft]]:
    """The relaxation by which all targets can nearly be met, judged at some knots (chosen,), and a draft through these.

    The knots are solved in strict priority from the draft's posture, and attracted to it: a target that is then met can
    be reached. Large rotations go halfway first, and start and attraction are then the posture halfway.
    """
    knots, columns, timeline = draft.knots.frames, draft.columns, wanted.timeline
    frames = knots[chosen]
    source = work.source.clip.motion.at(frames)
    work.write(frames, columns.displaced(source, draft.at(frames)))
    for tasks in (*wanted.halfway(), wanted):
        yield from work.solve_strictly(
            tasks, frames, Stage.CONFLICTS, columns.dofs.moving, STEPS, work.settings.tolerances.reachable
        )
    world = WorldState.of(columns.skeleton, work.at(frames))
    nearly_met = frames[~work.met[frames] & wanted.met(frames, world, NEARLY_MET)]
    yield from work.solve_strictly(wanted, nearly_met, Stage.CONFLICTS, columns.dofs.moving)
    world = WorldState.of(columns.skeleton, work.at(frames))
    relaxation = no_relaxation(wanted)
    for number, channel in enumerate(timeline.channels):
        active = channel.active[frames]
        residuals = wanted.residuals(number, world, frames) * active
        missed = residuals > work.settings.tolerances.reachable
        if not missed.any():
            continue
        effector, values = channel.effector, timeline.source.values(channel.effector)
        asked = effector.displacement(values[frames], wanted.targets[number][frames])
        excess = (asked - effector.displacement(values[frames], effector.value(world))) * missed[:, None]
        radius = work.source.frames_in(RADIUS)
        relaxation[number] = given = np.zeros((timeline.frames, 3))
        for first, last in channel.owned_runs():
            inside = active & (first <= frames) & (frames <= last)
            if excess[inside].any():
                given[first : last + 1] = _smooth(frames[inside] - first, excess[inside], last + 1 - first, radius)
    return relaxation, draft.through(chosen, columns.displacement(source, work.at(frames)))


def _smooth(knots: IntArray, excess: Array, count: int, radius: int) -> Array:
    """(count, 3) displacements at knots (knots, 3), over a number of frames: smooth, and hardly shorter.

    Where a foot leaves the ground the reach grows from one frame to the next; the shorter reach counts around it.
    """
    dense = np.stack([np.interp(np.arange(count), knots, component) for component in excess.T], axis=1)
    along = lowpass(dense, 2 * radius)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), TINY)
    return envelope(np.linalg.norm(dense, axis=1), radius)[:, None] * along


def with_blended_transits(wanted: FrameTasks, compiled: Timeline, world: WorldState) -> FrameTasks:
    """The wanted tasks, with the values of a result, `world`, as targets where a transit was blended into the motion
    around it: its path there is the solver's choice, not the user's."""
    targets = list(wanted.targets)
    for number, (channel, before) in enumerate(zip(wanted.timeline.channels, compiled.channels, strict=True)):
        if channel.displacement is not before.displacement:
            blended = (channel.displacement != before.displacement).any(axis=1) & ~channel.in_hold
            targets[number] = np.where(blended[:, None], channel.effector.value(world), targets[number])
    return FrameTasks(wanted.timeline, targets, wanted.movable)
