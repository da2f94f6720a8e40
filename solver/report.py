# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of every constraint: how near it came, to whom it lost and what would help.

Nothing in it is guessed: a conflict names the constraints without which the loser would have come nearer, and advice
says what was tried on the worst frame and what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .arrays import TINY, Array, BoolArray, IntArray
from .clip import Clip
from .constraints import Constraint, Track
from .enforcement import Enforcement, solved_quietly
from .joint_names import SIDES
from .kinematics import WorldState
from .settings import SolveSettings
from .tasks import PoseTask, Task
from .timeline import runs

MISSED = 1e-3
"""Sizes of the character, or radians: what misses by less holds."""

HELPS = 0.5
"""Leaving a constraint out, or following advice, counts if it takes away this share of what is missing."""

STRAIGHT = 0.999
"""A limb whose ends are this share of its length apart is fully stretched."""

MORE_JOINTS = 2
"""How many joints more advice proposes to recruit."""

FEW_ITERATIONS = SolveSettings(iterations=60, tolerance=1e-5)
"""For trials on single frames."""


@dataclass(frozen=True, eq=False)
class Residual:
    """How far one constraint is from holding."""

    constraint: Constraint
    frames: IntArray
    """(n,) the frames of its activity."""
    distances: Array
    """(n,) in the clip's units, or in radians: the farthest of its effectors."""
    misses: BoolArray
    """(n,) where that is more than a thousandth of the character's size, or of a radian."""

    @property
    def worst(self) -> float:
        """The largest distance, 0 where there is none."""
        return float(self.distances.max(initial=0.0))

    @property
    def worst_frame(self) -> int:
        """Where that is; of a constraint without frames -1."""
        return int(self.frames[np.argmax(self.distances)]) if self.frames.size else -1


@dataclass(frozen=True)
class Advice:
    """What would help a constraint that does not hold; tried on its worst frame."""

    kind: Literal["priority", "recruit", "move"]
    sentence: str
    remaining: float
    """What would still be missing, in the clip's units or radians."""


@dataclass(frozen=True, eq=False)
class Conflict:
    """A constraint that does not hold."""

    loser: Constraint
    winners: tuple[Constraint, ...]
    """Without which it would have come nearer; empty where it is out of reach even alone."""
    spans: tuple[tuple[int, int], ...]
    """First and last frames of the times at which it is missed."""
    worst: float
    """In the clip's units, or radians."""
    worst_frame: int
    advice: tuple[Advice, ...]

    def __str__(self) -> str:
        times = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in self.spans)
        against = (
            f"loses against {', '.join(winner.label for winner in self.winners)}"
            if self.winners
            else "is out of reach even alone"
        )
        return f"{self.loser.label} {against} at frames {times}; it misses by up to {self.worst:.3g}."


@dataclass(frozen=True)
class StretchedLimb:
    """A limb that is straight: it can reach no further, and small changes of its end turn it a lot."""

    limb: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Report:
    """What became of the constraints of a deformation."""

    residuals: tuple[Residual, ...]
    """One for each constraint, in the order in which they were given."""
    conflicts: tuple[Conflict, ...]
    stretched: tuple[StretchedLimb, ...]

    def residual(self, constraint: Constraint) -> Residual:
        """That of one constraint."""
        for residual in self.residuals:
            if residual.constraint is constraint:
                return residual
        raise KeyError(f"{constraint.label} is not part of this deformation.")

    def __str__(self) -> str:
        lines = [f"{len(self.residuals)} constraints, {len(self.conflicts)} of them do not hold everywhere."]
        for conflict in self.conflicts:
            lines.append(str(conflict))
            lines += [f"  {advice.sentence}" for advice in conflict.advice]
        for limb in self.stretched:
            times = ", ".join(f"{first} to {last}" for first, last in limb.spans)
            lines.append(f"The {limb.limb} is fully stretched at frames {times}.")
        return "\n".join(lines)


def reported(enforcement: Enforcement, clip: Clip) -> Report:
    """The report on a clip that was solved for a time line."""
    residuals = tuple(_residuals(enforcement, clip))
    conflicts = [_Trial(enforcement, clip, residual).conflict() for residual in residuals if residual.misses.any()]
    return Report(residuals, tuple(conflicts), tuple(_stretched(clip)))


