# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a solve in an animator's words, in frames and units of the scene, stored for the panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import solver
from .. import bridge
from ..properties import PoiseCharacter, PoiseMetrics
from ..translation import Translation
from . import ignoring

ANGULAR = (solver.OrientationConstraint, solver.DirectionConstraint, solver.LookAtConstraint)
"""Constraints whose errors are angles; those of others are lengths, but for the roll of a planted foot."""

LENGTHS = ("slide", "largest_slide", "extent", "speed", "height", "penetration")
"""The foot metrics that the solver gives in sizes of the character."""

NAMED = 3
"""How many kinds of faults a sentence lists with their frames; the others are counted."""

Times = Sequence[float] | NDArray[np.float64]
"""(frames,) the frame of the scene for each frame of the clip."""


def clear_reports(character: PoiseCharacter) -> None:
    """Remove the reports of the last solve, the last cleanup and the last physics, whose result is shown no more."""
    character.residuals.clear()
    character.advice.clear()
    character.last_solve = character.last_clean = ""
    character.live_state.solved = ""
    character.has_metrics = False
    clear_physics(character)


def clear_physics(character: PoiseCharacter) -> None:
    """Remove the report of the last physical result, which another one has replaced."""
    character.physics.solved = character.physics.result_sentence = ""


def store_residuals(
    character: PoiseCharacter, residuals: Sequence[solver.Residual], uids: Sequence[str], times: Times
) -> None:
    """Store the error of each saved constraint; that of a held pose is the largest of its parts."""
    character.residuals.clear()
    entries: dict[str, Any] = {}
    for residual, uid in zip(residuals, uids, strict=True):
        is_new = uid not in entries
        entry = entries[uid] = entries[uid] if not is_new else character.residuals.add()
        mean = float(residual.amounts.mean()) if residual.amounts.size else 0.0
        if is_new or residual.worst > entry.worst:
            entry.worst = residual.worst
            entry.worst_frame = times[max(residual.worst_frame, 0)]
            entry.unit = "ANGLE" if residual.is_angular else "LENGTH"
        entry.uid = uid
        entry.mean = max(entry.mean, mean)
        entry.misses = entry.misses or bool(residual.misses.any())


def store_advice(
    character: PoiseCharacter,
    report: solver.Report,
    translated: Translation,
    times: Times,
    more: Iterable[str] = (),
    first: Sequence[str] = (),
) -> None:
    """Store the problems of a solve for the panels, one entry each: `first`, then missed constraints with their fixes,
    those missed most before the others, then priorities, stretched limbs and `more`.

    `first` are problems with the rig; where there are any, to move more bones would not help and is no fix. What the
    animator has ignored is stored as ignored as long as its constraint is the same.
    """
    character.advice.clear()
    for sentence in first:
        _add(character, "RIG", sentence)
    uid_of = {id(each): uid for each, uid in zip(translated.constraints, translated.uids, strict=True)}
    for conflict in _worst_first(report, uid_of):
        entry = _add(character, "MISSED", brief_conflict(conflict), uid_of[id(conflict.constraint)])
        told = [conflict_sentence(conflict, times), *(cause_sentence(each, times) for each in conflict.told_causes)]
        entry.details = " ".join(told)
        entry.amount, entry.unit = conflict.worst, "ANGLE" if conflict.is_angular else "LENGTH"
        _set_frame(entry, times[conflict.worst_frame])
        for advice in conflict.advice:
            # What moves along with a bone or an object has no target that stands still.
            follows = advice.kind == "move" and getattr(conflict.constraint, "reference", None) is not None
            if not follows and not (first and advice.kind == "recruit"):
                _add_fix(entry, conflict, advice, uid_of, times)
    for breach in report.breaches:
        _add_breach(character, breach, uid_of, times)
    # Straight limbs matter only where a constraint is missed: most captures begin with straight arms.
    missed = [span for conflict in report.conflicts for span in conflict.spans]
    for limb in report.stretched:
        spans = [(a, b) for a, b in limb.spans if any(a <= last and first <= b for first, last in missed)]
        if spans:
            entry = _add(character, "STRETCHED", f"The {limb.limb} is fully stretched at {format_spans(spans, times)}.")
            _set_frame(entry, times[spans[0][0]])
    for sentence in dict.fromkeys((*translated.skipped, *more)):
        if sentence not in first:
            _add(character, "NOTE", sentence)
    ignoring.mark_ignored(character)


