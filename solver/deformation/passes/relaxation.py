# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolving blocked frames, and relaxing targets that cannot be reached.

Near its full length the bend of a limb goes as the square root of (length of the limb - distance of the target), so its
speed is unbounded where a target leaves the reach of the limb at speed: the limb would snap straight. So unreachable
targets are relaxed by a smooth curve that begins before the reach ends and is nowhere less than the residual: the limb
straightens slowly, and reaches as far.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...body.kinematics import WorldState
from ...core.arrays import TINY, BoolArray, IntArray
from ...core.progress import Stage
from ..frame_tasks import MET_TOLERANCE, FrameTasks
from ..progress import Progress, Steps
from ..smoothing_filter import envelope, lowpass
from ..workspace import Workspace

BISECTIONS = 4
"""How often the way toward the targets of lower priority is bisected to find how far all targets can be met: to a 16th
of it."""

LEAST_RESIDUAL = 1e-3
"""Sizes of the character, or radians: a target with a smaller residual can be reached; it has only not been corrected
yet."""

RELAXATION_RADIUS = 0.1
"""Seconds, to either side, over which relaxation is smoothed."""


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The tasks of each frame after relaxation."""

    tasks: FrameTasks
    """With targets that can be reached."""
    without_relaxed: FrameTasks
    """The same, but channels are not active in the frames in which they are relaxed: there smoothness counts more than
    targets that are missed anyway."""


def resolve_blocked_frames(frame_tasks: FrameTasks, work: Workspace, frames: IntArray) -> Steps:
    """Solve again those of some frames in which a task of lower priority keeps one of higher priority from its target:
    first without those of lower priority, which are then readmitted as far as all targets can be met.

    In strict priority there are no such frames, unless the solver was blocked on its way: by joint limits, or by tasks
    that do not recruit all joints that could serve them.
    """
    timeline = frame_tasks.timeline
    frames = frames[~work.met[frames]]
    if not frames.size:
        return
    world = WorldState.of(frame_tasks.skeleton, work.at(frames))
    lowest = np.iinfo(np.int64).min
    priorities = np.full((len(frames), len(timeline.channels)), lowest)
    missed = np.zeros(priorities.shape, dtype=bool)
    for number, channel in enumerate(timeline.channels):
        of_track = np.array([track.constraint.priority for track in channel.tracks])
        active = channel.active[frames]
        priorities[active, number] = of_track[channel.owner[frames[active]]]
        missed[:, number] = active & (frame_tasks.residuals(number, world, frames) > LEAST_RESIDUAL)
    highest = np.where(missed, priorities, lowest).max(axis=1)
    lower = (priorities < highest[:, None]) & (priorities > lowest)
    blocked = np.flatnonzero((highest > lowest) & lower.any(axis=1))
    if not blocked.size:
        return
    channels = []
    for number, channel in enumerate(timeline.channels):
        dropped = np.zeros(timeline.frames, dtype=bool)
        dropped[frames[blocked]] = lower[blocked, number]
        channels.append(channel.without(dropped))
    without_lower = FrameTasks(replace(timeline, channels=tuple(channels)), frame_tasks.targets)
    work.restore_reference(frames[blocked])
    yield from work.solve(without_lower, frames[blocked], Stage.CONFLICTS)
    yield from _readmit(frame_tasks, work, frames[blocked], lower[blocked])
    # They were solved for fewer targets, or for nearer ones: their own are not all met, and have yet to be relaxed.
    work.met[frames[blocked]] = False


def _readmit(frame_tasks: FrameTasks, work: Workspace, frames: IntArray, lower: BoolArray) -> Steps:
    """Move the channels marked in `lower` (frames, channels) from their present values toward their targets, as far as
    all targets of the frame can be met."""
    timeline = frame_tasks.timeline
    world = WorldState.of(frame_tasks.skeleton, work.at(frames))
    reached = [channel.effector.value(world) for channel in timeline.channels]
    feasible, infeasible = np.zeros(len(frames)), np.ones(len(frames))
    for _ in range(BISECTIONS):
        share = 0.5 * (feasible + infeasible)
        targets = list(frame_tasks.targets)
        for number in np.flatnonzero(lower.any(axis=0)):
            effector, some = timeline.channels[number].effector, lower[:, number]
            values = timeline.source.values(effector)[frames]
            here, there = (effector.displacement(values, each) for each in (reached[number], targets[number][frames]))
            nearer = effector.displaced(values, here + share[:, None] * (there - here))
            targets[number] = targets[number].copy()
            targets[number][frames[some]] = nearer[some]
        solved = FrameTasks(timeline, targets).solve_single_level(
            frames, work.motion, work.reference, work.settings.solving()
        )
        work.write_solved(solved.at(np.flatnonzero(solved.met)))
        feasible, infeasible = np.where(solved.met, share, feasible), np.where(solved.met, infeasible, share)
        yield work.progress(Stage.CONFLICTS, 1.0)


def relax_unreachable_targets(
    frame_tasks: FrameTasks, work: Workspace, frames: IntArray
) -> Generator[Progress, None, Relaxed]:
    """Where targets are missed in some frames, move them to where they can be reached, smoothly, and solve again."""
    missed = np.zeros(len(work.met), dtype=bool)
    missed[frames] = ~work.met[frames]
    if not missed.any():
        return Relaxed(frame_tasks, frame_tasks)
    timeline = frame_tasks.timeline
    radius = work.source.frames_in(RELAXATION_RADIUS)
    world = WorldState.of(frame_tasks.skeleton, work.motion)
    targets, without_relaxed = list(frame_tasks.targets), list(timeline.channels)
    changed, everywhere = np.zeros_like(missed), np.arange(timeline.frames)
    for number, channel in enumerate(timeline.channels):
        effector, values = channel.effector, timeline.source.values(channel.effector)
        reached = effector.value(world)
        residuals = frame_tasks.residuals(number, world, everywhere) * (missed & channel.active)
        if residuals.max(initial=0.0) <= LEAST_RESIDUAL:
            continue
        unreachable = residuals > MET_TOLERANCE
        wanted = effector.displacement(values, targets[number])
        excess = (wanted - effector.displacement(values, reached)) * unreachable[:, None]
        lengths = np.linalg.norm(excess, axis=1)
        relaxation = envelope(lengths, radius) * channel.active
        along = lowpass(excess, 2 * radius)
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), TINY)
        # Where a target is missed it is relaxed in the direction of its own residual.
        along[unreachable] = excess[unreachable] / np.maximum(lengths[unreachable, None], TINY)
        relaxed = relaxation > 0.0
        targets[number] = targets[number].copy()
        targets[number][relaxed] = effector.displaced(
            values[relaxed], wanted[relaxed] - relaxation[relaxed, None] * along[relaxed]
        )
        without_relaxed[number] = channel.without(relaxed)
        changed |= relaxed
    relaxed_tasks = FrameTasks(timeline, targets)
    yield from work.solve(relaxed_tasks, np.flatnonzero(changed), Stage.CONFLICTS)
    return Relaxed(relaxed_tasks, FrameTasks(replace(timeline, channels=tuple(without_relaxed)), targets))
