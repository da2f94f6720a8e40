# SPDX-License-Identifier: GPL-3.0-or-later
"""The empties with which an animator moves the points of constraints, in a collection of each character."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import bpy
from mathutils import Vector

from .. import bridge
from ..bridge import context, versions
from ..bridge.transforms import Transform
from . import PoiseConstraint, PoiseObstacle, PoisePoint, PoiseStance, character_of
from .handle_names import handle_name
from .selecting import EMPTY_MARK, select_instead

DISPLAY = {
    "SHAPE": "SPHERE",
    "FOOTPLANT": "ARROWS",
    "HANDPLANT": "ARROWS",
    "ORIENTATION": "ARROWS",
    "LOOK_AT": "SINGLE_ARROW",
}
"""Display types of empties by kind of constraint; with axes where their rotation matters."""

COLLECTION_MARK = "poise_points"
"""Custom property of the collections that Poise has made, by which they are known when their character has been
deleted. It holds the name, as `EMPTY_MARK` does."""

EMPTY_SIZE = 0.05
"""The display size of empties as a share of the armature's longest side."""

FOOT_SHARE = 0.15
"""The length of a foot as a share of the armature's longest side, where its landmarks are not known: as of a human."""


def collection_of(armature: bpy.types.Object) -> bpy.types.Collection:
    """The collection of a character's empties, which is made and linked to the scene where needed."""
    character = character_of(armature)
    found: bpy.types.Collection | None = character.collection
    if found is None:
        found = bpy.data.collections.new(f"Poise {armature.name}")
        found[COLLECTION_MARK] = found.name
        character.collection, character.owner = found, armature.name
    scene = bridge.current_scene()
    if found not in scene.collection.children_recursive:
        scene.collection.children.link(found)
    return found


def new_empty(armature: bpy.types.Object, name: str) -> bpy.types.Object:
    """A new empty in the character's collection, with a quaternion as its rotation."""
    empty = bpy.data.objects.new(name, None)
    empty[EMPTY_MARK] = empty.name
    empty.rotation_mode = "QUATERNION"
    collection_of(armature).objects.link(empty)
    return empty


def is_point(found: bpy.types.Object) -> bool:
    """Whether an object is an empty that Poise has made and that has the name which it got."""
    return found.type == "EMPTY" and context.custom_property(found, EMPTY_MARK) == found.name


def is_made_by_poise(found: bpy.types.Object) -> bool:
    """Whether an object is an empty that Poise has made, also where the animator has renamed it."""
    return found.type == "EMPTY" and context.custom_property(found, EMPTY_MARK) is not None


def is_renamed(collection: bpy.types.Collection) -> bool:
    """Whether a collection has another name than Poise has given it."""
    return bool(context.custom_property(collection, COLLECTION_MARK) != collection.name)


def point_collections() -> list[bpy.types.Collection]:
    """The collections of this file that Poise has made for empties."""
    marked = [found for found in bpy.data.collections if context.custom_property(found, COLLECTION_MARK) is not None]
    return [found for found in marked if not context.is_linked(found)]


def add_empty(
    armature: bpy.types.Object, constraint: PoiseConstraint, point: PoisePoint, transform: Transform
) -> bpy.types.Object:
    """Make the empty of a point with a transform, which is also stored as its home."""
    empty = new_empty(armature, handle_name(constraint, point))
    display: Any = DISPLAY.get(constraint.kind, "PLAIN_AXES")
    empty.empty_display_type = "SPHERE" if constraint.kind == "LOOK_AT" and constraint.aim == "PLACE" else display
    empty.empty_display_size = handle_size(armature, constraint)
    empty.location = transform.location.tolist()
    empty.rotation_quaternion = transform.quaternion.tolist()
    point.object = empty
    store_home(point, transform)
    return empty


def handle_size(armature: bpy.types.Object, constraint: PoiseConstraint) -> float:
    """The display size of a constraint's empties; those of footplants reach from the middle of the foot to its ends."""
    if constraint.kind == "FOOTPLANT":
        return 0.5 * foot_length(armature, constraint.foot.lower())
    return EMPTY_SIZE * longest_side(armature)


def foot_length(armature: bpy.types.Object, side: str) -> float:
    """The length of a foot in the rest pose, from its landmarks where these are known."""
    character, data = character_of(armature), cast(Any, armature.data)
    ends = []
    for marks in ((f"{side}_heel",), (f"{side}_toe_tip", f"{side}_ball")):
        known = [mark for name in marks for mark in (*character.landmarks, *character.recognised) if mark.mark == name]
        bone = data.bones.get(known[0].bone) if known else None
        if bone is not None:
            ends.append(armature.matrix_world @ bone.matrix_local @ Vector(known[0].offset))
    length = (ends[1] - ends[0]).length if len(ends) == 2 else 0.0
    return float(length) or FOOT_SHARE * longest_side(armature)


