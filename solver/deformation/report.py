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

from ..body.clip import Clip
from ..body.joints import SIDES
from ..body.kinematics import WorldState
from ..constraints import Constraint, Track
from ..constraints.effectors import Effector
from ..core.arrays import TINY, Array, BoolArray, IntArray, runs
from ..posture.settings import SolveSettings
from ..posture.solve import solve_checked
from ..tasks import PoseTask, Task
from .frame_tasks import Enforcement

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
    """Without which it would have come nearer; empty where there are none."""
    alone: float
    """What would be missing in the worst frame if nothing else were asked for, in the clip's units or radians."""
    spans: tuple[tuple[int, int], ...]
    """First and last frames of the times at which it is missed."""
    worst: float
    """In the clip's units, or radians."""
    worst_frame: int
    advice: tuple[Advice, ...]

    @property
    def outcome(self) -> str:
        """What becomes of the loser, in words that its name goes before."""
        if self.winners:
            return f"loses against {', '.join(winner.label for winner in self.winners)}"
        if self.alone > HELPS * self.worst:
            return "is out of reach even alone"
        return "is not met, although it could be (near frames that are out of reach the motion is kept smooth),"

    def __str__(self) -> str:
        return f"{self.loser.label} {self.outcome} at {_times(self.spans)}; it misses by up to {self.worst:.3g}."


def _times(spans: Sequence[tuple[int, int]]) -> str:
    """The first and last frames of some times in words."""
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


def reported(enforcement: Enforcement, clip: Clip, within: tuple[int, int] | None = None) -> Report:
    """The report on a clip that was solved for a time line; or only on its frames `within` the first and the last."""
    inside = np.ones(clip.frames, dtype=bool)
    if within is not None:
        inside[:] = False
        inside[within[0] : within[1] + 1] = True
    residuals = tuple(_residuals(enforcement, clip, inside))
    missed = [residual for residual in residuals if residual.misses.any()]
    return Report(residuals, tuple(_conflicts(enforcement, clip, missed)), tuple(_stretched(clip, inside)))


# Residuals ----------------------------------------------------------------------------------------------------------


def _residuals(enforcement: Enforcement, clip: Clip, inside: BoolArray) -> Iterable[Residual]:
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
            if track.constraint.constrains_path:
                own = (channel.owner == number) & ~channel.bridged
                missed[own] = on_the_way[own]
                active[own] = True
            missed[held] = effector.miss(values[held], wished)
            active[held] = True
            np.maximum(distances, missed, out=distances)
            np.maximum(relative, missed / (1.0 if effector.is_angular else size), out=relative)
    for constraint in timeline.constraints:
        distances, relative, active = by_constraint[id(constraint)]
        frames = np.flatnonzero(active & inside)
        yield Residual(constraint, frames, distances[frames], relative[frames] > MISSED)


def _held(track: Track) -> IntArray:
    """The frames at which a track is held."""
    frames = track.frames
    held = np.zeros(len(frames), dtype=bool)
    for begin, end in track.hold_intervals:
        held |= (frames >= begin) & (frames <= end)
    return frames[held]


# Conflicts ----------------------------------------------------------------------------------------------------------


def _conflicts(enforcement: Enforcement, clip: Clip, missed: Sequence[Residual]) -> Iterable[Conflict]:
    if not missed:
        return
    aground = Enforcement(enforcement.timeline.aground(), enforcement.targets)
    for residual in missed:
        trial = _Trial(aground, clip, residual)
        # Nothing holds feet in the air, but where frames are solved one after the other.
        yield (trial if trial.shows_it else _Trial(enforcement, clip, residual)).conflict()


@dataclass(frozen=True, eq=False)
class _Asked:
    """One of the tasks of a frame, and who asks for it."""

    task: Task
    owner: Constraint
    effector: Effector


