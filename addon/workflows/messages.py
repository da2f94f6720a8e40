# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a solve in an animator's words, in frames and units of the scene, stored for the panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import solver
from .. import bridge
from ..properties import PoiseCharacter, PoiseMetrics
from ..translation import Translation

ANGULAR = (solver.OrientationConstraint, solver.DirectionConstraint, solver.LookAtConstraint)
"""Constraints whose errors are angles; those of others are lengths, but for the roll of a planted foot."""

LENGTHS = ("slide", "largest_slide", "extent", "speed", "height", "penetration")
"""The foot metrics that the solver gives in sizes of the character."""

NAMED = 3
"""How many kinds of faults a sentence lists with their frames; the others are counted."""

Times = Sequence[float] | NDArray[np.float64]
"""(frames,) the frame of the scene for each frame of the clip."""


def clear_reports(character: PoiseCharacter) -> None:
    """Remove the reports of the last solve and the last cleanup, whose result is shown no more."""
    character.residuals.clear()
    character.advice.clear()
    character.last_solve = character.last_clean = ""
    character.has_metrics = False


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
    """Store sentences for the panels: `first`, then conflicts with their causes and advice, then stretched limbs,
    constraints that break the recruiting rule, and `more`.

    `first` are problems with the rig; where there are any, recruiting more bones would not help and is not advised.
    """
    character.advice.clear()
    for sentence in first:
        _add(character, sentence)
    uid_of = {id(each): uid for each, uid in zip(translated.constraints, translated.uids, strict=True)}
    for conflict in report.conflicts:
        uid = uid_of[id(conflict.constraint)]
        _add(character, conflict_sentence(conflict, times), uid)
        for cause in conflict.told_causes:
            _add(character, cause_sentence(cause, times), uid)
        for advice in conflict.advice:
            if first and advice.kind == "recruit":
                continue
            _add(character, advice.told(lambda frame: f"{bridge.scene_frame(times, frame):g}", format_amount), uid)
    # Straight limbs matter only where a constraint is missed: most captures begin with straight arms.
    missed = [span for conflict in report.conflicts for span in conflict.spans]
    for limb in report.stretched:
        spans = [(a, b) for a, b in limb.spans if any(a <= last and first <= b for first, last in missed)]
        if spans:
            _add(character, f"The {limb.limb} is fully stretched at {format_spans(spans, times)}.")
    # A held pose is several constraints of one name, of which each may break the rule in the same way.
    breaches = dict.fromkeys(f"At {format_spans(each.spans, times)}: {each.sentence}" for each in report.breaches)
    for sentence in dict.fromkeys((*breaches, *translated.skipped, *more)):
        if sentence not in first:
            _add(character, sentence)


def missed_as_baked(report: solver.Report, residuals: Sequence[solver.Residual], times: Times) -> list[str]:
    """A sentence for each constraint that holds in the solve and is missed by the keys, given their residuals."""
    sentences = []
    for solved, baked in zip(report.residuals, residuals, strict=True):
        if baked.misses.any() and not solved.misses.any():
            missed = format_amount(baked.worst, isinstance(baked.constraint, ANGULAR))
            sentences.append(
                f"{baked.constraint.label} holds in the solve, but misses by up to {missed} as baked, at frame "
                f"{times[baked.worst_frame]:g}: lower Thinning, or bake to a new action."
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


def _add(character: PoiseCharacter, sentence: str, uid: str = "") -> None:
    entry = character.advice.add()
    entry.sentence, entry.uid = sentence, uid


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
