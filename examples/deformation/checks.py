# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold of every deformation, as checks of random cases.

Each check takes a judged case and returns its violations. Lengths are in sizes of the character, angles in radians
unless a sentence says otherwise. What a constraint requires is computed from its own tracks, not from the report.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...solver.body.clip import Clip
from ...solver.constraints import Constraint, Source, Track
from ...solver.core import rotations
from ...solver.core.arrays import BoolArray
from ...solver.core.errors import RecruitingWarning
from ...solver.deformation.deform import Deformation, deform
from ..joint_limits import excess
from .random_cases import Case

HELD = 1e-6
"""Sizes, or radians: a constraint that misses by no more in its hold intervals holds, alone and beside others."""
ON_THE_WAY = 1e-3
"""Sizes, or radians: the bound outside of its hold intervals."""
BEYOND_LIMIT = 1e-6
"""Radians beyond a limit."""
AGREES, AGREES_DEGREES = 1e-3, 0.2
"""Sizes and degrees by which two solves of the same constraints may differ."""
SLOWEST = 2.0
"""Seconds for a deformation and its report."""


@dataclass(frozen=True)
class Violation:
    """One sentence on what is violated, and by how much."""

    sentence: str
    figure: float

    def __str__(self) -> str:
        return self.sentence


class Judged:
    """A case with its deformations, each computed when it is first needed."""

    def __init__(self, case: Case) -> None:
        self.case, self.clip, self.constraints = case, case.clip, case.constraints
        self.source = Source(case.clip)
        self.warnings: list[str] = []
        self._alone: dict[tuple[int, ...], Deformation] = {}

    @cached_property
    def deformation(self) -> Deformation:
        """With all constraints; `seconds` is the time for it and its report."""
        begin = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            deformation = deform(self.clip, self.constraints)
            _ = deformation.report
        self.seconds = time.perf_counter() - begin
        self.warnings = [str(each.message) for each in caught if not issubclass(each.category, RecruitingWarning)]
        return deformation

    def only(self, constraints: Sequence[Constraint]) -> Deformation:
        """With some of the constraints."""
        if len(constraints) == len(self.constraints):
            return self.deformation
        key = tuple(map(id, constraints))
        if key not in self._alone:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._alone[key] = deform(self.clip, constraints)
        return self._alone[key]

    def tracks(self, constraint: Constraint) -> list[Track]:
        """The constraint compiled on the clip."""
        return constraint.compiled(self.source)

    def miss(self, constraint: Constraint, result: Clip) -> float:
        """The largest residual in the hold intervals of a constraint, in sizes or radians."""
        worst = 0.0
        for track in self.tracks(constraint):
            effector, held = track.effector, _within(track)
            frames = track.frames[held]
            wanted = effector.displaced(self.source.values(effector)[frames], track.displacement[held])
            missed = effector.miss(effector.value(result.world)[frames], wanted)
            unit = 1.0 if effector.is_angular else result.skeleton.size
            worst = max(worst, float(missed.max(initial=0.0)) / unit)
        return worst

    def miss_on_the_way(self, constraint: Constraint, deformation: Deformation) -> float:
        """The largest residual outside of its hold intervals, against the targets in the report."""
        residual = deformation.report.residual(constraint)
        tracks = self.tracks(constraint)
        held = np.concatenate([track.frames[_within(track)] for track in tracks]) if tracks else np.zeros(0)
        unit = 1.0 if all(track.effector.is_angular for track in tracks) else self.clip.skeleton.size
        return float(residual.distances[~np.isin(residual.frames, held)].max(initial=0.0) / unit)

    def active(self, constraint: Constraint) -> BoolArray:
        """(frames,) where it is active."""
        active = np.zeros(self.clip.frames, dtype=bool)
        for track in self.tracks(constraint):
            active[track.frames] = True
        return active

    def recruited(self, constraint: Constraint) -> BoolArray:
        """(joints,) those that may move for it."""
        recruited = np.zeros(len(self.clip.skeleton), dtype=bool)
        for track in self.tracks(constraint):
            values = self.source.values(track.effector)[:1]
            recruited |= track.effector.task(values, recruit=constraint.recruit).recruited(self.clip.skeleton)
        return recruited


def _within(track: Track) -> BoolArray:
    """(active frames,) where a track is in one of its hold intervals."""
    held = np.zeros(len(track.frames), dtype=bool)
    for begin, end in track.hold_intervals:
        held |= (track.frames >= begin) & (track.frames <= end)
    return held


# The checks ---------------------------------------------------------------------------------------------------------


def without_warnings(judged: Judged) -> list[Violation]:
    """Neither the deformation nor its report warns of its own arithmetic."""
    _ = judged.deformation
    return [Violation(f"it warns: {each}", 1.0) for each in dict.fromkeys(judged.warnings)]


def finite(judged: Judged) -> list[Violation]:
    """No number of the result and of the report is NaN or infinite."""
    motion, report = judged.deformation.clip.motion, judged.deformation.report
    found = []
    if not (np.isfinite(motion.rotations).all() and np.isfinite(motion.translations).all()):
        found.append(Violation("the motion has numbers that are not finite", 1.0))
    for residual in report.residuals:
        if not np.isfinite(residual.distances).all():
            found.append(Violation(f"{residual.constraint.label}: a residual is not finite", 1.0))
    return found


