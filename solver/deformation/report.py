# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on a deformation: the residuals of every constraint, the conflicts between them, and advice.

Conflicts and advice are computed by trials on the worst frame of a constraint that is missed: a conflict names the
constraints without which its residual would be smaller, and advice has the residual of its own trial.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.joints import SIDES
from ..body.kinematics import WorldState
from ..constraints import Constraint, Track
from ..constraints.effectors import Effector
from ..core.arrays import TINY, Array, BoolArray, IntArray, runs
from ..posture.settings import SolveSettings
from ..posture.solve import solve_checked
from ..tasks import PoseTask, Task
from .frame_tasks import FrameTasks

MISSED = 1e-3
"""Sizes of the character, or radians: a constraint with a larger residual is missed."""

HELPS = 0.5
"""A trial, without a constraint or after advice, counts if it reduces the residual to this share or less."""

STRAIGHT = 0.999
"""A limb whose ends are at least this share of its length apart is fully stretched."""

MORE_JOINTS = 2
"""The most joints that advice proposes to recruit in addition."""

TRIAL_SETTINGS = SolveSettings(iterations=60, tolerance=1e-5)
"""The settings of the posture solver for trials."""


@dataclass(frozen=True, eq=False)
class Residual:
    """The residuals of one constraint."""

    constraint: Constraint
    frames: IntArray
    """(n,) the frames of its activity."""
    distances: Array
    """(n,) the largest residual of its effectors in each frame, in the clip's units or in radians."""
    misses: BoolArray
    """(n,) where that is more than a thousandth of the character's size, or of a radian."""

    @property
    def worst(self) -> float:
        """The largest distance, 0 where there is none."""
        return float(self.distances.max(initial=0.0))

    @property
    def worst_frame(self) -> int:
        """The frame of the largest distance; -1 for a constraint without frames."""
        return int(self.frames[np.argmax(self.distances)]) if self.frames.size else -1


@dataclass(frozen=True)
class Advice:
    """A change that would bring a missed constraint nearer to its targets; tried on its worst frame."""

    kind: Literal["priority", "recruit", "move"]
    sentence: str
    remaining: float
    """The residual after the change, in the clip's units or radians."""


@dataclass(frozen=True, eq=False)
class Conflict:
    """A constraint that is missed."""

    constraint: Constraint
    conflicting: tuple[Constraint, ...]
    """The constraints without which its residual would be smaller; empty where there are none."""
    alone: float
    """Its residual in the worst frame without all other constraints, in the clip's units or radians."""
    spans: tuple[tuple[int, int], ...]
    """First and last frames of the intervals in which it is missed."""
    worst: float
    """Its largest residual, in the clip's units or radians."""
    worst_frame: int
    advice: tuple[Advice, ...]

    @property
    def outcome(self) -> str:
        """Why the constraint is missed, as the part of a sentence that follows its label."""
        if self.conflicting:
            return f"conflicts with {', '.join(other.label for other in self.conflicting)}"
        if self.alone > HELPS * self.worst:
            return "is out of reach even alone"
        return "is not met, although it could be (near frames that are out of reach the motion is kept smooth),"

    def __str__(self) -> str:
        return f"{self.constraint.label} {self.outcome} at {_times(self.spans)}; it misses by up to {self.worst:.3g}."


def _times(spans: Sequence[tuple[int, int]]) -> str:
    """The first and last frames of some intervals in words."""
    times = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in spans)
    is_one = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"frame {times}" if is_one else f"frames {times}"


