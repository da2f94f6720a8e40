# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones and objects that are drawn over a mark are found, and the ground under it is not."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from mathutils import Euler, Vector

from poise.addon import bridge
from poise.addon.workflows import obstacles

from .test_dragging import view_from


def middle_of(armature: Any, name: str) -> Vector:
    bone = armature.pose.bones[name]
    return armature.matrix_world @ (0.5 * (bone.head + bone.tail))


def test_a_bone_under_the_mouse_is_found_unless_it_is_hidden(armature: Any) -> None:
    bpy.context.view_layer.update()
    place = middle_of(armature, "l_knee")
    view = view_from(Euler((1.3, 0.0, 0.4)), target=place)
    pixel = view.pixel(place)
    assert pixel is not None
    assert obstacles.bone_under(armature, view, pixel) == "l_knee"
    assert obstacles.bone_under(armature, view, (pixel[0] + 300.0, pixel[1])) == ""
    bridge.set_hidden(armature.pose.bones["l_knee"], True)
    assert obstacles.bone_under(armature, view, pixel) != "l_knee"


@pytest.mark.parametrize("height", [2.0, 0.0, -1.0])
def test_an_object_is_in_front_only_where_it_is_nearer(height: float) -> None:
    mesh = bpy.data.meshes.new("Floor")
    mesh.from_pydata([(-9, -9, height), (9, -9, height), (9, 9, height), (-9, 9, height)], [], [(0, 1, 2, 3)])
    floor = bpy.data.objects.new("Floor", mesh)
    bpy.context.scene.collection.objects.link(floor)
    bpy.context.view_layer.update()
    place = Vector((0.0, 0.0, 0.0))
    view = view_from(Euler((0.4, 0.0, 0.0)), target=place)
    pixel = view.pixel(place)
    assert pixel is not None
    in_front = obstacles.object_in_front(bpy.context, view, pixel, place, 2.0)
    assert in_front == ("Floor" if height > 0.0 else "")
