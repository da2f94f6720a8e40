# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as new armatures, read back by the bridge, and bodies that follow them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.solver import Clip, Motion, rotations, synthetic
from poise.solver.body.skeleton import Up

COLORS = dict.fromkeys(synthetic.COLORED, (0.5, 0.4, 0.3))
FIRST = 11


def walk(up: Up) -> Clip:
    return synthetic.walk(up=up, steps=2).clip


def in_scene(clip: Clip) -> Any:
    armature = bridge.new_character(clip, "Walker", FIRST)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, FIRST + clip.frames - 1
    return armature


@pytest.mark.parametrize("up", ["y", "z"])
def test_what_is_read_moves_as_the_clip(up: Up) -> None:
    clip, upright = walk(up), walk("z")
    armature = in_scene(clip)
    assert bpy.context.view_layer.objects.active is armature and armature.select_get()
    read = bridge.read(armature).clip
    assert set(read.skeleton.names) == set(clip.skeleton.names) and read.frames == clip.frames
    order = [read.skeleton.index(name) for name in upright.skeleton.names]
    np.testing.assert_allclose(read.world.positions[:, order], upright.world.positions, atol=2e-6)
    parents = [read.skeleton.names[above] if above >= 0 else "" for above in read.skeleton.parents[order]]
    assert parents == [clip.skeleton.names[above] if above >= 0 else "" for above in clip.skeleton.parents]


def test_the_joints_of_the_body_are_recognised_again() -> None:
    clip = walk("z")
    armature = in_scene(clip)
    bridge.new_body(armature, clip.skeleton, synthetic.body_mesh(clip.skeleton), COLORS)
    read = bridge.read(armature).clip.skeleton
    assert not read.landmarks.missing
    for mark in ("left_heel", "right_toe_tip", "left_ball", "head_top"):
        own, true = getattr(read.landmarks, mark), getattr(clip.skeleton.landmarks, mark)
        distance = np.linalg.norm(read.rest_place(own) - clip.skeleton.rest_place(true))
        assert distance < 0.05 * read.size, mark


def test_the_body_follows_the_bones() -> None:
    clip = walk("z")
    armature = in_scene(clip)
    mesh = synthetic.body_mesh(clip.skeleton)
    body: Any = bridge.new_body(armature, clip.skeleton, mesh, COLORS)
    body.modifiers[0].use_deform_preserve_volume = False
    scene = bpy.context.scene
    scene.frame_set(FIRST + 20)
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    shown = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    evaluated.vertices.foreach_get("co", shown)
    _, rest = clip.skeleton.rest
    turned, placed = clip.world.rotations[20], clip.world.positions[20]
    moved = placed + rotations.rotate(turned, mesh.vertices[:, None] - rest)
    expected = np.einsum("vj,vji->vi", mesh.weights, moved)
    # Weights are stored in steps of 1/500.
    np.testing.assert_allclose(shown.reshape(-1, 3), expected, atol=0.01)


def test_every_vertex_has_a_bone_and_every_quad_its_colour() -> None:
    clip = walk("z")
    armature = in_scene(clip)
    mesh = synthetic.body_mesh(clip.skeleton)
    body: Any = bridge.new_body(armature, clip.skeleton, mesh, COLORS)
    assert all(len(vertex.groups) for vertex in body.data.vertices)
    assert {group.name for group in body.vertex_groups} <= {bone.name for bone in armature.data.bones}
    assert len(body.data.materials) == len(synthetic.COLORED)
    assert body.parent is armature and not body.data.validate()


def test_another_mode_is_refused_before_anything_is_made() -> None:
    mesh = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    bpy.context.scene.collection.objects.link(mesh)
    bpy.context.view_layer.objects.active = mesh
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(bridge.BridgeError, match="Leave edit mode of 'Cube'"):
        bridge.new_character(walk("z"), "Walker")
    assert not bpy.data.armatures
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_collection_that_is_not_seen_is_not_used() -> None:
    hidden = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(hidden)
    layer = bpy.context.view_layer.layer_collection.children["Hidden"]
    bpy.context.view_layer.active_layer_collection = layer
    hidden.hide_viewport = True
    armature = in_scene(walk("z"))
    assert list(armature.users_collection) == [bpy.context.scene.collection]


def test_any_skeleton_becomes_an_armature() -> None:
    skeleton = synthetic.chain(4, up="z")
    pose = synthetic.bent(skeleton, 1.0)
    still = Motion(np.repeat(pose.rotations[None], 3, axis=0), np.repeat(pose.translations[None], 3, axis=0))
    clip = Clip(skeleton, still, 30.0)
    read = bridge.read(in_scene(clip)).clip
    order = [read.skeleton.index(name) for name in skeleton.names]
    np.testing.assert_allclose(read.world.positions[:, order], clip.world.positions, atol=2e-6)