def copied_empty(armature: bpy.types.Object, empty: bpy.types.Object, name: str) -> bpy.types.Object:
    """A copy of an empty, with its animation, in the character's collection."""
    copied: Any = empty.copy()
    copied.name = name
    copied[EMPTY_MARK] = copied.name
    animation = copied.animation_data
    if animation is not None and animation.action is not None:
        versions.assign(animation, animation.action.copy(), versions.slot_of(animation))
    collection_of(armature).objects.link(copied)
    made: bpy.types.Object = copied
    return made


def original_of(armature: bpy.types.Object) -> bpy.types.Object | None:
    """The character whose empties a duplicated one still uses; None where it has its own.

    Blender duplicates an armature without the empties, so the copy points to those of the original.
    """
    character = character_of(armature)
    if character.collection is None or character.owner == armature.name:
        return None
    return next(
        (
            other
            for other in bpy.data.objects
            if other.type == "ARMATURE"
            and other != armature
            and character_of(other).collection == character.collection
            and len(other.users_scene)
        ),
        None,
    )


def make_own(armature: bpy.types.Object) -> None:
    """Give a duplicated character empties of its own, in a collection of its own; nothing changes for any other.

    Linked characters and library overrides stay as they are.
    """
    character = character_of(armature)
    shared: bpy.types.Collection | None = character.collection
    if shared is None or context.is_linked(armature) or context.is_override(armature):
        return
    if original_of(armature) is None:
        if character.owner != armature.name:
            character.owner = armature.name
        return
    used = {held for other in _characters() if other != armature for _, _, held in _held(other)}
    character.collection = None
    own = collection_of(armature)
    copies: dict[bpy.types.Object, bpy.types.Object] = {}
    for owner, field, held in list(_held(armature)):
        if held not in shared.objects.values():
            continue  # an object of the animator, or a copy already
        if held in used:
            copies[held] = copies.get(held) or copied_empty(armature, held, held.name)
            setattr(owner, field, copies[held])
        else:  # it was duplicated together with the armature
            own.objects.link(held)
            shared.objects.unlink(held)
            held[EMPTY_MARK] = held.name


def _characters() -> Iterator[bpy.types.Object]:
    """All armatures of the file."""
    return (found for found in bpy.data.objects if found.type == "ARMATURE")


def _held(armature: bpy.types.Object) -> Iterator[tuple[Any, str, bpy.types.Object]]:
    """The objects that constraints, proposals and the physics of a character point to, with the item and the field that
    does."""
    character = character_of(armature)
    for holder in (*character.physics.stances, *character.physics.obstacles):
        if holder.object is not None:
            yield holder, "object", holder.object
    for item in (*character.constraints, *character.found):
        if item.reference_object is not None:
            yield item, "reference_object", item.reference_object
        for point in item.points:
            if point.object is not None:
                yield point, "object", point.object


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
    """Delete the empties of a constraint that are in the character's collection and that nothing else uses: no other
    constraint, of this character or of another."""
    for point in constraint.points:
        empty, point.object = point.object, None
        _remove_if_unused(armature, empty)
    reference, constraint.reference_object = constraint.reference_object, None
    _remove_if_unused(armature, reference)


def remove_empty(armature: bpy.types.Object, point: PoisePoint | PoiseStance | PoiseObstacle) -> None:
    """Delete the empty of a point, a footprint or an obstacle, under the conditions of `remove_empties`."""
    empty, point.object = point.object, None
    _remove_if_unused(armature, empty)


def _remove_if_unused(armature: bpy.types.Object, empty: bpy.types.Object | None) -> None:
    character = character_of(armature)
    if empty is None or character.collection is None or empty not in character.collection.objects.values():
        return
    if not any(held == empty for other in _characters() for _, _, held in _held(other)):
        select_instead(bpy.context, empty, armature)
        bpy.data.objects.remove(empty)


def is_in_scene(empty: bpy.types.Object | None) -> bool:
    """Whether an object is in the scene; one that was deleted in the viewport is still referenced by its point."""
    scene = bpy.context.scene
    return empty is not None and scene is not None and scene.objects.get(empty.name) == empty


def objects_in_scene() -> frozenset[bpy.types.Object]:
    """The objects of the scene, for what asks about many handles at every redraw: `is_in_scene` looks through all
    objects of the scene for each."""
    scene = bpy.context.scene
    return frozenset(scene.objects) if scene is not None else frozenset()


def remove_collection_if_unused(armature: bpy.types.Object) -> None:
    """Delete the character's collection where it is empty."""
    character = character_of(armature)
    found: bpy.types.Collection | None = character.collection
    if found is not None and len(found.objects) == 0 and len(found.children) == 0:
        character.collection, character.owner = None, ""
        bpy.data.collections.remove(found)