@dataclass(frozen=True)
class StretchedLimb:
    """A limb that is straight: it can reach no further, and small changes of its end turn it a lot."""

    limb: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Report:
    """The residuals and conflicts of the constraints of a deformation, and the limbs that are straight."""

    residuals: tuple[Residual, ...]
    """One for each constraint, in the order in which they were given."""
    conflicts: tuple[Conflict, ...]
    stretched: tuple[StretchedLimb, ...]

    def residual(self, constraint: Constraint) -> Residual:
        """The residual of one constraint."""
        for residual in self.residuals:
            if residual.constraint is constraint:
                return residual
        raise KeyError(f"{constraint.label} is not part of this deformation.")

    def __str__(self) -> str:
        lines = [self._summary()]
        for conflict in self.conflicts:
            lines.append(str(conflict))
            lines += [f"  {advice.sentence}" for advice in conflict.advice]
        for limb in self.stretched:
            lines.append(f"The {limb.limb} is fully stretched at {_times(limb.spans)}.")
        return "\n".join(lines)

    def _summary(self) -> str:
        given, missed = len(self.residuals), len(self.conflicts)
        if not given:
            return "There are no constraints."
        if not missed:
            return "Every constraint holds everywhere."
        if given == 1:
            return "The constraint does not hold everywhere."
        return f"Of {given} constraints, {missed} {'does' if missed == 1 else 'do'} not hold everywhere."


def report_on(frame_tasks: FrameTasks, clip: Clip, within: tuple[int, int] | None = None) -> Report:
    """The report on a clip that was solved for the tasks of each frame; or on its frames from the first to the last of
    `within` alone."""
    inside = np.ones(clip.frames, dtype=bool)
    if within is not None:
        inside[:] = False
        inside[within[0] : within[1] + 1] = True
    residuals = tuple(_residuals(frame_tasks, clip, inside))
    missed = [residual for residual in residuals if residual.misses.any()]
    return Report(residuals, tuple(_conflicts(frame_tasks, clip, missed)), tuple(_stretched(clip, inside)))


# Residuals ----------------------------------------------------------------------------------------------------------


def _residuals(frame_tasks: FrameTasks, clip: Clip, inside: BoolArray) -> Iterable[Residual]:
    timeline = frame_tasks.timeline
    size = clip.skeleton.size
    by_constraint: dict[int, tuple[Array, Array, BoolArray]] = {
        id(constraint): (np.zeros(clip.frames), np.zeros(clip.frames), np.zeros(clip.frames, dtype=bool))
        for constraint in timeline.constraints
    }
    for channel, targets in zip(timeline.channels, frame_tasks.targets, strict=True):
        effector = channel.effector
        values = effector.value(clip.world)
        to_targets = effector.miss(values, targets)
        for number, track in enumerate(channel.tracks):
            distances, relative, active = by_constraint[id(track.constraint)]
            hold = _hold_frames(track)
            # In its hold intervals a constraint is judged by its own targets, also where another one owns the frame.
            wanted = effector.displaced(timeline.source.values(effector)[hold], track.displacement[hold - track.begin])
            missed = np.zeros(clip.frames)
            if track.constraint.constrains_path:
                own = (channel.owner == number) & ~channel.bridged
                missed[own] = to_targets[own]
                active[own] = True
            missed[hold] = effector.miss(values[hold], wanted)
            active[hold] = True
            np.maximum(distances, missed, out=distances)
            np.maximum(relative, missed / (1.0 if effector.is_angular else size), out=relative)
    for constraint in timeline.constraints:
        distances, relative, active = by_constraint[id(constraint)]
        frames = np.flatnonzero(active & inside)
        yield Residual(constraint, frames, distances[frames], relative[frames] > MISSED)


def _hold_frames(track: Track) -> IntArray:
    """The frames within a track's hold intervals."""
    frames = track.frames
    inside = np.zeros(len(frames), dtype=bool)
    for begin, end in track.hold_intervals:
        inside |= (frames >= begin) & (frames <= end)
    return frames[inside]


# Conflicts ----------------------------------------------------------------------------------------------------------


def _conflicts(frame_tasks: FrameTasks, clip: Clip, missed: Sequence[Residual]) -> Iterable[Conflict]:
    if not missed:
        return
    for residual in missed:
        yield _Trial(frame_tasks, clip, residual).conflict()


@dataclass(frozen=True, eq=False)
class _OwnedTask:
    """One of the tasks of a frame, and the constraint that owns the frame."""

    task: Task
    owner: Constraint
    effector: Effector


