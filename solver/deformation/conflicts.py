# SPDX-License-Identifier: GPL-3.0-or-later
"""Conflicts: why constraints are missed, and what would help.

Trials (`trials`) solve a few frames again: the one in which a constraint is missed most, and those in which the others
that may be the cause are active. A constraint is a cause if another one comes notably nearer to its targets without it.
A more important constraint is not moved by a less important one: what remains if a constraint is first in rank is what
remains of it alone, and what remains if others are last in rank is what remains without them.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..constraints import Constraint
from ..core.arrays import Array, BoolArray, IntArray, nearest_of, runs
from ..core.sentences import Amount, Frame, Part, SayAmount, SayFrame, told
from .frame_tasks import ChannelTask, FrameTasks
from .trials import Trial, TrialResults

MISSED = 1e-3
"""Sizes of the character, or radians: a constraint with a larger residual is missed."""

HELPS = 0.5
"""A change counts as help if it reduces a residual to this share or less."""

MORE_JOINTS = 2
"""The most joints that advice proposes to recruit in addition."""

WITHIN = 3e-3
"""Sizes of the character by which advice moves a target further than to where its effector is: this is the end of its
reach, and a target that rounding leaves beyond it would be missed again."""

Reason = Literal["kept end", "reach", "conflict", "smoothness"]
"""Why a constraint is missed: an end of the clip is kept, its target is out of reach even without all others, others
keep it from its target, or the motion is kept smooth."""

Spans = tuple[tuple[int, int], ...]
"""First and last frames of intervals."""


@dataclass(frozen=True, eq=False)
class Residual:
    """The residuals of one constraint."""

    constraint: Constraint
    frames: IntArray
    """(n,) the frames of its activity."""
    distances: Array
    """(n,) the largest residual of its effectors in each frame, in the clip's units; in radians if all of them are
    angles."""
    angles: Array
    """(n,) the largest residual of those of its effectors that are angles, as the roll of a planted foot, in radians;
    0 where there are none."""
    relative: Array
    """(n, 2) the largest residual of effectors that are places, in sizes of the character, and of those that are
    angles, in radians; 0 where there are none."""
    is_angular: bool
    """Whether it is missed by angles, not by distances: all of its effectors are angles, or only these are missed."""
    joints: IntArray
    """The joints that move its effectors."""

    @property
    def misses(self) -> BoolArray:
        """(n,) where it is more than a thousandth of the character's size, or of a radian."""
        return np.asarray((self.relative > MISSED).any(axis=1))

    @property
    def amounts(self) -> Array:
        """(n,) the angles, if it is missed by these, else the distances."""
        return self.angles if self.is_angular else self.distances

    @property
    def worst(self) -> float:
        """The largest of the amounts, 0 where there is none."""
        return float(self.amounts.max(initial=0.0))

    @property
    def worst_frame(self) -> int:
        """The frame of the largest of the amounts; -1 for a constraint without frames."""
        return int(self.frames[np.argmax(self.amounts)]) if self.frames.size else -1


