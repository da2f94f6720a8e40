# SPDX-License-Identifier: GPL-3.0-or-later
"""Enforcing what a time line says: frames with the same levels are solved together.

Which tasks are active, and in which order, differs from frame to frame: plants come and go, heel and toe change ranks.
Frames that agree in all of this form a group, and a group is a batch of the posture solver.
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
from .timeline import Channel, Timeline

HOLDS = 1e-5
"""Sizes of the character, or radians: a target that is missed by less is met."""

HEEL_HOLDS = 1e-4
"""Sizes of the character: what a heel may miss along a rigid foot. Its toe and the line between them hold to `HOLDS`,
and the targets are as far apart as heel and toe are, but for the rounding of files."""

ROUGHLY_HOLDS = 1e-2
"""As `HOLDS`, for frames that are put right afterwards, with those between which feet have moved by as much."""

POLISHED = 5e-7
"""Sizes of the character, or radians: to which frames are put right."""

ORDERED = 40
"""Frames that are solved together by their order: fewer than without, since each of them takes long, and whoever
waits wants to be able to stop."""

UNORDERED_ITERATIONS = 20
"""Steps after which frames that are solved without order should have met everything; those that have not are solved
again with it."""


@dataclass(frozen=True, eq=False)
class Level:
    """A channel in one group of frames: what is wished of it, and the constraint that has it there."""

    channel: int
    wish: int
    """An index into the channel's wishes."""
    priority: int
    """Of its task."""


@dataclass(frozen=True, eq=False)
class Group:
    """Frames with the same levels."""

    frames: IntArray
    levels: tuple[Level, ...]


