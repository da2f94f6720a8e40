# SPDX-License-Identifier: GPL-3.0-or-later
"""What reports say to an animator: in the scene's frames and units, kept on the character for the panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import solver
from .. import bridge
from ..properties import PoiseCharacter, PoiseMetrics
from ..translation import Translation

ANGULAR = (solver.OrientationConstraint, solver.DirectionConstraint)
"""Constraints that miss by angles; the others miss by lengths."""

LENGTHS = ("slide", "largest_slide", "extent", "speed", "height", "penetration")
"""The figures of feet that the solver gives in sizes of the character."""

Times = Sequence[float] | NDArray[np.float64]
"""(frames,) the scene's frame of each of the clip's."""


RigErrors = Mapping[int, tuple[float, int]]
"""For constraints, by their `id`, that the rig's own constraints keep from holding: how far they are off at the worst,
in the scene's units or radians, and the clip's frame of that."""


def store_residuals(
    character: PoiseCharacter,
    report: solver.Report,
    uids: Sequence[str],
    times: Times,
    held: RigErrors = MappingProxyType({}),
) -> None:
    """Keep how far constraints are from holding: one entry for each saved constraint, the worst of its parts."""
    character.residuals.clear()
    entries: dict[str, Any] = {}
    for residual, uid in zip(report.residuals, uids, strict=True):
        is_new = uid not in entries
        entry = entries[uid] = entries[uid] if not is_new else character.residuals.add()
        mean = float(residual.distances.mean()) if residual.distances.size else 0.0
        worst, frame = max((residual.worst, residual.worst_frame), held.get(id(residual.constraint), (0.0, 0)))
        if is_new or worst > entry.worst:
            entry.worst = worst
            entry.worst_frame = times[max(frame, 0)]
            entry.unit = "ANGLE" if isinstance(residual.constraint, ANGULAR) else "LENGTH"
        entry.uid = uid
        entry.mean = max(entry.mean, mean)
        entry.misses = entry.misses or bool(residual.misses.any()) or id(residual.constraint) in held


def store_advice(
    character: PoiseCharacter,
    report: solver.Report,
    translated: Translation,
    times: Times,
    more: Iterable[str] = (),
    first: Sequence[str] = (),
) -> None:
    """Keep what is wrong with the result as a whole, what would help each constraint, and what else there is to say.

    Where something is wrong with the whole, because of the rig's own constraints, it is no use to recruit more bones.
    """
    character.advice.clear()
    for sentence in first:
        _add(character, sentence)
    uid_of = {id(each): uid for each, uid in zip(translated.constraints, translated.uids, strict=True)}
    for conflict in report.conflicts:
        uid = uid_of[id(conflict.constraint)]
        _add(character, conflict_sentence(conflict, times), uid)
        for advice in conflict.advice:
            if first and advice.kind == "recruit":
                continue
            _add(character, advice_sentence(advice, conflict, times), uid)
    # Straight limbs are worth a word only where something is missed: most captures begin with straight arms.
    for limb in report.stretched if report.conflicts else ():
        _add(character, f"The {limb.limb} is fully stretched at {format_spans(limb.spans, times)}.")
    for sentence in dict.fromkeys((*translated.skipped, *more)):
        if sentence not in first:
            _add(character, sentence)


def constraints_off_by_rig(report: solver.Report, skeleton: solver.Skeleton, baked: bridge.Baked) -> RigErrors:
    """The constraints whose bones the rig's own constraints hold off the result."""
    if not baked.rig_conflict:
        return {}
    found = {}
    for residual in report.residuals:
        constraint, frames = residual.constraint, residual.frames
        is_angular = isinstance(constraint, ANGULAR)
        joints = _joints_of(constraint, skeleton)
        if not joints or not frames.size:
            continue
        off = (baked.angles if is_angular else baked.distances)[frames][:, joints].max(axis=1)
        if off.max() > REPORTED_ERROR * (1.0 if is_angular else skeleton.size):
            found[id(constraint)] = float(off.max()), int(frames[off.argmax()])
    return found


REPORTED_ERROR = 1e-3
"""Sizes of the character, or radians, by which a constraint may be off and still hold."""


def _joints_of(constraint: solver.Constraint, skeleton: solver.Skeleton) -> list[int]:
    """The joints that a constraint holds; none for a balance, which holds no joint."""
    if isinstance(constraint, solver.Footplant):
        _, _, *foot = skeleton.landmarks.leg(constraint.foot)
        return [joint for joint in foot if joint is not None]
    joint: Any = getattr(constraint, "joint", None)
    if joint is None:
        return []
    return [skeleton.index(joint.joint if isinstance(joint, solver.BodyPoint) else joint)]


def prefixed(wrong: Sequence[str], sentence: str) -> str:
    """A sentence that begins with the first of what is wrong, where something is."""
    return f"{wrong[0].removesuffix('.')}; {sentence[0].lower()}{sentence[1:]}" if wrong else sentence


def rig_conflicts(report: solver.Report, skeleton: solver.Skeleton, reading: bridge.Reading) -> list[str]:
    """For each constraint that does not hold because of what moves a bone above its own, a sentence that says so."""
    sentences = []
    for conflict in report.conflicts:
        names = [skeleton.names[joint] for joint in _joints_of(conflict.constraint, skeleton)[:1]]
        held = bridge.mover_above(reading, names[0]) if names else None
        if held is not None and held[1].sets_position:
            missed = format_amount(conflict.worst, isinstance(conflict.constraint, ANGULAR))
            words = held[1].description_for(names[0])
            sentences.append(
                f"{conflict.constraint.label} misses by up to {missed}, since {words} decides where bone "
                f"{names[0]!r} is."
            )
    return sentences


def _add(character: PoiseCharacter, sentence: str, uid: str = "") -> None:
    entry = character.advice.add()
    entry.sentence, entry.uid = sentence, uid


def conflict_sentence(conflict: solver.Conflict, times: Times) -> str:
    """Who loses, against whom, when and by how much."""
    missed = format_amount(conflict.worst, isinstance(conflict.constraint, ANGULAR))
    when, worst = format_spans(conflict.spans, times), f"{times[conflict.worst_frame]:g}"
    return f"{conflict.constraint.label} {conflict.outcome} at {when}; it misses by up to {missed}, at frame {worst}."


def advice_sentence(advice: solver.Advice, conflict: solver.Conflict, times: Times) -> str:
    """The solver's advice, which was tried on the worst frame, with that frame as the scene counts it."""
    return advice.sentence.replace(f"at frame {conflict.worst_frame}", f"at frame {times[conflict.worst_frame]:g}")


def format_spans(spans: Sequence[tuple[int, int]], times: Times) -> str:
    """First and last frames of some times, as the scene counts them."""
    shown = [(f"{times[first]:g}", f"{times[last]:g}") for first, last in spans]
    words = ", ".join(first if first == last else f"{first} to {last}" for first, last in shown)
    return f"frame {words}" if len(shown) == 1 and shown[0][0] == shown[0][1] else f"frames {words}"


def format_amount(value: float, is_angular: bool) -> str:
    """A length in the scene's units, or an angle in degrees."""
    if is_angular:
        return f"{math.degrees(value):.2g}°"
    return bridge.format_length(value)


def store_metrics(kept: PoiseMetrics, metrics: solver.FootMetrics, size: float) -> None:
    """Keep figures of feet, lengths in the scene's units."""
    for name in type(kept).__annotations__:
        value = getattr(metrics, name)
        setattr(kept, name, value * size if name in LENGTHS else value)