@dataclass(frozen=True, eq=False)
class Advice:
    """A change that would bring a missed constraint nearer to its targets; tried on its worst frame."""

    kind: Literal["priority", "recruit", "move"]
    parts: tuple[Part, ...]
    """Of its sentence."""
    remaining: float
    """The residual after the change, in the clip's units or radians."""
    frame: int
    """The worst frame; for "move" that of its hold intervals, where it is missed in these."""
    lowered: tuple[Constraint, ...] = ()
    """For "priority": the constraints whose priority is to be lower than that of the missed one."""
    joints: tuple[str, ...] = ()
    """For "recruit": the names of the joints to recruit in addition."""
    levels: int = 0
    """For "recruit": by how much the recruiting level grows with them."""
    moves: tuple[tuple[float, float, float], ...] = ()
    """For "move": by how much each missed target is to move, in the clip's units."""

    @property
    def sentence(self) -> str:
        """The sentence, in frames and units of the clip."""
        return told(self.parts)

    def told(self, frame: SayFrame, amount: SayAmount) -> str:
        """The sentence with other texts for frames and amounts."""
        return told(self.parts, frame, amount)


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
    is_angular: bool = False
    """Whether its residuals are angles, in radians: see `Residual.is_angular`."""
    is_at_kept_end: bool = False
    """Whether it is missed because an end of the clip is kept, from which its effector needs time to the target."""

    @property
    def conflicting(self) -> tuple[Constraint, ...]:
        """The constraints of its causes."""
        return tuple(cause.constraint for cause in self.causes)

    @property
    def reason(self) -> Reason:
        """Why the constraint is missed."""
        if self.is_at_kept_end:
            return "kept end"
        if self.alone > HELPS * self.worst:
            return "reach"
        return "conflict" if self.causes else "smoothness"

    @property
    def outcome(self) -> str:
        """Why the constraint is missed, as the part of a sentence that follows its label."""
        return {
            "kept end": "is not met, since the motion before or after the solved frames stays as it is,",
            "reach": "is out of reach even alone",
            "conflict": f"conflicts with {', '.join(other.label for other in self.conflicting)}",
            "smoothness": "is not met, although it could be (the motion is kept smooth there),",
        }[self.reason]

    @property
    def told_causes(self) -> tuple[Cause, ...]:
        """The causes that are worth a sentence of their own: they take the effector, or not all of the frames."""
        return tuple(cause for cause in self.causes if cause.takes_effector or cause.spans != self.spans)

    def __str__(self) -> str:
        when = in_words(self.spans)
        worst = f"{np.degrees(self.worst):.3g}°" if self.is_angular else f"{self.worst:.3g}"
        return f"{self.constraint.label} {self.outcome} at {when}; it misses by up to {worst}."


def in_words(spans: Spans) -> str:
    """Intervals of frames in words."""
    times = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in spans)
    is_one = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"frame {times}" if is_one else f"frames {times}"


def conflicts_of(frame_tasks: FrameTasks, clip: Clip, missed: Sequence[Residual]) -> tuple[Conflict, ...]:
    """The conflicts of the constraints that are missed in a clip, solved for the tasks of each frame."""
    numbers = {id(each): number for number, each in enumerate(frame_tasks.timeline.constraints)}
    frames_of = {numbers[id(each.constraint)]: each.frames[each.misses] for each in missed}
    results = TrialResults(frame_tasks, clip.motion)
    inquiries = [
        _Inquiry(frame_tasks, clip, each, frames_of, number, results)
        for number, each in zip(frames_of, missed, strict=True)
    ]
    # The trials that all of them need next are solved together.
    found: dict[int, Conflict] = {}
    running = {each.number: each.conducted() for each in inquiries}
    while running:
        needed: list[Trial] = []
        for number, steps in list(running.items()):
            try:
                needed += next(steps)
            except StopIteration as stop:
                found[number] = stop.value
                del running[number]
        results.add(needed)
    return tuple(found[each.number] for each in inquiries)


