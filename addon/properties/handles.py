# SPDX-License-Identifier: GPL-3.0-or-later
"""The empties with which an animator moves the points of constraints, in a collection of each character."""

from __future__ import annotations

from typing import Any

import bpy

from .. import bridge
from ..bridge.transforms import Transform
from . import PoiseConstraint, PoisePoint, character_of

DISPLAY = {"SHAPE": "SPHERE", "FOOTPLANT": "ARROWS", "ORIENTATION": "ARROWS", "LOOK_AT": "SINGLE_ARROW"}
"""Display types of empties by kind of constraint; with axes where their rotation matters."""

EMPTY_SIZE = 0.05
"""The display size of empties as a share of the armature's longest side."""


def collection_of(armature: bpy.types.Object) -> bpy.types.Collection:
    """The collection of a character's empties, which is made and linked to the scene where needed."""
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
    """Make the empty of a point with a transform, which is also stored as its home."""
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
    """The longest side of the armature's bounding box; 1 where that is empty."""
    return max(float(armature.dimensions[side]) for side in range(3)) or 1.0


def store_home(point: PoisePoint, transform: Transform) -> None:
    """Store the transform that a point has before its empty is moved."""
    point.home = transform.location.tolist()
    point.home_rotation = transform.quaternion.tolist()


def make_empties(armature: bpy.types.Object, constraint: PoiseConstraint) -> None:
    """Make the empties of all points that have none, at their stored homes."""
    for point in constraint.points:
        if point.object is None:
            add_empty(armature, constraint, point, Transform.from_quaternion(point.home, point.home_rotation))


def remove_empties(armature: bpy.types.Object, constraint: PoiseConstraint) -> None:
    """Delete the empties of a constraint that are in the character's collection and that no other constraint uses."""
    for point in constraint.points:
        empty, point.object = point.object, None
        _remove_if_unused(armature, empty)
    reference, constraint.reference_object = constraint.reference_object, None
    _remove_if_unused(armature, reference)


def remove_empty(armature: bpy.types.Object, point: PoisePoint) -> None:
    """Delete the empty of a point, under the conditions of `remove_empties`."""
    empty, point.object = point.object, None
    _remove_if_unused(armature, empty)


def _remove_if_unused(armature: bpy.types.Object, empty: bpy.types.Object | None) -> None:
    character = character_of(armature)
    if empty is None or character.collection is None or empty not in character.collection.objects.values():
        return
    for item in (*character.constraints, *character.found):
        if item.reference_object == empty or any(point.object == empty for point in item.points):
            return
    bpy.data.objects.remove(empty)


def is_in_scene(empty: bpy.types.Object | None) -> bool:
    """Whether an object is in the scene; one that was deleted in the viewport is still referenced by its point."""
    scene = bpy.context.scene
    return empty is not None and scene is not None and scene.objects.get(empty.name) == empty


def remove_collection_if_unused(armature: bpy.types.Object) -> None:
    """Delete the character's collection where it is empty."""
    character = character_of(armature)
    found: bpy.types.Collection | None = character.collection
    if found is not None and len(found.objects) == 0 and len(found.children) == 0:
        character.collection = None
        bpy.data.collections.remove(found)
