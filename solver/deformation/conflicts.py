# SPDX-License-Identifier: GPL-3.0-or-later
"""Conflicts: why constraints are missed, and what would help.

Both are found by trials (`trials`) on the frames in which a constraint is missed most, for each set of constraints that
is active there. A more important constraint is not moved by a less important one, so a few trials answer all questions:
what remains of the residual if a constraint is first in rank is what remains of it alone, and what remains if another
one is last in rank is what remains without that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.skeleton import Skeleton
from ..constraints import Constraint
from ..core.arrays import Array, BoolArray, IntArray, runs
from ..posture.settings import SolveSettings
from .channel import Channel
from .frame_tasks import FrameTasks
from .task_specifications import TaskSpecification
from .timeline import Timeline
from .trials import Trial, TrialTask, residuals_of

MISSED = 1e-3
"""Sizes of the character, or radians: a constraint with a larger residual is missed."""

HELPS = 0.5
"""A trial, without a constraint or after advice, counts if it reduces the residual to this share or less."""

MORE_JOINTS = 2
"""The most joints that advice proposes to recruit in addition."""

FRAMES_TRIED = 3
"""The most frames of one constraint on which trials are made, each with other constraints active beside it."""

MOST_CONSTRAINTS_TRIED = 16
"""The most constraints on which trials are made, those that are missed most first; of the others the report only says
which constraint takes their effector."""

USUAL = SolveSettings(iterations=60, tolerance=1e-4)
"""The settings of trials. With fewer iterations some end far from where they lead: a hand that the trunk may follow
again misses as much as before."""

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
    """Its residual in the worst frame without all other constraints, in the clip's units or radians."""
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
        if self.causes:
            return f"conflicts with {', '.join(other.label for other in self.conflicting)}"
        if np.isnan(self.alone):
            return "is not met, and more of what is missed was looked into before it,"
        if self.alone > HELPS * self.worst:
            return "is out of reach even alone"
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
    timeline = frame_tasks.timeline.without_free_transits()
    tried = sorted(missed, key=lambda residual: -residual.worst)[:MOST_CONSTRAINTS_TRIED]
    inquiries = {id(each): _Inquiry(frame_tasks, timeline, clip, each, each in tried) for each in missed}
    _try_all([trials for each in inquiries.values() for trials in each.trials], clip.skeleton)
    return tuple(inquiries[id(each)].conflict() for each in missed)


