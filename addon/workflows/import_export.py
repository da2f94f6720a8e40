# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints to and from files, for other motions and for scripts without Blender."""

from __future__ import annotations

from pathlib import Path

import bpy

from ... import solver
from .. import bridge, translation
from ..properties import character_of, constraint_list, follow_renames
from ..translation import TranslationError
from .bakeable import Bakeable


def save(armature: bpy.types.Object, path: Path) -> tuple[int, list[str]]:
    """Write the enabled constraints to a file; how many of the solver's they are, and sentences on what is left out.

    Frames in the file count from the first one of the usual range.
    """
    bridge.check_armature(armature)
    follow_renames(armature)
    if not any(item.enabled for item in character_of(armature).constraints):
        raise TranslationError("There is no enabled constraint to save: add one, or switch one on.")
    reading = translation.reading_with_settings(armature, bridge.read(armature))
    found = translation.translate(armature, reading)
    solver.write_constraints(found.constraints, path, reading.clip)
    return len(found.constraints), list(found.skipped)


def load(armature: bpy.types.Object, path: Path, replace: bool = False) -> int:
    """Add the constraints of a file, or let them replace the present ones; how many there are. All or none of them."""
    bridge.check_armature(armature)
    reading = translation.reading_with_settings(armature, bridge.read(armature))
    constraints = solver.read_constraints(path, reading.clip)
    character = character_of(armature)
    before = len(character.constraints)
    try:
        known = Bakeable(armature, reading)
        for constraint in constraints:
            known.check_item(translation.store_constraint(armature, reading, constraint))
    except solver.PoiseError:
        while len(character.constraints) > before:
            constraint_list.remove(armature, len(character.constraints) - 1)
        raise
    if replace:
        for _ in range(before):
            constraint_list.remove(armature, 0)
        _name_again(armature, constraints)
    character.active_constraint = max(len(character.constraints) - 1, 0)
    return len(constraints)


def _name_again(armature: bpy.types.Object, constraints: list[solver.Constraint]) -> None:
    """Give constraints the names back that others had before them."""
    taken: set[str] = set()
    for item, constraint in zip(character_of(armature).constraints, constraints, strict=True):
        item.name = constraint_list.unique_name(constraint.name or item.name, taken)
        taken.add(item.name)
