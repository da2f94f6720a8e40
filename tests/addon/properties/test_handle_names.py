# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles are named after what they hold and when, until the animator names them."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.bridge.transforms import Transform
from poise.addon.properties import constraint_list, handles, name_bone
from poise.addon.properties.handle_names import handle_name, rename_handles
from poise.addon.workflows import create

HOME = Transform.upright((0.0, 0.0, 0.0), 0.0)


@pytest.fixture
def item(armature: bpy.types.Object) -> Any:
    """A pin of the left wrist with one point at frame 20."""
    item = constraint_list.new_item(armature, "SHAPE", "Pin")
    name_bone(armature, item, "l_wrist")
    point = item.points.add()
    point.begin = point.end = 20.0
    handles.add_empty(armature, item, point, HOME)
    return item


@pytest.mark.parametrize(
    ("kind", "end", "name"),
    [
        ("SHAPE", 20.0, "l_wrist 20"),
        ("SHAPE", 30.5, "l_wrist 20–30.5"),
        ("ORIENTATION", 20.0, "l_wrist turned 20"),
        ("LOOK_AT", 25.0, "l_wrist looking 20–25"),
        ("BALANCE", 20.0, "Balance 20"),
    ],
)
def test_a_name_says_what_and_when(item: Any, kind: str, end: float, name: str) -> None:
    item.kind = kind
    item.points[0].end = end
    assert handle_name(item, item.points[0]) == name


def test_a_namespace_is_left_out(armature: bpy.types.Object, item: Any) -> None:
    armature.data.bones["l_wrist"].name = "mixamorig:LeftHand"
    item.bone = "mixamorig:LeftHand"
    assert item.points[0].object.name == "LeftHand 20"


def test_frames_and_bones_that_change_change_the_name(armature: bpy.types.Object, item: Any) -> None:
    handle = item.points[0].object
    assert handle.name == "l_wrist 20" and handles.is_point(handle)
    item.points[0].end = 30.0
    assert handle.name == "l_wrist 20–30" and handles.is_point(handle)
    item.points[0].begin = 25.0
    item.bone = "r_wrist"
    assert handle.name == "r_wrist 25–30" and handles.is_point(handle)


def test_the_name_of_the_animator_stays(item: Any) -> None:
    handle = item.points[0].object
    handle.name = "Cup"
    item.points[0].begin = item.points[0].end = 25.0
    item.bone = "r_wrist"
    rename_handles(item)
    assert handle.name == "Cup" and not handles.is_point(handle)


def test_two_of_one_name_are_numbered_and_stay_so(armature: bpy.types.Object, item: Any) -> None:
    copy = constraint_list.duplicate(armature, 0)
    handle = copy.points[0].object
    assert handle.name == "l_wrist 20.001" and handles.is_point(handle)
    copy.points[0].begin = 20.0
    assert handle.name == "l_wrist 20.001"
    copy.points[0].begin = copy.points[0].end = 21.0
    assert handle.name == "l_wrist 21" and handles.is_point(handle)


def test_a_footplant_is_named_after_its_foot_and_its_events(armature: bpy.types.Object) -> None:
    plant = create.add_footplant(armature, "left", 10.0, 25.0)
    handle = plant.points[0].object
    assert handle.name == "Left Foot 10–25"
    plant.heel_strike = 8.0
    assert handle.name == "Left Foot 8–25"
    plant.foot = "RIGHT"
    assert handle.name == "Right Foot 8–25" and handles.is_point(handle)
