# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding the example: in one step of undo, from an empty scene to a clean walk in two clicks."""

from __future__ import annotations

import bpy

from .test_constraints import run


def test_two_clicks_lead_from_an_empty_scene_to_a_result() -> None:
    assert run("example_character_add") == {"FINISHED"}
    assert run("clean") == {"FINISHED"}
    armature = bpy.context.view_layer.objects.active
    assert armature.animation_data.action.name == "Walker.poise"


def test_it_is_offered_only_where_objects_are_added() -> None:
    run("example_character_add")
    assert bpy.ops.poise.example_character_add.poll()
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.poise.example_character_add.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.poise.example_character_add.poll()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_from_pose_mode_of_another_character() -> None:
    run("example_character_add")
    first = bpy.context.view_layer.objects.active
    bpy.ops.object.mode_set(mode="POSE")
    assert run("example_character_add") == {"FINISHED"}
    assert first.mode == "OBJECT" and bpy.context.view_layer.objects.active is not first


def test_one_undo_takes_all_of_it_away() -> None:
    bpy.ops.wm.read_homefile(use_empty=False)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="Begin")
        before = state()
        bpy.ops.poise.example_character_add("EXEC_DEFAULT", True)
        assert state() != before
        bpy.ops.ed.undo()
        assert state() == before
        bpy.ops.ed.redo()
        assert "Walker" in bpy.data.objects


def state() -> tuple[object, ...]:
    """Names of all that the example consists of, and what it changes of the scene."""
    scene = bpy.context.scene
    kinds = (bpy.data.objects, bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.materials)
    names = [sorted(found.name for found in kind) for kind in kinds]
    return names, scene.render.fps, scene.frame_start, scene.frame_end, bpy.context.view_layer.objects.active.name