class _FrameTrials:
    """The trials of one constraint on one frame in which it is missed, and their residuals."""

    def __init__(self, residual: Residual, clip: Clip, source: Clip, frame: int, candidates: _Candidates) -> None:
        self.constraint = residual.constraint
        self.frame = frame
        self.is_worst = frame == residual.worst_frame
        """Whether this is the frame for which advice is given."""
        self.pose = source.motion.at(np.array([frame]))
        self.result = clip.motion.at(np.array([frame]))
        self.size = clip.skeleton.size
        self.candidates = candidates
        self.all_tasks = candidates.stance
        self.base = 0.0
        """The residual with all tasks."""
        self.alone = 0.0
        """The residual without all other constraints."""
        self.without: dict[int, float] = {}
        """The residual without one of the other constraints, by its `id`."""
        self.without_all = np.inf
        """The residual without all conflicting constraints that rank as high or higher."""
        self.recruiting = np.inf
        """The residual with more recruited joints."""
        self.more_joints: list[str] = []
        """The names of these joints."""

    @property
    def reproduces_miss(self) -> bool:
        """Whether the constraint is missed in a trial with all tasks of the frame."""
        angular = any(each.effector.is_angular for each in self.candidates.own)
        return self.base > MISSED * (1.0 if angular else self.size)

    @property
    def helps(self) -> float:
        """The largest residual that counts as help."""
        return HELPS * self.base

    @property
    def others(self) -> list[Constraint]:
        """The other constraints with tasks here that rank as high or higher."""
        owners = dict.fromkeys(each.owner for each in self.all_tasks if each.owner is not self.constraint)
        return [other for other in owners if other.priority >= self.constraint.priority]

    @property
    def conflicting(self) -> list[Constraint]:
        """The constraints without which the residual is smaller."""
        if not self.reproduces_miss or self.alone > self.helps:
            return []
        found = [other for other in self.others if self.without[id(other)] <= self.helps]
        return found or self.others  # none of them alone makes the difference, all of them together do

    def ranked(self, residuals: dict[int, float]) -> list[float]:
        """The residuals of a trial, by which the better of two is found: those of more important constraints, the most
        important first and as far as they count; then that of the constraint itself, 0 where it has none."""
        above = [other for other in self.others if other.priority > self.constraint.priority]
        above.sort(key=lambda other: -other.priority)
        counts = [residuals.get(id(other), 0.0) // (MISSED * self.size) for other in above]
        return [*counts, residuals.get(id(self.constraint), 0.0)]

    def all_without(self, left_out: Sequence[Constraint]) -> list[TrialTask]:
        """All tasks but those of some constraints."""
        return [each for each in self.all_tasks if each.owner not in left_out]


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The tasks of one frame from which trials are made."""

    stance: list[TrialTask]
    """Of all channels, but for feet in their swing phase."""
    all: list[TrialTask]
    """With these: they have tasks where frames are solved sequentially."""
    own: list[TrialTask]
    """What the constraint itself asks for in the frame, also where another one owns the effector."""

    @property
    def has_swing(self) -> bool:
        """Whether a foot is in its swing phase."""
        return len(self.all) > len(self.stance)


def _try_all(trials: Sequence[_FrameTrials], skeleton: Skeleton) -> None:
    """Solve the trials of all constraints in rounds; each round depends on the answers of those before."""
    _try_together_and_alone(trials, skeleton)
    wanting = [each for each in trials if each.reproduces_miss]
    _try_without_others([each for each in wanting if each.alone <= each.helps], skeleton)
    _try_advice([each for each in wanting if each.is_worst], skeleton)


def _solved(
    trials: Sequence[tuple[_FrameTrials, Sequence[TrialTask]]], skeleton: Skeleton, settings: SolveSettings = USUAL
) -> list[float]:
    """The residual of each constraint in a trial with some tasks, from the result or from the source, whichever ends
    better; 0 where none of the tasks is its own."""
    from_result = [Trial(each.pose, tuple(tasks), each.result) for each, tasks in trials]
    from_source = [Trial(each.pose, tuple(tasks)) for each, tasks in trials]
    solved = residuals_of(skeleton, [*from_result, *from_source], settings)
    ends = zip(trials, solved[: len(trials)], solved[len(trials) :], strict=True)
    return [min(each.ranked(one), each.ranked(other))[-1] for (each, _), one, other in ends]


def _try_together_and_alone(trials: Sequence[_FrameTrials], skeleton: Skeleton) -> None:
    """Find the residuals with all tasks, and those without all other constraints."""
    together = [(each, each.all_tasks) for each in trials]
    alone = [(each, each.candidates.own) for each in trials]
    for each, base, residual in zip(trials, _solved(together, skeleton), _solved(alone, skeleton), strict=True):
        each.base, each.alone = base, residual
    swinging = [each for each in trials if not each.reproduces_miss and each.candidates.has_swing]
    together = [(each, each.candidates.all) for each in swinging]
    for each, base in zip(swinging, _solved(together, skeleton), strict=True):
        each.all_tasks, each.base = each.candidates.all, base
    doubtful = [each for each in trials if each.reproduces_miss and each.alone > each.helps]
    certain = [(each, each.candidates.own) for each in doubtful]
    for each, residual in zip(doubtful, _solved(certain, skeleton, CERTAIN), strict=True):
        each.alone = min(each.alone, residual)


def _try_without_others(trials: Sequence[_FrameTrials], skeleton: Skeleton) -> None:
    """Find the residuals without each of the other constraints."""
    pairs = [(each, other) for each in trials for other in each.others]
    without = [(each, each.all_without([other])) for each, other in pairs]
    for (each, other), residual in zip(pairs, _solved(without, skeleton), strict=True):
        each.without[id(other)] = residual


def _try_advice(trials: Sequence[_FrameTrials], skeleton: Skeleton) -> None:
    """Find the residuals that advice states."""
    above = [each for each in trials if each.conflicting]
    without = [(each, each.all_without(each.conflicting)) for each in above]
    recruiting = []
    for each in trials:
        tasks, each.more_joints = _with_more_joints(skeleton, each)
        recruiting += [(each, tasks)] if each.more_joints else []
    residuals = _solved([*without, *recruiting], skeleton)
    for each, residual in zip(above, residuals, strict=False):
        each.without_all = residual
    for (each, _), residual in zip(recruiting, residuals[len(above) :], strict=True):
        each.recruiting = residual


def _with_more_joints(skeleton: Skeleton, trials: _FrameTrials) -> tuple[list[TrialTask], list[str]]:
    """All tasks of a frame, with those of the constraint recruiting a few more joints, and the names of the latter."""
    added: list[str] = []
    tasks = []
    for each in trials.all_tasks:
        task = each.task()
        if each.owner is trials.constraint and task.recruit is not None and task.effector is not None:
            recruited = task.recruited(skeleton)
            chain = skeleton.tree.chain(skeleton.index(task.effector))
            more = [joint for joint in chain if not recruited[joint]][:MORE_JOINTS]
            added += [skeleton.names[joint] for joint in more if skeleton.names[joint] not in added]
            recruit = (*np.flatnonzero(recruited).tolist(), *more)
            each = replace(each, specification=replace(each.specification, recruit=recruit))
        tasks.append(each)
    return tasks, added


class _Inquiry:
    """Why one constraint is missed."""

    def __init__(
        self, frame_tasks: FrameTasks, timeline: Timeline, clip: Clip, residual: Residual, is_tried: bool
    ) -> None:
        self.frame_tasks = frame_tasks
        self.stance = timeline
        self.clip = clip
        self.residual = residual
        self.constraint = residual.constraint
        self.is_tried = is_tried
        self.missed = np.zeros(clip.frames, dtype=bool)
        self.missed[residual.frames[residual.misses]] = True
        source = frame_tasks.timeline.source.clip
        self.trials = [
            _FrameTrials(residual, clip, source, frame, self._candidates(frame))
            for frame in (self._frames_to_try() if is_tried else ())
        ]
        """The worst frame first."""

    def conflict(self) -> Conflict:
        """The conflict of the constraint, with advice, after its trials have been solved."""
        residual = self.residual
        alone = self.trials[0].alone if self.is_tried else np.nan
        causes = self._causes()
        return Conflict(
            self.constraint,
            causes,
            alone,
            tuple(runs(self.missed)),
            residual.worst,
            residual.worst_frame,
            tuple(self._advice(causes)) if self.is_tried else (),
        )

    # The frames and their tasks ------------------------------------------------------------------------------------

    def _frames_to_try(self) -> list[int]:
        """The frame in which it is missed most for each set of constraints that is active beside it; not too many."""
        owners = np.array([channel.owner for channel in self.stance.channels])
        frames, distances = (each[self.residual.misses] for each in (self.residual.frames, self.residual.distances))
        _, which = np.unique(owners[:, frames], axis=1, return_inverse=True)
        worst_first = np.argsort(-distances, kind="stable")
        _, first = np.unique(which.reshape(-1)[worst_first], return_index=True)
        return [int(frames[worst_first[number]]) for number in np.sort(first)[:FRAMES_TRIED]]

    def _candidates(self, frame: int) -> _Candidates:
        return _Candidates(
            list(self._tasks_of(self.stance, frame)),
            list(self._tasks_of(self.frame_tasks.timeline, frame)),
            list(self._own_tasks(frame)),
        )

    def _tasks_of(self, timeline: Timeline, frame: int) -> Iterator[TrialTask]:
        """The tasks of a frame, each with the constraint that owns its channel there."""
        for channel, targets in zip(timeline.channels, self.frame_tasks.targets, strict=True):
            code = channel.task_specifications.codes[frame]
            if code >= 0:
                owner = channel.tracks[channel.owner[frame]].constraint
                specification = channel.task_specifications.distinct[code]
                yield TrialTask(channel.effector, targets[frame], specification, owner)

    def _own_tasks(self, frame: int) -> Iterator[TrialTask]:
        source = self.frame_tasks.timeline.source
        for channel in self.frame_tasks.timeline.channels:
            for track in channel.tracks:
                constraint = track.constraint
                if constraint is not self.constraint or not track.begin <= frame <= track.end:
                    continue
                if not (constraint.constrains_path or frame in track.hold_frames):
                    continue
                values = source.values(channel.effector)[[frame]]
                target = channel.effector.displaced(values, track.part(frame, frame))[0]
                outranks = track.outranks_partner is None or track.outranks_partner[frame - track.begin] >= 0.5
                specification = TaskSpecification(
                    constraint.priority, bool(outranks), constraint.weight, constraint.recruit
                )
                yield TrialTask(channel.effector, target, specification, constraint)

    # Causes --------------------------------------------------------------------------------------------------------

    def _causes(self) -> tuple[Cause, ...]:
        taken = self._takers()
        conflicting = dict.fromkeys(other for trials in self.trials for other in trials.conflicting)
        causes = [Cause(other, self._active_spans(other), False) for other in conflicting if other not in taken]
        return (*causes, *(Cause(other, tuple(runs(frames)), True) for other, frames in taken.items()))

    def _active_spans(self, other: Constraint) -> Spans:
        """The intervals in which another constraint is active while this one is missed."""
        active = np.zeros(self.clip.frames, dtype=bool)
        for channel in self.stance.channels:
            active |= _owned_by(channel, other)
        return tuple(runs(active & self.missed))

    def _takers(self) -> dict[Constraint, BoolArray]:
        """The constraints that own an effector where this one holds it and is missed, each with these frames (frames,);
        where none owns it, the owner of the nearest frame, which leaves too little time for the hold."""
        takers: dict[Constraint, BoolArray] = {}
        for channel in self.frame_tasks.timeline.channels:
            held = np.zeros(self.clip.frames, dtype=bool)
            for track in channel.tracks:
                if track.constraint is self.constraint:
                    held[track.hold_frames] = True
            held &= self.missed
            owned = np.flatnonzero(channel.owner >= 0)
            if not held.any() or not owned.size:
                continue
            frames = np.flatnonzero(held)
            nearest = owned[np.argmin(np.abs(owned - frames[:, None]), axis=1)]
            for frame, owner in zip(frames, channel.owner[nearest], strict=True):
                taker = channel.tracks[owner].constraint
                if taker is not self.constraint:
                    takers.setdefault(taker, np.zeros(self.clip.frames, dtype=bool))[frame] = True
        return takers

    # Advice --------------------------------------------------------------------------------------------------------

    def _advice(self, causes: Sequence[Cause]) -> Iterator[Advice]:
        trials = self.trials[0]
        if not trials.reproduces_miss:
            return
        yield from self._advice_on_priority(trials)
        yield from self._advice_on_recruiting(trials)
        taken = any(cause.takes_effector and _within(trials.frame, cause.spans) for cause in causes)
        if not taken:
            yield from self._advice_on_targets(trials)

    def _advice_on_priority(self, trials: _FrameTrials) -> Iterator[Advice]:
        above = trials.conflicting
        # Of the two changes that the sentence proposes the larger residual is stated.
        remaining = max(trials.alone, trials.without_all)
        if above and remaining <= trials.helps:
            names = " and ".join(other.label for other in above)
            yield Advice(
                "priority",
                f"Lower the priority of {names} below {self.constraint.priority} (or raise that of "
                f"{self.constraint.label}): it would then miss by {remaining:.3g} at frame {trials.frame}, and they "
                "would be missed instead.",
                remaining,
            )

    def _advice_on_recruiting(self, trials: _FrameTrials) -> Iterator[Advice]:
        if trials.more_joints and trials.recruiting <= trials.helps:
            yield Advice(
                "recruit",
                f"Let {self.constraint.label} recruit {' and '.join(trials.more_joints)} too: it would then miss by "
                f"{trials.recruiting:.3g} at frame {trials.frame}.",
                trials.recruiting,
            )

    def _advice_on_targets(self, trials: _FrameTrials) -> Iterator[Advice]:
        """How far its targets must move to where the effectors are in the result, or a little less far away."""
        state = self.clip.world.at(np.array([trials.frame]))
        words = []
        for each in (each for each in trials.all_tasks if each.owner is self.constraint):
            way = -each.task().error(state)[0]
            if each.effector.is_angular or len(way) != each.effector.width:
                continue
            length, size = float(np.linalg.norm(way)), self.clip.skeleton.size
            if length > MISSED * size:
                way *= 1.0 + WITHIN * size / length
                what = each.effector.describe(self.clip.skeleton.names)
                words.append(f"{what} by ({', '.join(f'{component:.3g}' for component in way)})")
        if words:
            yield Advice("move", f"Move the target of {' and of '.join(words)} at frame {trials.frame}.", 0.0)


def _owned_by(channel: Channel, constraint: Constraint) -> BoolArray:
    """(frames,) where a constraint owns a channel."""
    own = np.array([*(track.constraint is constraint for track in channel.tracks), False])
    return np.asarray(own[channel.owner])


def _within(frame: int, spans: Spans) -> bool:
    return any(first <= frame <= last for first, last in spans)
