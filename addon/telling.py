# SPDX-License-Identifier: GPL-3.0-or-later
"""What reports say to an animator: in the scene's frames and units, kept on the character for the panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import solver
from . import bridge
from .properties import PoiseCharacter, PoiseMetrics
from .translation import Translated

ANGULAR = (solver.OrientationConstraint, solver.DirectionConstraint)
"""Constraints that miss by angles; the others miss by lengths."""

LENGTHS = ("slide", "largest_slide", "extent", "speed", "height", "penetration")
"""The figures of feet that the solver gives in sizes of the character."""

Times = Sequence[float] | NDArray[np.float64]
"""(frames,) the scene's frame of each of the clip's."""


def write_residuals(character: PoiseCharacter, report: solver.Report, uids: Sequence[str], times: Times) -> None:
    """Keep how far constraints are from holding: one entry for each saved constraint, the worst of its parts."""
    character.residuals.clear()
    entries: dict[str, Any] = {}
    for residual, uid in zip(report.residuals, uids, strict=True):
        is_new = uid not in entries
        entry = entries[uid] = entries[uid] if not is_new else character.residuals.add()
        mean = float(residual.distances.mean()) if residual.distances.size else 0.0
        if is_new or residual.worst > entry.worst:
            entry.worst = residual.worst
            entry.worst_frame = times[max(residual.worst_frame, 0)]
            entry.unit = "ANGLE" if isinstance(residual.constraint, ANGULAR) else "LENGTH"
        entry.uid = uid
        entry.mean = max(entry.mean, mean)
        entry.misses = entry.misses or bool(residual.misses.any())


def write_advice(
    character: PoiseCharacter, report: solver.Report, translated: Translated, times: Times, more: Iterable[str] = ()
) -> None:
    """Keep what would help, the constraint's own sentences first, then what else there is to say."""
    character.advice.clear()
    uid_of = {id(each): uid for each, uid in zip(translated.constraints, translated.uids, strict=True)}
    for conflict in report.conflicts:
        uid = uid_of[id(conflict.loser)]
        _add(character, conflict_sentence(conflict, times), uid)
        for advice in conflict.advice:
            _add(character, advice_sentence(advice, conflict, times), uid)
    # Straight limbs are worth a word only where something is missed: most captures begin with straight arms.
    for limb in report.stretched if report.conflicts else ():
        _add(character, f"The {limb.limb} is fully stretched at {spans_in_words(limb.spans, times)}.")
    for sentence in dict.fromkeys((*translated.skipped, *more)):
        _add(character, sentence)


def _add(character: PoiseCharacter, sentence: str, uid: str = "") -> None:
    entry = character.advice.add()
    entry.sentence, entry.uid = sentence, uid


def conflict_sentence(conflict: solver.Conflict, times: Times) -> str:
    """Who loses, against whom, when and by how much."""
    missed = amount(conflict.worst, isinstance(conflict.loser, ANGULAR))
    when, worst = spans_in_words(conflict.spans, times), f"{times[conflict.worst_frame]:g}"
    return f"{conflict.loser.label} {conflict.outcome} at {when}; it misses by up to {missed}, at frame {worst}."


def advice_sentence(advice: solver.Advice, conflict: solver.Conflict, times: Times) -> str:
    """The solver's advice, which was tried on the worst frame, with that frame as the scene counts it."""
    return advice.sentence.replace(f"at frame {conflict.worst_frame}", f"at frame {times[conflict.worst_frame]:g}")


def spans_in_words(spans: Sequence[tuple[int, int]], times: Times) -> str:
    """First and last frames of some times, as the scene counts them."""
    shown = [(f"{times[first]:g}", f"{times[last]:g}") for first, last in spans]
    words = ", ".join(first if first == last else f"{first} to {last}" for first, last in shown)
    return f"frame {words}" if len(shown) == 1 and shown[0][0] == shown[0][1] else f"frames {words}"


def amount(value: float, is_angular: bool) -> str:
    """A length in the scene's units, or an angle in degrees."""
    if is_angular:
        return f"{math.degrees(value):.2g}°"
    scene = bridge.current_scene()
    settings = scene.unit_settings
    if settings.system == "NONE":
        return f"{value:.3g}"
    return str(bpy.utils.units.to_string(settings.system, "LENGTH", value * settings.scale_length, precision=3))


def write_metrics(kept: PoiseMetrics, metrics: solver.FootMetrics, size: float) -> None:
    """Keep figures of feet, lengths in the scene's units."""
    for name in type(kept).__annotations__:
        value = getattr(metrics, name)
        setattr(kept, name, value * size if name in LENGTHS else value)
