# SPDX-License-Identifier: GPL-3.0-or-later
"""References to bones, by name and by a mark on the bone, so that they survive renaming."""

# Blender reads the annotations of property groups.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import bpy
from bpy.props import FloatVectorProperty, StringProperty
from bpy.types import PropertyGroup

MARK_FIELDS = {"bone": "bone_id", "reference_bone": "reference_bone_id"}
"""The fields of constraints, listed bones and landmarks with the name of a bone, each with the field of its mark."""


def _bones(armature: bpy.types.Object) -> Any:
    """The bones of the armature data."""
    data: Any = armature.data
    return data.bones


def mark_of(bone: bpy.types.Bone) -> str:
    """The mark of a bone; empty where nothing refers to it yet."""
    marked: Any = bone
    return str(marked.poise_id)


def _ensure_mark(armature: bpy.types.Object, bone: Any) -> str:
    """The mark of a bone; a new one is made where it has none, or has that of the bone it was copied from."""
    bones = _bones(armature)
    mark = mark_of(bone)
    first = next((other for other in bones if mark and mark_of(other) == mark), None)
    if mark and first == bone:
        return mark
    if armature.data is not None and armature.data.library is not None:
        return ""  # bones of a linked armature cannot be marked
    bone.poise_id = secrets.token_hex(8)
    return mark_of(bone)


def bone_mark_updater(field: str = "bone") -> Callable[[Any, bpy.types.Context], None]:
    """The update callback of a field with the name of a bone, which stores the bone's mark."""
    mark_field = MARK_FIELDS[field]

    def store_mark(item: Any, context: bpy.types.Context) -> None:
        armature = item.id_data
        bone = _bones(armature).get(getattr(item, field)) if armature.type == "ARMATURE" else None
        setattr(item, mark_field, _ensure_mark(armature, bone) if bone is not None else "")

    return store_mark


class PoiseBone(PropertyGroup):
    """A bone in a list: recruited bones, bones to balance over, or bones of a held pose."""

    bone: StringProperty(name="Bone", description="The name of the bone", update=bone_mark_updater())
    bone_id: StringProperty(options={"HIDDEN"})
    offset: FloatVectorProperty(
        name="Offset", description="A point on the bone, from its head and along its own axes", subtype="XYZ"
    )
    rotation: FloatVectorProperty(
        name="Rotation",
        description="The rotation of the bone in a held pose, relative to its parent",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
    )
    world_rotation: FloatVectorProperty(
        name="World Rotation",
        description="The rotation of the bone in a held pose, in the world",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
    )


def resolve_bone(armature: bpy.types.Object, name: str, mark: str) -> str:
    """The current name of the bone that had a name and a mark; empty where it has been deleted. Changes nothing."""
    bones = _bones(armature)
    named = bones.get(name)
    if not mark:
        return name if named is not None else ""
    if named is not None and mark_of(named) == mark:
        return name
    # Of several with the same mark, the later ones are copies.
    renamed = next((bone.name for bone in bones if mark_of(bone) == mark), "")
    if renamed:
        return renamed
    return name if named is not None else ""


def name_bone(armature: bpy.types.Object, item: Any, name: str, field: str = "bone") -> None:
    """Let an item of an armature refer to a bone; its mark is stored too."""
    assert item.id_data == armature
    setattr(item, field, name)


def current_name(armature: bpy.types.Object, item: Any, field: str = "bone") -> str:
    """The current name of the bone that an item refers to; its old name where it was deleted. Changes nothing."""
    name = getattr(item, field)
    return resolve_bone(armature, name, getattr(item, MARK_FIELDS[field])) or name


def follow_renames(armature: bpy.types.Object) -> None:
    """Write the current names of bones to everything that refers to one."""
    for item, field, mark_field in _bone_references(armature):
        name = getattr(item, field)
        if not name:
            continue
        current = resolve_bone(armature, name, getattr(item, mark_field))
        if current and (current != name or not getattr(item, mark_field)):
            name_bone(armature, item, current, field)


def _bone_references(armature: bpy.types.Object) -> Iterator[tuple[Any, str, str]]:
    """All items of an armature that may refer to a bone, with the fields of its name and of its mark."""
    owner: Any = armature
    character = owner.poise
    for constraint in (*character.constraints, *character.found):
        for field, mark_field in MARK_FIELDS.items():
            yield constraint, field, mark_field
        for listed in (*constraint.recruited, *constraint.bones):
            yield listed, "bone", "bone_id"
    detection = character.detection
    for referring in (*detection.templates, detection):
        for field, mark_field in MARK_FIELDS.items():
            if hasattr(referring, field):
                yield referring, field, mark_field
    for listed in (*character.landmarks, *character.recognised, *character.loads, *character.posture.pins):
        yield listed, "bone", "bone_id"
