# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of an armature whose bones only their own keys move, for rigs whose bones cannot be baked."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix

from ...solver import rotations
from . import context, versions
from .arrays import Array
from .channels import Channels
from .connections import leave_pose_mode, select
from .curves import bone_path, straight_keys, write_keys
from .errors import BridgeError
from .movers import movers_of
from .posing import Pose, alike, inherited, orientations
from .reading import Reading, frame_range, read
from .rig import Rig
from .sources import animation_of

SUFFIX = ".bakeable"
"""What is added to the names of the copied armature and of its action."""

_LONGEST_STEM = 50
"""Bytes of a name that are kept: the longest name in Blender 4 has 63, with room for suffix and number."""

_SCALED = 1e-4
"""A bone is scaled where its axes differ in length from 1 by more than this."""

_UNMOVED = 1e-6
"""A location or scale that never differs by more than this, as a share of the size or of 1, is not keyed."""


def is_moved_by_others(armature: bpy.types.Object) -> bool:
    """Whether constraints or drivers move bones of an armature, so that those cannot be baked."""
    return armature.pose is not None and bool(movers_of(armature))


def plain_copy(armature: bpy.types.Object) -> bpy.types.Object:
    """A new armature object that moves as an armature's source does, by plain keys alone; it becomes active.

    It has the bones that `read` takes as joints: all, but of a control rig only the deforming ones. It has no
    constraints, drivers, locks, parent or bone collections. Keys are at whole frames, over the scene's range and that
    of the action. The armature itself stays as it is.
    """
    active = context.view_layer().objects.active
    if active is not None and active.mode not in ("OBJECT", "POSE"):
        raise BridgeError(f"Leave {active.mode.lower()} mode of {active.name!r} first: a copy is made in object mode.")
    reading = read(armature, *_range(armature), method="evaluated")
    motion = reading.pose.seen_through(np.linalg.inv(reading.world[:1]) @ reading.world)
    bones = reading.joints.bones
    wanted = Pose(motion.axes[:, bones], motion.heads[:, bones])
    lengths = np.linalg.norm(wanted.axes, axis=-2)
    copy = _new_object(armature, reading, is_scaled=bool((np.abs(lengths - 1.0) > _SCALED).any()))
    rig = Rig.of(copy)
    places = [reading.joints.names.index(name) for name in rig.names]
    channels = _channels_for(rig, Pose(wanted.axes[:, places], wanted.heads[:, places]))
    _write_action(copy, rig, channels, reading)
    return copy


def _range(armature: bpy.types.Object) -> tuple[int, int]:
    """The first and last whole frame of the scene's range and of the source action, together."""
    scene = context.scene()
    first, last = scene.frame_start, scene.frame_end
    used = frame_range(scene)
    source = animation_of(armature).source
    ends = source.frame_range if source is not None else used
    # F-curves count frames before the scene's time is stretched.
    stretch = scene.render.frame_map_new / scene.render.frame_map_old
    first, last = min(first, used[0], math.floor(ends[0] * stretch)), max(last, used[1], math.ceil(ends[1] * stretch))
    return first, last


def _stem(name: str) -> str:
    return name.encode()[:_LONGEST_STEM].decode(errors="ignore")


def _new_object(armature: bpy.types.Object, reading: Reading, is_scaled: bool) -> bpy.types.Object:
    """An object with a copy of the armature's data, reduced to the joints; active and selected alone."""
    assert isinstance(armature.data, bpy.types.Armature)
    data = armature.data.copy()
    data.animation_data_clear()
    data.use_mirror_x = False
    # Panels of rigs know their armatures by custom properties, and would look for controls.
    for name in list(data.keys()):
        del data[name]
    copy = bpy.data.objects.new(_stem(armature.name) + SUFFIX, data)
    data.name = copy.name
    copy.matrix_world = Matrix(reading.world[0].tolist())
    copy.show_in_front, copy.display_type = armature.show_in_front, armature.display_type
    view_layer = context.view_layer()
    leave_pose_mode(view_layer, [found for found in view_layer.objects if found.mode == "POSE"])
    _link_visibly(copy, armature)
    select(view_layer, [copy])
    view_layer.objects.active = copy
    _reduce_bones(copy, reading, is_scaled)
    collections = data.collections
    while len(collections) > 0:
        collections.remove(collections[0])
    assert copy.pose is not None
    for bone in copy.pose.bones:
        versions.set_hidden(bone, False)
        bone.rotation_mode = "QUATERNION"
    return copy