def _worst_first(report: solver.Report, uid_of: Mapping[int, str]) -> list[solver.Conflict]:
    """The conflicts, by how much of the character's size or of a radian is missed; of the parts of a held pose, which
    is several constraints of one uid, the worst."""

    def relative(conflict: solver.Conflict) -> float:
        return float(report.residual(conflict.constraint).relative.max(initial=0.0))

    worst: dict[str, solver.Conflict] = {}
    for conflict in sorted(report.conflicts, key=relative, reverse=True):
        worst.setdefault(uid_of[id(conflict.constraint)], conflict)
    return list(worst.values())


def _add_fix(
    entry: Any, conflict: solver.Conflict, advice: solver.Advice, uid_of: Mapping[int, str], times: Times
) -> None:
    """Store what an advice of the solver would change."""
    label, frame = conflict.constraint.label, f"{times[advice.frame]:g}"
    then = f"it would then miss by {format_amount(advice.remaining, conflict.is_angular)} at frame {frame}"
    fix = entry.fixes.add()
    fix.frame = times[advice.frame]
    if advice.kind == "move":
        fix.kind, fix.move = "MOVE", max(advice.moves, key=lambda move: math.hypot(*move))
        far = format_amount(math.hypot(*fix.move), is_angular=False)
        fix.sentence = f"Move the target of {label} by {far} to where the body reaches at frame {frame}."
    elif advice.kind == "priority":
        fix.kind, fix.lowered = "RANK", " ".join(dict.fromkeys(uid_of[id(each)] for each in advice.lowered))
        others = " and ".join(dict.fromkeys(each.label for each in advice.lowered))
        fix.sentence = (
            f"Lower the priority of {others} below {conflict.constraint.priority}: {then}, and they would be missed "
            "instead."
        )
    else:
        fix.kind, fix.levels = "BONES", advice.levels
        _list_bones(fix, advice.joints)
        fix.sentence = f"Let {' and '.join(advice.joints)} move for {label} too: {then}."


def _list_bones(fix: Any, names: Iterable[str]) -> None:
    for name in names:
        fix.bones.add().bone = name


def _add_breach(character: PoiseCharacter, breach: solver.RuleBreach, uid_of: Mapping[int, str], times: Times) -> None:
    """Store a pair of constraints of which only the less important one may move some bones; a held pose, which is
    several constraints of one name, may break the rule several times in the same way."""
    higher, lower = breach.higher.label, breach.lower.label
    bones = ", ".join(breach.joints)
    sentence = f"{higher} is more important than {lower}, but may not move {bones} as that may."
    if any(known.sentence == sentence for known in character.advice):
        return
    entry = _add(character, "RANK", sentence, uid_of[id(breach.higher)])
    entry.details = f"At {format_spans(breach.spans, times)}: {lower} reaches less than it could."
    _set_frame(entry, times[breach.spans[0][0]])
    fix = entry.fixes.add()
    fix.kind, fix.sentence = "BONES", f"Let {bones} move for {higher} too."
    _list_bones(fix, breach.joints)


def missed_as_baked(report: solver.Report, residuals: Sequence[solver.Residual], times: Times) -> list[str]:
    """A sentence for each constraint that holds in the solve and is missed by the keys, given their residuals."""
    sentences = []
    for solved, baked in zip(report.residuals, residuals, strict=True):
        if baked.misses.any() and not solved.misses.any():
            missed = format_amount(baked.worst, isinstance(baked.constraint, ANGULAR))
            sentences.append(
                f"{baked.constraint.label} holds in the solve, but misses by up to {missed} as baked, at frame "
                f"{times[baked.worst_frame]:g}: lower Thin Out Keys, or bake to a new action."
            )
    return sentences


def _joints_of(constraint: solver.Constraint, skeleton: solver.Skeleton) -> list[int]:
    """The joints that a constraint constrains; none for a balance."""
    if isinstance(constraint, solver.Footplant):
        _, _, *foot = skeleton.landmarks.leg(constraint.foot)
        return [joint for joint in foot if joint is not None]
    joint: Any = getattr(constraint, "joint", None)
    if joint is None:
        return []
    return [skeleton.index(joint.joint if isinstance(joint, solver.BodyPoint) else joint)]


def prefixed(problems: Sequence[str], sentence: str) -> str:
    """A sentence preceded by the first of the problems, if there is one."""
    return f"{problems[0].removesuffix('.')}; {sentence[0].lower()}{sentence[1:]}" if problems else sentence


