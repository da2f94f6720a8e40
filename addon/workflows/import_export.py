# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves constraints to JSON files and loads them, for other motions and for scripts without Blender."""

from __future__ import annotations

from pathlib import Path

import bpy

from ... import solver
from .. import bridge, translation
from ..properties import character_of, constraint_list, follow_renames
from ..translation import TranslationError
from .bakeable import Bakeable


def save(armature: bpy.types.Object, path: Path) -> tuple[int, list[str]]:
    """Write the enabled constraints to a file; returns their number in the file, and a sentence for each left out.

    Frames in the file are counted from the first frame of the preview range or the scene's range.
    """
    bridge.check_armature(armature)
    follow_renames(armature)
    if not any(item.enabled for item in character_of(armature).constraints):
        raise TranslationError("There is no enabled constraint to save: add one, or switch one on.")
    reading = translation.reading_with_settings(armature, bridge.read(armature))
    entries, left_out = translation.file_entries(armature, reading)
    if not entries:
        raise TranslationError(" ".join(left_out))
    solver.write_constraints(entries, path, reading.clip)
    return len(entries), left_out


def load(armature: bpy.types.Object, path: Path, replace: bool = False) -> int:
    """Add the constraints of a file, or replace the present ones, and return their number; all or none are loaded."""
    bridge.check_armature(armature)
    reading = translation.reading_with_settings(armature, bridge.read(armature))
    entries = solver.read_constraint_entries(path, reading.clip)
    character = character_of(armature)
    before = len(character.constraints)
    try:
        known = Bakeable(armature, reading)
        for entry in entries:
            known.check_item(translation.store_constraint(armature, reading, entry.constraint, blender=entry.blender))
    except solver.PoiseError:
        while len(character.constraints) > before:
            constraint_list.remove(armature, len(character.constraints) - 1)
        raise
    if replace:
        for _ in range(before):
            constraint_list.remove(armature, 0)
        _restore_names(armature, entries)
    character.active_constraint = max(len(character.constraints) - 1, 0)
    return len(entries)


def _restore_names(armature: bpy.types.Object, entries: list[solver.ConstraintEntry]) -> None:
    """Give loaded constraints the names that the replaced ones had occupied."""
    taken: set[str] = set()
    for item, entry in zip(character_of(armature).constraints, entries, strict=True):
        item.name = constraint_list.unique_name(entry.constraint.name or item.name, taken)
        taken.add(item.name)
