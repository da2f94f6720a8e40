# SPDX-License-Identifier: GPL-3.0-or-later
"""The armature of the context is the active one, or the one that the active empty belongs to."""

from __future__ import annotations

import bpy

from poise.addon.properties import active_constraint, armature_in, character_of, constraint_of_point


def activate(active: bpy.types.Object | None) -> None:
    bpy.context.view_layer.objects.active = active


def test_an_empty_leads_to_its_armature_constraint_and_point(armature: bpy.types.Object) -> None:
    bpy.ops.poise.constraint_add_pin(bone="r_wrist")
    bpy.ops.poise.constraint_add_trajectory(bone="l_wrist", begin=5, end=40, count=3)
    empty = character_of(armature).constraints[1].points[2].object
    assert constraint_of_point(bpy.context.scene, empty) == (armature, 1, 2)
    activate(empty)
    assert armature_in(bpy.context) == armature


def test_other_objects_lead_to_no_armature(armature: bpy.types.Object) -> None:
    assert armature_in(bpy.context) == armature
    empty = bpy.data.objects.new("Elsewhere", None)
    bpy.context.scene.collection.objects.link(empty)
    activate(empty)
    assert armature_in(bpy.context) is None and constraint_of_point(bpy.context.scene, empty) is None
    activate(None)
    assert armature_in(bpy.context) is None


def test_the_active_constraint_is_the_one_whose_index_is_set(armature: bpy.types.Object) -> None:
    assert active_constraint(armature) is None
    bpy.ops.poise.constraint_add_pin(bone="r_wrist")
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    character = character_of(armature)
    character.active_constraint = 0
    assert active_constraint(armature).bone == "r_wrist"
    character.active_constraint = 7
    assert active_constraint(armature) is None


def test_an_empty_is_found_again_after_constraints_were_removed_or_moved(armature: bpy.types.Object) -> None:
    for bone in ("r_wrist", "l_wrist", "l_elbow"):
        bpy.ops.poise.constraint_add_pin(bone=bone)
    character = character_of(armature)
    empties = [item.points[0].object for item in character.constraints]
    assert [constraint_of_point(bpy.context.scene, empty)[1] for empty in empties] == [0, 1, 2]
    character.constraints.move(0, 2)
    assert [constraint_of_point(bpy.context.scene, empty)[1] for empty in empties] == [2, 0, 1]
    character.constraints.remove(0)
    assert constraint_of_point(bpy.context.scene, empties[1]) is None
    assert constraint_of_point(bpy.context.scene, empties[2]) == (armature, 0, 0)
    armature.name = "Renamed"
    assert constraint_of_point(bpy.context.scene, empties[2]) == (armature, 0, 0)
