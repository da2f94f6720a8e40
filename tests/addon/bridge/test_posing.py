# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose in NumPy is the one that Blender computes, and orientations have a way back."""

from __future__ import annotations

import itertools

import bpy
import numpy as np
import pytest
from mathutils import Vector

from poise.addon.bridge import posing, rotation_channels
from poise.addon.bridge.arrays import floats
from poise.addon.bridge.channels import Channels
from poise.addon.bridge.rig import Rig
from poise.solver.core import rotations

from .rigs import INHERIT_SCALE, MODES, new_armature, random_armature


def present_channels(armature: bpy.types.Object, rig: Rig) -> Channels:
    """What the bones' properties hold, read one by one."""
    rotation = np.zeros((1, len(rig), 4))
    for place, name in enumerate(rig.names):
        values = getattr(armature.pose.bones[name], rotation_channels.property_of(rig.modes[place])[0])
        rotation[0, place, : len(values)] = values
    bones = [armature.pose.bones[name] for name in rig.names]
    return Channels(
        np.array([[bone.location for bone in bones]], dtype=np.float64),
        rotation,
        np.array([[bone.scale for bone in bones]], dtype=np.float64),
    )


def disturb(armature: bpy.types.Object, rng: np.random.Generator, scale: float = 0.4) -> None:
    """Give every bone a random transform."""
    for bone in armature.pose.bones:
        bone.location = rng.normal(size=3)
        bone.scale = np.exp(scale * rng.normal(size=3)) * rng.choice([1.0, 1.0, 1.0, -1.0], size=3)
        bone.rotation_quaternion = rng.normal(size=4)
        bone.rotation_euler = 3.0 * rng.normal(size=3)
        bone.rotation_axis_angle = rng.normal(size=4)
    bpy.context.view_layer.update()


def assert_blender_agrees(armature: bpy.types.Object) -> None:
    rig = Rig.of(armature)
    pose = posing.pose_of(rig, present_channels(armature, rig))
    matrices = floats(armature.pose.bones, "matrix", 4, 4).swapaxes(-1, -2)[rig.pose_indices]
    size = np.abs(matrices).max()
    np.testing.assert_allclose(pose.axes[0], matrices[:, :3, :3], atol=1e-5 * size)
    np.testing.assert_allclose(pose.heads[0], matrices[:, :3, 3], atol=1e-5 * size)


@pytest.mark.parametrize("seed", range(6))
def test_any_armature_stands_as_in_blender(seed: int) -> None:
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, bones=24)
    disturb(armature, rng)
    assert_blender_agrees(armature)


@pytest.mark.parametrize("mode", MODES)
def test_every_way_to_inherit_is_blenders(mode: str) -> None:
    """Each combination of settings on a child and a grandchild of a sheared parent."""
    ways = list(itertools.product(INHERIT_SCALE, (True, False), (True, False)))

    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        root = edit_bones.new("root")
        root.head, root.tail, root.roll = (0.1, 0.2, 0.3), (0.4, 1.2, 0.1), 0.7
        for index, (scale, turns, local) in enumerate(ways):
            parent = root
            for depth in range(3):
                bone = edit_bones.new(f"bone{index}_{depth}")
                bone.head = parent.tail + Vector((0.1, -0.2, 0.3))
                bone.tail, bone.roll = bone.head + Vector((0.5 - depth, 0.7, 0.4)), 1.0 + depth
                bone.parent = parent
                if depth > 0:
                    bone.inherit_scale, bone.use_inherit_rotation, bone.use_local_location = scale, turns, local
                parent = bone

    armature = new_armature("Ways", build)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    disturb(armature, np.random.default_rng(9))
    assert_blender_agrees(armature)


def test_a_scale_of_zero_is_no_error() -> None:
    armature = random_armature(np.random.default_rng(8))
    armature.pose.bones["bone.0"].scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert_blender_agrees(armature)


def test_orientations_are_rotations_that_keep_y() -> None:
    axes = np.random.default_rng(6).normal(size=(500, 3, 3))
    found, known = posing.orientations(axes)
    assert known.all()
    np.testing.assert_allclose(found @ found.swapaxes(-1, -2), np.broadcast_to(np.eye(3), found.shape), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(found), 1.0, atol=1e-12)
    along = axes[..., 1] / np.linalg.norm(axes[..., 1], axis=-1, keepdims=True)
    np.testing.assert_allclose(found[..., 1], along, atol=1e-12)


def test_orientations_of_rotations_are_themselves() -> None:
    turns = rotations.to_matrix(rotations.random(np.random.default_rng(7), 100))
    np.testing.assert_allclose(posing.orientations(3.0 * turns)[0], turns, atol=1e-12)


def test_turns_lead_to_the_wanted_orientation_through_any_axes() -> None:
    rng = np.random.default_rng(8)
    axes, scale = rng.normal(size=(500, 3, 3)), rng.normal(size=(500, 3))
    wanted = rotations.to_matrix(rotations.random(rng, 500))
    turns, solvable = posing.rotations_for(wanted, axes, scale)
    assert solvable.all()
    np.testing.assert_allclose(np.linalg.det(turns), 1.0, atol=1e-9)
    np.testing.assert_allclose(turns @ turns.swapaxes(-1, -2), np.broadcast_to(np.eye(3), turns.shape), atol=1e-9)
    reached, _ = posing.orientations(axes @ (turns * scale[:, None, :]))
    np.testing.assert_allclose(reached, wanted, atol=1e-7)


def test_axes_that_have_collapsed_have_no_orientation() -> None:
    flat = np.stack([np.zeros((3, 3)), np.diag([1.0, 0.0, 1.0]), np.diag([0.0, 1.0, 1.0])])
    assert not posing.orientations(flat)[1].any()
    assert not posing.rotations_for(np.broadcast_to(np.eye(3), flat.shape), flat, np.ones((3, 3)))[1].any()
