# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks of each frame of a time line, and how frames are solved for them.

Which tasks are active, and in which order of priority, differs from frame to frame: plants begin and end, heel and ball
change ranks. Frames that agree in all of this form a group, and a group is a batch of the posture solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..body.joints import BodyPoint, JointKind
from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..constraints import Constraint
from ..constraints.effectors import Effector, PointEffector
from ..core import rotations
from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..posture.feasibility import correct_postures, is_correctable
from ..posture.settings import SolveSettings
from ..posture.solve import Postures, solve_checked
from ..tasks import AcrossTask, MaskedTask, PoseTask, Task
from ..tasks.masked import across
from .channel import Channel
from .timeline import Timeline

MET_TOLERANCE = 1e-5
"""Sizes of the character, or radians: a target with a smaller residual is met."""

HEEL_TOLERANCE = 1e-4
"""Sizes of the character: the residual that the heel of a rigid foot may have along the foot. Its ball and the line
between them are met to `MET_TOLERANCE`, and the targets are as far apart as heel and ball are, but for the rounding of
files."""

COARSE_TOLERANCE = 1e-2
"""As `MET_TOLERANCE`, for coarse frames: they are corrected later, together with the frames between them."""

CORRECTION_TOLERANCE = 5e-7
"""Sizes of the character, or radians: the residual to which frames are corrected."""

GROUP_SIZE = 40
"""Frames that are solved together in strict priority: fewer than in a single level, since each of them takes long, and
a user who cancels must not wait."""

SINGLE_LEVEL_ITERATIONS = 20
"""Iterations within which frames that are solved in a single level should meet all targets; those that do not are
solved again in strict priority."""


@dataclass(frozen=True, eq=False)
class ActiveChannel:
    """A channel that is active in a group of frames, with its task specification there."""

    channel: int
    """An index into the time line's channels."""
    specification: int
    """An index into the channel's `TaskSpecifications.distinct`."""
    priority: int
    """Of its task."""


@dataclass(frozen=True, eq=False)
class Group:
    """Frames with the same active channels and the same task specifications."""

    frames: IntArray
    channels: tuple[ActiveChannel, ...]


@dataclass(frozen=True, eq=False)
class SolvedFrames:
    """The postures of some frames."""

    frames: IntArray
    motion: Motion
    """Of these frames alone."""
    converged: BoolArray
    """(frames,) whether the iterations of each have converged."""
    met: BoolArray
    """(frames,) whether all targets are met."""

    def at(self, chosen: IntArray) -> SolvedFrames:
        """Some of them, by their positions."""
        motion = self.motion.at(chosen)
        return SolvedFrames(self.frames[chosen], motion, self.converged[chosen], self.met[chosen])