def rig_conflicts(report: solver.Report, skeleton: solver.Skeleton, reading: bridge.Reading) -> list[str]:
    """A sentence for each constraint that is missed because the rig sets the position of a bone above its own."""
    sentences = []
    for conflict in report.conflicts:
        names = [skeleton.names[joint] for joint in _joints_of(conflict.constraint, skeleton)[:1]]
        above = bridge.mover_above(reading, names[0]) if names else None
        if above is not None and above[1].sets_position:
            missed = format_amount(conflict.worst, conflict.is_angular)
            mover = above[1].description_for(names[0])
            sentences.append(
                f"{conflict.constraint.label} misses by up to {missed}, since {mover} decides where bone "
                f"{names[0]!r} is."
            )
    return sentences


def _add(character: PoiseCharacter, kind: str, sentence: str, uid: str = "") -> Any:
    entry = character.advice.add()
    entry.kind, entry.sentence, entry.uid = kind, sentence, uid
    return entry


def _set_frame(entry: Any, frame: float) -> None:
    entry.has_frame, entry.frame = True, frame


def brief_conflict(conflict: solver.Conflict) -> str:
    """Which constraint is missed, by how much, and why, in one line."""
    others = [cause.constraint.label for cause in conflict.causes]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    why = {
        "kept end": "the motion around it is kept",
        "reach": "out of reach",
        "conflict": f"against {others[0]}{more}" if others else "",
        "smoothness": "the motion is kept smooth",
    }[conflict.reason]
    return f"{conflict.constraint.label}: {format_amount(conflict.worst, conflict.is_angular)} off, {why}"


def conflict_sentence(conflict: solver.Conflict, times: Times) -> str:
    """Which constraint is missed, because of which others, at which frames and by how much."""
    missed = format_amount(conflict.worst, conflict.is_angular)
    when, worst = format_spans(conflict.spans, times), f"{times[conflict.worst_frame]:g}"
    return f"{conflict.constraint.label} {conflict.outcome} at {when}; it misses by up to {missed}, at frame {worst}."


def cause_sentence(cause: solver.Cause, times: Times) -> str:
    """Which constraint is the cause of a conflict, and at which frames."""
    does = "moves the same point" if cause.takes_effector else "needs the same bones"
    return f"{cause.constraint.label} {does} at {format_spans(cause.spans, times)}."


def format_spans(spans: Sequence[tuple[int, int]], times: Times) -> str:
    """Spans of frames of the clip as text, in frames of the scene."""
    shown = [(f"{times[first]:g}", f"{times[last]:g}") for first, last in spans]
    text = ", ".join(first if first == last else f"{first} to {last}" for first, last in shown)
    return f"frame {text}" if len(shown) == 1 and shown[0][0] == shown[0][1] else f"frames {text}"


def format_amount(value: float, is_angular: bool) -> str:
    """A length as text in the units of the scene, or an angle in radians as text in degrees."""
    if is_angular:
        return f"{math.degrees(value):.2g}°"
    return bridge.format_length(value)


def store_metrics(
    stored: PoiseMetrics,
    metrics: solver.FootMetrics,
    size: float,
    times: Times,
    before: solver.FootMetrics | None = None,
) -> None:
    """Store foot metrics for the panels, lengths in Blender units; `size` is that of the character.

    Warnings are about what is worse than `before`.
    """
    shown = metrics.shown
    for name in (each.name for each in fields(shown) if isinstance(getattr(shown, each.name), (int, float))):
        value = getattr(shown, name)
        setattr(stored, name, value * size if name in LENGTHS else value)
    stored.jump, stored.jump_joint, stored.jump_frame = shown.jump.ratio, shown.jump.joint, times[shown.jump.frame]
    stored.worse = set() if before is None else set(metrics.worse_than(before))


def fault_sentence(faults: Sequence[solver.CaptureFault], times: Times, repaired: bool) -> str:
    """A sentence about the faults of a capture; empty without any."""
    if not faults:
        return ""
    spans: dict[str, list[tuple[int, int]]] = {}
    for fault in faults:
        spans.setdefault(fault.description, []).append((fault.begin, fault.end))
    listed = [f"{what} at {format_spans(when, times)}" for what, when in spans.items()]
    left = sum(len(when) for when in list(spans.values())[NAMED:])
    more = f" and {left} more" if left else ""
    count, they, are, them = (
        ("a fault", "It", "is", "it") if len(faults) == 1 else (f"{len(faults)} faults", "They", "are", "them")
    )
    done = "interpolated" if repaired else f"kept; Repair Faults interpolates {them}"
    listing = ", ".join(listed[:NAMED])
    return f"The capture has {count}: {listing}{more}. {they} {are} {done}."
