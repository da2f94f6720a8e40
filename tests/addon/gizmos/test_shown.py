# SPDX-License-Identifier: GPL-3.0-or-later
"""The active constraint has a gizmo, and so have the constraints of the current frame."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from poise.addon.gizmos import shown
from poise.addon.properties import POINT_KINDS, character_of
from poise.addon.workflows import create, detect

from ..walking import select_bones

LEFT, RIGHT = "l_wrist", "r_wrist"


def shown_now(*kinds: str) -> list[tuple[str, int, bool]]:
    bpy.context.view_layer.update()
    names = {item.uid: item.name for item in character_of(bpy.data.objects["Walker"]).constraints}
    return [(names[each.uid], each.point, each.is_active) for each in shown.shown_handles(bpy.context, kinds)]


def test_the_active_one_is_there_at_any_frame_and_others_at_theirs(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [LEFT], 10.0)
    create.add_pins(armature, [RIGHT], 50.0)
    character = character_of(armature)
    bpy.context.scene.frame_set(30)
    character.active_constraint = 1
    assert shown_now("SHAPE") == [(f"Pin {RIGHT}", 0, True)]
    bpy.context.scene.frame_set(10)
    assert shown_now("SHAPE") == [(f"Pin {RIGHT}", 0, True), (f"Pin {LEFT}", 0, False)]
    character.constraints[0].enabled = False
    assert shown_now("SHAPE") == [(f"Pin {RIGHT}", 0, True)]
    assert shown_now("FOOTPLANT") == []


def test_all_points_of_the_active_one_are_there(armature: bpy.types.Object) -> None:
    create.add_trajectories(armature, [LEFT], 5.0, 45.0, 3)
    character_of(armature).constraints[0].active_point = 1
    name = f"Trajectory {LEFT}"
    assert shown_now("SHAPE") == [(name, 0, False), (name, 1, True), (name, 2, False)]


def test_deleted_ones_and_constraints_without_points_are_left_out(armature: bpy.types.Object) -> None:
    create.add_balance(armature)
    assert shown_now(*POINT_KINDS) == []
    (pin,) = create.add_pins(armature, [LEFT], 10.0)
    bpy.data.objects.remove(pin.points[0].object)
    assert shown_now(*POINT_KINDS) == []
    (other,) = create.add_pins(armature, [RIGHT], 10.0)
    assert shown_now("SHAPE") == [(f"Pin {RIGHT}", 0, True)]
    character_of(armature).collection.objects.unlink(other.points[0].object)
    assert shown_now(*POINT_KINDS) == []


def test_hidden_ones_are_there_and_where_they_are(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, [LEFT], 10.0)
    handle = pin.points[0].object
    handle.hide_viewport = True
    handle.location, handle.scale = (4.0, 5.0, 6.0), (3.0, 3.0, 3.0)
    bpy.context.view_layer.update()
    (found,) = shown.shown_handles(bpy.context, ("SHAPE",))
    assert found.matrix.translation == handle.location
    assert found.matrix.to_scale().x == pytest.approx(1.0)


def test_there_are_never_more_than_some(armature: bpy.types.Object) -> None:
    for _ in range(15):
        create.add_pins(armature, [LEFT, RIGHT], 10.0)
    bpy.context.scene.frame_set(10)
    assert len(shown.shown_handles(bpy.context, ("SHAPE",))) == shown.MOST
    character_of(armature).active_constraint = 20
    assert shown.shown_handles(bpy.context, ("SHAPE",))[0].is_active


def test_it_is_shown_in_object_and_pose_mode_for_a_character_with_constraints(armature: bpy.types.Object) -> None:
    assert not shown.poll(bpy.context)
    detect.find_footplants(armature)
    assert not shown.poll(bpy.context), "proposals have no handles"
    create.add_pins(armature, [LEFT], 10.0)
    assert shown.poll(bpy.context)
    character_of(armature).display.gizmos = False
    assert not shown.poll(bpy.context), "they can be switched off"
    character_of(armature).display.gizmos = True
    select_bones(armature, LEFT)
    assert shown.poll(bpy.context)
    bpy.ops.object.mode_set(mode="EDIT")
    assert not shown.poll(bpy.context)
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize(("tool", "has_own"), [("builtin.move", True), ("builtin.select_box", False)])
def test_blenders_own_gizmo_is_not_covered(armature: bpy.types.Object, tool: str, has_own: bool) -> None:
    (pin,) = create.add_pins(armature, [LEFT], 10.0)
    character_of(armature).active_constraint = 0
    bpy.context.view_layer.objects.active = pin.points[0].object
    tools = SimpleNamespace(from_space_view3d_mode=lambda mode: SimpleNamespace(idname=tool))
    now: Any = SimpleNamespace(mode="OBJECT", view_layer=bpy.context.view_layer, workspace=SimpleNamespace(tools=tools))
    assert shown.has_own_gizmo(now, pin.points[0].object) is has_own
    assert not shown.has_own_gizmo(now, armature)
