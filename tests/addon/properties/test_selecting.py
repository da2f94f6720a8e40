# SPDX-License-Identifier: GPL-3.0-or-later
"""The active constraint selects its handle, without taking from the animator what need not be taken."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.bridge.transforms import Transform
from poise.addon.properties import character_of, constraint_list, handles, selecting

from ..walking import select_bones


@pytest.fixture
def pins(armature: bpy.types.Object) -> list[str]:
    """The names of the handles of three pins; the last pin is active."""
    for place in range(3):
        item = constraint_list.new_item(armature, "SHAPE", f"Pin {place}")
        handles.add_empty(armature, item, item.points.add(), Transform.upright((place, 0.0, 0.0), 0.0))
    return [item.points[0].object.name for item in character_of(armature).constraints]


def selected() -> set[str]:
    return {found.name for found in bpy.context.view_layer.objects.selected}


def active() -> str:
    return bpy.context.view_layer.objects.active.name


def test_in_object_mode_its_handle_is_selected_alone(armature: bpy.types.Object, pins: list[str]) -> None:
    for index in (1, 0, 2):
        character_of(armature).active_constraint = index
        assert selected() == {pins[index]} and active() == pins[index]


def test_in_pose_mode_the_armature_stays_active(armature: bpy.types.Object, pins: list[str]) -> None:
    select_bones(armature, "l_wrist")
    for index in (1, 0):
        character_of(armature).active_constraint = index
        assert selected() == {armature.name}
        assert active() == armature.name and armature.mode == "POSE"
    assert [bone.name for bone in bpy.context.selected_pose_bones] == ["l_wrist"]


def test_the_active_point_selects_its_own(armature: bpy.types.Object, pins: list[str]) -> None:
    item = character_of(armature).constraints[0]
    second = handles.add_empty(armature, item, item.points.add(), Transform.upright((0.0, 1.0, 0.0), 0.0)).name
    character_of(armature).active_constraint = 0
    assert selected() == {pins[0]}
    item.active_point = 1
    assert selected() == {second} and selecting.handle_of(item).name == second
    character_of(armature).constraints[1].active_point = 5
    assert selected() == {second}, "another constraint's point selects nothing"


def test_several_that_are_selected_stay_so_where_it_is_the_active_one(
    armature: bpy.types.Object, pins: list[str]
) -> None:
    character_of(armature).active_constraint = 0
    bpy.data.objects[pins[1]].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects[pins[1]]
    character_of(armature).active_constraint = 1
    assert selected() == {pins[0], pins[1]}


def hidden_by_eye(handle: Any) -> None:
    handle.hide_set(True)


def hidden_in_viewports(handle: Any) -> None:
    handle.hide_viewport = True


def excluded(handle: Any) -> None:
    name = handle.users_collection[0].name
    bpy.context.view_layer.layer_collection.children[name].exclude = True


@pytest.mark.parametrize("hide", [hidden_by_eye, hidden_in_viewports, excluded])
def test_what_cannot_be_seen_leaves_the_selection(armature: bpy.types.Object, pins: list[str], hide: Any) -> None:
    armature.select_set(True)
    bpy.context.view_layer.objects.active = armature
    hide(bpy.data.objects[pins[0]])
    before = selected(), active()
    character_of(armature).active_constraint = 0
    assert (selected(), active()) == before
    assert not selecting.select_handle(bpy.context, bpy.data.objects[pins[0]])


def test_without_points_and_while_paused_nothing_is_selected(armature: bpy.types.Object, pins: list[str]) -> None:
    constraint_list.new_item(armature, "POSE", "Hold")
    before = selected()
    character_of(armature).active_constraint = 3
    assert selected() == before
    with selecting.paused():
        character_of(armature).active_constraint = 0
    assert selected() == before
    character_of(armature).active_constraint = 1
    assert selected() == {pins[1]}


def test_an_object_of_the_animator_is_not_selected(armature: bpy.types.Object, pins: list[str]) -> None:
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    before = selected(), active()
    character_of(armature).constraints[0].points[0].object = target
    character_of(armature).active_constraint = 0
    assert (selected(), active()) == before


def test_the_armature_is_active_where_a_removed_handle_was(armature: bpy.types.Object, pins: list[str]) -> None:
    character_of(armature).active_constraint = 0
    character_of(armature).active_constraint = 2
    for left in (2, 1, 0):
        constraint_list.remove(armature, left)
        assert active() == armature.name and not set(pins) & selected()
    assert active() == armature.name and not selected(), "what is selected would be deleted by the next key"


def test_with_extend_others_stay_selected(armature: bpy.types.Object, pins: list[str]) -> None:
    character_of(armature).active_constraint = 0
    assert selecting.select_handle(bpy.context, bpy.data.objects[pins[1]], extend=True)
    assert selected() == {pins[0], pins[1]} and active() == pins[1]