def _link_visibly(copy: bpy.types.Object, armature: bpy.types.Object) -> None:
    """Link a copy to a collection of the armature in which it can be seen, else to the scene's own."""
    for collection in (*armature.users_collection, context.scene().collection):
        collection.objects.link(copy)
        context.view_layer().update()
        if copy.visible_get(view_layer=context.view_layer()):
            return
        collection.objects.unlink(copy)
    context.scene().collection.objects.link(copy)


def _reduce_bones(copy: bpy.types.Object, reading: Reading, is_scaled: bool) -> None:
    """Remove all bones that are no joints, and hang each joint on its parent among the joints."""
    assert isinstance(copy.data, bpy.types.Armature)
    names, parents = reading.joints.names, reading.joints.parents.tolist()
    bpy.ops.object.mode_set(mode="EDIT")
    bones = copy.data.edit_bones
    for bone in bones:
        bone.use_connect = False
        bone.hide = False
    for name, parent in zip(names, parents, strict=True):
        bone = bones[name]
        bone.parent = bones[names[parent]] if parent >= 0 else None
        bone.use_inherit_rotation = bone.use_local_location = True
        # A bone below a stretched one would be sheared.
        bone.inherit_scale = "NONE" if is_scaled else "FULL"
    kept = set(names)
    for bone in [bone for bone in bones if bone.name not in kept]:
        bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")


def _channels_for(rig: Rig, wanted: Pose) -> Channels:
    """The channels, rotations as quaternions, that put all bones where a pose in the armature's space has them."""
    frames, bones = wanted.heads.shape[:2]
    channels = Channels(np.zeros((frames, bones, 3)), np.zeros((frames, bones, 4)), np.ones((frames, bones, 3)))
    for group in alike(rig, np.arange(bones)):
        given = inherited(rig, group, wanted)
        own = np.linalg.pinv(given.axes) @ (wanted.axes[:, group] / given.stretch[..., None, :])
        turns, known = orientations(own)
        turns = np.where(known[..., None, None], turns, np.eye(3))
        channels.rotation[:, group] = rotations.continuous(rotations.from_matrix(turns))
        channels.scale[:, group] = np.einsum("...ij,...ij->...j", turns, own)
        shifts = np.linalg.pinv(given.reach) @ (wanted.heads[:, group] - given.origin)[..., None]
        channels.location[:, group] = shifts[..., 0]
    return channels


def _write_action(copy: bpy.types.Object, rig: Rig, channels: Channels, reading: Reading) -> None:
    """Give a copy an action of its own, with a key at every frame of every channel that it needs."""
    action = bpy.data.actions.new(_stem(reading.source_name or reading.armature_name) + SUFFIX)
    action.use_fake_user = True
    slot = versions.ensure_slot(action, copy)
    small = _UNMOVED * reading.size_in_armature
    for bone, name in enumerate(rig.names):
        written: list[tuple[str, Array]] = [("rotation_quaternion", channels.rotation[:, bone])]
        if np.abs(channels.location[:, bone]).max() > small:
            written.append(("location", channels.location[:, bone]))
        if np.abs(channels.scale[:, bone] - 1.0).max() > _UNMOVED:
            written.append(("scale", channels.scale[:, bone]))
        for attribute, values in written:
            for index in range(values.shape[1]):
                curve = versions.new_curve(action, slot, bone_path(name, attribute), index, name)
                write_keys(curve, straight_keys(reading.key_times, values[:, index]))
    versions.assign(copy.animation_data_create(), action, slot)
    context.view_layer().update()