class _Trial:
    """The worst frame of a constraint that is missed, solved again under other conditions."""

    def __init__(self, enforcement: Enforcement, clip: Clip, residual: Residual) -> None:
        self.enforcement = enforcement
        self.clip = clip
        self.residual = residual
        self.loser = residual.constraint
        self.frame = residual.worst_frame
        self.asked = [
            _Asked(task, owner, enforcement.timeline.channels[level.channel].effector)
            for group in enforcement.groups(np.array([self.frame]))
            for task, owner, level in zip(
                enforcement.tasks(group), enforcement.owners(group), group.levels, strict=True
            )
        ]
        self.own = [each for each in self.asked if each.owner is self.loser]
        self.missing = self._missing(self.asked)

    @property
    def shows_it(self) -> bool:
        """Whether what is asked for in this frame leads to the loser's missing something."""
        unit = 1.0 if any(each.effector.is_angular for each in self.own) else self.clip.skeleton.size
        return self.missing > MISSED * unit

    def conflict(self) -> Conflict:
        residual = self.residual
        wrong = np.zeros(self.clip.frames, dtype=bool)
        wrong[residual.frames[residual.misses]] = True
        alone = self._missing(self.own)
        winners, advice = self._causes(alone)
        return Conflict(self.loser, winners, alone, tuple(runs(wrong)), residual.worst, self.frame, tuple(advice))

    def _causes(self, alone: float) -> tuple[tuple[Constraint, ...], list[Advice]]:
        taken = self._given_way()
        if not self.shows_it:
            return taken, []
        winners: list[Constraint] = []
        if alone <= HELPS * self.missing:
            others = list(dict.fromkeys(each.owner for each in self.asked if each.owner is not self.loser))
            for other in others:
                without = [each for each in self.asked if each.owner is not other]
                if self._missing(without) <= HELPS * self.missing:
                    winners.append(other)
            if not winners:  # none of them alone makes the difference, all of them together do
                winners = [other for other in others if other.priority >= self.loser.priority]
        advice = [*self._raised(winners), *self._recruiting_more(), *([] if taken else self._moved())]
        return tuple(dict.fromkeys([*winners, *taken])), advice

    def _given_way(self) -> tuple[Constraint, ...]:
        """Who has the effectors that the loser should hold; where it is nobody, who left it too little time for it."""
        owners = []
        for channel in self.enforcement.timeline.channels:
            mine = [number for number, track in enumerate(channel.tracks) if track.constraint is self.loser]
            if not any(self.frame in _held(channel.tracks[number]) for number in mine):
                continue
            owned = np.flatnonzero(channel.owner >= 0)
            if owned.size:
                owner = channel.owner[owned[np.argmin(np.abs(owned - self.frame))]]
                owners += [channel.tracks[owner].constraint] if owner not in mine else []
        return tuple(dict.fromkeys(owners))

    def _missing(self, asked: Sequence[_Asked]) -> float:
        """How far the loser's farthest effector is off where this is asked for; 0 where it has none."""
        own = [each.task for each in asked if each.owner is self.loser]
        if not own:
            return 0.0
        tasks = [each.task for each in asked]
        skeleton, source = self.clip.skeleton, self.enforcement.timeline.source.clip.motion
        recruited = np.flatnonzero(self.enforcement.recruited(tasks)).tolist()
        start = source.pose(self.frame).motion
        pose = PoseTask(start, priority=min(task.priority for task in tasks) - 1, recruit=recruited)
        solved = solve_checked(skeleton, start, [*tasks, pose], FEW_ITERATIONS)
        state = WorldState.of(skeleton, solved.motion)
        return max(float(np.linalg.norm(task.error(state)[0])) for task in own)

    def _raised(self, winners: Sequence[Constraint]) -> Iterable[Advice]:
        above = [winner for winner in winners if winner.priority >= self.loser.priority]
        if not above:
            return
        priorities = [each.task.priority for each in self.asked]
        # Whichever of the two a user does, what it leaves missing must not be more than it says.
        remaining = max(
            self._missing(self._with_priority([self.loser], max(priorities) + 1)),
            self._missing(self._with_priority(above, min(priorities) - 1)),
        )
        if remaining <= HELPS * self.missing:
            names = " and ".join(winner.label for winner in above)
            yield Advice(
                "priority",
                f"Lower the priority of {names} below {self.loser.priority} (or raise that of {self.loser.label}): it "
                f"would then miss by {remaining:.3g} at frame {self.frame}, and they would give way.",
                remaining,
            )

    def _with_priority(self, owners: Sequence[Constraint], priority: int) -> list[_Asked]:
        """What is asked for if some constraints had another priority."""
        return [
            replace(each, task=replace(each.task, priority=priority)) if each.owner in owners else each
            for each in self.asked
        ]

    def _recruiting_more(self) -> Iterable[Advice]:
        skeleton = self.clip.skeleton
        added: list[str] = []
        asked = []
        for each in self.asked:
            task = each.task
            if each.owner is self.loser and task.recruit is not None and task.effector is not None:
                recruited = task.recruited(skeleton)
                chain = skeleton.tree.chain(skeleton.index(task.effector))
                more = [joint for joint in chain if not recruited[joint]][:MORE_JOINTS]
                added += [skeleton.names[joint] for joint in more if skeleton.names[joint] not in added]
                each = replace(each, task=replace(task, recruit=[*np.flatnonzero(recruited).tolist(), *more]))
            asked.append(each)
        if not added:
            return
        remaining = self._missing(asked)
        if remaining <= HELPS * self.missing:
            yield Advice(
                "recruit",
                f"Let {self.loser.label} recruit {' and '.join(added)} too: it would then miss by {remaining:.3g} at "
                f"frame {self.frame}.",
                remaining,
            )

    def _moved(self) -> Iterable[Advice]:
        """How far its targets lie from where the effectors can be."""
        there = self.clip.world.at(np.array([self.frame]))
        words = []
        for each in self.own:
            way = -each.task.error(there)[0]
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
