# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that are made from poses give these poses."""

from __future__ import annotations

import bpy
import numpy as np

from poise.addon.bridge import versions
from poise.addon.bridge.keyed_poses import channels_for, write_action
from poise.addon.bridge.posing import BonePose, pose_of
from poise.addon.bridge.rig import Rig
from poise.solver import rotations

from .rigs import blender_pose, straight_chain

NAMES = ("a", "b", "c", "d")
FRAMES = range(5, 11)
TIMES = np.array(FRAMES, dtype=np.float64)


def random_pose(rig: Rig) -> BonePose:
    """Every bone turned and moved at random, in armature space."""
    rng = np.random.default_rng(5)
    shape = (len(FRAMES), len(rig))
    axes = rotations.to_matrix(rotations.exp(rng.normal(scale=0.5, size=(*shape, 3)))) @ rig.rest_axes
    return BonePose(axes, rig.rest_heads + rng.normal(scale=0.2, size=(*shape, 3)))


def test_channels_give_the_pose() -> None:
    armature = quaternion_chain()
    rig = Rig.of(armature)
    wanted = random_pose(rig)
    got = pose_of(rig, channels_for(rig, wanted))
    np.testing.assert_allclose(got.axes, wanted.axes, atol=1e-9)
    np.testing.assert_allclose(got.heads, wanted.heads, atol=1e-9)


def test_blender_shows_the_pose_that_was_written() -> None:
    armature = quaternion_chain()
    rig = Rig.of(armature)
    wanted = random_pose(rig)
    action = write_action(armature, rig, channels_for(rig, wanted), TIMES, "Written", 1.0)
    assert armature.animation_data.action is action and tuple(action.frame_range) == (FRAMES[0], FRAMES[-1])
    shown = blender_pose(armature, rig.names, FRAMES)
    np.testing.assert_allclose(shown[..., :3, 3], wanted.heads, atol=1e-5)
    np.testing.assert_allclose(shown[..., :3, :3], wanted.axes, atol=1e-5)


def test_channels_that_stay_at_their_defaults_get_no_curves() -> None:
    armature = quaternion_chain()
    rig = Rig.of(armature)
    rest = BonePose(np.tile(rig.rest_axes, (len(FRAMES), 1, 1, 1)), np.tile(rig.rest_heads, (len(FRAMES), 1, 1)))
    action = write_action(armature, rig, channels_for(rig, rest), TIMES, "Still", 1.0)
    paths = {curve.data_path.rpartition(".")[2] for curve in versions.all_curves_of(action)}
    assert paths == {"rotation_quaternion"}


def quaternion_chain() -> bpy.types.Object:
    armature = straight_chain(NAMES, connected=False)
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return armature
