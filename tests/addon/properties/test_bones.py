# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones are found again, whatever they are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from poise.addon.properties import character_of, current_name, follow_renames, name_bone, resolve_bone


def rename_in_object_mode(armature: bpy.types.Object, old: str, new: str) -> None:
    armature.data.bones[old].name = new


def rename_in_edit_mode(armature: bpy.types.Object, old: str, new: str) -> None:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones[old].name = new
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("rename", [rename_in_object_mode, rename_in_edit_mode])
def test_everything_that_names_a_bone_follows_it(
    armature: bpy.types.Object, rename: Callable[[bpy.types.Object, str, str], None]
) -> None:
    character = character_of(armature)
    item = character.constraints.add()
    landmark = character.landmarks.add()
    proposal = character.found.add()
    for holder, field in (
        (item, "bone"),
        (item, "reference_bone"),
        (item.recruited.add(), "bone"),
        (item.bones.add(), "bone"),
        (landmark, "bone"),
        (character.loads.add(), "bone"),
        (proposal, "bone"),
    ):
        name_bone(armature, holder, "l_wrist", field)
    rename(armature, "l_wrist", "Hand links")
    assert current_name(armature, item) == "Hand links" and item.bone == "l_wrist", "asking changes nothing"
    follow_renames(armature)
    held = (item.bone, item.reference_bone, item.recruited[0].bone, item.bones[0].bone, landmark.bone, proposal.bone)
    assert set(held) == {"Hand links"}


def test_exchanged_names_do_not_confuse(armature: bpy.types.Object) -> None:
    items = character_of(armature).constraints
    for name in ("l_wrist", "r_wrist"):
        name_bone(armature, items.add(), name)
    for old, new in (("l_wrist", "between"), ("r_wrist", "l_wrist"), ("between", "r_wrist")):
        rename_in_object_mode(armature, old, new)
    follow_renames(armature)
    assert [item.bone for item in items] == ["r_wrist", "l_wrist"]


def test_a_duplicated_bone_does_not_take_the_place_of_the_first(armature: bpy.types.Object) -> None:
    items = character_of(armature).constraints
    name_bone(armature, items.add(), "l_wrist")
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        bone.select = bone.select_head = bone.select_tail = bone.name == "l_wrist"
    bpy.ops.armature.duplicate()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "l_wrist.001" in armature.data.bones
    rename_in_object_mode(armature, "l_wrist", "first")
    follow_renames(armature)
    assert items[0].bone == "first"
    name_bone(armature, items.add(), "l_wrist.001")
    assert items[1].bone_id != items[0].bone_id
    follow_renames(armature)
    assert [item.bone for item in items] == ["first", "l_wrist.001"]


def test_a_deleted_bone_is_known_to_be_gone(armature: bpy.types.Object) -> None:
    item = character_of(armature).constraints.add()
    name_bone(armature, item, "l_middle1")
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["l_middle1"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert resolve_bone(armature, item.bone, item.bone_id) == ""
    assert current_name(armature, item) == "l_middle1"
    follow_renames(armature)
    assert item.bone == "l_middle1"


def test_a_name_typed_by_hand_is_taken(armature: bpy.types.Object) -> None:
    item = character_of(armature).constraints.add()
    name_bone(armature, item, "r_wrist")
    item.bone = "l_wrist"
    follow_renames(armature)
    assert item.bone == "l_wrist", "the bone that it named before does not come back"
    rename_in_object_mode(armature, "l_wrist", "other")
    follow_renames(armature)
    assert item.bone == "other"
    item.bone = "missing"
    assert item.bone_id == ""


def test_renaming_is_followed_in_another_session(armature: bpy.types.Object, tmp_path: Path) -> None:
    name_bone(armature, character_of(armature).constraints.add(), "l_wrist")
    name, path = armature.name, str(tmp_path / "walk.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    opened = bpy.data.objects[name]
    rename_in_object_mode(opened, "l_wrist", "other")
    follow_renames(opened)
    assert character_of(opened).constraints[0].bone == "other"
