# SPDX-License-Identifier: GPL-3.0-or-later
"""Boundary blending: the active runs of constraints begin and end at the motion around them.

In Le Callennec 2006 a shape-constraint begins and ends on the source. But other constraints have moved the body, and
with it the effector, away from there: when the constraint becomes active the effector would jump back. So the frames
right outside its activity are solved first, and the path begins and ends at the effector's place in them
(docs/derivations.md).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass

import numpy as np

from ...body.kinematics import WorldState
from ...constraints.effectors import Effector
from ...core.arrays import Array, IntArray
from ...core.progress import Stage
from ..channel import ActiveRun, Channel, boundary_offsets
from ..frame_tasks import FrameTasks
from ..progress import Progress, Steps
from ..timeline import Timeline
from ..workspace import Workspace
from .swing_phase import swing_frames, swing_phases

ROUNDS = 2
"""How often the boundaries are blended: once, and again because blending one may have moved another."""

BoundaryKey = tuple[Effector, int, int, int, int]
"""Effector, first and last frame, first and last frame in a hold interval of an active run."""


@dataclass(frozen=True, eq=False)
class Boundary:
    """An active run of a channel, and the frames outside it at which the motion around it is measured."""

    channel: int
    run: ActiveRun
    before: IntArray
    """The nearest frame before the run first, then the next; empty where nothing needs to be blended."""
    after: IntArray
    """The same after the run."""

    @property
    def outside(self) -> IntArray:
        """The frames before and after."""
        return np.concatenate([self.before, self.after])

    @property
    def key(self) -> BoundaryKey:
        """Equal to that of the same boundary in another solve."""
        run = self.run
        return run.channel.effector, run.first, run.last, run.first_hold(), run.last_hold()


@dataclass(frozen=True, eq=False)
class BlendedBoundaries:
    """The tasks of each frame before and after boundary blending."""

    original: FrameTasks
    blended: FrameTasks
    offsets: dict[BoundaryKey, Array]
    """For each boundary, (frames of its run, 3): what blending has added to the displacements."""


def blend_boundaries(
    frame_tasks: FrameTasks, work: Workspace, before: BlendedBoundaries | None
) -> Generator[Progress, None, BlendedBoundaries]:
    """Let every active run begin and end where the other constraints have moved its effector.

    `before` is the blending of a previous solve, for other constraints on the same clip: what has not changed since is
    reused.
    """
    timeline = frame_tasks.timeline
    everywhere = np.ones(timeline.frames, dtype=bool)
    stale = frame_tasks.differs_from(before.original) if before else everywhere
    offsets: dict[BoundaryKey, Array] = {}
    pending = []
    for boundary in (each for number, channel in enumerate(timeline.channels) for each in _boundaries(number, channel)):
        if before and boundary.key in before.offsets and not stale[boundary.outside].any():
            offsets[boundary.key] = before.offsets[boundary.key]
        else:
            pending.append(boundary)
    blended = _with_offsets(frame_tasks, offsets)
    outside = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(each.outside for each in pending)]))
    for _ in range(ROUNDS if pending else 0):
        stale = blended.differs_from(before.blended) if before else everywhere
        yield from _solve_outside(blended, work, outside[stale[outside]])
        world = WorldState.of(frame_tasks.skeleton, work.at(outside))
        for boundary in pending:
            effector = timeline.channels[boundary.channel].effector
            reached = effector.displacement(timeline.source.values(effector)[outside], effector.value(world))
            value_before, slope_before = _value_and_slope(reached, outside, boundary.before)
            value_after, slope_after = _value_and_slope(reached, outside, boundary.after)
            offsets[boundary.key] = boundary_offsets(
                boundary.run, value_before, -slope_before, value_after, slope_after, timeline.source.ease
            )
        blended = _with_offsets(frame_tasks, offsets)
    return BlendedBoundaries(frame_tasks, blended, offsets)


def _solve_outside(frame_tasks: FrameTasks, work: Workspace, frames: IntArray) -> Steps:
    """Solve some frames; those in a swing phase need the frames at the ends of the phase, so these are solved first."""
    timeline = frame_tasks.timeline
    in_swing = swing_frames(timeline)[frames]
    ends = [
        end
        for phase in swing_phases(timeline)
        if ((frames >= phase.first) & (frames <= phase.last)).any()
        for end in (phase.before, phase.after)
    ]
    stance = np.union1d(frames[~in_swing], np.array(ends, dtype=np.int64))
    stance_tasks = FrameTasks(timeline.stance_only(), frame_tasks.targets)
    work.restore_source(np.union1d(stance, frames))
    yield from work.solve(stance_tasks, stance, Stage.BOUNDARIES)
    swing = frames[in_swing]
    if swing.size and stance.size:
        reference = work.interpolated(stance, swing)
        work.write(swing, reference)
        work.write_reference(swing, reference)
        yield from work.solve(stance_tasks, swing, Stage.BOUNDARIES)


def _with_offsets(frame_tasks: FrameTasks, offsets: Mapping[BoundaryKey, Array]) -> FrameTasks:
    """The frame tasks with offsets added to the displacements of active runs."""
    if not offsets:
        return frame_tasks
    by_effector: dict[Effector, list[tuple[BoundaryKey, Array]]] = {}
    for key, part in offsets.items():
        by_effector.setdefault(key[0], []).append((key, part))
    displacements = []
    for channel in frame_tasks.timeline.channels:
        whole = channel.displacement.copy()
        for (_, first, last, *_), part in by_effector.get(channel.effector, []):
            whole[first : last + 1] += part
        displacements.append(whole)
    timeline: Timeline = frame_tasks.timeline.with_displacements(displacements)
    return FrameTasks(timeline)


def _boundaries(number: int, channel: Channel) -> list[Boundary]:
    """The boundaries of a channel that need blending, given its index."""
    boundaries = []
    frames = len(channel.active)
    free = channel.in_free_transit
    for run in channel.active_runs():
        first, last = run.first, run.last
        # A path that is not constrained need not be blended either.
        before = [first - 1, first - 2] if run.first_hold() > first and not free[first] else []
        after = [last + 1, last + 2] if run.last_hold() < last and not free[last] else []
        sides = []
        for side in (np.array(before, dtype=np.int64), np.array(after, dtype=np.int64)):
            inside = side[(side >= 0) & (side < frames)]
            sides.append(inside[~channel.active[inside]])
        if sides[0].size or sides[1].size:
            boundaries.append(Boundary(number, run, *sides))
    return boundaries


def _value_and_slope(reached: Array, frames: IntArray, outside: IntArray) -> tuple[Array, Array]:
    """The displacement (3,) at the first of the frames `outside`, and its change to the second one; zero where there
    are none. `reached` (frames, 3) are the displacements at `frames`, in rising order."""
    if not outside.size:
        return np.zeros(3), np.zeros(3)
    at = np.searchsorted(frames, outside)
    value = reached[at[0]]
    return value, reached[at[1]] - value if len(at) > 1 else np.zeros(3)
