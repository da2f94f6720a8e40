# SPDX-License-Identifier: GPL-3.0-or-later
"""Conflicts: why constraints are missed, and what would help.

Which constraints are the cause is seen in the result (`opposition`). Trials (`trials`) on the frame in which a
constraint is missed most check that, and find what remains of the residual after a change. A more important constraint
is not moved by a less important one: what remains if a constraint is first in rank is what remains of it alone, and
what remains if others are last in rank is what remains without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..constraints import Constraint
from ..core.arrays import Array, BoolArray, IntArray, nearest_of, runs
from ..posture.settings import SolveSettings
from .frame_tasks import ChannelTask, FrameTasks
from .opposition import HELPS, MISSED, Opposition
from .trials import Trial, residuals_of

BATCH = 500
"""Frames in which opposition is looked for together: the products of their rows fill some megabytes."""

MORE_JOINTS = 2
"""The most joints that advice proposes to recruit in addition."""

QUICK = SolveSettings(iterations=20, tolerance=1e-4, goal_length=1.0, goal_angle=1.5)
"""The settings of trials. Goals are far, since a trial begins where all but a few of its targets are met."""

CERTAIN = SolveSettings(tolerance=1e-5)
"""The settings of the trials that decide whether a constraint is out of reach even alone."""

WITHIN = 3e-3
"""Sizes of the character by which advice moves a target further than to where its effector is: this is the end of its
reach, and a target that rounding leaves beyond it would be missed again."""

Spans = tuple[tuple[int, int], ...]
"""First and last frames of intervals."""


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
class Cause:
    """A constraint because of which another one is missed."""

    constraint: Constraint
    spans: Spans
    """The intervals in which it is active while the other one is missed."""
    takes_effector: bool
    """Whether it owns the effector there; else it only needs the same joints."""

    def sentence(self, when: str) -> str:
        """What it does, with the words for its frames."""
        does = "moves the same effector" if self.takes_effector else "needs the same joints"
        return f"{self.constraint.label} {does} at {when}."


@dataclass(frozen=True, eq=False)
class Conflict:
    """A constraint that is missed."""

    constraint: Constraint
    causes: tuple[Cause, ...]
    """The constraints without which its residual would be smaller; empty where there are none."""
    alone: float
    """Its residual in the worst frame without all other constraints, in the clip's units or radians; not a number where
    another constraint has all of its effectors there."""
    spans: Spans
    """First and last frames of the intervals in which it is missed."""
    worst: float
    """Its largest residual, in the clip's units or radians."""
    worst_frame: int
    advice: tuple[Advice, ...]

    @property
    def conflicting(self) -> tuple[Constraint, ...]:
        """The constraints of its causes."""
        return tuple(cause.constraint for cause in self.causes)

    @property
    def outcome(self) -> str:
        """Why the constraint is missed, as the part of a sentence that follows its label."""
        if self.alone > HELPS * self.worst:
            return "is out of reach even alone"
        if self.causes:
            return f"conflicts with {', '.join(other.label for other in self.conflicting)}"
        return "is not met, although it could be (the motion is kept smooth there),"

    @property
    def told_causes(self) -> tuple[Cause, ...]:
        """The causes that are worth a sentence of their own: they take the effector, or not all of the frames."""
        return tuple(cause for cause in self.causes if cause.takes_effector or cause.spans != self.spans)

    def __str__(self) -> str:
        when = in_words(self.spans)
        return f"{self.constraint.label} {self.outcome} at {when}; it misses by up to {self.worst:.3g}."


def in_words(spans: Spans) -> str:
    """Intervals of frames in words."""
    times = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in spans)
    is_one = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"frame {times}" if is_one else f"frames {times}"


def conflicts_of(frame_tasks: FrameTasks, clip: Clip, missed: Sequence[Residual]) -> tuple[Conflict, ...]:
    """The conflicts of the constraints that are missed in a clip, solved for the tasks of each frame."""
    if not missed:
        return ()
    numbers = {id(each): number for number, each in enumerate(frame_tasks.timeline.constraints)}
    inquiries = [_Inquiry(frame_tasks, clip, each, numbers[id(each.constraint)]) for each in missed]
    frames = np.unique(np.concatenate([each.missed for each in inquiries]))
    for first in range(0, len(frames), BATCH):
        opposition = Opposition(frame_tasks, clip, frames[first : first + BATCH])
        for each in inquiries:
            if each.number in opposition.constraints:
                each.add(opposition)
    _try(frame_tasks, clip, inquiries)
    return tuple(each.conflict() for each in inquiries)


