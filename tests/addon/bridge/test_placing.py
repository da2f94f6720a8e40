# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects are where Blender's evaluation puts them, and are moved and rotated in the world whatever they hang on."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Quaternion, Vector

from poise.addon.bridge.placing import Placer, world_matrix


def linked(name: str, **given: Any) -> Any:
    made = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(made)
    for field, value in given.items():
        setattr(made, field, value)
    return made


@pytest.fixture
def parent() -> Any:
    above = linked("Above", location=(1.0, 2.0, 3.0), rotation_euler=(0.3, -0.2, 0.7), scale=(2.0, 2.0, 2.0))
    return linked("Parent", parent=above, location=(0.5, 0.0, -1.0), rotation_euler=(0.0, 1.0, 0.2))


def child_of(handle: Any, target: Any) -> None:
    added = handle.constraints.new("CHILD_OF")
    added.target = target


HANGING = {
    "free": lambda handle, parent: None,
    "parented": lambda handle, parent: setattr(handle, "parent", parent),
    "child of": child_of,
    "with deltas": lambda handle, parent: (
        setattr(handle, "delta_location", (0.1, 0.2, 0.3)),
        setattr(handle, "delta_rotation_quaternion", Euler((0.2, 0.4, 0.6)).to_quaternion()),
        setattr(handle, "delta_rotation_euler", Euler((0.2, 0.4, 0.6))),
    ),
}


def near(one: Any, other: Any) -> bool:
    return bool(np.allclose(np.array(one), np.array(other), atol=1e-5))


@pytest.mark.parametrize("hanging", HANGING)
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE"])
def test_it_is_moved_and_rotated_in_the_world(parent: Any, hanging: str, mode: Any) -> None:
    handle = linked("Handle", location=(0.2, 0.3, 0.4), rotation_mode=mode)
    if mode == "QUATERNION":
        handle.rotation_quaternion = Quaternion((0.9, 0.1, 0.2, 0.3)).normalized()
    elif mode == "AXIS_ANGLE":
        handle.rotation_axis_angle = (0.7, 0.0, 0.6, 0.8)
    else:
        handle.rotation_euler = Euler((0.3, 0.2, 0.1), mode)
    HANGING[hanging](handle, parent)
    bpy.context.view_layer.update()
    before = Matrix(handle.matrix_world)
    assert near(world_matrix(handle), before)
    placer = Placer(handle)
    placer.move((0.5, -0.25, 1.0))
    placer.rotate((0.0, 0.0, 1.0), 0.8)
    bpy.context.view_layer.update()
    assert near(handle.matrix_world.translation, before.translation + Vector((0.5, -0.25, 1.0)))
    turned = Matrix.Rotation(0.8, 3, "Z") @ before.to_3x3().normalized()
    assert near(handle.matrix_world.to_3x3().normalized(), turned)
    placer.restore()
    bpy.context.view_layer.update()
    assert near(handle.matrix_world, before)


def test_one_on_a_bone_and_one_that_is_not_evaluated_are_where_they_would_be() -> None:
    armature = linked_armature()
    handle = linked("Handle", location=(0.0, 0.1, 0.2), parent=armature, parent_type="BONE", parent_bone="Bone")
    armature.pose.bones["Bone"].rotation_quaternion = Quaternion((0.8, 0.6, 0.0, 0.0))
    bpy.context.view_layer.update()
    assert near(world_matrix(handle), handle.matrix_world)
    handle.hide_viewport = True
    armature.location = (5.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    hidden = world_matrix(handle)
    handle.hide_viewport = False
    bpy.context.view_layer.update()
    assert near(hidden, handle.matrix_world)


def linked_armature() -> Any:
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("Bone")
    bone.tail = (0.0, 0.3, 0.4)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def test_a_locked_channel_stays() -> None:
    handle = linked("Handle", location=(1.0, 1.0, 1.0), lock_location=(False, False, True))
    Placer(handle).move((1.0, 2.0, 3.0))
    assert near(handle.location, (2.0, 3.0, 1.0))
