# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach: how far targets can be met at the knots, and relaxed targets where they cannot.

Where a draft misses a target at some knots, these are solved on their own in strict priority. A target that is then
still missed is relaxed: moved, smoothly over time, to where it can be met. So the projection has targets that can all
be met.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ...body.kinematics import WorldState
from ...core.arrays import TINY, Array, BoolArray, IntArray
from ...core.progress import Stage
from ..frame_tasks import FrameTasks
from ..progress import Progress
from ..rows import Rows
from ..smoothing import envelope, lowpass
from ..timeline import Timeline
from ..workspace import Workspace
from .draft import Draft

RADIUS = 0.1
"""Seconds, to either side, over which a relaxation is smoothed."""

MARGIN = 3e-3
"""Sizes of the character, or radians, by which an unreachable target is moved further in than the best that a knot
reaches: between the knots, and for a motion that is smooth, the reach is shorter."""

STEPS = 25
"""The most iterations of a knot."""

AT_REST = 1e-4
"""See `SolveSettings.tolerance`."""

BATCH = 30
"""Knots that are solved together."""

Relaxation = list[Array | None]
"""For each channel (frames, 3): by how much its targets are relaxed, a displacement; None where they are not."""


def no_relaxation(wanted: FrameTasks) -> Relaxation:
    """Of tasks whose targets can all be met."""
    return [None] * len(wanted.timeline.channels)


def contested_frames(wanted: FrameTasks, relaxation: Relaxation) -> IntArray:
    """The frames in which a target is relaxed though a less important one is active: whether that one must be relaxed
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
    """The tasks with relaxed targets."""
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
    world = WorldState.of(columns.skeleton, columns.displaced(work.source.clip.motion.at(frames), draft.at_knots()))
    rows = Rows(frame_tasks, frames, columns)
    return bool((rows.distances(rows.errors(world)) > far)[~draft.knots.fixed].any())


def find_relaxation(wanted: FrameTasks, work: Workspace, draft: Draft) -> Generator[Progress, None, Relaxation]:
    """The relaxation by which all targets can be met near a draft.

    The knots at which the draft misses a target are solved in strict priority, from its posture and attracted to it: a
    target that is then met can be reached.
    """
    knots, columns, timeline = draft.knots.frames, draft.columns, wanted.timeline
    tolerances = work.settings.tolerances
    rows = Rows(wanted, knots, columns)
    motion = columns.displaced(work.source.clip.motion.at(knots), draft.at_knots())
    errors = rows.distances(rows.errors(WorldState.of(columns.skeleton, motion)))
    missed = np.flatnonzero((errors > tolerances.close).any(axis=1) & ~draft.knots.fixed)
    if not missed.size:
        return no_relaxation(wanted)
    work.write(knots, motion)
    settings = replace(work.settings.solving(), iterations=STEPS, tolerance=AT_REST)
    moving = columns.skeleton.mask(columns.dofs.moving)
    for first in range(0, len(missed), BATCH):
        frames = knots[missed[first : first + BATCH]]
        work.write(frames, wanted.solve_prioritized(frames, work.motion, work.motion, settings, moving).motion)
        yield work.progress(Stage.CONFLICTS, (first + BATCH) / len(missed))
    frames = knots[missed]
    world = WorldState.of(columns.skeleton, work.at(frames))
    relaxation = no_relaxation(wanted)
    for number, channel in enumerate(timeline.channels):
        residuals = wanted.residuals(number, world, frames) * channel.active[frames]
        if residuals.max(initial=0.0) <= tolerances.reachable:
            continue
        effector, values = channel.effector, timeline.source.values(channel.effector)
        unit = 1.0 if effector.is_angular else wanted.skeleton.size
        asked = effector.displacement(values[frames], wanted.targets[number][frames])
        excess = np.zeros((len(knots), 3))
        excess[missed] = asked - effector.displacement(values[frames], effector.value(world))
        excess[missed] *= (residuals > tolerances.reachable)[:, None]
        lengths = np.linalg.norm(excess, axis=1, keepdims=True)
        excess *= 1.0 + MARGIN * unit / np.maximum(lengths, MARGIN * unit)
        active = channel.active[knots]
        relaxation[number] = _smooth(knots[active], excess[active], channel.active, work.source.frames_in(RADIUS))
    return relaxation


def _smooth(knots: IntArray, excess: Array, active: BoolArray, radius: int) -> Array:
    """(frames, 3) displacements at knots (knots, 3) over the active frames (frames,): smooth, and hardly shorter.

    Where a foot leaves the ground the reach grows from one frame to the next; the shorter reach counts around it.
    """
    frames = np.arange(len(active))
    dense = np.stack([np.interp(frames, knots, component) for component in excess.T], axis=1) * active[:, None]
    along = lowpass(dense, 2 * radius)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), TINY)
    return envelope(np.linalg.norm(dense, axis=1), radius, active)[:, None] * along


def with_blended_transits(wanted: FrameTasks, compiled: Timeline, world: WorldState) -> FrameTasks:
    """The wanted tasks, with the values of a result, `world`, as targets where a transit was blended into the motion
    around it: its path there is the solver's choice, not the user's."""
    targets = list(wanted.targets)
    for number, (channel, before) in enumerate(zip(wanted.timeline.channels, compiled.channels, strict=True)):
        if channel.displacement is not before.displacement:
            blended = (channel.displacement != before.displacement).any(axis=1) & ~channel.in_hold
            targets[number] = np.where(blended[:, None], channel.effector.value(world), targets[number])
    return FrameTasks(wanted.timeline, targets, wanted.movable)
