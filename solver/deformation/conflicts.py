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
from .frame_tasks import FrameTasks
from .opposition import HELPS, Opposition
from .trials import Trial, residuals_of

MISSED = 1e-3
"""Sizes of the character, or radians: a constraint with a larger residual is missed."""

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
    frames = np.unique(np.concatenate([each.frames[each.misses] for each in missed]))
    opposition = Opposition(frame_tasks, clip, frames)
    inquiries = [_Inquiry(frame_tasks, clip, each, opposition) for each in missed]
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

    def __init__(self, frame_tasks: FrameTasks, clip: Clip, residual: Residual, opposition: Opposition) -> None:
        self.frame_tasks = frame_tasks
        self.clip = clip
        self.residual = residual
        self.constraint = residual.constraint
        self.frame = residual.worst_frame
        """The frame of the trials, for which advice is given."""
        self.helps = HELPS * residual.worst
        """The largest residual that counts as help."""
        self.missed = np.zeros(clip.frames, dtype=bool)
        self.missed[residual.frames[residual.misses]] = True
        self.opposing = {
            other: frames & self.missed
            for other, frames in opposition.of(self.constraint)
            if (frames & self.missed).any()
        }
        """(frames,) where each of the constraints that oppose it does."""
        self.tasks = [
            (each, owner)
            for each in frame_tasks.prioritized(np.array([self.frame]))
            if (owner := frame_tasks.owner(each.channel, self.frame))
        ]
        """The tasks of the frame with the constraints that they belong to."""
        self.more_joints: dict[str, None] = {}
        """The names of the joints that a trial lets it recruit too."""
        self.remaining: dict[str, float] = {}
        """The residuals of its trials by name."""

    def conflict(self) -> Conflict:
        """The conflict of the constraint, with advice, after its trials have been solved."""
        if self.is_out_of_reach:
            self.opposing = {}
        elif self.remaining.get("without", 0.0) > self.helps:
            # Those found so far do not make the difference, all of them together do.
            for _, other in self.tasks:
                if other is not self.constraint and other.priority >= self.constraint.priority:
                    self.opposing[other] = self._active(other) & self.missed
            self.remaining["without"] = self.remaining["alone"]
        residual, causes = self.residual, self._causes()
        return Conflict(
            self.constraint,
            causes,
            self.remaining.get("alone", np.nan),
            tuple(runs(self.missed)),
            residual.worst,
            residual.worst_frame,
            tuple(self._advice(causes)),
        )

    @property
    def is_out_of_reach(self) -> bool:
        """Whether it is missed alone too."""
        return self.remaining.get("alone", 0.0) > self.helps

    @property
    def opposing_here(self) -> list[Constraint]:
        """The constraints that oppose it in the frame of the trials."""
        return [other for other, frames in self.opposing.items() if frames[self.frame]]

    def trials(self) -> Iterator[tuple[str, Trial]]:
        """Trials alone, without the constraints that oppose it, and with more recruited joints where there are any; no
        trials where other constraints own all of its effectors."""
        own = [each.channel for each, owner in self.tasks if owner is self.constraint]
        if not own:
            return
        yield "alone", Trial(self.frame, own, own)
        opposing = self.opposing_here
        yield "without", Trial(self.frame, [each.channel for each, owner in self.tasks if owner not in opposing], own)
        skeleton, recruit = self.clip.skeleton, {}
        for each in (each for each, owner in self.tasks if owner is self.constraint):
            task = each.task
            if task.recruit is not None and task.effector is not None:
                recruited = task.recruited(skeleton)
                chain = skeleton.tree.chain(skeleton.index(task.effector))
                more = [joint for joint in chain if not recruited[joint]][:MORE_JOINTS]
                recruit[each.channel] = (*np.flatnonzero(recruited).tolist(), *more)
                self.more_joints |= dict.fromkeys(skeleton.names[joint] for joint in more)
        if self.more_joints:
            yield "recruiting", Trial(self.frame, [each.channel for each, _ in self.tasks], own, recruit)

    # Causes --------------------------------------------------------------------------------------------------------

    def _causes(self) -> tuple[Cause, ...]:
        taken = self._takers()
        opposing = {other: frames for other, frames in self.opposing.items() if other not in taken}
        return tuple(
            Cause(other, tuple(runs(frames)), takes_effector)
            for others, takes_effector in ((opposing, False), (taken, True))
            for other, frames in others.items()
        )

    def _active(self, other: Constraint) -> BoolArray:
        """(frames,) where another constraint owns a channel."""
        active = np.zeros(self.clip.frames, dtype=bool)
        for channel in self.frame_tasks.timeline.channels:
            active |= np.array([*(track.constraint is other for track in channel.tracks), False])[channel.owner]
        return active

    def _takers(self) -> dict[Constraint, BoolArray]:
        """The constraints that have an effector where this one should hold it and is missed, or are the nearest in time
        to have it, and leave too little time for the hold; each with these frames (frames,)."""
        takers: dict[Constraint, BoolArray] = {}
        for channel in self.frame_tasks.timeline.channels:
            is_own = np.array([*(track.constraint is self.constraint for track in channel.tracks), False])[
                channel.owner
            ]
            held = np.zeros(self.clip.frames, dtype=bool)
            for track in channel.tracks:
                if track.constraint is self.constraint:
                    held[track.hold_frames] = True
            held &= self.missed & ~(is_own & channel.in_hold)
            others = np.flatnonzero((channel.owner >= 0) & ~is_own)
            if not held.any() or not others.size:
                continue
            owner = channel.owner[nearest_of(others, self.clip.frames)]
            for number in np.unique(owner[held]):
                taker = channel.tracks[number].constraint
                takers[taker] = takers.get(taker, False) | (held & (owner == number))
        return takers

    # Advice --------------------------------------------------------------------------------------------------------

    def _advice(self, causes: Sequence[Cause]) -> Iterator[Advice]:
        """What would help in the frame of the trials."""
        opposing, label, remaining = self.opposing_here, self.constraint.label, self.remaining
        if "without" in remaining and opposing:
            # Of the two changes that the sentence proposes the larger residual is stated.
            missed = max(remaining["alone"], remaining["without"])
            sentence = (
                f"Lower the priority of {' and '.join(other.label for other in opposing)} below "
                f"{self.constraint.priority} (or raise that of {label}): it would then miss by {missed:.3g} at frame "
                f"{self.frame}, and they would be missed instead."
            )
            yield from [Advice("priority", sentence, missed)] if missed <= self.helps else []
        if remaining.get("recruiting", np.inf) <= self.helps:
            missed = remaining["recruiting"]
            joints = " and ".join(self.more_joints)
            sentence = f"Let {label} recruit {joints} too: it would then miss by {missed:.3g} at frame {self.frame}."
            yield Advice("recruit", sentence, missed)
        is_taken = any(
            first <= self.frame <= last for cause in causes if cause.takes_effector for first, last in cause.spans
        )
        moves = list(self._moves()) if (opposing or self.is_out_of_reach) and not is_taken else []
        if moves:
            yield Advice("move", f"Move the target of {' and of '.join(moves)} at frame {self.frame}.", 0.0)

    def _moves(self) -> Iterator[str]:
        """How far its targets must move to where the effectors are in the result, or a little less far away."""
        state, size = self.clip.world.at(np.array([self.frame])), self.clip.skeleton.size
        for each, owner in self.tasks:
            effector = self.frame_tasks.timeline.channels[each.channel].effector
            if owner is not self.constraint or effector.is_angular or effector.rows != effector.width:
                continue
            way = -each.task.error(state)[0]
            length = float(np.linalg.norm(way))
            if length > MISSED * size:
                way *= 1.0 + WITHIN * size / length
                by = ", ".join(f"{component:.3g}" for component in way)
                yield f"{effector.describe(self.clip.skeleton.names)} by ({by})"
