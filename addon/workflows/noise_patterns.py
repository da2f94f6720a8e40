# SPDX-License-Identifier: GPL-3.0-or-later
"""The noise patterns of the newest searches, kept in memory to be plotted. They are never saved."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ... import solver
from ..bridge.context import redraw_editors
from .subjects import Subject


@dataclass(frozen=True)
class Span:
    """Frames of the scene, both included."""

    begin: float
    end: float
    kind: str
    """ "SPACE", "LINE" or "POINT"."""
    tolerance: float = 1.0
    """Of an example."""


@dataclass(frozen=True, eq=False)
class NoisePattern:
    """How much a bone or an object moves over time, the thresholds learnt from examples, and what was found."""

    subject: Subject
    signals: tuple[solver.NoiseSignal, ...]
    """Their times are frames of the scene."""
    examples: tuple[Span, ...]
    found: tuple[Span, ...]
    size: float
    """Of the character, for units."""


HISTORY = 32
"""How many patterns of an armature are kept, so that undo shows those that belong to its examples."""

_patterns: dict[str, list[NoisePattern]] = {}
"""By the name of the armature object, the newest last: undo and loading replace objects."""


def keep(armature: bpy.types.Object, patterns: list[NoisePattern]) -> None:
    """Keep the patterns of a search beside those of the searches before it."""
    kept = _patterns.setdefault(armature.name, [])
    kept += patterns
    del kept[:-HISTORY]
    redraw_editors("VIEW_3D", "GRAPH_EDITOR", "DOPESHEET_EDITOR")


def of(armature: bpy.types.Object, subject: Subject, examples: tuple[Span, ...] | None = None) -> NoisePattern | None:
    """The newest pattern of a subject that was learnt from these examples, or else its newest one; None without any."""
    found = [pattern for pattern in _patterns.get(armature.name, []) if pattern.subject == subject]
    return next((each for each in reversed(found) if each.examples == examples), found[-1] if found else None)


def has_any(armature: bpy.types.Object) -> bool:
    """Whether anything was searched by examples since the file was opened."""
    return bool(_patterns.get(armature.name))


def forget() -> None:
    """Drop all patterns: they belong to the file that was open."""
    _patterns.clear()
