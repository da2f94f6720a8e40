# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: how far targets can be met at the knots, and targets that give way where they cannot.

Where a draft is far from its targets at some knots, these are solved on their own in strict priority. A target that is
then still missed is relaxed: moved, smoothly over time, to where it can be met. All later passes have targets that can
all be met, and cost the same whether something is out of reach or not.
"""

from __future__ import annotations

import numpy as np

from ...body.kinematics import WorldState
from ...core.arrays import Array
from ..frame_tasks import FrameTasks
from ..rows import Rows
from ..smoothing import lowpass
from ..timeline import Timeline
from ..workspace import Workspace
from .draft import Draft

RADIUS = 0.05
"""Seconds, to either side, over which a relaxation is smoothed."""

MARGIN = 3e-3
"""Sizes of the character, or radians, by which an unreachable target is moved further in than the best that a knot
reaches: between the knots, and for a motion that is smooth, the reach is shorter."""

Relaxation = list[Array | None]
"""For each channel (frames, 3): by how much its targets give way, a displacement; None where they do not."""


def no_relaxation(wanted: FrameTasks) -> Relaxation:
    """Of tasks whose targets can all be met."""
    return [None] * len(wanted.timeline.channels)


def contested_frames(wanted: FrameTasks, relaxation: Relaxation) -> IntArray:
    """The frames in which a target gives way though a less important one is active: whether that one must give way
    instead is decided in strict priority."""
    contested = np.zeros(wanted.timeline.frames, dtype=bool)
    priorities = [wanted.priorities(number) for number in range(len(relaxation))]
    for own, given in zip(priorities, relaxation, strict=True):
        if given is not None:
            gives_way = given.any(axis=1)
            for other, channel in zip(priorities, wanted.timeline.channels, strict=True):
                contested |= gives_way & channel.active & (other < own)
    return np.flatnonzero(contested)


def relaxed(wanted: FrameTasks, relaxation: Relaxation) -> FrameTasks:
    """The tasks with targets that give way."""
    timeline, targets = wanted.timeline, list(wanted.targets)
    for number, (channel, given) in enumerate(zip(timeline.channels, relaxation, strict=True)):
        if given is None:
            continue
        effector, values = channel.effector, timeline.source.values(channel.effector)
        frames = np.flatnonzero(given.any(axis=1) & channel.active)
        asked = effector.displacement(values[frames], targets[number][frames])
        targets[number] = targets[number].copy()
        targets[number][frames] = effector.displaced(values[frames], asked - given[frames])
    return FrameTasks(timeline, targets, wanted.movable)


def is_far(frame_tasks: FrameTasks, work: Workspace, draft: Draft, far: float) -> bool:
    """Whether a draft misses a target at a knot by more than `far`, in sizes of the character or radians."""
    frames, columns = draft.knots.frames, draft.columns
    world = WorldState.of(columns.skeleton, columns.displaced(work.source.clip.motion.at(frames), draft.values))
    rows = Rows(frame_tasks, frames, columns)
    return bool((rows.distances(rows.errors(world)) > far)[~draft.knots.fixed].any())


def missing(wanted: FrameTasks, work: Workspace, draft: Draft) -> Relaxation:
    """The relaxation by which the targets can be met where a draft is that meets them by priority."""
    knots, columns, timeline = draft.knots.frames, draft.columns, wanted.timeline
    world = WorldState.of(columns.skeleton, columns.displaced(work.source.clip.motion.at(knots), draft.values))
    radius = work.source.frames_in(RADIUS)
    limit = work.settings.tolerances.close
    relaxation: Relaxation = []
    for number, channel in enumerate(timeline.channels):
        active = channel.active[knots]
        residuals = wanted.residuals(number, world, knots) * active
        if residuals.max(initial=0.0) <= limit:
            relaxation.append(None)
            continue
        effector, values = channel.effector, timeline.source.values(channel.effector)
        unit = 1.0 if effector.is_angular else wanted.skeleton.size
        asked = effector.displacement(values[knots], wanted.targets[number][knots])
        reached = effector.displacement(values[knots], effector.value(world))
        excess = (asked - reached) * (residuals > limit)[:, None]
        lengths = np.maximum(np.linalg.norm(excess, axis=1, keepdims=True), MARGIN * unit)
        excess *= 1.0 + MARGIN * unit / lengths
        frames = np.flatnonzero(channel.active)
        given = np.zeros((timeline.frames, 3))
        for axis in range(3):
            given[frames, axis] = np.interp(frames, knots[active], excess[active, axis])
        relaxation.append(lowpass(given, radius) * channel.active[:, None])
    return relaxation


def with_relaxed_transits(wanted: FrameTasks, tasks: FrameTasks, compiled: Timeline) -> FrameTasks:
    """The wanted tasks, with the relaxed targets of `tasks` where a transit was blended into the motion around it: its
    path there is the solver's choice, not the user's."""
    targets = list(wanted.targets)
    for number, (channel, before) in enumerate(zip(wanted.timeline.channels, compiled.channels, strict=True)):
        if tasks.targets[number] is not targets[number]:
            blended = (channel.displacement != before.displacement).any(axis=1) & ~channel.in_hold
            targets[number] = np.where(blended[:, None], tasks.targets[number], targets[number])
    return FrameTasks(wanted.timeline, targets, wanted.movable)
