# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding the character that is meant, its active constraint, and whose point an empty is. Nothing here changes
anything, so panels may ask."""

from __future__ import annotations

from typing import Any

import bpy

from .character import PoiseCharacter
from .constraint import PoiseConstraint


def character_of(armature: bpy.types.Object) -> PoiseCharacter:
    """What Poise keeps on an armature object."""
    held: Any = armature
    character: PoiseCharacter = held.poise
    return character


def active_constraint(armature: bpy.types.Object) -> PoiseConstraint | None:
    """The constraint whose settings are shown."""
    character = character_of(armature)
    if 0 <= character.active_constraint < len(character.constraints):
        found: PoiseConstraint = character.constraints[character.active_constraint]
        return found
    return None


def armature_in(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature that is meant: the active object, or the one whose point the active object is."""
    active: Any = getattr(context, "object", None) or (
        context.view_layer.objects.active if context.view_layer else None
    )
    if active is None or active.type == "ARMATURE":
        return active
    owner = constraint_of_point(context.scene, active)
    return owner[0] if owner is not None else None


def constraint_of_point(
    scene: bpy.types.Scene | None, empty: bpy.types.Object
) -> tuple[bpy.types.Object, int, int] | None:
    """The armature whose point an empty is, with the places of the constraint and of the point in their lists."""
    if scene is None or empty.type != "EMPTY":
        return None
    for armature in scene.objects:
        if armature.type != "ARMATURE":
            continue
        for number, constraint in enumerate(character_of(armature).constraints):
            for place, point in enumerate(constraint.points):
                if point.object == empty:
                    return armature, number, place
    return None
