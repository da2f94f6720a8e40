# SPDX-License-Identifier: GPL-3.0-or-later
"""Enforcing what a time line says: frames with the same levels are solved together.

Which tasks are active, and in which order, differs from frame to frame: plants come and go, heel and toe change ranks.
Frames that agree in all of this form a group, and a group is a batch of the posture solver.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Array, BoolArray, IntArray
from .constraints.effectors import Effector
from .errors import RecruitingWarning
from .motion import Motion
from .posture import BATCH, Postures, solve_postures
from .settings import SolveSettings
from .skeleton import Skeleton
from .tasks import PoseTask, Task
from .timeline import Channel, Timeline

HOLDS = 1e-5
"""Sizes of the character, or radians: a target that is missed by less is met."""


@dataclass(frozen=True, eq=False)
class _Level:
    """Where a channel stands in one group, and for whom."""

    channel: int
    track: int
    priority: int


@dataclass(frozen=True, eq=False)
class Group:
    """Frames with the same levels."""

    frames: IntArray
    levels: tuple[_Level, ...]


class Enforcement:
    """The tasks of every frame of a time line."""

    def __init__(self, timeline: Timeline, targets: list[Array] | None = None) -> None:
        """The tasks of a time line, with its own targets unless others (frames, width) are given for its channels."""
        self.timeline = timeline
        self.skeleton = timeline.source.clip.skeleton
        self.targets = timeline.targets() if targets is None else targets
        ranks = [_ranks(channel) for channel in timeline.channels]
        order = sorted({rank for channel in ranks for rank in channel.keys})
        self._priority = {rank: number for number, rank in enumerate(order, start=1)}
        """Of tasks, by the priority of a constraint and whether the effector leads in it; the pose has 0."""
        self._ranks = ranks
        self.codes = (
            np.stack([channel.codes for channel in ranks], axis=1)
            if ranks
            else np.zeros((timeline.frames, 0), dtype=np.int64)
        )
        """(frames, channels) what holds in each frame, as numbers, equal where the same holds; -1 for nothing."""

    def groups(self, frames: IntArray) -> list[Group]:
        """Some frames by their levels, in batches; those without any are left out."""
        active = frames[(self.codes[frames] >= 0).any(axis=1)]
        if not active.size:
            return []
        distinct, which = np.unique(self.codes[active], axis=0, return_inverse=True)
        which = which.reshape(-1)
        groups = []
        for number, codes in enumerate(distinct):
            levels = tuple(
                _Level(channel, *self._meaning(channel, int(code))) for channel, code in enumerate(codes) if code >= 0
            )
            members = active[which == number]
            groups += [Group(members[first : first + BATCH], levels) for first in range(0, len(members), BATCH)]
        return groups

    def _meaning(self, channel: int, code: int) -> tuple[int, int]:
        """The track and the task's priority behind a code."""
        track, rank = self._ranks[channel].meanings[code]
        return track, self._priority[rank]

    def tasks(self, group: Group) -> list[Task]:
        """For the frames of a group, in the order of its levels."""
        tasks = []
        for level in group.levels:
            channel = self.timeline.channels[level.channel]
            constraint = channel.tracks[level.track].constraint
            tasks.append(
                channel.effector.task(
                    self.targets[level.channel][group.frames],
                    priority=level.priority,
                    weight=constraint.weight,
                    recruit=constraint.recruit,
                    name=constraint.label,
                )
            )
        return tasks

    def recruited(self, tasks: Sequence[Task]) -> BoolArray:
        """(joints,) who may move for any of these tasks."""
        recruited = np.zeros(len(self.skeleton), dtype=bool)
        for task in tasks:
            recruited |= task.recruited(self.skeleton)
        return recruited

    def check(self) -> None:
        """Raise what is wrong with any task, before anything is solved."""
        for group in self.groups(np.arange(self.timeline.frames)):
            for task in self.tasks(group):
                task.check(self.skeleton, len(group.frames))

    def changed(self, other: Enforcement) -> BoolArray:
        """(frames,) where this asks for something else than another time line of the same clip does."""
        mine, theirs = self._asked(), other._asked()
        changed = np.zeros(self.timeline.frames, dtype=bool)
        for effector in mine.keys() | theirs.keys():
            if effector not in mine or effector not in theirs:
                (only,) = (asked[effector] for asked in (mine, theirs) if effector in asked)
                changed |= only.active
                continue
            one, another = mine[effector], theirs[effector]
            changed |= one.active != another.active
            changed |= one.active & another.active & (one.wishes != another.wishes)
            changed |= one.active & another.active & (one.targets != another.targets).any(axis=1)
        return changed

    def _asked(self) -> dict[Effector, _Asked]:
        asked = {}
        for channel, ranks, targets in zip(self.timeline.channels, self._ranks, self.targets, strict=True):
            wishes = np.array([hash(wish) for wish in ranks.wishes] + [0])[ranks.codes]
            asked[channel.effector] = _Asked(channel.active, wishes, targets)
        return asked

    def movable(self) -> BoolArray:
        """(frames, joints) who may move in which frame."""
        movable = np.zeros((self.timeline.frames, len(self.skeleton)), dtype=bool)
        for group in self.groups(np.arange(self.timeline.frames)):
            movable[group.frames] = self.recruited(self.tasks(group))
        return movable

    def met(self, group: Group, solved: Postures) -> BoolArray:
        """(frames of the group,) where every constraint holds in its postures."""
        met = np.ones(len(group.frames), dtype=bool)
        for level, error in zip(group.levels, solved.errors, strict=False):
            unit = 1.0 if self.timeline.channels[level.channel].effector.is_angular else self.skeleton.size
            met &= np.einsum("fr,fr->f", error, error) <= (HOLDS * unit) ** 2
        return met

    def solved(self, group: Group, start: Motion, reference: Motion, settings: SolveSettings) -> Postures:
        """The postures of a group's frames; `start` and `reference` cover the whole clip.

        Every joint that is recruited begins as in `start` and is attracted to the reference; the others keep it.
        """
        tasks = self.tasks(group)
        recruited = np.flatnonzero(self.recruited(tasks))
        frames = group.frames
        turned, moved = reference.rotations[frames], reference.translations[frames]
        attraction = PoseTask(Motion(turned, moved), priority=0, recruit=recruited.tolist())
        begin = Motion(turned.copy(), moved.copy())
        begin.rotations[:, recruited] = start.rotations[np.ix_(frames, recruited)]
        begin.translations[:, recruited] = start.translations[np.ix_(frames, recruited)]
        return solved_quietly(self.skeleton, begin, [*tasks, attraction], settings)


