# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on a deformation: the residuals of every constraint, the conflicts between them (`conflicts`), and the
pairs that break the recruiting rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..body.joints import SIDES
from ..constraints import Constraint
from ..core.arrays import TINY, Array, BoolArray, IntArray, runs
from ..posture.recruiting import breaches
from .conflicts import HELPS, MISSED, Advice, Cause, Conflict, Residual, Spans, conflicts_of, in_words
from .frame_tasks import FrameTasks

__all__ = [
    "HELPS",
    "MISSED",
    "Advice",
    "Cause",
    "Conflict",
    "Report",
    "Residual",
    "RuleBreach",
    "StretchedLimb",
    "report_on",
]

STRAIGHT = 0.999
"""A limb whose ends are at least this share of its length apart is fully stretched."""


@dataclass(frozen=True)
class StretchedLimb:
    """A limb that is straight: it can reach no further, and small changes of its end turn it a lot."""

    limb: str
    spans: Spans


@dataclass(frozen=True, eq=False)
class RuleBreach:
    """Two constraints that break the recruiting rule (see `posture.recruiting`)."""

    higher: Constraint
    lower: Constraint
    spans: Spans
    """The intervals in which both are active."""
    sentence: str
    """Which joints are concerned, and what would keep the rule."""
    joints: tuple[str, ...] = ()
    """The names of the joints that only the lower one recruits."""

    def __str__(self) -> str:
        return f"At {in_words(self.spans)}: {self.sentence}"


@dataclass(frozen=True, eq=False)
class Report:
    """The residuals and conflicts of the constraints of a deformation, the limbs that are straight, and the pairs of
    constraints that break the recruiting rule."""

    residuals: tuple[Residual, ...]
    """One for each constraint, in the order in which they were given."""
    conflicts: tuple[Conflict, ...]
    stretched: tuple[StretchedLimb, ...]
    breaches: tuple[RuleBreach, ...] = ()
    """Each pair of constraints once."""

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
            lines += [f"  {cause.sentence(in_words(cause.spans))}" for cause in conflict.told_causes]
            lines += [f"  {advice.sentence}" for advice in conflict.advice]
        for limb in self.stretched:
            lines.append(f"The {limb.limb} is fully stretched at {in_words(limb.spans)}.")
        lines += [str(breach) for breach in self.breaches]
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
    residuals = residuals_in(frame_tasks, clip, within)
    inside = _inside(clip, within)
    missed = [residual for residual in residuals if residual.misses.any()]
    return Report(
        residuals,
        conflicts_of(frame_tasks, clip, missed),
        tuple(_stretched(clip, inside)),
        tuple(_breaches(frame_tasks, inside)),
    )


def residuals_in(frame_tasks: FrameTasks, clip: Clip, within: tuple[int, int] | None = None) -> tuple[Residual, ...]:
    """The residuals of every constraint in a clip, or in its frames from the first to the last of `within` alone."""
    return tuple(_residuals(frame_tasks, clip, _inside(clip, within)))


def _inside(clip: Clip, within: tuple[int, int] | None) -> BoolArray:
    """(frames,) which frames are within the first and the last one of `within`; all for None."""
    inside = np.ones(clip.frames, dtype=bool)
    if within is not None:
        inside[:] = False
        inside[within[0] : within[1] + 1] = True
    return inside


# Residuals ----------------------------------------------------------------------------------------------------------


def _residuals(frame_tasks: FrameTasks, clip: Clip, inside: BoolArray) -> Iterable[Residual]:
    timeline, size = frame_tasks.timeline, clip.skeleton.size
    missed_by: dict[int, list[tuple[IntArray, Array, bool]]] = {id(each): [] for each in timeline.constraints}
    moved_by = {id(each): np.zeros(len(clip.skeleton), dtype=bool) for each in timeline.constraints}
    for channel, targets in zip(timeline.channels, frame_tasks.targets, strict=True):
        effector = channel.effector
        values = effector.value(clip.world)
        to_targets = effector.miss(values, targets)
        influencing = effector.task(targets[:1]).influencing_joints(clip.skeleton)
        for number, track in enumerate(channel.tracks):
            found = missed_by[id(track.constraint)]
            moved_by[id(track.constraint)] |= influencing
            is_angular, hold = effector.is_angular, track.hold_frames
            if track.constraint.constrains_path:
                own = track.frames[(channel.owner[track.frames] == number) & ~channel.bridged[track.frames]]
                own = np.setdiff1d(own, hold)
                found.append((own, to_targets[own], is_angular))
            # In its hold intervals a constraint is judged by its own targets, also where another one owns the frame.
            wanted = effector.displaced(timeline.source.values(effector)[hold], track.displacement[hold - track.begin])
            found.append((hold, effector.miss(values[hold], wanted), is_angular))
    for constraint in timeline.constraints:
        found = missed_by[id(constraint)]
        frames = np.unique(np.concatenate([each for each, _, _ in found]) if found else np.zeros(0, dtype=np.int64))
        frames = frames[inside[frames]]
        distances, angles = np.zeros((2, len(frames)))
        for own, missed, is_angular in found:
            where, amounts = np.searchsorted(frames, own[inside[own]]), angles if is_angular else distances
            amounts[where] = np.maximum(amounts[where], missed[inside[own]])
        far, wide = distances > MISSED * size, angles > MISSED
        has_distances = not all(is_angular for _, _, is_angular in found)
        is_angular = bool(found) and (not has_distances or (bool(wide.any()) and not far.any()))
        relative = np.stack([distances / size, angles], axis=1)
        joints = np.flatnonzero(moved_by[id(constraint)])
        yield Residual(constraint, frames, distances if has_distances else angles, angles, relative, is_angular, joints)


# The recruiting rule -------------------------------------------------------------------------------------------------


def _breaches(frame_tasks: FrameTasks, inside: BoolArray) -> Iterable[RuleBreach]:
    """Each pair of constraints that breaks the recruiting rule, once."""
    constraints = frame_tasks.timeline.constraints
    found: dict[tuple[int, int], tuple[str, tuple[str, ...], BoolArray]] = {}
    tasks = {id(each.task): each for each in frame_tasks.prioritized(np.arange(len(inside)))}
    for breach in breaches(frame_tasks.skeleton, [each.task for each in tasks.values()]):
        one, other = tasks[id(breach.higher)], tasks[id(breach.lower)]
        both = inside & one.active & other.active
        owners = frame_tasks.owners[:, [one.channel, other.channel]]
        for pair in {(int(first), int(second)) for first, second in owners[both]}:
            higher, lower = (constraints[number] for number in pair)
            if higher.priority > lower.priority:  # heel and ball of footplants rank above each other, not the plants
                sentence = breach.sentence((higher.label, higher.priority), (lower.label, lower.priority))
                _, _, frames = found.setdefault(pair, (sentence, breach.joints, np.zeros_like(inside)))
                np.logical_or(frames, both & (owners == pair).all(axis=1), out=frames)
    for (first, second), (sentence, joints, frames) in found.items():
        yield RuleBreach(constraints[first], constraints[second], tuple(runs(frames)), sentence, joints)


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
