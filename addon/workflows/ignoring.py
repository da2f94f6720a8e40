# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems that the animator ignores: they stay ignored until their constraint changes."""

from __future__ import annotations

import hashlib
from typing import Any

import bpy

from ..properties import PoiseAdvice, PoiseCharacter

UNSEEN = {"rna_type", "uid", "name", "selected", "enabled", "active_point", "confidence"}
"""Properties of a constraint that change nothing of what is solved for it, or not how."""


def signature(character: PoiseCharacter, uid: str) -> str:
    """A text that differs as soon as a constraint, or one of its handles, changes; empty without a constraint."""
    for item in character.constraints:
        if item.uid == uid:
            return hashlib.sha256(repr(_values(item)).encode()).hexdigest()
    return ""


def _values(value: Any) -> Any:
    """A property as plain values; an object as its name and transform."""
    if isinstance(value, bpy.types.PropertyGroup):
        names = [known.identifier for known in value.bl_rna.properties]
        return [_values(getattr(value, name)) for name in names if name not in UNSEEN]
    if isinstance(value, bpy.types.Object):
        return value.name, [round(number, 6) for row in value.matrix_world for number in row]
    if isinstance(value, bpy.types.ID):
        return value.name
    if value is None or isinstance(value, str | int | float):
        return value
    return sorted(value) if isinstance(value, set) else [_values(each) for each in value]


def ignore(character: PoiseCharacter, entry: PoiseAdvice) -> None:
    """Show a problem no more until its constraint changes; one of no constraint, as long as it reads the same."""
    known = character.ignored.add()
    known.key, known.signature = _key(entry), signature(character, entry.uid)
    entry.is_ignored = True


def show_all(character: PoiseCharacter) -> int:
    """Show all ignored problems again, and return how many are shown anew."""
    hidden = [entry for entry in character.advice if entry.is_ignored]
    for entry in hidden:
        entry.is_ignored = False
    character.ignored.clear()
    return len(hidden)


def mark_ignored(character: PoiseCharacter) -> None:
    """Mark the problems that are ignored, and forget those whose constraints have changed or are gone."""
    now = {known.key: known.signature for known in character.ignored}
    if not now:
        return
    own = {item.uid: signature(character, item.uid) for item in character.constraints}
    kept: dict[str, str] = {}
    for entry in character.advice:
        key = _key(entry)
        if now.get(key) == own.get(entry.uid, ""):
            entry.is_ignored = True
            kept[key] = now[key]
    # Of constraints that are as they were, problems stay ignored also where this solve does not have them.
    kept |= {key: known for key, known in now.items() if own.get(key.partition(" ")[2]) == known}
    character.ignored.clear()
    for key, known in kept.items():
        entry = character.ignored.add()
        entry.key, entry.signature = key, known


def _key(entry: PoiseAdvice) -> str:
    """Which problem of which constraint; of no constraint, its sentence."""
    return f"{entry.kind} {entry.uid}" if entry.uid else str(entry.sentence)
