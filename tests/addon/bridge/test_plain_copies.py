# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of rigs that move as the rig does, by plain keys alone."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import versions

from .rigs import action_values, blender_pose, key, straight_chain, swing

FRAMES = range(3, 15)
NAMES = ("a", "b", "c", "d")


def keys_of(armature: bpy.types.Object) -> Any:
    return action_values(armature.animation_data.action, versions.slot_of(armature.animation_data))


def assert_plain(copy: bpy.types.Object) -> None:
    """Nothing but its keys moves the copy, and all its bones are seen and free."""
    assert not bridge.has_movers(copy) and not copy.constraints and copy.parent is None
    assert not copy.animation_data.drivers and not copy.data.animation_data
    reading = bridge.read(copy, FRAMES[0], FRAMES[-1])
    assert reading.method == "curves" and not reading.unbakeable
    assert all(bridge.why_unusable(copy, bone.name) == "" for bone in copy.data.bones)


def test_a_generated_rigify_is_copied_and_stays_as_it_is(rigify: bpy.types.Object) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    source = bridge.read(rigify)
    names = source.clip.skeleton.names
    before, keys = blender_pose(rigify, names, FRAMES), keys_of(rigify)
    constraints = [(bone.name, len(bone.constraints)) for bone in rigify.pose.bones]
    drivers, bones = len(rigify.animation_data.drivers), len(rigify.data.bones)

    copy = bridge.plain_copy(rigify)

    assert_plain(copy)
    assert {bone.name for bone in copy.data.bones} == set(names)
    size = source.clip.skeleton.size
    np.testing.assert_allclose(blender_pose(copy, names, FRAMES), before, atol=2e-4 * size)
    assert np.abs(blender_pose(copy, names, FRAMES)[..., :3, 3] - before[..., :3, 3]).max() < 1e-5 * size
    assert bpy.context.view_layer.objects.active is copy and copy.select_get() and not rigify.select_get()

    np.testing.assert_array_equal(blender_pose(rigify, names, FRAMES), before)
    assert keys_of(rigify) == keys
    assert constraints == [(bone.name, len(bone.constraints)) for bone in rigify.pose.bones]
    assert (drivers, bones) == (len(rigify.animation_data.drivers), len(rigify.data.bones))
    assert rigify.animation_data.action is not copy.animation_data.action and rigify.data is not copy.data


def test_the_copy_has_the_landmarks_of_the_rig(rigify: bpy.types.Object) -> None:
    one = bridge.read(rigify, 3, 5).clip.skeleton
    other = bridge.read(bridge.plain_copy(rigify), 3, 5).clip.skeleton
    for mark in ("hips", "neck", "left_ankle", "left_toe", "right_knee", "right_wrist"):
        assert one.names[getattr(one.landmarks, mark)] == other.names[getattr(other.landmarks, mark)]
    assert other.size == pytest.approx(one.size, rel=1e-5)


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_a_moving_object_with_inverse_kinematics(mode: str) -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(goal)
    goal.location = (1.5, 0.5, 1.0)
    constraint = armature.pose.bones["d"].constraints.new("IK")
    constraint.target, constraint.chain_count = goal, 2
    armature.location, armature.rotation_euler, armature.scale = (3.0, -1.0, 0.4), (0.3, 0.2, -0.9), (0.5, 0.5, 0.5)
    key(armature, "location", 0, [3, 14], [0.0, 2.0])
    armature.data.collections.new("Away").is_visible = False
    for bone in armature.data.bones:
        armature.data.collections["Away"].assign(bone)
    bpy.ops.object.mode_set(mode=mode)
    before = blender_pose(armature, NAMES, FRAMES)
    copy = bridge.plain_copy(armature)
    assert_plain(copy)
    np.testing.assert_allclose(blender_pose(copy, NAMES, FRAMES), before, atol=1e-5)
    np.testing.assert_array_equal(blender_pose(armature, NAMES, FRAMES), before)
    # The action is longer than the scene's range.
    bpy.context.scene.frame_end = 5
    longer = bridge.plain_copy(armature)
    np.testing.assert_allclose(blender_pose(longer, NAMES, FRAMES), before, atol=1e-5)


def test_another_object_in_a_mode_of_its_own() -> None:
    armature = straight_chain(NAMES)
    swing(armature, FRAMES)
    armature.pose.bones["b"].constraints.new("COPY_TRANSFORMS").target = armature
    mesh = bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh"))
    bpy.context.scene.collection.objects.link(mesh)
    bpy.context.view_layer.objects.active = mesh
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(bridge.BridgeError, match=r"Leave edit mode of 'Mesh' first: .*\."):
        bridge.plain_copy(armature)
    assert len(bpy.data.armatures) == 1 and len(bpy.data.actions) == 1
