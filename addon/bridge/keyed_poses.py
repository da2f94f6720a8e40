# SPDX-License-Identifier: GPL-3.0-or-later
"""An action with a key at every frame, made from the poses of all bones. Its bones are rotated by quaternions."""

from __future__ import annotations

import bpy
import numpy as np

from ...solver import rotations
from . import versions
from .arrays import Array
from .channels import Channels
from .curves import bone_path
from .keys import linear_keys, write_keys
from .posing import BonePose, grouped_by_inheritance, inheritance_of, orientations
from .rig import Rig

_UNMOVED = 1e-6
"""A location or scale that differs from its default by no more than this, as a share of the size or of 1, is not
keyed."""


def channels_for(rig: Rig, wanted: BonePose) -> Channels:
    """The channels, rotations as quaternions, that give all bones a pose in armature space."""
    frames, bones = wanted.heads.shape[:2]
    channels = Channels(np.zeros((frames, bones, 3)), np.zeros((frames, bones, 4)), np.ones((frames, bones, 3)))
    for group in grouped_by_inheritance(rig, np.arange(bones)):
        inheritance = inheritance_of(rig, group, wanted)
        own = np.linalg.pinv(inheritance.axes) @ (wanted.axes[:, group] / inheritance.axis_scale[..., None, :])
        matrices, known = orientations(own)
        matrices = np.where(known[..., None, None], matrices, np.eye(3))
        channels.rotation[:, group] = rotations.continuous(rotations.from_matrix(matrices))
        channels.scale[:, group] = np.einsum("...ij,...ij->...j", matrices, own)
        locations = np.linalg.pinv(inheritance.location_axes) @ (wanted.heads[:, group] - inheritance.origin)[..., None]
        channels.location[:, group] = locations[..., 0]
    return channels


def write_action(
    owner: bpy.types.Object, rig: Rig, channels: Channels, times: Array, name: str, size: float
) -> bpy.types.Action:
    """Make and assign an action with a key at each of the times (frames,), in every channel that is not constant at its
    default. `size` is that of the character, in armature space."""
    action = bpy.data.actions.new(name)
    slot = versions.ensure_slot(action, owner)
    for bone, bone_name in enumerate(rig.names):
        written: list[tuple[str, Array]] = [("rotation_quaternion", channels.rotation[:, bone])]
        if np.abs(channels.location[:, bone]).max() > _UNMOVED * size:
            written.append(("location", channels.location[:, bone]))
        if np.abs(channels.scale[:, bone] - 1.0).max() > _UNMOVED:
            written.append(("scale", channels.scale[:, bone]))
        for attribute, values in written:
            for index in range(values.shape[1]):
                curve = versions.new_curve(action, slot, bone_path(bone_name, attribute), index, bone_name)
                write_keys(curve, linear_keys(times, values[:, index]))
    versions.assign(owner.animation_data_create(), action, slot)
    return action
