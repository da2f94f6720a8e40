# SPDX-License-Identifier: GPL-3.0-or-later
"""Look-ups: the character of the context, its active constraint, and the constraint that an empty belongs to.

Nothing here changes data, so panels may call it.
"""

from __future__ import annotations

from typing import Any

import bpy

from .character import PoiseCharacter
from .constraint import PoiseConstraint


def character_of(armature: bpy.types.Object) -> PoiseCharacter:
    """The properties of Poise on an armature object."""
    owner: Any = armature
    character: PoiseCharacter = owner.poise
    return character


def active_constraint(armature: bpy.types.Object) -> PoiseConstraint | None:
    """The constraint whose settings are shown."""
    character = character_of(armature)
    if 0 <= character.active_constraint < len(character.constraints):
        found: PoiseConstraint = character.constraints[character.active_constraint]
        return found
    return None


def armature_in(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object if it is an armature, or the armature that the active empty belongs to; else None."""
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
    """The armature that an empty belongs to, with the indices of the constraint and of the point; else None."""
    if scene is None or empty.type != "EMPTY":
        return None
    for armature in scene.objects:
        if armature.type != "ARMATURE":
            continue
        for number, constraint in enumerate(character_of(armature).constraints):
            for index, point in enumerate(constraint.points):
                if point.object == empty:
                    return armature, number, index
    return None