# Residuals ----------------------------------------------------------------------------------------------------------


def _residuals(enforcement: Enforcement, clip: Clip) -> Iterable[Residual]:
    timeline = enforcement.timeline
    size = clip.skeleton.size
    by_constraint: dict[int, tuple[Array, Array, BoolArray]] = {
        id(constraint): (np.zeros(clip.frames), np.zeros(clip.frames), np.zeros(clip.frames, dtype=bool))
        for constraint in timeline.constraints
    }
    for channel, targets in zip(timeline.channels, enforcement.targets, strict=True):
        effector = channel.effector
        values = effector.value(clip.world)
        on_the_way = effector.miss(values, targets)
        for number, track in enumerate(channel.tracks):
            distances, relative, active = by_constraint[id(track.constraint)]
            held = _held(track)
            # Whoever has the effector while it should be held: what counts is what this constraint asked for.
            wished = effector.displaced(timeline.source.values(effector)[held], track.displacement[held - track.begin])
            missed = np.zeros(clip.frames)
            if track.constraint.holds_its_way:
                own = (channel.owner == number) & ~channel.bridged
                missed[own] = on_the_way[own]
                active[own] = True
            missed[held] = effector.miss(values[held], wished)
            active[held] = True
            np.maximum(distances, missed, out=distances)
            np.maximum(relative, missed / (1.0 if effector.is_angular else size), out=relative)
    for constraint in timeline.constraints:
        distances, relative, active = by_constraint[id(constraint)]
        frames = np.flatnonzero(active)
        yield Residual(constraint, frames, distances[frames], relative[frames] > MISSED)


def _held(track: Track) -> IntArray:
    """The frames at which a track is held."""
    frames = track.frames
    held = np.zeros(len(frames), dtype=bool)
    for begin, end in track.held:
        held |= (frames >= begin) & (frames <= end)
    return frames[held]


# Conflicts ----------------------------------------------------------------------------------------------------------


