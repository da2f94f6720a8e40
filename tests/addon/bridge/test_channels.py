# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels mean the rotations and locations that Blender makes of them."""

from __future__ import annotations

import numpy as np

from poise.addon.bridge.channels import Channels
from poise.addon.bridge.rig import Rig

from .rigs import random_armature, straight_chain


def test_rotations_of_every_mode_are_blenders() -> None:
    rng = np.random.default_rng(3)
    armature = random_armature(rng)
    rig = Rig.of(armature)
    channels = Channels(np.zeros((1, len(rig), 3)), rng.normal(size=(1, len(rig), 4)), np.ones((1, len(rig), 3)))
    for index, name in enumerate(rig.names):
        bone, values = armature.pose.bones[name], channels.rotation[0, index]
        if bone.rotation_mode == "QUATERNION":
            bone.rotation_quaternion = values
        elif bone.rotation_mode == "AXIS_ANGLE":
            bone.rotation_axis_angle = values
        else:
            bone.rotation_euler = values[:3]
    expected = np.array([armature.pose.bones[name].matrix_basis.to_3x3() for name in rig.names])
    assert np.abs(channels.rotation_matrices(rig)[0] - expected).max() < 1e-5


def test_connected_bones_have_no_location() -> None:
    rig = Rig.of(straight_chain(["a", "b"]))
    channels = Channels(np.ones((4, 2, 3)), np.zeros((4, 2, 4)), np.ones((4, 2, 3)))
    assert channels.effective_locations(rig)[:, 0].all() and not channels.effective_locations(rig)[:, 1].any()


def test_a_copy_shares_no_values() -> None:
    channels = Channels(np.zeros((2, 1, 3)), np.zeros((2, 1, 4)), np.ones((2, 1, 3)))
    copied = channels.copy()
    copied.location[:], copied.rotation[:], copied.scale[:] = 5.0, 5.0, 5.0
    assert not channels.location.any() and not channels.rotation.any() and (channels.scale == 1.0).all()
