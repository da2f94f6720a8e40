# SPDX-License-Identifier: GPL-3.0-or-later
"""The empties of points: each is an object like any other, in a collection of the character's own."""

from __future__ import annotations

from typing import Any

import bpy

from .. import bridge
from ..bridge.transforms import Transform
from . import PoiseConstraint, PoisePoint, character_of

DISPLAY = {"SHAPE": "SPHERE", "FOOTPLANT": "ARROWS", "ORIENTATION": "ARROWS", "LOOK_AT": "SINGLE_ARROW"}
"""How empties look: where rotations count they have axes."""

EMPTY_SIZE = 0.05
"""Empties are this share of the character's height."""


def collection_of(armature: bpy.types.Object) -> bpy.types.Collection:
    """The collection of a character's empties, made and linked to the scene where it is not there."""
    character = character_of(armature)
    found: bpy.types.Collection | None = character.collection
    if found is None:
        found = bpy.data.collections.new(f"Poise {armature.name}")
        character.collection = found
    scene = bridge.current_scene()
    if found not in scene.collection.children_recursive:
        scene.collection.children.link(found)
    return found


def add_empty(
    armature: bpy.types.Object, constraint: PoiseConstraint, point: PoisePoint, transform: Transform
) -> bpy.types.Object:
    """Make the empty of a point, which remembers where that is."""
    empty = bpy.data.objects.new(constraint.name, None)
    display: Any = DISPLAY.get(constraint.kind, "PLAIN_AXES")
    empty.empty_display_type = "SPHERE" if constraint.kind == "LOOK_AT" and constraint.aim == "PLACE" else display
    empty.empty_display_size = EMPTY_SIZE * longest_side(armature)
    empty.rotation_mode = "QUATERNION"
    empty.location = transform.location.tolist()
    empty.rotation_quaternion = transform.quaternion.tolist()
    collection_of(armature).objects.link(empty)
    point.object = empty
    store_home(point, transform)
    return empty


def longest_side(armature: bpy.types.Object) -> float:
    """The longest side of an armature, of one without any 1."""
    return max(float(armature.dimensions[side]) for side in range(3)) or 1.0


def store_home(point: PoisePoint, transform: Transform) -> None:
    """Let a point know where it is at first."""
    point.home = transform.location.tolist()
    point.home_rotation = transform.quaternion.tolist()


def make_empties(armature: bpy.types.Object, constraint: PoiseConstraint) -> None:
    """Make the empties of all points that have none, where these remember to be."""
    for point in constraint.points:
        if point.object is None:
            add_empty(armature, constraint, point, Transform.from_quaternion(point.home, point.home_rotation))


def remove_empties(armature: bpy.types.Object, constraint: PoiseConstraint) -> None:
    """Delete the empties of a constraint, those that are ours and that nothing else of the character uses."""
    for point in constraint.points:
        empty, point.object = point.object, None
        _remove_if_unused(armature, empty)
    reference, constraint.reference_object = constraint.reference_object, None
    _remove_if_unused(armature, reference)


def remove_empty(armature: bpy.types.Object, point: PoisePoint) -> None:
    """Delete the empty of a point, under the same conditions."""
    empty, point.object = point.object, None
    _remove_if_unused(armature, empty)


def _remove_if_unused(armature: bpy.types.Object, empty: bpy.types.Object | None) -> None:
    character = character_of(armature)
    if empty is None or character.collection is None or empty not in character.collection.objects.values():
        return
    for held in (*character.constraints, *character.found):
        if held.reference_object == empty or any(other.object == empty for other in held.points):
            return
    bpy.data.objects.remove(empty)


def is_in_scene(empty: bpy.types.Object | None) -> bool:
    """Whether an empty is there: one that was deleted in the viewport lives on only in the point."""
    scene = bpy.context.scene
    return empty is not None and scene is not None and scene.objects.get(empty.name) == empty


def remove_collection_if_unused(armature: bpy.types.Object) -> None:
    """Delete the character's collection once nothing is in it."""
    character = character_of(armature)
    found: bpy.types.Collection | None = character.collection
    if found is not None and len(found.objects) == 0 and len(found.children) == 0:
        character.collection = None
        bpy.data.collections.remove(found)
