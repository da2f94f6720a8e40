# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that constraints and landmarks name: by their names, and by a mark on the bone that outlives renaming."""

# What looks like a type here is read by Blender.
# mypy: disable-error-code="valid-type"

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import bpy
from bpy.props import FloatVectorProperty, StringProperty
from bpy.types import PropertyGroup

MARK_FIELDS = {"bone": "bone_id", "reference_bone": "reference_bone_id"}
"""The fields of constraints, bones and landmarks that hold a bone's name, each with the field that holds its mark."""


def _bones(armature: bpy.types.Object) -> Any:
    """The bones at rest."""
    data: Any = armature.data
    return data.bones


def mark_of(bone: bpy.types.Bone) -> str:
    """The mark of a bone; empty where nothing has named it yet."""
    held: Any = bone
    return str(held.poise_id)


def _ensure_mark(armature: bpy.types.Object, bone: Any) -> str:
    """The mark of a bone that no other bone has."""
    bones = _bones(armature)
    mark = mark_of(bone)
    first = next((other for other in bones if mark and mark_of(other) == mark), None)
    if mark and first == bone:
        return mark
    if armature.data is not None and armature.data.library is not None:
        return ""  # bones of another file cannot be marked
    bone.poise_id = secrets.token_hex(8)
    return mark_of(bone)


def bone_mark_updater(field: str = "bone") -> Callable[[Any, bpy.types.Context], None]:
    """What is called when somebody, by hand or in a script, writes the name of a bone: it gets that bone's mark."""
    mark_field = MARK_FIELDS[field]

    def remember(item: Any, context: bpy.types.Context) -> None:
        armature = item.id_data
        bone = _bones(armature).get(getattr(item, field)) if armature.type == "ARMATURE" else None
        setattr(item, mark_field, _ensure_mark(armature, bone) if bone is not None else "")

    return remember


class PoiseBone(PropertyGroup):
    """A bone in a list of bones: those that are recruited, stood on, or held in a pose."""

    bone: StringProperty(name="Bone", description="The name of the bone", update=bone_mark_updater())
    bone_id: StringProperty(options={"HIDDEN"})
    offset: FloatVectorProperty(
        name="Offset", description="A point on the bone, from its head and along its own axes", subtype="XYZ"
    )
    rotation: FloatVectorProperty(
        name="Rotation",
        description="How a pose holds the bone, relative to its parent",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
    )
    world_rotation: FloatVectorProperty(
        name="World Rotation",
        description="How a pose holds the bone, in the world",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
    )


def resolve_bone(armature: bpy.types.Object, name: str, mark: str) -> str:
    """What the bone is called today that was named once; empty where it has been deleted. Changes nothing."""
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
    """Let an item of an armature name a bone, so that it is found again after renaming."""
    assert item.id_data == armature
    setattr(item, field, name)


def current_name(armature: bpy.types.Object, item: Any, field: str = "bone") -> str:
    """What the bone is called that an item names; its old name where it has been deleted. Changes nothing."""
    name = getattr(item, field)
    return resolve_bone(armature, name, getattr(item, MARK_FIELDS[field])) or name


def follow_renames(armature: bpy.types.Object) -> None:
    """Write the names that bones have today to everything that names one."""
    for item, field, mark_field in _bone_references(armature):
        name = getattr(item, field)
        if not name:
            continue
        today = resolve_bone(armature, name, getattr(item, mark_field))
        if today and (today != name or not getattr(item, mark_field)):
            name_bone(armature, item, today, field)


def _bone_references(armature: bpy.types.Object) -> Iterator[tuple[Any, str, str]]:
    """Everything on an armature that may name a bone, with the fields for its name and its mark."""
    held: Any = armature
    character = held.poise
    for constraint in (*character.constraints, *character.found):
        for field, mark_field in MARK_FIELDS.items():
            yield constraint, field, mark_field
        for listed in (*constraint.recruited, *constraint.bones):
            yield listed, "bone", "bone_id"
    for landmark in (*character.landmarks, *character.recognised):
        yield landmark, "bone", "bone_id"