class _Trial:
    """The worst frame of a constraint that is missed, solved again under other conditions."""

    def __init__(self, frame_tasks: FrameTasks, clip: Clip, residual: Residual) -> None:
        self.frame_tasks = frame_tasks
        self.clip = clip
        self.residual = residual
        self.constraint = residual.constraint
        self.frame = residual.worst_frame
        self.all_tasks = [
            _OwnedTask(task, owner, frame_tasks.timeline.channels[each.channel].effector)
            for group in frame_tasks.groups(np.array([self.frame]))
            for task, owner, each in zip(
                frame_tasks.tasks(group), frame_tasks.owners(group), group.channels, strict=True
            )
        ]
        self.own_tasks = [each for each in self.all_tasks if each.owner is self.constraint]
        self.residuals = self._residual_with(self.all_tasks)

    @property
    def reproduces_miss(self) -> bool:
        """Whether the constraint is missed in a trial with all tasks of the frame."""
        unit = 1.0 if any(each.effector.is_angular for each in self.own_tasks) else self.clip.skeleton.size
        return self.residuals > MISSED * unit

    def conflict(self) -> Conflict:
        """The conflict of the constraint, with advice."""
        residual = self.residual
        missed = np.zeros(self.clip.frames, dtype=bool)
        missed[residual.frames[residual.misses]] = True
        alone = self._residual_with(self.own_tasks)
        conflicting, advice = self._causes(alone)
        return Conflict(
            self.constraint, conflicting, alone, tuple(runs(missed)), residual.worst, self.frame, tuple(advice)
        )

    def _causes(self, alone: float) -> tuple[tuple[Constraint, ...], list[Advice]]:
        """The conflicting constraints, and advice; `alone` is the residual without any other constraint."""
        other_owners = self._other_owners()
        if not self.reproduces_miss:
            return other_owners, []
        conflicting: list[Constraint] = []
        if alone <= HELPS * self.residuals:
            others = list(dict.fromkeys(each.owner for each in self.all_tasks if each.owner is not self.constraint))
            for other in others:
                without = [each for each in self.all_tasks if each.owner is not other]
                if self._residual_with(without) <= HELPS * self.residuals:
                    conflicting.append(other)
            if not conflicting:  # none of them alone makes the difference, all of them together do
                conflicting = [other for other in others if other.priority >= self.constraint.priority]
        advice = [
            *self._advice_on_priority(conflicting),
            *self._advice_on_recruiting(),
            *([] if other_owners else self._advice_on_targets()),
        ]
        return tuple(dict.fromkeys([*conflicting, *other_owners])), advice

    def _other_owners(self) -> tuple[Constraint, ...]:
        """The constraints that own the frame of effectors in a hold interval of the constraint; where none owns it, the
        owner of the nearest frame, which leaves too little time for the hold."""
        owners = []
        for channel in self.frame_tasks.timeline.channels:
            own = [number for number, track in enumerate(channel.tracks) if track.constraint is self.constraint]
            if not any(self.frame in _hold_frames(channel.tracks[number]) for number in own):
                continue
            owned = np.flatnonzero(channel.owner >= 0)
            if owned.size:
                owner = channel.owner[owned[np.argmin(np.abs(owned - self.frame))]]
                owners += [channel.tracks[owner].constraint] if owner not in own else []
        return tuple(dict.fromkeys(owners))

    def _residual_with(self, owned_tasks: Sequence[_OwnedTask]) -> float:
        """The constraint's largest residual after a solve with some tasks; 0 where none of them is its own."""
        own = [each.task for each in owned_tasks if each.owner is self.constraint]
        if not own:
            return 0.0
        tasks = [each.task for each in owned_tasks]
        skeleton, source = self.clip.skeleton, self.frame_tasks.timeline.source.clip.motion
        recruited = np.flatnonzero(self.frame_tasks.recruited(tasks)).tolist()
        start = source.pose(self.frame).motion
        pose = PoseTask(start, priority=min(task.priority for task in tasks) - 1, recruit=recruited)
        solved = solve_checked(skeleton, start, [*tasks, pose], TRIAL_SETTINGS)
        state = WorldState.of(skeleton, solved.motion)
        return max(float(np.linalg.norm(task.error(state)[0])) for task in own)

    def _advice_on_priority(self, conflicting: Sequence[Constraint]) -> Iterable[Advice]:
        above = [other for other in conflicting if other.priority >= self.constraint.priority]
        if not above:
            return
        priorities = [each.task.priority for each in self.all_tasks]
        # Of the two changes that the sentence proposes the larger residual is stated.
        remaining = max(
            self._residual_with(self._with_priority([self.constraint], max(priorities) + 1)),
            self._residual_with(self._with_priority(above, min(priorities) - 1)),
        )
        if remaining <= HELPS * self.residuals:
            names = " and ".join(other.label for other in above)
            yield Advice(
                "priority",
                f"Lower the priority of {names} below {self.constraint.priority} (or raise that of "
                f"{self.constraint.label}): it would then miss by {remaining:.3g} at frame {self.frame}, and they "
                "would be missed instead.",
                remaining,
            )

    def _with_priority(self, owners: Sequence[Constraint], priority: int) -> list[_OwnedTask]:
        """All tasks, with those of some constraints at another priority."""
        return [
            replace(each, task=replace(each.task, priority=priority)) if each.owner in owners else each
            for each in self.all_tasks
        ]

    def _advice_on_recruiting(self) -> Iterable[Advice]:
        skeleton = self.clip.skeleton
        added: list[str] = []
        tasks = []
        for each in self.all_tasks:
            task = each.task
            if each.owner is self.constraint and task.recruit is not None and task.effector is not None:
                recruited = task.recruited(skeleton)
                chain = skeleton.tree.chain(skeleton.index(task.effector))
                more = [joint for joint in chain if not recruited[joint]][:MORE_JOINTS]
                added += [skeleton.names[joint] for joint in more if skeleton.names[joint] not in added]
                each = replace(each, task=replace(task, recruit=[*np.flatnonzero(recruited).tolist(), *more]))
            tasks.append(each)
        if not added:
            return
        remaining = self._residual_with(tasks)
        if remaining <= HELPS * self.residuals:
            yield Advice(
                "recruit",
                f"Let {self.constraint.label} recruit {' and '.join(added)} too: it would then miss by {remaining:.3g} "
                f"at frame {self.frame}.",
                remaining,
            )

    def _advice_on_targets(self) -> Iterable[Advice]:
        """How far its targets must move to where the effectors are in the result."""
        state = self.clip.world.at(np.array([self.frame]))
        words = []
        for each in self.own_tasks:
            way = -each.task.error(state)[0]
            if each.effector.is_angular or len(way) != each.effector.width:
                continue
            if np.linalg.norm(way) > MISSED * self.clip.skeleton.size:
                what = each.effector.describe(self.clip.skeleton.names)
                words.append(f"{what} by ({', '.join(f'{component:.3g}' for component in way)})")
        if words:
            yield Advice("move", f"Move the target of {' and of '.join(words)} at frame {self.frame}.", 0.0)


# Limbs --------------------------------------------------------------------------------------------------------------


def _stretched(clip: Clip, inside: BoolArray) -> Iterable[StretchedLimb]:
    positions, landmarks = clip.world.positions, clip.skeleton.landmarks
    for side in SIDES:
        for limb, joints in (("leg", landmarks.leg(side)[:3]), ("arm", landmarks.arm(side)[1:])):
            if any(joint is None for joint in joints):
                continue
            upper, middle, lower = (positions[:, joint] for joint in joints)
            length = np.linalg.norm(middle - upper, axis=1) + np.linalg.norm(lower - middle, axis=1)
            straight = np.linalg.norm(lower - upper, axis=1) > STRAIGHT * np.maximum(length, TINY)
            straight &= inside
            if straight.any():
                yield StretchedLimb(f"{side} {limb}", tuple(runs(straight)))