class _Trial:
    """The worst frame of a constraint that is missed, solved again under other conditions."""

    def __init__(self, enforcement: Enforcement, clip: Clip, residual: Residual) -> None:
        self.enforcement = enforcement
        self.clip = clip
        self.residual = residual
        self.loser = residual.constraint
        self.frame = residual.worst_frame
        (group,) = enforcement.groups(np.array([self.frame]))
        self.owners = enforcement.owners(group)
        self.effectors = [enforcement.timeline.channels[level.channel].effector for level in group.levels]
        self.tasks = [
            replace(task, name=owner.label) for task, owner in zip(enforcement.tasks(group), self.owners, strict=True)
        ]

    def conflict(self) -> Conflict:
        residual = self.residual
        wrong = np.zeros(self.clip.frames, dtype=bool)
        wrong[residual.frames[residual.misses]] = True
        winners, advice = self._causes()
        return Conflict(self.loser, winners, tuple(runs(wrong)), residual.worst, self.frame, tuple(advice))

    def _causes(self) -> tuple[tuple[Constraint, ...], list[Advice]]:
        own = [number for number, owner in enumerate(self.owners) if owner is self.loser]
        if not own:
            return self._given_way(), []
        missing = self._missing(self.tasks)
        alone = self._missing([self.tasks[number] for number in own])
        winners: list[Constraint] = []
        if alone <= HELPS * missing:
            for other in dict.fromkeys(owner for owner in self.owners if owner is not self.loser):
                without = [task for task, owner in zip(self.tasks, self.owners, strict=True) if owner is not other]
                if self._missing(without) <= HELPS * missing:
                    winners.append(other)
            if not winners:  # none of them alone makes the difference, all of them together do
                winners = [
                    other
                    for other in dict.fromkeys(self.owners)
                    if other is not self.loser and other.priority >= self.loser.priority
                ]
        advice = [
            *self._raised(winners, missing),
            *self._recruiting_more(own, missing),
            *self._moved(missing),
        ]
        return tuple(winners), advice

    def _given_way(self) -> tuple[Constraint, ...]:
        """Who has the effectors that the loser would need."""
        owners = []
        for channel in self.enforcement.timeline.channels:
            if any(track.constraint is self.loser for track in channel.tracks) and channel.active[self.frame]:
                owners.append(channel.tracks[channel.owner[self.frame]].constraint)
        return tuple(dict.fromkeys(owners))

    def _solve(self, tasks: Sequence[Task]) -> WorldState:
        skeleton, source = self.clip.skeleton, self.enforcement.timeline.source.clip.motion
        recruited = np.flatnonzero(self.enforcement.recruited(tasks)).tolist()
        start = source.pose(self.frame).motion
        pose = PoseTask(start, priority=min(task.priority for task in tasks) - 1, recruit=recruited)
        return WorldState.of(skeleton, solved_quietly(skeleton, start, [*tasks, pose], FEW_ITERATIONS).motion)

    def _missing(self, tasks: Sequence[Task]) -> float:
        """How far the loser's farthest effector is off when these tasks are solved, its own among them."""
        state = self._solve(tasks)
        return max(float(np.linalg.norm(task.error(state)[0])) for task in tasks if task.name == self.loser.label)

    def _raised(self, winners: Sequence[Constraint], missing: float) -> Iterable[Advice]:
        above = [winner for winner in winners if winner.priority >= self.loser.priority]
        if not above:
            return
        top = max(task.priority for task in self.tasks) + 1
        raised = [
            replace(task, priority=top) if owner is self.loser else task
            for task, owner in zip(self.tasks, self.owners, strict=True)
        ]
        remaining = self._missing(raised)
        if remaining <= HELPS * missing:
            names = " and ".join(winner.label for winner in above)
            yield Advice(
                "priority",
                f"Lower the priority of {names} below {self.loser.priority} (or raise that of {self.loser.label}): it "
                f"would then miss by {remaining:.3g} at frame {self.frame}, and they would give way.",
                remaining,
            )

    def _recruiting_more(self, own: Sequence[int], missing: float) -> Iterable[Advice]:
        skeleton = self.clip.skeleton
        tasks = list(self.tasks)
        added: list[str] = []
        for number in own:
            task = tasks[number]
            if task.recruit is None or task.effector is None:
                continue
            recruited = task.recruited(skeleton)
            chain = skeleton.tree.chain(skeleton.index(task.effector))
            more = [joint for joint in chain if not recruited[joint]][:MORE_JOINTS]
            added += [skeleton.names[joint] for joint in more if skeleton.names[joint] not in added]
            tasks[number] = replace(task, recruit=[*np.flatnonzero(recruited).tolist(), *more])
        if not added:
            return
        remaining = self._missing(tasks)
        if remaining <= HELPS * missing:
            yield Advice(
                "recruit",
                f"Let {self.loser.label} recruit {' and '.join(added)} too: it would then miss by {remaining:.3g} at "
                f"frame {self.frame}.",
                remaining,
            )

    def _moved(self, missing: float) -> Iterable[Advice]:
        """How far its targets lie from where the effectors can be."""
        values = [effector.value(self.clip.world)[self.frame] for effector in self.effectors]
        words = []
        for task, owner, effector, value in zip(self.tasks, self.owners, self.effectors, values, strict=True):
            if owner is not self.loser or effector.is_angular:
                continue
            way = -task.error(self.clip.world.at(np.array([self.frame])))[0]
            if np.linalg.norm(way) > MISSED * self.clip.skeleton.size and len(way) == len(value):
                what = effector.describe(self.clip.skeleton.names)
                words.append(f"{what} by ({', '.join(f'{component:.3g}' for component in way)})")
        if words:
            yield Advice("move", f"Move the target of {' and of '.join(words)} at frame {self.frame}.", 0.0)
        del missing


# Limbs --------------------------------------------------------------------------------------------------------------


def _stretched(clip: Clip) -> Iterable[StretchedLimb]:
    positions, landmarks = clip.world.positions, clip.skeleton.landmarks
    for side in SIDES:
        for limb, joints in (("leg", landmarks.leg(side)[:3]), ("arm", landmarks.arm(side)[1:])):
            if any(joint is None for joint in joints):
                continue
            upper, middle, lower = (positions[:, joint] for joint in joints)
            length = np.linalg.norm(middle - upper, axis=1) + np.linalg.norm(lower - middle, axis=1)
            straight = np.linalg.norm(lower - upper, axis=1) > STRAIGHT * np.maximum(length, TINY)
            if straight.any():
                yield StretchedLimb(f"{side} {limb}", tuple(runs(straight)))
