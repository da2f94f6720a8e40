# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of an armature that is animated by keys alone, for rigs whose bones cannot be baked."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix

from . import context, versions
from .connections import leave_pose_mode, select
from .errors import BridgeError
from .keyed_poses import channels_for, write_action
from .movers import movers_of
from .posing import BonePose
from .reading import Reading, frame_range, read
from .rig import Rig
from .sources import animation_of, shortened

SUFFIX = ".bakeable"
"""Added to the names of the armature and of its action."""

_SCALED = 1e-4
"""A bone is scaled where its axes differ in length from 1 by more than this."""


def has_movers(armature: bpy.types.Object) -> bool:
    """Whether constraints or drivers move bones of an armature, which then cannot be baked."""
    return armature.pose is not None and bool(movers_of(armature))


def plain_copy(armature: bpy.types.Object) -> bpy.types.Object:
    """Make an armature object that moves as the source of an armature does, by keys alone; it becomes active.

    It has the bones that `read` takes as joints: all, but of a control rig only the deforming ones. It has no
    constraints, drivers, locks, parent or bone collections. Keys are at whole frames, over the scene's range and that
    of the action. The armature itself does not change.
    """
    active = context.view_layer().objects.active
    if active is not None and active.mode not in ("OBJECT", "POSE"):
        raise BridgeError(f"Leave {active.mode.lower()} mode of {active.name!r} first: a copy is made in object mode.")
    reading = read(armature, *_range(armature), method="evaluated")
    motion = reading.pose.transformed(np.linalg.inv(reading.world[:1]) @ reading.world)
    bones = reading.joints.bones
    wanted = BonePose(motion.axes[:, bones], motion.heads[:, bones])
    lengths = np.linalg.norm(wanted.axes, axis=-2)
    copy = _new_object(armature, reading, is_scaled=bool((np.abs(lengths - 1.0) > _SCALED).any()))
    rig = Rig.of(copy)
    order = [reading.joints.names.index(name) for name in rig.names]
    _write_action(copy, rig, BonePose(wanted.axes[:, order], wanted.heads[:, order]), reading)
    return copy


def _range(armature: bpy.types.Object) -> tuple[int, int]:
    """The first and last whole frame of the scene's range, the preview range and the source action together."""
    scene = context.scene()
    first, last = scene.frame_start, scene.frame_end
    used = frame_range(scene)
    source = animation_of(armature).source
    ends = source.frame_range if source is not None else used
    # The time of f-curves is not stretched.
    stretch = scene.render.frame_map_new / scene.render.frame_map_old
    first, last = min(first, used[0], math.floor(ends[0] * stretch)), max(last, used[1], math.ceil(ends[1] * stretch))
    return first, last


def _new_object(armature: bpy.types.Object, reading: Reading, is_scaled: bool) -> bpy.types.Object:
    """Make an object with a copy of the armature's data, reduced to the joints; only it is active and selected."""
    assert isinstance(armature.data, bpy.types.Armature)
    data = armature.data.copy()
    data.animation_data_clear()
    data.use_mirror_x = False
    # Rigs recognise their armature by custom properties, and their panels would look for controls.
    for name in list(data.keys()):
        del data[name]
    copy = bpy.data.objects.new(shortened(armature.name) + SUFFIX, data)
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
    """Link a copy to a visible collection of the armature, else to the scene's collection."""
    for collection in (*armature.users_collection, context.scene().collection):
        collection.objects.link(copy)
        context.view_layer().update()
        if copy.visible_get(view_layer=context.view_layer()):
            return
        collection.objects.unlink(copy)
    context.scene().collection.objects.link(copy)


def _reduce_bones(copy: bpy.types.Object, reading: Reading, is_scaled: bool) -> None:
    """Remove all bones that are no joints, and parent each joint's bone to that of its parent joint."""
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


def _write_action(copy: bpy.types.Object, rig: Rig, pose: BonePose, reading: Reading) -> None:
    """Make and assign an action with a key at every frame of every channel that is not constant at its default."""
    name = shortened(reading.source_name or reading.armature_name) + SUFFIX
    action = write_action(copy, rig, channels_for(rig, pose), reading.key_times, name, reading.size_in_armature)
    action.use_fake_user = True
    context.view_layer().update()
