# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems that the animator ignores: they stay ignored until their constraint changes."""

from __future__ import annotations

from typing import Any

from .. import bridge
from ..properties import PoiseAdvice, PoiseCharacter

UNSEEN = frozenset(("uid", "name", "selected", "enabled", "active_point", "confidence"))
"""Properties of a constraint that change nothing of what is solved for it, or not how."""


def signature(character: PoiseCharacter, uid: str) -> str:
    """A text that differs as soon as a constraint, or one of its handles, changes; empty without a constraint."""
    armature: Any = character.id_data
    for item in character.constraints:
        if item.uid == uid:
            found = bridge.Signature()
            for part in (item, *item.points, *item.recruited, *item.bones):
                found.add_properties(part, UNSEEN)
            for held in (item.reference_object, *(point.object for point in item.points)):
                found.add_object(held, left_out=[armature])
            return found.text
    return ""


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
