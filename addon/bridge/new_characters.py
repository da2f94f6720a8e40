# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip as a new armature with an action, and a skinned body for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ...solver import Clip, Skeleton, rotations, synthetic
from . import context
from .arrays import Array, IntArray
from .connections import leave_pose_mode, select
from .errors import BridgeError
from .keyed_poses import channels_for, write_action
from .posing import BonePose
from .rig import Rig

Color = tuple[float, float, float]

_APART = 1e-3
"""Sizes of the character by which two joints must be apart for a bone from one to the other."""
_SHORT_BONE = 0.05
"""Sizes of the character: the length of a bone that leads to no other joint and has no tip."""
_ROUGHNESS = 0.6


def new_character(clip: Clip, name: str, first_frame: int = 1) -> bpy.types.Object:
    """Make an armature that moves as a clip does, with a key at every frame; it alone becomes selected and active.

    It is linked to the scene's collection, or to the active one where that is visible. A clip with y up is turned so
    that z is up. Blender must be in object or pose mode.
    """
    active = context.view_layer().objects.active
    if active is not None and active.mode not in ("OBJECT", "POSE"):
        raise BridgeError(
            f"Leave {active.mode.lower()} mode of {active.name!r} first: a character is made in object mode."
        )
    upright = _upright(clip.skeleton)
    rest_rotations, rest_places = clip.skeleton.rest
    places = rest_places @ upright.T
    armature = _new_armature(clip.skeleton, places, _tails(clip.skeleton, places, upright), name)
    rig = Rig.of(armature)
    joints = np.array([clip.skeleton.index(bone) for bone in rig.names])
    world = clip.world
    turns = rotations.multiply(world.rotations, rotations.conjugate(rest_rotations))
    axes = upright @ rotations.to_matrix(turns)[:, joints] @ upright.T @ rig.rest_axes
    pose = BonePose(axes, world.positions[:, joints] @ upright.T)
    times = first_frame + np.arange(clip.frames, dtype=np.float64)
    write_action(armature, rig, channels_for(rig, pose), times, name, clip.skeleton.size)
    context.view_layer().update()
    return armature


def new_body(
    armature: bpy.types.Object, skeleton: Skeleton, mesh: synthetic.BodyMesh, colors: Mapping[str, Color]
) -> bpy.types.Object:
    """Make the mesh object that an armature of `new_character` carries; `skeleton` is that of its clip.

    `colors` are those of `synthetic.COLORED`, linear.
    """
    data = bpy.data.meshes.new(f"{armature.name} Body")
    data.from_pydata((mesh.vertices @ _upright(skeleton).T).tolist(), [], mesh.quads.tolist())
    data.polygons.foreach_set("use_smooth", np.ones(len(mesh.quads), dtype=bool))
    for part in synthetic.COLORED:
        data.materials.append(new_material(f"{armature.name} {part}", colors[part]))
    data.polygons.foreach_set("material_index", mesh.colored.astype(np.int32))
    data.update()
    body = bpy.data.objects.new(data.name, data)
    for joint, name in enumerate(skeleton.names):
        _fill_group(body, name, mesh.weights[:, joint])
    body.parent = armature
    modifier: Any = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    modifier.use_deform_preserve_volume = True
    armature.users_collection[0].objects.link(body)
    return body


def _fill_group(body: bpy.types.Object, name: str, weights: Array) -> None:
    """Make the vertex group of a bone. Blender takes one weight for several vertices, so equal ones go together."""
    vertices: IntArray = np.flatnonzero(weights > 0.0)
    if not len(vertices):
        return
    group: Any = body.vertex_groups.new(name=name)
    steps = np.maximum(np.rint(weights[vertices] * _WEIGHT_STEPS), 1.0)
    for step in np.unique(steps):
        group.add(vertices[steps == step].tolist(), float(step / _WEIGHT_STEPS), "REPLACE")


_WEIGHT_STEPS = 500.0
"""Weights are stored in so many steps: Blender divides by their sum, so that it does not matter that it is not 1."""


def new_material(name: str, color: Color) -> bpy.types.Material:
    """Make a material with the same linear colour in solid view and in renders."""
    made: Any = bpy.data.materials.new(name)
    made.diffuse_color = (*color, 1.0)
    made.roughness = _ROUGHNESS
    if made.node_tree is None:  # since Blender 5.0 a new material has nodes
        made.use_nodes = True
    shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = _ROUGHNESS
    material: bpy.types.Material = made
    return material


def _upright(skeleton: Skeleton) -> Array:
    """(3, 3) from the axes of a skeleton to those of Blender, with z up."""
    return np.eye(3) if skeleton.up == "z" else np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])


def _new_armature(skeleton: Skeleton, heads: Array, tails: Array, name: str) -> bpy.types.Object:
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    view_layer = context.view_layer()
    leave_pose_mode(view_layer, [found for found in view_layer.objects if found.mode == "POSE"])
    _link(armature)
    select(view_layer, [armature])
    view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones: Any = data.edit_bones
    forward = (0.0, -1.0, 0.0)
    for joint, bone_name in enumerate(skeleton.names):
        bone = bones.new(bone_name)
        bone.head, bone.tail = heads[joint].tolist(), tails[joint].tolist()
        bone.align_roll(forward)
        parent = int(skeleton.parents[joint])
        if parent >= 0:
            bone.parent = bones[skeleton.names[parent]]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert armature.pose is not None
    for pose_bone in armature.pose.bones:
        pose_bone.rotation_mode = "QUATERNION"
    data.display_type = "STICK"
    armature.show_in_front = True
    return armature


def _link(armature: bpy.types.Object) -> None:
    """Link an object to the active collection, or to the scene's where that one is not seen."""
    view_layer, scene = context.view_layer(), context.scene()
    active: Any = view_layer.active_layer_collection
    for collection in (active.collection, scene.collection):
        collection.objects.link(armature)
        view_layer.update()
        if armature.visible_get(view_layer=view_layer):
            return
        collection.objects.unlink(armature)
    scene.collection.objects.link(armature)


def _tails(skeleton: Skeleton, heads: Array, upright: Array) -> Array:
    """(joints, 3) where the bone of each joint ends: at the child that continues it, at its tip, or a little on."""
    apart = _APART * skeleton.size
    tails = np.empty_like(heads)
    tips = {skeleton.index(tip.joint): upright @ skeleton.rest_place(tip) for tip in skeleton.tips}
    for joint in range(len(skeleton)):
        head, parent = heads[joint], int(skeleton.parents[joint])
        came = head - heads[parent] if parent >= 0 else np.zeros(3)
        children = heads[np.flatnonzero(skeleton.parents == joint)]
        ways = children - head
        ways = ways[np.linalg.norm(ways, axis=1) > apart]
        if len(ways) == 1 or (len(ways) and np.linalg.norm(came) > apart):
            tails[joint] = head + ways[np.argmax((ways / np.linalg.norm(ways, axis=1)[:, None]) @ came)]
        elif len(ways) and np.linalg.norm(ways.mean(axis=0)) > apart:
            tails[joint] = head + ways.mean(axis=0)
        elif joint in tips and np.linalg.norm(tips[joint] - head) > apart:
            tails[joint] = tips[joint]
        else:
            length = float(np.linalg.norm(came))
            way = came / length if length > apart else np.array((0.0, 0.0, 1.0))
            tails[joint] = head + _SHORT_BONE * skeleton.size * way
    return tails
