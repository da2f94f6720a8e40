# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks of each frame of a time line, and how frames are solved for them.

Which tasks are active, and in which order of priority, differs from frame to frame: plants begin and end, heel and ball
change ranks. A batch of frames has all tasks that any of them has, each active in its own frames.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..constraints.effectors import Effector, PointEffector, RollEffector
from ..core import rotations
from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..posture.settings import SolveSettings
from ..posture.solve import Postures, solving_checked
from ..tasks import MaskedTask, PoseTask, Task
from ..tasks.masked import across
from .channel import Channel
from .timeline import Timeline


@dataclass(frozen=True, eq=False)
class ChannelTask:
    """A channel's task in some frames."""

    channel: int
    """An index into the time line's channels."""
    task: Task
    """Of all frames; only the active ones count."""
    active: BoolArray
    """(frames,)"""
    across: Array | None = None
    """(frames, 3, 3) see `FrameTasks._across_foot`; None but for the heels of rigid feet, where priorities are left
    aside."""

    def masked(self) -> Task:
        """The task in the active frames alone."""
        return self.task if self.active.all() else MaskedTask(self.task, self.active)


class FrameTasks:
    """The tasks of every frame of a time line."""

    def __init__(
        self,
        timeline: Timeline,
        targets: list[Array] | None = None,
        movable: BoolArray | None = None,
        relaxed: BoolArray | None = None,
    ) -> None:
        """`targets` (frames, width) are those of each channel; None: the time line's own. `movable` (frames, joints)
        are the joints that may move; None: those that a task of the frame recruits. `relaxed` (frames, channels) says
        which targets are relaxed; None: none is."""
        self.timeline = timeline
        self.skeleton = timeline.source.clip.skeleton
        self.targets = timeline.targets() if targets is None else targets
        self._specifications = [channel.task_specifications for channel in timeline.channels]
        ranks = sorted({spec.rank for each in self._specifications for spec in each.distinct})
        self._priorities = {rank: number for number, rank in enumerate(ranks, start=1)}
        """The priorities of tasks by the rank of their specification; that of the pose attraction is 0."""
        self._movable = movable
        self.relaxed: BoolArray = (
            np.zeros((timeline.frames, len(timeline.channels)), dtype=bool) if relaxed is None else relaxed
        )
        """(frames, channels) whose targets need not be met: they cannot be, and have been moved to where the effector
        comes near, or are around such ones."""
        no_channels = [np.zeros((timeline.frames, 0), dtype=np.int64)]
        self.codes: IntArray = np.concatenate(
            no_channels + [each.codes[:, None] for each in self._specifications], axis=1
        )
        """(frames, channels) the index of each channel's task specification; -1 where the channel is not active."""

    @cached_property
    def _rigid_feet(self) -> dict[int, int]:
        """For each rigid foot, the channel of its ball by that of its heel."""
        rigid = {}
        for heel, ball in self.timeline.pairs:
            first, second = (self.timeline.channels[number].effector for number in (heel, ball))
            if not isinstance(first, PointEffector) or not isinstance(second, PointEffector):
                continue
            if self.skeleton.is_rigid(first.point, second.point):
                rigid[heel] = ball
        return rigid

    def _across_foot(self, heel: int, frames: IntArray) -> Array:
        """(frames, 3, 3) projections of the heel's error across its rigid foot; the identity where the ball is not
        active. Along the foot the ball's target already determines the heel."""
        ball = self._rigid_feet[heel]
        both = (self.timeline.channels[heel].active & self.timeline.channels[ball].active)[frames]
        apart = self.targets[ball][frames] - self.targets[heel][frames]
        axis = apart / np.maximum(rotations.lengths(apart), TINY)[:, None]
        return across(axis * both[:, None])

    # The tasks -----------------------------------------------------------------------------------------------------

    def with_tasks(self, frames: IntArray) -> IntArray:
        """Those of some frames in which at least one channel is active."""
        return frames[(self.codes[frames] >= 0).any(axis=1)]

    def with_movable(self, frames: IntArray) -> IntArray:
        """Those of some frames in which at least one joint may move."""
        return frames[self.movable[frames].any(axis=1)]

    def prioritized(self, frames: IntArray) -> list[ChannelTask]:
        """The tasks of some frames, in strict priority: one for each channel and specification."""
        tasks = []
        for channel, specifications in enumerate(self._specifications):
            codes = specifications.codes[frames]
            for code in np.unique(codes[codes >= 0]):
                priority = self._priorities[specifications.distinct[code].rank]
                tasks.append(ChannelTask(channel, self._task(channel, int(code), frames, priority), codes == code))
        return tasks

    @cached_property
    def owners(self) -> IntArray:
        """(frames, channels) the constraint that owns each channel, an index into those of the time line; -1 where none
        does."""
        number_of = {id(each): number for number, each in enumerate(self.timeline.constraints)}
        owners = np.full(self.codes.shape, -1)
        for number, channel in enumerate(self.timeline.channels):
            of_tracks = [number_of[id(track.constraint)] for track in channel.tracks]
            owners[:, number] = np.array([*of_tracks, -1])[channel.owner]
        return owners

    def _task(self, channel: int, specification: int, frames: IntArray, priority: int) -> Task:
        specifications = self._specifications[channel]
        return self.timeline.channels[channel].effector.task(
            self.targets[channel][frames],
            priority=priority,
            weight=specifications.distinct[specification].weight,
            recruit=specifications.distinct[specification].recruit,
            name=specifications.labels[specification],
        )

    def check(self) -> None:
        """Raise an error for the first task that is not valid, before anything is solved."""
        for number, specifications in enumerate(self._specifications):
            for specification in range(len(specifications.distinct)):
                self._recruited_by(number, specification)

    def _recruited_by(self, channel: int, specification: int) -> BoolArray:
        """(joints,) those that a channel recruits by one of its specifications; raises an error for an invalid task."""

        def checked() -> BoolArray:
            task = self._task(channel, specification, np.array([0]), 1)
            task.check(self.skeleton, 1)
            return task.recruited(self.skeleton)

        effector = self.timeline.channels[channel].effector
        recruit = self._specifications[channel].distinct[specification].recruit
        return self.timeline.source.cached(("recruited", effector, recruit), checked)

    def recruited(self, tasks: Sequence[Task]) -> BoolArray:
        """(joints,) those that any of some tasks recruits."""
        recruited = np.zeros(len(self.skeleton), dtype=bool)
        for task in tasks:
            recruited |= task.recruited(self.skeleton)
        return recruited

    @cached_property
    def movable(self) -> BoolArray:
        """(frames, joints) those that may move."""
        if self._movable is not None:
            return self._movable
        movable = np.zeros((self.timeline.frames, len(self.skeleton)), dtype=bool)
        for number, specifications in enumerate(self._specifications):
            for specification in range(len(specifications.distinct)):
                movable |= (specifications.codes == specification)[:, None] & self._recruited_by(number, specification)
        return movable

    def independent_parts(self) -> list[FrameTasks]:
        """The tasks, divided where the joints that some channels recruit move no effector of the others: each part has
        the same time line without the other channels."""
        channels = self.timeline.channels
        recruited = np.zeros((len(channels), len(self.skeleton)), dtype=bool)
        influencing = np.zeros_like(recruited)
        for number, specifications in enumerate(self._specifications):
            for specification in range(len(specifications.distinct)):
                recruited[number] |= self._recruited_by(number, specification)
                influencing[number] |= self._task(number, specification, np.array([0]), 1).influencing_joints(
                    self.skeleton
                )
        coupled = (recruited.astype(np.int64) @ influencing.T) > 0
        coupled |= coupled.T | np.eye(len(channels), dtype=bool)
        for _ in channels:
            coupled = (coupled.astype(np.int64) @ coupled) > 0
        parts = np.unique(coupled, axis=0)
        if len(parts) <= 1:
            return [self]
        return [self._part(own, recruited[own].any(axis=0)) for own in parts]

    def _part(self, own: BoolArray, joints: BoolArray) -> FrameTasks:
        """The tasks of some channels (channels,), which may move some joints (joints,)."""
        everywhere = np.ones(self.timeline.frames, dtype=bool)
        channels = tuple(
            channel if is_own else channel.without(everywhere)
            for channel, is_own in zip(self.timeline.channels, own, strict=True)
        )
        return FrameTasks(replace(self.timeline, channels=channels), self.targets, self.movable & joints, self.relaxed)

    def joined(self, parts: Sequence[FrameTasks]) -> FrameTasks:
        """Tasks that were made of the `independent_parts`, as one."""
        if len(parts) == 1:
            return parts[0]
        own = [next((part for part in parts if part.has_channel(number)), self) for number in range(len(self.targets))]
        channels = tuple(part.timeline.channels[number] for number, part in enumerate(own))
        targets = [part.targets[number] for number, part in enumerate(own)]
        return FrameTasks(replace(self.timeline, channels=channels), targets, self.movable)

    def has_channel(self, number: int) -> bool:
        """Whether a channel is active in any frame."""
        return bool(self.timeline.channels[number].active.any())

    def differs_from(self, other: FrameTasks) -> BoolArray:
        """(frames,) where the tasks are not those of another time line of the same clip."""
        mine, theirs = self._by_effector(), other._by_effector()
        differs = np.zeros(self.timeline.frames, dtype=bool)
        for effector in mine.keys() | theirs.keys():
            if effector not in mine or effector not in theirs:
                (only,) = (channels[effector] for channels in (mine, theirs) if effector in channels)
                differs |= only[0].active
                continue
            (one, targets), (another, others) = mine[effector], theirs[effector]
            if one is not another:
                differs |= one.active != another.active
                differs |= one.task_specifications.differs_from(another.task_specifications)
            if targets is not others:
                differs |= one.active & another.active & (targets != others).any(axis=1)
        return differs

    def _by_effector(self) -> dict[Effector, tuple[Channel, Array]]:
        """The channel of each effector, and its targets."""
        channels = self.timeline.channels
        return {channel.effector: (channel, targets) for channel, targets in zip(channels, self.targets, strict=True)}

    # Residuals -----------------------------------------------------------------------------------------------------

    def met(self, frames: IntArray, world: WorldState, tolerance: float) -> BoolArray:
        """(frames,) where the residuals of all active channels that are not relaxed are within the tolerance, in sizes
        of the character or radians, in the state of some frames."""
        met = np.ones(len(frames), dtype=bool)
        for number, channel in enumerate(self.timeline.channels):
            required = (channel.active & ~self.relaxed[:, number])[frames]
            met &= ~required | (self.residuals(number, world, frames) <= tolerance)
        return met

    def residuals(self, channel: int, world: WorldState, frames: IntArray) -> Array:
        """(frames,) how far a channel is from its targets in the state of some frames, in sizes of the character or
        radians."""
        effector = self.timeline.channels[channel].effector
        return effector.miss(effector.value(world), self.targets[channel][frames]) / self._residual_unit(channel)

    def priorities(self, channel: int) -> IntArray:
        """(frames,) the priority of the constraint that owns a channel's frame; the least integer where none does."""
        each = self.timeline.channels[channel]
        of_tracks = [int(track.constraint.priority) for track in each.tracks] + [int(np.iinfo(np.int64).min)]
        return np.array(of_tracks)[each.owner]

    def without_less_important(
        self, frames: IntArray, world: WorldState, tolerance: float
    ) -> tuple[FrameTasks, IntArray]:
        """The tasks without those that are less important than the most important one that is missed, in some frames
        with their state; and the frames in which there are such."""
        numbers = range(len(self.timeline.channels))
        priorities = np.stack([self.priorities(number)[frames] for number in numbers], axis=1)
        active = np.stack([channel.active[frames] for channel in self.timeline.channels], axis=1)
        residuals = np.stack([self.residuals(number, world, frames) for number in numbers], axis=1)
        missed = active & ~self.relaxed[frames] & (residuals > tolerance)
        lowest = np.iinfo(np.int64).min
        highest = np.where(missed, priorities, lowest).max(axis=1, initial=lowest)
        dropped = active & (priorities < highest[:, None])
        channels = []
        for number, channel in enumerate(self.timeline.channels):
            without = np.zeros(self.timeline.frames, dtype=bool)
            without[frames] = dropped[:, number]
            channels.append(channel.without(without))
        upper = FrameTasks(replace(self.timeline, channels=tuple(channels)), self.targets, self.movable, self.relaxed)
        return upper, frames[dropped.any(axis=1)]

    def is_exact(self, channel: int) -> BoolArray:
        """(frames,) where the constraint that owns a channel's frame is to be met exactly, and is not relaxed."""
        each = self.timeline.channels[channel]
        exact = np.array([track.constraint.exact for track in each.tracks] + [True])[each.owner]
        return exact & ~self.relaxed[:, channel]

    def largest_change(self, other: FrameTasks) -> float:
        """The largest difference of a target's displacement from that in the tasks of another time line of the same
        clip, in sizes of the character or radians; a target that is active in one of them only differs by all of its
        displacement."""
        mine, theirs = ({channel.effector: channel for channel in each.timeline.channels} for each in (self, other))
        largest = 0.0
        for effector in mine.keys() | theirs.keys():
            displacements = [
                each[effector].displacement * each[effector].active[:, None] if effector in each else 0.0
                for each in (mine, theirs)
            ]
            unit = 1.0 if effector.is_angular else self.skeleton.size
            lengths = np.linalg.norm(np.atleast_2d(displacements[0] - displacements[1]), axis=1)
            largest = max(largest, float(lengths.max()) / unit)
        return largest

    def halfway(self) -> list[FrameTasks]:
        """The tasks with rotations halfway to their targets, where one of these is more than a quarter turn away from
        the source; else none. Half a turn has two ways to its end, but only one to its middle."""
        targets = list(self.targets)
        for number, channel in enumerate(self.timeline.channels):
            far = channel.active & (np.linalg.norm(channel.displacement, axis=1) > 0.5 * np.pi)
            if channel.effector.is_angular and far.any():
                values = self.timeline.source.values(channel.effector)
                targets[number] = targets[number].copy()
                targets[number][far] = channel.effector.displaced(values[far], 0.5 * channel.displacement[far])
        if all(one is another for one, another in zip(targets, self.targets, strict=True)):
            return []
        return [FrameTasks(self.timeline, targets, self.movable, self.relaxed)]

    def largest_displacement(self) -> float:
        """The largest displacement of an active target from its value in the source, in sizes of the character or
        radians; without that of rolls, by which a foot moves little."""
        lengths = [
            np.linalg.norm(channel.displacement[channel.active], axis=1).max(initial=0.0) / self._residual_unit(number)
            for number, channel in enumerate(self.timeline.channels)
            if not isinstance(channel.effector, RollEffector)
        ]
        return float(max(lengths, default=0.0))

    def _residual_unit(self, channel: int) -> float:
        """The unit of a channel's residuals: the character's size, or a radian."""
        return 1.0 if self.timeline.channels[channel].effector.is_angular else self.skeleton.size

    # Solving -------------------------------------------------------------------------------------------------------

    def solve_prioritized(
        self,
        frames: IntArray,
        start: Motion,
        reference: Motion,
        settings: SolveSettings,
        moving: BoolArray | None = None,
    ) -> Generator[None, None, Postures]:
        """Solve some frames in strict priority, in one batch, a generator that yields after every step; `start` and
        `reference` cover the whole clip.

        Recruited joints begin as in `start` and are attracted to the reference; the others are those of the reference.
        `moving` (joints,) are the joints that may move; None: all recruited ones.
        """
        tasks = [each.masked() for each in self.prioritized(frames)]
        may_move = self.recruited(tasks) if moving is None else self.recruited(tasks) & moving
        recruited = np.flatnonzero(may_move)
        attractor = reference.at(frames)
        attraction = PoseTask(attractor, priority=0, recruit=recruited.tolist())
        begin = Motion(attractor.rotations.copy(), attractor.translations.copy())
        begin.rotations[:, recruited] = start.rotations[np.ix_(frames, recruited)]
        begin.translations[:, recruited] = start.translations[np.ix_(frames, recruited)]
        solved = yield from solving_checked(self.skeleton, begin, [*tasks, attraction], settings, moving=may_move)
        unrecruited = ~self.movable[frames]
        solved.motion.rotations[unrecruited] = attractor.rotations[unrecruited]
        solved.motion.translations[unrecruited] = attractor.translations[unrecruited]
        return solved

    def single_level(self, frames: IntArray) -> list[ChannelTask]:
        """The tasks of some frames, priorities left aside: one for each channel, weight and set of recruited joints."""
        tasks = []
        for channel, specifications in enumerate(self._specifications):
            codes = specifications.ignoring_rank[specifications.codes]
            for code in np.unique(codes[codes >= 0]):
                active = codes[frames] == code
                is_heel = channel in self._rigid_feet
                tasks.append(
                    ChannelTask(
                        channel,
                        self._task(channel, int(code), frames, 1),
                        active,
                        self._across_foot(channel, frames) if is_heel else None,
                    )
                )
        return tasks