class Enforcement:
    """The tasks of every frame of a time line."""

    def __init__(self, timeline: Timeline, targets: list[Array] | None = None) -> None:
        """The tasks of a time line, with its own targets unless others (frames, width) are given for its channels."""
        self.timeline = timeline
        self.skeleton = timeline.source.clip.skeleton
        self.targets = timeline.targets() if targets is None else targets
        self._wishes = [channel.wishes for channel in timeline.channels]
        order = sorted({wish.rank for wishes in self._wishes for wish in wishes.distinct})
        self._priority = {rank: number for number, rank in enumerate(order, start=1)}
        """Of tasks, by the rank of a wish; the pose has 0."""
        nothing = [np.zeros((timeline.frames, 0), dtype=np.int64)]
        self.codes: IntArray = np.concatenate(nothing + [wishes.codes[:, None] for wishes in self._wishes], axis=1)
        """(frames, channels) what is wished of each channel; -1 for nothing."""

    @cached_property
    def _rigid(self) -> dict[int, int]:
        """The channels of toes of rigid feet by those of their heels."""
        rigid = {}
        for heel, toe in self.timeline.pairs:
            first, second = (self.timeline.channels[number].effector for number in (heel, toe))
            if not isinstance(first, PointEffector) or not isinstance(second, PointEffector):
                continue
            if self._is_rigid(first.point, second.point):
                rigid[heel] = toe
        return rigid

    def _across_foot(self, heel: int, frames: IntArray) -> Array:
        """(frames, 3, 3) what counts of the heel of a rigid foot in some frames, where its toe is active too."""
        toe = self._rigid[heel]
        both = (self.timeline.channels[heel].active & self.timeline.channels[toe].active)[frames]
        apart = self.targets[toe][frames] - self.targets[heel][frames]
        axis = apart / np.maximum(rotations.lengths(apart), TINY)[:, None]
        return across(axis * both[:, None])

    def _is_rigid(self, heel: BodyPoint, toe: BodyPoint) -> bool:
        """Whether nothing that can turn lies between two points: the upper one's joint carries the other's at once."""
        tree, kinds = self.skeleton.tree, self.skeleton.kinds
        chain = tree.chain(int(toe.joint))
        if heel.joint not in chain or any(toe.offset):
            return heel.joint == toe.joint
        between = chain[1 : chain.index(int(heel.joint))]
        return all(kinds[joint] is JointKind.FIXED for joint in between)

    # What holds when -----------------------------------------------------------------------------------------------

    def enforced_among(self, frames: IntArray) -> IntArray:
        """Those of some frames in which anything holds."""
        return frames[(self.codes[frames] >= 0).any(axis=1)]

    def groups(self, frames: IntArray) -> list[Group]:
        """Some frames by their levels, in batches; those without any are left out."""
        active = self.enforced_among(frames)
        if not active.size:
            return []
        distinct, which = np.unique(self.codes[active], axis=0, return_inverse=True)
        which = which.reshape(-1)
        groups = []
        for number, codes in enumerate(distinct):
            levels = tuple(
                Level(channel, int(code), self._priority[self._wishes[channel].distinct[code].rank])
                for channel, code in enumerate(codes)
                if code >= 0
            )
            members = active[which == number]
            groups += [Group(members[first : first + ORDERED], levels) for first in range(0, len(members), ORDERED)]
        return groups

    def tasks(self, group: Group) -> list[Task]:
        """For the frames of a group, in the order of its levels."""
        return [self._task(level.channel, level.wish, group.frames, level.priority) for level in group.levels]

    def _task(self, channel: int, wish: int, frames: IntArray, priority: int) -> Task:
        wishes = self._wishes[channel]
        return self.timeline.channels[channel].effector.task(
            self.targets[channel][frames],
            priority=priority,
            weight=wishes.distinct[wish].weight,
            recruit=wishes.distinct[wish].recruit,
            name=wishes.names[wish],
        )

    def owners(self, group: Group) -> list[Constraint]:
        """The constraint behind each level of a group, in its first frame."""
        channels = [self.timeline.channels[level.channel] for level in group.levels]
        return [channel.tracks[channel.owner[group.frames[0]]].constraint for channel in channels]

    def check(self) -> None:
        """Raise what is wrong with any task, before anything is solved."""
        for number, wishes in enumerate(self._wishes):
            for wish in range(len(wishes.distinct)):
                self._who_may_move(number, wish)

    def _who_may_move(self, channel: int, wish: int) -> BoolArray:
        """(joints,) those that a channel recruits by one of its wishes; raises what is wrong with such a task."""

        def checked() -> BoolArray:
            task = self._task(channel, wish, np.array([0]), 1)
            task.check(self.skeleton, 1)
            return task.recruited(self.skeleton)

        effector, recruit = self.timeline.channels[channel].effector, self._wishes[channel].distinct[wish].recruit
        return self.timeline.source.cached(("who may move", effector, recruit), checked)

    def recruited(self, tasks: Sequence[Task]) -> BoolArray:
        """(joints,) who may move for any of these tasks."""
        recruited = np.zeros(len(self.skeleton), dtype=bool)
        for task in tasks:
            recruited |= task.recruited(self.skeleton)
        return recruited

    @cached_property
    def movable(self) -> BoolArray:
        """(frames, joints) who may move in which frame."""
        movable = np.zeros((self.timeline.frames, len(self.skeleton)), dtype=bool)
        for number, wishes in enumerate(self._wishes):
            for wish in range(len(wishes.distinct)):
                movable |= (wishes.codes == wish)[:, None] & self._who_may_move(number, wish)
        return movable

    def changed(self, other: Enforcement) -> BoolArray:
        """(frames,) where this asks for something else than another time line of the same clip does."""
        mine, theirs = self._asked(), other._asked()
        changed = np.zeros(self.timeline.frames, dtype=bool)
        for effector in mine.keys() | theirs.keys():
            if effector not in mine or effector not in theirs:
                (only,) = (asked[effector] for asked in (mine, theirs) if effector in asked)
                changed |= only[0].active
                continue
            (one, targets), (another, others) = mine[effector], theirs[effector]
            if one is not another:
                changed |= (one.active != another.active) | (one.wishes.hashes != another.wishes.hashes)
            if targets is not others:
                changed |= one.active & another.active & (targets != others).any(axis=1)
        return changed

    def _asked(self) -> dict[Effector, tuple[Channel, Array]]:
        """What each effector is asked to do: its channel and its targets."""
        channels = self.timeline.channels
        return {channel.effector: (channel, targets) for channel, targets in zip(channels, self.targets, strict=True)}

    # Solving -------------------------------------------------------------------------------------------------------

    def met(self, levels: Sequence[Level], errors: Sequence[Array], holds: float = HOLDS) -> BoolArray:
        """(frames,) where every level holds, given the errors (frames, rows) of their tasks.

        It holds where it misses by no more than `holds`, in sizes of the character or radians.
        """
        met = np.ones(len(errors[0]), dtype=bool)
        for level, error in zip(levels, errors, strict=True):
            met &= np.einsum("fr,fr->f", error, error) <= (holds * self._unit(level.channel)) ** 2
        return met

    def missing(self, channel: int, world: WorldState, frames: IntArray) -> Array:
        """(frames,) what a channel misses in a state of some frames, in sizes of the character or radians."""
        effector = self.timeline.channels[channel].effector
        return effector.miss(effector.value(world), self.targets[channel][frames]) / self._unit(channel)

    def _unit(self, channel: int) -> float:
        """What the misses of a channel are measured in: the character's size, or a radian."""
        return 1.0 if self.timeline.channels[channel].effector.is_angular else self.skeleton.size

    def solved(self, group: Group, start: Motion, reference: Motion, settings: SolveSettings) -> Enforced:
        """The postures of a group's frames; `start` and `reference` cover the whole clip.

        Every joint that is recruited begins as in `start` and is attracted to the reference; the others keep it.
        """
        solved = self._attracted(group.frames, self.tasks(group), start, reference, settings)
        met = self.met(group.levels, solved.errors[:-1])
        return Enforced(group.frames, solved.motion, solved.converged, met)

    def _unordered(self, frames: IntArray) -> tuple[list[Level], list[Task]]:
        """The tasks of some frames as one level, each switched off where it does not hold."""
        levels: list[Level] = []
        tasks: list[Task] = []
        for channel, wishes in enumerate(self._wishes):
            codes = wishes.unordered[wishes.codes[frames]]
            for wish in np.unique(codes[codes >= 0]):
                active = codes == wish
                task = self._task(channel, int(wish), frames, 1)
                levels.append(Level(channel, int(wish), 1))
                if channel in self._rigid:
                    task = AcrossTask(task, active, self._across_foot(channel, frames))
                elif not active.all():
                    task = MaskedTask(task, active)
                tasks.append(task)
        return levels, tasks

    def solved_unordered(self, frames: IntArray, start: Motion, reference: Motion, settings: SolveSettings) -> Enforced:
        """The postures of some frames in one batch, as `solved` would have them wherever everything can be met.

        There the order does not matter: whichever way it is sought, the posture nearest to the reference that meets
        everything is the same. Where something is not met, the result is no more than a start. Levels are brought to
        `feasibility_tolerance`; with more than `HOLDS` they are met where they are, and someone has to put them right.
        """
        levels, tasks = self._unordered(frames)
        few = replace(settings, iterations=min(settings.iterations, UNORDERED_ITERATIONS))
        solved = self._attracted(frames, tasks, start, reference, few)
        self._keep_unrecruited(frames, solved.motion, reference)
        met = self.met(levels, solved.errors[:-1], max(HOLDS, settings.feasibility_tolerance))
        if self._rigid:
            world = WorldState.of(self.skeleton, solved.motion)
            met &= self._heels_hold(frames, world, max(HEEL_HOLDS, settings.feasibility_tolerance))
        return Enforced(frames, solved.motion, solved.converged, met)

    def polished(self, frames: IntArray, start: Motion) -> Enforced:
        """The postures of some frames, taken for right as they are in `start` but for what they miss.

        What is missing is made up for by limbs rather than by the whole body; see `Source.stiffened_skeleton`.
        """
        levels, tasks = self._unordered(frames)
        motion = start.at(frames)
        body = self.timeline.source.stiffened_skeleton
        if is_correctable(self.skeleton, tasks):
            polished = correct_postures(body, motion, tasks, POLISHED)
            world, errors = polished.world, polished.errors
        else:
            solved = solve_checked(body, motion, tasks, SolveSettings(iterations=0))
            world, errors = WorldState.of(body, solved.motion), solved.errors
        self._keep_unrecruited(frames, world.motion, start)
        met = self.met(levels, errors) & self._heels_hold(frames, world)
        return Enforced(frames, world.motion, met, met)

    def _heels_hold(self, frames: IntArray, world: WorldState, holds: float = HEEL_HOLDS) -> BoolArray:
        """(frames,) where heels that were only asked for across their feet hold altogether in a state of these.

        Asked so, a foot may also come to lie back to front.
        """
        hold = np.ones(len(frames), dtype=bool)
        for number in self._rigid:
            active = self.timeline.channels[number].active[frames]
            hold &= ~active | (self.missing(number, world, frames) <= holds)
        return hold

    def _keep_unrecruited(self, frames: IntArray, motion: Motion, kept: Motion) -> None:
        """Write joints that may not move in a frame over those of a motion of these frames alone."""
        still = ~self.movable[frames]
        motion.rotations[still] = kept.rotations[frames][still]
        motion.translations[still] = kept.translations[frames][still]

    def _attracted(
        self,
        frames: IntArray,
        tasks: Sequence[Task],
        start: Motion,
        reference: Motion,
        settings: SolveSettings,
    ) -> Postures:
        recruited = np.flatnonzero(self.recruited(tasks))
        turned, moved = reference.rotations[frames], reference.translations[frames]
        attraction = PoseTask(Motion(turned, moved), priority=0, recruit=recruited.tolist())
        begin = Motion(turned.copy(), moved.copy())
        begin.rotations[:, recruited] = start.rotations[np.ix_(frames, recruited)]
        begin.translations[:, recruited] = start.translations[np.ix_(frames, recruited)]
        return solve_checked(self.skeleton, begin, [*tasks, attraction], settings)


@dataclass(frozen=True, eq=False)
class Enforced:
    """Solved frames."""

    frames: IntArray
    motion: Motion
    """Of these frames alone."""
    converged: BoolArray
    """(frames,) whether each has come to rest."""
    met: BoolArray
    """(frames,) whether everything holds."""

    def at(self, chosen: IntArray) -> Enforced:
        """Some of them, by their positions."""
        motion = self.motion.at(chosen)
        return Enforced(self.frames[chosen], motion, self.converged[chosen], self.met[chosen])
