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
    return owner[0] if owner is not None else character_of_physics_handle(context.scene, active)


def character_of_physics_handle(scene: bpy.types.Scene | None, empty: bpy.types.Object) -> bpy.types.Object | None:
    """The armature that has an empty as the handle of a footprint or of an obstacle of its physics; else None."""
    if scene is None or empty.type != "EMPTY" or empty.users <= ONLY_LINKED:
        return None
    for armature in scene.objects:
        if armature.type == "ARMATURE":
            physics = character_of(armature).physics
            if any(holder.object == empty for holder in (*physics.stances, *physics.obstacles)):
                return armature
    return None


def constraint_of_point(
    scene: bpy.types.Scene | None, empty: bpy.types.Object
) -> tuple[bpy.types.Object, int, int] | None:
    """The armature that an empty belongs to, with the indices of the constraint and of the point; else None.

    Every panel and every button asks, at every redraw, so all constraints are looked through only where the place of
    the last time is out of date.
    """
    if scene is None or empty.type != "EMPTY" or empty.users <= ONLY_LINKED:
        return None
    known = _places.get(empty.name)
    if known is not None and (found := _at_place(scene, empty, *known)) is not None:
        return found
    for armature in scene.objects:
        if armature.type != "ARMATURE":
            continue
        for number, constraint in enumerate(character_of(armature).constraints):
            for index, point in enumerate(constraint.points):
                if point.object == empty:
                    if len(_places) > MOST_PLACES:
                        _places.clear()
                    _places[empty.name] = armature.name, number, index
                    return armature, number, index
    return None


ONLY_LINKED = 1
"""Users of an object that is in one collection and that nothing points to."""

MOST_PLACES = 1000
"""Empties whose places are remembered."""

_places: dict[str, tuple[str, int, int]] = {}
"""By the name of an empty: the name of its armature, and the indices of its constraint and point. It may be out of
date."""


def _at_place(
    scene: bpy.types.Scene, empty: bpy.types.Object, name: str, number: int, index: int
) -> tuple[bpy.types.Object, int, int] | None:
    """The armature of an empty with the indices of its constraint and point, if these are right; else None."""
    armature: Any = scene.objects.get(name)
    if armature is None or armature.type != "ARMATURE" or number >= len(character_of(armature).constraints):
        return None
    points = character_of(armature).constraints[number].points
    return (armature, number, index) if index < len(points) and points[index].object == empty else None