def strict(judged: Judged) -> list[Violation]:
    """Constraints of the highest priority that hold without the less important ones hold beside them too."""
    highest = max(constraint.priority for constraint in judged.constraints)
    level = [constraint for constraint in judged.constraints if constraint.priority == highest]
    if len(level) == len(judged.constraints):
        return []
    alone = judged.only(level)
    held = {id(constraint): judged.miss(constraint, alone.clip) <= HELD for constraint in level}
    found = []
    for constraint in level:
        rivals = [each for each in level if not held[id(each)]]
        if not held[id(constraint)] or any((judged.active(each) & judged.active(constraint)).any() for each in rivals):
            continue
        label = f"{constraint.label} (priority {constraint.priority}), which holds without less important ones,"
        beside = judged.miss(constraint, judged.deformation.clip)
        if beside > HELD:
            found.append(Violation(f"{label} misses by {beside:.1e} beside them", beside))
        if judged.miss_on_the_way(constraint, alone) <= ON_THE_WAY:
            way = judged.miss_on_the_way(constraint, judged.deformation)
            if way > ON_THE_WAY:
                found.append(Violation(f"{label} misses by {way:.1e} on its way beside them", way))
    return found


def truthful(judged: Judged) -> list[Violation]:
    """The report calls no constraint out of reach that holds alone."""
    found = []
    for conflict in judged.deformation.report.conflicts:
        if "out of reach" not in conflict.outcome or "could be" in conflict.outcome:
            continue
        alone = judged.only([conflict.constraint])
        if judged.miss(conflict.constraint, alone.clip) <= HELD and not alone.report.conflicts:
            found.append(Violation(f"{conflict} But alone it holds.", conflict.worst))
    return found


def within_limits(judged: Judged) -> list[Violation]:
    """No joint that the source keeps within its limits leaves them."""
    skeleton, found = judged.clip.skeleton, []
    before, after = (excess(skeleton, clip.motion) for clip in (judged.clip, judged.deformation.clip))
    for column, joint in enumerate(skeleton.limits):
        frame = int(after[:, column].argmax())
        beyond = float(after[frame, column])
        if before[:, column].max() <= 0.0 and beyond > BEYOND_LIMIT:
            name = skeleton.names[joint]
            found.append(Violation(f"{name} is {beyond:.1e} rad beyond its limit at frame {frame}", beyond))
    return found


def unchanged(judged: Judged) -> list[Violation]:
    """Joints are bit for bit the source's where no active constraint recruits them."""
    clip, result = judged.clip, judged.deformation.clip
    may_move = np.zeros((clip.frames, len(clip.skeleton)), dtype=bool)
    for constraint in judged.constraints:
        may_move |= judged.active(constraint)[:, None] & judged.recruited(constraint)
    differs = (result.motion.rotations != clip.motion.rotations).any(axis=2)
    differs |= (result.motion.translations != clip.motion.translations).any(axis=2)
    found = []
    inactive = differs.any(axis=1) & ~np.any([judged.active(each) for each in judged.constraints], axis=0)
    if inactive.any():
        found.append(
            Violation(f"frames {np.flatnonzero(inactive).tolist()} change, but none is active", inactive.sum())
        )
    leaks = (differs & ~may_move)[~inactive]
    if leaks.any():
        names = ", ".join(clip.skeleton.names[joint] for joint in np.flatnonzero(leaks.any(axis=0)))
        frames = int(leaks.any(axis=1).sum())
        found.append(
            Violation(f"{names} change in {frames} frames in which no active constraint recruits them", frames)
        )
    return found


def repeatable(judged: Judged) -> list[Violation]:
    """Solving again after one constraint was added gives the same motion as solving anew."""
    left_out = judged.case.seed % len(judged.constraints)
    before = [each for number, each in enumerate(judged.constraints) if number != left_out]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = judged.only(before).again(judged.constraints).clip
    anew = judged.deformation.clip
    apart = float(rotations.lengths(again.world.positions - anew.world.positions).max() / anew.skeleton.size)
    turned = float(np.rad2deg(rotations.angle_between(again.motion.rotations, anew.motion.rotations).max()))
    if apart <= AGREES and turned <= AGREES_DEGREES:
        return []
    added = judged.constraints[left_out].label
    return [
        Violation(f"solved again with {added} added, it differs by {apart:.1e} sizes and {turned:.2g} degrees", apart)
    ]


def at_rest(judged: Judged) -> list[Violation]:
    """Every frame has converged, or the report has a conflict in it."""
    explained = np.zeros(judged.clip.frames, dtype=bool)
    for conflict in judged.deformation.report.conflicts:
        for first, last in conflict.spans:
            explained[first : last + 1] = True
    unexplained = np.flatnonzero(~judged.deformation.converged & ~explained)
    if not unexplained.size:
        return []
    return [Violation(f"frames {unexplained.tolist()} have not converged, and no conflict says why", len(unexplained))]


def quick(judged: Judged) -> list[Violation]:
    """The deformation with its report takes at most two seconds."""
    _ = judged.deformation
    return [Violation(f"it takes {judged.seconds:.1f} s", judged.seconds)] if judged.seconds > SLOWEST else []


Check = Callable[[Judged], list[Violation]]

CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        quick,
        finite,
        without_warnings,
        within_limits,
        unchanged,
        at_rest,
        strict,
        truthful,
        repeatable,
    )
}
"""All checks by name; those that need more solves come last."""
