# SPDX-License-Identifier: GPL-3.0-or-later
"""A bone is chosen by name for a constraint or a landmark, and recruited bones are selected."""

from __future__ import annotations

import bpy

from poise.addon import bridge
from poise.addon.operators import bones
from poise.addon.properties import character_of

from .test_constraints import items, refused, run


def test_the_search_lists_all_bones(armature: bpy.types.Object) -> None:
    assert [item[0] for item in bones._bones_of(None, bpy.context)] == [bone.name for bone in armature.pose.bones]
    assert bones._bones_of(None, None) == []


def test_a_bone_is_chosen_for_the_active_constraint(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist")
    run("bone_choose", field="bone", bone="r_wrist")
    run("bone_choose", field="reference_bone", bone="vt6")
    assert (items(armature)[0].bone, items(armature)[0].reference_bone) == ("r_wrist", "vt6")
    assert "no bone 'tail'" in refused("bone_choose", field="bone", bone="tail")


def test_a_bone_is_chosen_for_a_landmark(armature: bpy.types.Object) -> None:
    run("bone_choose", field="landmark", mark="left_wrist", bone="l_wrist")
    assert {mark.mark: mark.bone for mark in character_of(armature).landmarks}["left_wrist"] == "l_wrist"


def test_without_a_constraint_there_is_nothing_to_choose_for(armature: bpy.types.Object) -> None:
    assert "add one first" in refused("bone_choose", field="bone", bone="l_wrist")


def test_recruited_bones_are_selected(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist")
    items(armature)[0].recruit_level = 1
    run("recruited_select")
    assert [bone.name for bone in armature.pose.bones if bridge.is_selected(bone)] == ["l_elbow", "l_wrist"]
