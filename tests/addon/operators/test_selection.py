# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones and frames of operators: given ones, else the selection, the preview range and the current frame."""

from __future__ import annotations

import bpy

from poise.addon import bridge
from poise.addon.operators.selection import select_bones, selected_bones, span_from_preview

from .. import walking
from .test_constraints import items, refused, run


def test_selected_bones_are_visible_and_the_active_one_is_first(armature: bpy.types.Object) -> None:
    walking.select_bones(armature, "l_wrist", "l_elbow", "r_wrist")
    bridge.set_hidden(armature.pose.bones["r_wrist"])
    assert selected_bones(armature) == ["l_wrist", "l_elbow"]


def test_bones_are_selected_alone_or_in_addition(armature: bpy.types.Object) -> None:
    walking.select_bones(armature, "l_wrist")
    assert select_bones(armature, ["r_wrist", "tail", "r_wrist"]) == ["r_wrist"]
    assert selected_bones(armature) == ["r_wrist"]
    assert select_bones(armature, ["l_elbow"], extend=True) == ["l_elbow"]
    assert selected_bones(armature) == ["l_elbow", "r_wrist"]
    assert select_bones(armature, ["tail"]) == [] and len(selected_bones(armature)) == 2


def test_several_bones_may_be_given_by_name(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist, r_wrist")
    assert [item.bone for item in items(armature)] == ["l_wrist", "r_wrist"]
    armature.pose.bones["vt6"].name = "a, b"
    run("constraint_add_pin", bone="a, b")
    assert items(armature)[-1].bone == "a, b"


def test_frames_are_given_or_those_of_the_preview_range(armature: bpy.types.Object) -> None:
    scene = bpy.context.scene
    assert span_from_preview(scene) == (scene.frame_start, scene.frame_end)
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 12, 30
    assert span_from_preview(scene) == (12.0, 30.0)
    run("constraint_add_trajectory", bone="l_wrist")
    run("constraint_add_trajectory", bone="l_wrist", begin=20)
    assert [(item.begin, item.end) for item in items(armature)] == [(12.0, 30.0), (20.0, 30.0)]
    assert "no frame from 40 to 30" in refused("constraint_add_trajectory", bone="l_wrist", begin=40)


def test_an_index_must_be_one_of_the_list(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist")
    assert "no constraint number 5" in refused("constraint_duplicate", index=5)
    run("constraint_duplicate", index=0)
    assert len(items(armature)) == 2