class _Inquiry:
    """Why one constraint is missed."""

    def __init__(
        self,
        frame_tasks: FrameTasks,
        clip: Clip,
        residual: Residual,
        frames_of: Mapping[int, IntArray],
        number: int,
        results: TrialResults,
    ) -> None:
        """`frames_of` are the frames in which constraints are missed, by their indices in the time line; `number` is
        that of this one."""
        self.frame_tasks = frame_tasks
        self.clip = clip
        self.residual = residual
        self.constraint = residual.constraint
        self.number = number
        self.results = results
        self.frame = residual.worst_frame
        """The frame in which it is missed most, for which advice is given."""
        self.helps = HELPS * residual.worst
        """The largest residual in that frame that counts as help."""
        self.missed = frames_of[number]
        self.active = self._active(frames_of)
        """The frames in which constraints that may be causes are active while this one is missed; by their indices."""

    def _active(self, frames_of: Mapping[int, IntArray]) -> dict[int, IntArray]:
        """Those that rank as high may be causes; but one of the same priority, which pulls by its own error, only where
        it is missed too."""
        constraints, owners = self.frame_tasks.timeline.constraints, self.frame_tasks.owners[self.missed]
        active = {}
        for other in np.setdiff1d(owners, [-1, self.number]).tolist():
            higher = constraints[other].priority - self.constraint.priority
            frames = self.missed[(owners == other).any(axis=1)]
            if higher > 0 or (higher == 0 and np.isin(frames, frames_of.get(other, ())).any()):
                active[other] = frames
        return active

    # Trials ----------------------------------------------------------------------------------------------------------

    def _own(self, frame: int) -> BoolArray:
        """(channels,) those that it owns in a frame."""
        return self.frame_tasks.owners[frame] == self.number

    def _measured(self, frame: int) -> BoolArray:
        """(channels,) those that it owns in a frame and is missed by: angles, or distances."""
        channels = self.frame_tasks.timeline.channels
        return self._own(frame) & [each.effector.is_angular == self.residual.is_angular for each in channels]

    def _beside(self, frame: int, others: Collection[int]) -> Trial:
        """A frame with some of the other constraints only."""
        return Trial(frame, tuple(self._own(frame) | np.isin(self.frame_tasks.owners[frame], list(others))))

    def _without(self, frame: int, others: Collection[int]) -> Trial:
        """A frame without some of the other constraints, and without those that are less important."""
        constraints, owners = self.frame_tasks.timeline.constraints, self.frame_tasks.owners[frame]
        kept = set(owners.tolist()) - {-1, self.number} - set(others)
        return self._beside(frame, [other for other in kept if constraints[other].priority >= self.constraint.priority])

    def _remaining(self, trial: Trial) -> float:
        """The residual of the constraint after a trial, in the clip's units or radians."""
        return self.results.residual(trial, self._measured(trial.frame))

    def conducted(self) -> Generator[list[Trial], None, Conflict]:
        """Find the conflict of the constraint; yields the trials that must be solved before it goes on."""
        if self._is_left_to_source(np.array([self.frame])).any():
            spans, worst = self._spans(self.missed), self.residual.worst
            is_angular = self.residual.is_angular
            return Conflict(self.constraint, (), np.nan, spans, worst, self.frame, (), is_angular, is_at_kept_end=True)
        alone = self._beside(self.frame, ())
        recruiting, more_joints, levels = self._recruiting()
        frames = self._decisive_frames()
        yield [alone, *([] if recruiting is None else [recruiting]), *self._first_trials(frames)]
        if self._remaining(alone) > self.helps:
            yield [alone.solved_so(careful=True, from_source=from_source) for from_source in (False, True)]
        is_out_of_reach = self._remaining(alone) > self.helps
        by_frame = {} if is_out_of_reach else (yield from self._causes(frames))
        causes, here, without = set().union(*by_frame.values()), by_frame.get(self.frame, set()), np.inf
        if here:
            # Without all of them no more remains than without one.
            without = min(self._remaining(self._without(self.frame, {other})) for other in here)
            if not self._is_met(without):
                trial = self._without(self.frame, here).solved_so(careful=True)
                yield [trial]
                without = min(without, self._remaining(trial))
            if without > self.helps:
                # Those found so far do not make the difference, all that are active here do together.
                here = self._active_in(self.frame)
                causes, without = causes | here, self._remaining(alone)
        residual = self._remaining(alone) if any(alone.kept) else np.nan
        taking = self._taking()
        advice = [
            # Of the two changes that the sentence proposes the larger residual is stated.
            *self._priority_advice(here, max(residual, without)),
            *([] if recruiting is None else self._recruiting_advice(self._remaining(recruiting), more_joints, levels)),
        ]
        if (here or is_out_of_reach) and not any(self.frame in frames for frames in taking.values()):
            advice += self._moving_advice()
        constraints = self.frame_tasks.timeline.constraints
        opposing = {other: self.active[other] for other in sorted(causes) if other not in taking}
        return Conflict(
            self.constraint,
            tuple(
                Cause(constraints[other], self._spans(frames), takes_effector)
                for takes_effector, others in ((False, opposing), (True, taking))
                for other, frames in others.items()
            ),
            residual,
            self._spans(self.missed),
            self.residual.worst,
            self.residual.worst_frame,
            tuple(advice),
            self.residual.is_angular,
        )

    def _is_left_to_source(self, frames: IntArray) -> BoolArray:
        """(frames,) where the ends of the clip are kept."""
        left = self.frame_tasks.timeline.left_to_source
        return np.zeros(len(frames), dtype=bool) if left is None else left[frames]

    def _is_met(self, residual: float) -> bool:
        """Whether a residual is none, in the clip's units or radians."""
        return residual <= MISSED * (1.0 if self.residual.is_angular else self.clip.skeleton.size)

    def _active_in(self, frame: int) -> set[int]:
        """The constraints that may be causes in a frame."""
        return {other for other, frames in self.active.items() if frame in frames}

    def _trials_without(self, frames: Iterable[int]) -> dict[int, dict[int, Trial]]:
        """For some frames, trials without each constraint that is not active in an earlier one of them."""
        trials: dict[int, dict[int, Trial]] = {}
        judged: set[int] = set()
        for frame in frames:
            others = self._active_in(frame)
            trials[frame] = {other: self._without(frame, {other}) for other in others - judged}
            judged |= others
        return trials

    def _first_trials(self, frames: Sequence[int]) -> Iterator[Trial]:
        """The trials in some frames: alone, beside all that rank as high, and without one of these."""
        for frame, without in self._trials_without(frames).items():
            yield from (self._beside(frame, ()), self._without(frame, ()), *without.values())

    def _causes(self, frames: Sequence[int]) -> Generator[list[Trial], None, dict[int, set[int]]]:
        """The causes in those of some frames in which all that are active keep the constraint from its target.

        Each is judged in the first of them in which it is active: it is a cause if the constraint comes notably nearer
        without it. Where none is known by that, those are causes beside which alone the constraint does not come near;
        and where that holds of none, all are.
        """
        helps: dict[int, float] = {}
        for frame in frames:
            missed = self._remaining(self._without(frame, ()))
            most = HELPS * min(missed, float(self.residual.amounts[self.residual.frames == frame][0]))
            if not self._is_met(missed) and self._remaining(self._beside(frame, ())) <= most:
                helps[frame] = most
        without = self._trials_without(helps)
        yield [trial for trials in without.values() for trial in trials.values()]

        def known() -> dict[int, set[int]]:
            """The constraints of each frame that are known to be causes."""
            found = {
                other
                for frame in helps
                for other, trial in without[frame].items()
                if self._remaining(trial) <= helps[frame]
            }
            return {frame: self._active_in(frame) & found for frame in helps}

        unclear = [frame for frame, causes in known().items() if not causes]
        yield [trial.solved_so(careful=True) for frame in unclear for trial in without[frame].values()]
        causes = known()
        unclear = [frame for frame in helps if not causes[frame]]
        yield [self._beside(frame, {other}) for frame in unclear for other in self._active_in(frame)]
        for frame in unclear:
            others = self._active_in(frame)
            found = {each for each in others if self._remaining(self._beside(frame, {each})) > helps[frame]}
            causes[frame] = found or others
        return causes

    def _decisive_frames(self) -> list[int]:
        """The frame in which it is missed most, and others in which as many as possible of the constraints are active
        that are not active there; none in which it has no effector."""
        has_effector = (self.frame_tasks.owners[self.missed] == self.number).any(axis=1)
        distances = np.where(has_effector, self.residual.amounts[self.residual.misses], -np.inf)
        active = {other: np.isin(self.missed, frames) & has_effector for other, frames in self.active.items()}
        left = [each for each in active.values() if each.any()]
        found: list[int] = []
        at = int(np.argmax(distances))
        while left:
            found.append(int(self.missed[at]))
            left = [each for each in left if not each[at]]
            together = np.sum(left, axis=0)
            at = int(np.argmax(np.where(together == np.max(together), distances, -np.inf)))
        return found

    def _recruiting(self) -> tuple[Trial | None, tuple[str, ...], int]:
        """The frame in which it is missed most, with more recruited joints, their names, and by how much the recruiting
        level grows with them; None where there are no more."""
        levels = 0
        skeleton, recruit, names = self.clip.skeleton, list[tuple[int, tuple[int, ...]]](), dict[str, None]()
        for each in self._own_tasks(self.frame):
            if each.task.recruit is not None and each.task.effector is not None:
                recruited = each.task.recruited(skeleton)
                chain = skeleton.tree.chain(skeleton.index(each.task.effector))
                more = [joint for joint in chain if not recruited[joint]][:MORE_JOINTS]
                recruit.append((each.channel, (*np.flatnonzero(recruited).tolist(), *more)))
                names |= dict.fromkeys(skeleton.names[joint] for joint in more)
                levels = max(levels, len(more))
        trial = replace(self._without(self.frame, ()), recruit=tuple(recruit)) if names else None
        return trial, tuple(names), levels

    def _own_tasks(self, frame: int) -> list[ChannelTask]:
        """Its tasks in a frame."""
        own = self._own(frame)
        return [each for each in self.frame_tasks.prioritized(np.array([frame])) if own[each.channel]]

    # Advice ----------------------------------------------------------------------------------------------------------

    def _priority_advice(self, causes: Iterable[int], remaining: float) -> Iterator[Advice]:
        """To lower the priority of the causes, if that helps."""
        lowered = tuple(self.frame_tasks.timeline.constraints[other] for other in sorted(causes))
        if lowered and remaining <= self.helps:
            labels = " and ".join(each.label for each in lowered)
            parts = (
                f"Lower the priority of {labels} below {self.constraint.priority} (or raise that of "
                f"{self.constraint.label}): it would then miss by ",
                *(self._amount(remaining), " at frame ", Frame(self.frame)),
                ", and they would be missed instead.",
            )
            yield Advice("priority", parts, remaining, self.frame, lowered=lowered)

    def _recruiting_advice(self, remaining: float, more_joints: Sequence[str], levels: int) -> Iterator[Advice]:
        """To recruit more joints, if that helps."""
        if remaining <= self.helps:
            parts = (
                f"Let {self.constraint.label} recruit {' and '.join(more_joints)} too: it would then miss by ",
                *(self._amount(remaining), " at frame ", Frame(self.frame), "."),
            )
            yield Advice("recruit", parts, remaining, self.frame, joints=tuple(more_joints), levels=levels)

    def _amount(self, residual: float) -> Amount:
        return Amount(residual, self.residual.is_angular)

    def _moving_advice(self) -> Iterator[Advice]:
        """To move the targets to where the effectors are: in the frame of a hold interval in which it is missed most,
        since this is what a user sets; else in the frame in which it is missed most."""
        held = np.isin(self.residual.frames, self._hold_frames()) & self.residual.misses
        amounts = np.where(held, self.residual.amounts, -np.inf)
        frame = int(self.residual.frames[np.argmax(amounts)]) if held.any() else self.frame
        moves = list(self._moves(frame))
        if moves:
            parts: list[Part] = []
            for number, (effector, (x, y, z)) in enumerate(moves):
                parts += (" and of " if number else "", f"{effector} by (")
                parts += (Amount(x), ", ", Amount(y), ", ", Amount(z), ")")
            sentence = ("Move the target of ", *parts, " at frame ", Frame(frame), ".")
            yield Advice("move", sentence, 0.0, frame, moves=tuple(move for _, move in moves))

    def _hold_frames(self) -> IntArray:
        """The frames of its hold intervals."""
        tracks = [track for channel in self.frame_tasks.timeline.channels for track in channel.tracks]
        held = [track.hold_frames for track in tracks if track.constraint is self.constraint]
        return np.unique(np.concatenate(held)) if held else self.missed[:0]

    def _moves(self, frame: int) -> Iterator[tuple[str, tuple[float, float, float]]]:
        """How far its targets of a frame must move to where the effectors are in the result, or a little less far away;
        each with the name of its effector."""
        state, size = self.clip.world.at(np.array([frame])), self.clip.skeleton.size
        for each in self._own_tasks(frame):
            effector = self.frame_tasks.timeline.channels[each.channel].effector
            way = -each.task.error(state)[0]
            length = float(np.linalg.norm(way))
            if length > MISSED * size and not effector.is_angular and len(way) == effector.width:
                x, y, z = (float(component) for component in way * (1.0 + WITHIN * size / length))
                yield effector.describe(self.clip.skeleton.names), (x, y, z)

    # Frames ----------------------------------------------------------------------------------------------------------

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
            held = held[~self._is_left_to_source(held)]
            others = np.flatnonzero((owners >= 0) & (owners != self.number))
            if held.size and others.size:
                takers = owners[nearest_of(others, self.clip.frames)[held]]
                for other in np.unique(takers):
                    _add(taking, int(other), held[takers == other])
        return taking


def _add(found: dict[int, IntArray], constraint: int, frames: IntArray) -> None:
    """Add frames of a constraint to those that are known of it."""
    if frames.size:
        found[constraint] = np.union1d(found.get(constraint, frames), frames)
