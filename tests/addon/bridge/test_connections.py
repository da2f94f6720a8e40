# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones are disconnected and connected again without anybody noticing."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge import connections, versions

from .rigs import blender_pose, straight_chain, swing

NAMES = ("a", "b", "c")


def connected(armature: bpy.types.Object) -> list[bool]:
    return [bone.use_connect for bone in armature.data.bones]


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_the_pose_stays_and_so_does_all_else(mode: str) -> None:
    other, armature = straight_chain(["x"]), straight_chain(NAMES)
    swing(armature, range(1, 10))
    other.select_set(True)
    versions.select(armature.pose.bones["b"], True)
    bpy.ops.object.mode_set(mode=mode)
    before = blender_pose(armature, NAMES, range(1, 10))
    connections.disconnect(armature, ["b", "gone"])
    assert connected(armature) == [False, False, True]
    np.testing.assert_allclose(blender_pose(armature, NAMES, range(1, 10)), before, atol=1e-6)
    connections.connect(armature, ["b"])
    assert connected(armature) == [False, True, True]
    np.testing.assert_allclose(blender_pose(armature, NAMES, range(1, 10)), before, atol=1e-6)
    assert armature.mode == mode and other.select_get() and versions.is_selected(armature.pose.bones["b"])


def test_an_armature_that_is_hidden_and_not_active() -> None:
    armature, other = straight_chain(NAMES), straight_chain(["x"])
    armature.hide_set(True)
    connections.disconnect(armature, ["c"])
    assert connected(armature) == [False, True, False]
    assert armature.hide_get() and bpy.context.view_layer.objects.active is other


def test_another_object_in_a_mode_of_its_own_is_told() -> None:
    armature, other = straight_chain(NAMES), straight_chain(["x"])
    bpy.ops.object.mode_set(mode="POSE")
    with pytest.raises(bridge.BridgeError, match=r"Leave pose mode of 'Chain\.001' first"):
        connections.disconnect(armature, ["c"])
    assert other.mode == "POSE" and connected(armature) == [False, True, True]


def test_nothing_to_do_is_nothing_done() -> None:
    armature = straight_chain(NAMES)
    bpy.context.view_layer.objects.active = None
    connections.disconnect(armature, [])
    assert connected(armature) == [False, True, True]
