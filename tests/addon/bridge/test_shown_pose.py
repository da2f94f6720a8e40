# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose that is written to the bones and restored."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from poise.addon import bridge
from poise.addon.bridge.edits import edits_for
from poise.addon.bridge.shown_pose import ShownPose, direct_channels
from poise.solver import Motion, rotations

from .rigs import MODES, random_armature


def values(armature: bpy.types.Object) -> NDArray[np.float32]:
    rows = [
        [*bone.location, *bone.rotation_quaternion, *bone.rotation_euler, *bone.rotation_axis_angle, *bone.scale]
        for bone in armature.pose.bones
    ]
    return np.array(rows, dtype=np.float32)


@pytest.mark.parametrize("mode", MODES)
def test_a_written_pose_is_that_of_the_clip_and_is_restored_to_the_bit(mode: str) -> None:
    rng = np.random.default_rng(3)
    armature = random_armature(rng, varied=False)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
        bone.location, bone.rotation_euler = rng.normal(0.0, 0.1, 3), rng.normal(0.0, 0.4, 3)
    reading = bridge.read_shown(armature)
    before, start = values(armature), ShownPose(armature, reading.rig)
    turned = reading.clip.motion.rotations.copy()
    turned[:, 4] = rotations.multiply(turned[:, 4], rotations.from_axis_angle(np.array([1.0, 0.2, 0.0]), 0.5))
    clip = reading.clip.with_motion(Motion(turned, reading.clip.motion.translations))
    start.write(edits_for(reading, clip, may_leave_parent=False))
    bpy.context.view_layer.update()
    for joint, name in enumerate(clip.skeleton.names):
        shown = armature.matrix_world @ armature.pose.bones[name].head
        assert np.allclose(shown, clip.position(joint)[0], atol=1e-5)
    own = clip.skeleton.names[4]
    assert list(start.changed()) == [own] and len(start.changed()[own]) == 1
    others = [index for index, bone in enumerate(armature.pose.bones) if bone.name != own]
    assert np.array_equal(values(armature)[others], before[others])
    start.restore()
    assert np.array_equal(values(armature), before) and start.changed() == {}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("varied", [False, True])
def test_the_direct_way_writes_the_same_where_it_can(seed: int, varied: bool) -> None:
    """Also on rigs whose bones inherit in every way, of which it must leave out what it cannot."""
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, varied=varied)
    armature.rotation_euler, armature.scale = (0.3, 0.2, 0.5), (2.0, 2.0, 2.0)
    for bone in armature.pose.bones:
        bone.rotation_mode = str(rng.choice(MODES))
        bone.rotation_euler, bone.rotation_quaternion = rng.normal(0.0, 0.4, 3), rotations.random(rng)
    reading = bridge.read_shown(armature)
    direct, start = direct_channels(reading), ShownPose(armature, reading.rig)
    if direct is None:
        assert varied
        return
    motion = reading.clip.motion
    turned = rotations.multiply(motion.rotations, rotations.exp(rng.normal(0.0, 0.3, (1, len(reading.joints), 3))))
    clip = reading.clip.with_motion(Motion(turned, motion.translations))
    values = direct.values(clip)
    assert values is not None
    start.write_direct(values)
    bpy.context.view_layer.update()
    for joint, name in enumerate(clip.skeleton.names):
        shown = armature.matrix_world @ armature.pose.bones[name].head
        assert np.allclose(shown, clip.position(joint)[0], atol=2e-5)


def test_an_armature_that_was_deleted_is_said() -> None:
    armature = random_armature(np.random.default_rng(0))
    start = ShownPose(armature, bridge.read_shown(armature).rig)
    bpy.data.objects.remove(armature)
    with pytest.raises(bridge.BridgeError, match="has been deleted"):
        start.restore()