class FrameTasks:
    """The tasks of every frame of a time line."""

    def __init__(self, timeline: Timeline, targets: list[Array] | None = None) -> None:
        """`targets` (frames, width) are those of each channel; None: the time line's own."""
        self.timeline = timeline
        self.skeleton = timeline.source.clip.skeleton
        self.targets = timeline.targets() if targets is None else targets
        self._specifications = [channel.task_specifications for channel in timeline.channels]
        ranks = sorted({spec.rank for each in self._specifications for spec in each.distinct})
        self._priorities = {rank: number for number, rank in enumerate(ranks, start=1)}
        """The priorities of tasks by the rank of their specification; that of the pose attraction is 0."""
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
            if self._is_rigid(first.point, second.point):
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

    def _is_rigid(self, heel: BodyPoint, ball: BodyPoint) -> bool:
        """Whether no joint between two points can rotate: the heel's joint carries the ball's rigidly."""
        tree, kinds = self.skeleton.tree, self.skeleton.kinds
        chain = tree.chain(int(ball.joint))
        if heel.joint not in chain or any(ball.offset):
            return heel.joint == ball.joint
        between = chain[1 : chain.index(int(heel.joint))]
        return all(kinds[joint] is JointKind.FIXED for joint in between)

    # The tasks -----------------------------------------------------------------------------------------------------

    def with_tasks(self, frames: IntArray) -> IntArray:
        """Those of some frames in which at least one channel is active."""
        return frames[(self.codes[frames] >= 0).any(axis=1)]

    def groups(self, frames: IntArray) -> list[Group]:
        """Some frames grouped by their task specifications, at most `GROUP_SIZE` in each; those without tasks are left
        out."""
        active = self.with_tasks(frames)
        if not active.size:
            return []
        distinct, which = np.unique(self.codes[active], axis=0, return_inverse=True)
        which = which.reshape(-1)
        groups = []
        for number, codes in enumerate(distinct):
            channels = tuple(
                ActiveChannel(channel, int(code), self._priorities[self._specifications[channel].distinct[code].rank])
                for channel, code in enumerate(codes)
                if code >= 0
            )
            members = active[which == number]
            groups += [
                Group(members[first : first + GROUP_SIZE], channels) for first in range(0, len(members), GROUP_SIZE)
            ]
        return groups

    def tasks(self, group: Group) -> list[Task]:
        """The tasks of a group's frames, in the order of its channels."""
        return [self._task(each.channel, each.specification, group.frames, each.priority) for each in group.channels]

    def _task(self, channel: int, specification: int, frames: IntArray, priority: int) -> Task:
        specifications = self._specifications[channel]
        return self.timeline.channels[channel].effector.task(
            self.targets[channel][frames],
            priority=priority,
            weight=specifications.distinct[specification].weight,
            recruit=specifications.distinct[specification].recruit,
            name=specifications.labels[specification],
        )

    def owners(self, group: Group) -> list[Constraint]:
        """For each channel of a group, the constraint that owns its first frame."""
        channels = [self.timeline.channels[each.channel] for each in group.channels]
        return [channel.tracks[channel.owner[group.frames[0]]].constraint for channel in channels]

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
        """(frames, joints) those that a task of the frame recruits."""
        movable = np.zeros((self.timeline.frames, len(self.skeleton)), dtype=bool)
        for number, specifications in enumerate(self._specifications):
            for specification in range(len(specifications.distinct)):
                movable |= (specifications.codes == specification)[:, None] & self._recruited_by(number, specification)
        return movable

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

    def met(
        self, channels: Sequence[ActiveChannel], errors: Sequence[Array], tolerance: float = MET_TOLERANCE
    ) -> BoolArray:
        """(frames,) where the errors (frames, rows) of the tasks of all channels are within the tolerance, in sizes of
        the character or radians."""
        met = np.ones(len(errors[0]), dtype=bool)
        for each, error in zip(channels, errors, strict=True):
            met &= np.einsum("fr,fr->f", error, error) <= (tolerance * self._residual_unit(each.channel)) ** 2
        return met

    def residuals(self, channel: int, world: WorldState, frames: IntArray) -> Array:
        """(frames,) how far a channel is from its targets in the state of some frames, in sizes of the character or
        radians."""
        effector = self.timeline.channels[channel].effector
        return effector.miss(effector.value(world), self.targets[channel][frames]) / self._residual_unit(channel)

    def _residual_unit(self, channel: int) -> float:
        """The unit of a channel's residuals: the character's size, or a radian."""
        return 1.0 if self.timeline.channels[channel].effector.is_angular else self.skeleton.size

    def _heels_met(self, frames: IntArray, world: WorldState, tolerance: float = HEEL_TOLERANCE) -> BoolArray:
        """(frames,) where the heels of rigid feet, whose errors counted across the feet alone, are met as a whole.

        Across a foot the error is also zero where the foot points backwards.
        """
        met = np.ones(len(frames), dtype=bool)
        for number in self._rigid_feet:
            active = self.timeline.channels[number].active[frames]
            met &= ~active | (self.residuals(number, world, frames) <= tolerance)
        return met

    # Solving -------------------------------------------------------------------------------------------------------

    def solve_prioritized(
        self, group: Group, start: Motion, reference: Motion, settings: SolveSettings
    ) -> SolvedFrames:
        """Solve a group's frames in strict priority; `start` and `reference` cover the whole clip.

        Recruited joints begin as in `start` and are attracted to the reference; the others are those of the reference.
        """
        solved = self._solve_attracted(group.frames, self.tasks(group), start, reference, settings)
        met = self.met(group.channels, solved.errors[:-1])
        return SolvedFrames(group.frames, solved.motion, solved.converged, met)

    def _single_level(self, frames: IntArray) -> tuple[list[ActiveChannel], list[Task]]:
        """The tasks of some frames as one level of equal priority, each masked where its channel is not active."""
        channels: list[ActiveChannel] = []
        tasks: list[Task] = []
        for channel, specifications in enumerate(self._specifications):
            codes = specifications.ignoring_rank[specifications.codes[frames]]
            for code in np.unique(codes[codes >= 0]):
                active = codes == code
                task = self._task(channel, int(code), frames, 1)
                channels.append(ActiveChannel(channel, int(code), 1))
                if channel in self._rigid_feet:
                    task = AcrossTask(task, active, self._across_foot(channel, frames))
                elif not active.all():
                    task = MaskedTask(task, active)
                tasks.append(task)
        return channels, tasks

    def solve_single_level(
        self, frames: IntArray, start: Motion, reference: Motion, settings: SolveSettings
    ) -> SolvedFrames:
        """Solve some frames in one batch with all tasks in one level; where all targets can be met, the result is that
        of `solve_prioritized`.

        There the priorities do not matter: the posture nearest to the reference that meets all targets is the same.
        Elsewhere the result is only a start. Targets are met to `settings.feasibility_tolerance`; where that is more
        than `MET_TOLERANCE`, the frames have to be corrected afterwards.
        """
        channels, tasks = self._single_level(frames)
        few = replace(settings, iterations=min(settings.iterations, SINGLE_LEVEL_ITERATIONS))
        solved = self._solve_attracted(frames, tasks, start, reference, few)
        self._restore_unrecruited(frames, solved.motion, reference)
        met = self.met(channels, solved.errors[:-1], max(MET_TOLERANCE, settings.feasibility_tolerance))
        if self._rigid_feet:
            world = WorldState.of(self.skeleton, solved.motion)
            met &= self._heels_met(frames, world, max(HEEL_TOLERANCE, settings.feasibility_tolerance))
        return SolvedFrames(frames, solved.motion, solved.converged, met)

    def correct(self, frames: IntArray, start: Motion) -> SolvedFrames:
        """Remove the residuals of some frames, without attraction to a reference, from their postures in `start`.

        The correction is made by the limbs rather than by the whole body; see `Source.stiffened_skeleton`.
        """
        channels, tasks = self._single_level(frames)
        motion = start.at(frames)
        skeleton = self.timeline.source.stiffened_skeleton
        if is_correctable(self.skeleton, tasks):
            corrected = correct_postures(skeleton, motion, tasks, CORRECTION_TOLERANCE)
            world, errors = corrected.world, corrected.errors
        else:
            solved = solve_checked(skeleton, motion, tasks, SolveSettings(iterations=0))
            world, errors = WorldState.of(skeleton, solved.motion), solved.errors
        self._restore_unrecruited(frames, world.motion, start)
        met = self.met(channels, errors) & self._heels_met(frames, world)
        return SolvedFrames(frames, world.motion, met, met)

    def _restore_unrecruited(self, frames: IntArray, motion: Motion, original: Motion) -> None:
        """Write the joints that no task recruits from an original of the whole clip into a motion of some frames."""
        unrecruited = ~self.movable[frames]
        motion.rotations[unrecruited] = original.rotations[frames][unrecruited]
        motion.translations[unrecruited] = original.translations[frames][unrecruited]

    def _solve_attracted(
        self, frames: IntArray, tasks: Sequence[Task], start: Motion, reference: Motion, settings: SolveSettings
    ) -> Postures:
        """Solve some frames for tasks, and last for the attraction of the recruited joints to the reference."""
        recruited = np.flatnonzero(self.recruited(tasks))
        attractor = reference.at(frames)
        attraction = PoseTask(attractor, priority=0, recruit=recruited.tolist())
        begin = Motion(attractor.rotations.copy(), attractor.translations.copy())
        begin.rotations[:, recruited] = start.rotations[np.ix_(frames, recruited)]
        begin.translations[:, recruited] = start.translations[np.ix_(frames, recruited)]
        return solve_checked(self.skeleton, begin, [*tasks, attraction], settings)