@dataclass(frozen=True, eq=False)
class _Asked:
    """What one effector is asked to do, comparable between time lines."""

    active: BoolArray
    """(frames,)"""
    wishes: IntArray
    """(frames,) a number for its rank, weight and recruited joints."""
    targets: Array
    """(frames, width)"""


@dataclass(frozen=True, eq=False)
class _Ranks:
    codes: IntArray
    """(frames,)"""
    meanings: list[tuple[int, tuple[int, int]]]
    """For each code: a track that asks for this, and the rank of its task."""
    wishes: list[tuple[object, ...]]
    """For each code: rank, weight and recruited joints."""

    @property
    def keys(self) -> list[tuple[int, int]]:
        return [rank for _, rank in self.meanings]


def _ranks(channel: Channel) -> _Ranks:
    """What each frame of a channel asks for, tracks that ask for the same in the same way counted as one."""
    codes = np.full(len(channel.active), -1)
    meanings: dict[tuple[object, ...], int] = {}
    described: list[tuple[int, tuple[int, int]]] = []
    leading = channel.leads >= 0.5
    for number, track in enumerate(channel.tracks):
        for leads in (False, True):
            frames = (channel.owner == number) & (leading == leads)
            if not frames.any():
                continue
            constraint = track.constraint
            rank = (int(constraint.priority), int(leads))
            key = (rank, constraint.weight, constraint.recruit)
            if key not in meanings:
                meanings[key] = len(described)
                described.append((number, rank))
            codes[frames] = meanings[key]
    return _Ranks(codes, described, list(meanings))


def solved_quietly(skeleton: Skeleton, motion: Motion, tasks: Sequence[Task], settings: SolveSettings) -> Postures:
    """`solve_postures` without its warnings, which would come again for every group and every pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecruitingWarning)
        return solve_postures(skeleton, motion, tasks, settings)