def _try(frame_tasks: FrameTasks, clip: Clip, inquiries: Sequence[_Inquiry]) -> None:
    """Solve the trials of all constraints, and once more with care where one seems to be out of reach alone."""
    named = [(each, name, trial) for each in inquiries for name, trial in each.trials()]
    found = residuals_of(frame_tasks, [trial for _, _, trial in named], clip.motion, QUICK)
    for (each, name, _), residual in zip(named, found, strict=True):
        each.remaining[name] = float(residual)
    doubtful = [(each, trial) for each, name, trial in named if name == "alone" and each.is_out_of_reach]
    for start in (clip.motion, frame_tasks.timeline.source.clip.motion) if doubtful else ():
        found = residuals_of(frame_tasks, [trial for _, trial in doubtful], start, CERTAIN)
        for (each, _), residual in zip(doubtful, found, strict=True):
            each.remaining["alone"] = min(each.remaining["alone"], float(residual))


class _Inquiry:
    """Why one constraint is missed."""

    def __init__(self, frame_tasks: FrameTasks, clip: Clip, residual: Residual, number: int) -> None:
        self.frame_tasks = frame_tasks
        self.clip = clip
        self.residual = residual
        self.constraint = residual.constraint
        self.number = number
        self.frame = residual.worst_frame
        """The frame of the trials, for which advice is given."""
        self.helps = HELPS * residual.worst
        """The largest residual that counts as help."""
        self.missed = residual.frames[residual.misses]
        self.opposing: dict[int, IntArray] = {}
        """The frames in which each of the constraints that oppose it does."""
        self.can_be_met = False
        """Whether it can be met in the frame of the trials, all others kept."""
        self.owners = frame_tasks.owners[self.frame]
        """(channels,) the owners of the channels in the frame of the trials."""
        self.more_joints: dict[str, None] = {}
        """The names of the joints that a trial lets it recruit too."""
        self.remaining: dict[str, float] = {}
        """The residuals of its trials by name."""

    def add(self, opposition: Opposition) -> None:
        """Add what opposes it in some of the frames."""
        opposing, can_be_met = opposition.of(self.number)
        for other, frames in opposing.items():
            _add(self.opposing, other, np.intersect1d(frames, self.missed))
        self.can_be_met |= self.frame in can_be_met

    @property
    def opposing_here(self) -> list[int]:
        """The constraints that oppose it in the frame of the trials."""
        return [other for other, frames in self.opposing.items() if self.frame in frames]

    @property
    def is_out_of_reach(self) -> bool:
        """Whether it is missed alone too."""
        return self.remaining.get("alone", 0.0) > self.helps

    def trials(self) -> Iterator[tuple[str, Trial]]:
        """Trials alone, without the constraints that oppose it, and with more recruited joints where there are any; no
        trials where other constraints own all of its effectors."""
        skeleton, own, kept = self.clip.skeleton, self.owners == self.number, self.owners >= 0
        if not own.any():
            return
        yield "alone", Trial(self.frame, own, own)
        if not self.can_be_met:
            yield "without", Trial(self.frame, kept & ~np.isin(self.owners, self.opposing_here), own)
        recruit = {}
        for each in self._own_tasks():
            if each.task.recruit is not None and each.task.effector is not None:
                recruited = each.task.recruited(skeleton)
                chain = skeleton.tree.chain(skeleton.index(each.task.effector))
                more = [joint for joint in chain if not recruited[joint]][:MORE_JOINTS]
                recruit[each.channel] = (*np.flatnonzero(recruited).tolist(), *more)
                self.more_joints |= dict.fromkeys(skeleton.names[joint] for joint in more)
        if self.more_joints:
            yield "recruiting", Trial(self.frame, kept, own, recruit)

    def _own_tasks(self) -> list[ChannelTask]:
        """Its tasks in the frame of the trials."""
        tasks = self.frame_tasks.prioritized(np.array([self.frame]))
        return [each for each in tasks if self.owners[each.channel] == self.number]

    def conflict(self) -> Conflict:
        """The conflict of the constraint, with advice, after its trials have been solved."""
        constraints, owners = self.frame_tasks.timeline.constraints, self.frame_tasks.owners[self.missed]
        if self.is_out_of_reach:
            self.opposing = {}
        elif self.remaining.get("without", 0.0) > self.helps:
            # Those found so far do not make the difference, all that are active here do together.
            for other in np.unique(self.owners[(self.owners >= 0) & (self.owners != self.number)]):
                if constraints[other].priority >= self.constraint.priority:
                    self.opposing[int(other)] = self.missed[(owners == other).any(axis=1)]
            self.remaining["without"] = self.remaining["alone"]
        taking = self._taking()
        opposing = {other: frames for other, frames in self.opposing.items() if other not in taking}
        causes = [
            Cause(constraints[other], self._spans(frames), takes_effector)
            for takes_effector, others in ((False, opposing), (True, taking))
            for other, frames in others.items()
        ]
        return Conflict(
            self.constraint,
            tuple(causes),
            self.remaining.get("alone", np.nan),
            self._spans(self.missed),
            self.residual.worst,
            self.residual.worst_frame,
            tuple(self._advice(any(self.frame in frames for frames in taking.values()))),
        )

    def _spans(self, frames: IntArray) -> Spans:
        """The intervals of some frames."""
        mask = np.zeros(self.clip.frames, dtype=bool)
        mask[frames] = True
        return tuple(runs(mask))

    def _taking(self) -> dict[int, IntArray]:
        """The constraints that have an effector which this one should hold, and is missed; or that are the nearest in
        time to have it, and leave too little time for the hold; each with these frames."""
        taking: dict[int, IntArray] = {}
        for channel, owners in zip(self.frame_tasks.timeline.channels, self.frame_tasks.owners.T, strict=True):
            holds = [track.hold_frames for track in channel.tracks if track.constraint is self.constraint]
            held = np.intersect1d(np.concatenate(holds), self.missed) if holds else self.missed[:0]
            held = held[(owners[held] != self.number) | ~channel.in_hold[held]]
            others = np.flatnonzero((owners >= 0) & (owners != self.number))
            if held.size and others.size:
                takers = owners[nearest_of(others, self.clip.frames)[held]]
                for other in np.unique(takers):
                    _add(taking, int(other), held[takers == other])
        return taking

    def _advice(self, is_taken: bool) -> Iterator[Advice]:
        """What would help in the frame of the trials, in which another constraint has an effector or not."""
        constraints, label, remaining = self.frame_tasks.timeline.constraints, self.constraint.label, self.remaining
        opposing = [constraints[other].label for other in self.opposing_here]
        # Of the two changes that the sentence proposes the larger residual is stated.
        missed = max(remaining.get("alone", np.inf), remaining.get("without", np.inf))
        if opposing and missed <= self.helps:
            sentence = (
                f"Lower the priority of {' and '.join(opposing)} below {self.constraint.priority} (or raise that of "
                f"{label}): it would then miss by {missed:.3g} at frame {self.frame}, and they would be missed instead."
            )
            yield Advice("priority", sentence, missed)
        missed = remaining.get("recruiting", np.inf)
        if missed <= self.helps:
            joints = " and ".join(self.more_joints)
            sentence = f"Let {label} recruit {joints} too: it would then miss by {missed:.3g} at frame {self.frame}."
            yield Advice("recruit", sentence, missed)
        moves = [] if is_taken or not (opposing or self.is_out_of_reach) else list(self._moves())
        if moves:
            yield Advice("move", f"Move the target of {' and of '.join(moves)} at frame {self.frame}.", 0.0)

    def _moves(self) -> Iterator[str]:
        """How far its targets must move to where the effectors are in the result, or a little less far away."""
        state, size = self.clip.world.at(np.array([self.frame])), self.clip.skeleton.size
        for each in self._own_tasks():
            effector = self.frame_tasks.timeline.channels[each.channel].effector
            way = -each.task.error(state)[0]
            length = float(np.linalg.norm(way))
            if length > MISSED * size and not effector.is_angular and len(way) == effector.width:
                by = ", ".join(f"{component:.3g}" for component in way * (1.0 + WITHIN * size / length))
                yield f"{effector.describe(self.clip.skeleton.names)} by ({by})"


def _add(found: dict[int, IntArray], constraint: int, frames: IntArray) -> None:
    """Add frames of a constraint to those that are known of it."""
    if frames.size:
        found[constraint] = np.union1d(found.get(constraint, frames), frames)
