# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones are disconnected and connected again without any other change."""

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


def test_a_bone_can_be_connected_where_it_begins_at_the_end_of_its_parent() -> None:
    armature = straight_chain(NAMES)
    assert not any(connections.can_connect(armature, name) for name in (*NAMES, "gone"))
    connections.disconnect(armature, ["b", "c"])
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["c"].head.x += 0.1
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [connections.can_connect(armature, name) for name in NAMES] == [False, True, False]


def test_an_armature_that_is_hidden_and_not_active() -> None:
    armature, other = straight_chain(NAMES), straight_chain(["x"])
    armature.hide_set(True)
    connections.disconnect(armature, ["c"])
    assert connected(armature) == [False, True, False]
    assert armature.hide_get() and bpy.context.view_layer.objects.active is other


def test_another_object_in_a_mode_of_its_own_is_reported() -> None:
    armature, other = straight_chain(NAMES), straight_chain(["x"])
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(bridge.BridgeError, match=r"Leave edit mode of 'Chain\.001' first"):
        connections.disconnect(armature, ["c"])
    assert other.mode == "EDIT" and connected(armature) == [False, True, True]


@pytest.mark.parametrize("active", [0, 1, 2])
@pytest.mark.parametrize("posing", [(0, 1), (0, 1, 2), (1, 2), (1,)])
@pytest.mark.parametrize("selected_later", [(), (0,), (0, 1, 2, 3)])
def test_several_armatures_in_pose_mode_stay_there(
    posing: tuple[int, ...], active: int, selected_later: tuple[int, ...]
) -> None:
    """Whichever of them is the one whose bones are disconnected, and whichever is active, if one in pose mode is."""
    objects = [straight_chain(NAMES) for _ in range(4)]
    armature = objects[0]
    active = active if active in posing else posing[-1]
    for index, found in enumerate(objects):
        swing(found, range(1, 6))
        found.select_set(index in posing)
        versions.select(found.pose.bones["b"], index % 2 == 0)
        found.data.bones.active = found.data.bones["c"]
    bpy.context.view_layer.objects.active = objects[active]
    bpy.ops.object.mode_set(mode="POSE")
    for index, found in enumerate(objects):
        found.select_set(index in selected_later)
    before = [blender_pose(found, NAMES, range(1, 6)) for found in objects]
    for change, expected in ((connections.disconnect, False), (connections.connect, True)):
        change(armature, ["c"])
        assert connected(armature) == [False, True, expected]
        assert [found.mode for found in objects] == ["POSE" if index in posing else "OBJECT" for index in range(4)]
        assert tuple(index for index, found in enumerate(objects) if found.select_get()) == selected_later
        assert bpy.context.view_layer.objects.active is objects[active]
        assert [versions.is_selected(found.pose.bones["b"]) for found in objects] == [True, False, True, False]
        assert {found.data.bones.active.name for found in objects} == {"c"}
        for found, poses in zip(objects, before, strict=True):
            np.testing.assert_allclose(blender_pose(found, NAMES, range(1, 6)), poses, atol=1e-6)


def test_two_objects_that_share_their_bones() -> None:
    """In pose mode together: the bones of one are those of the other."""
    armature = straight_chain(NAMES)
    twin = armature.copy()
    bpy.context.scene.collection.objects.link(twin)
    for found in (armature, twin):
        found.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    modes = armature.mode, twin.mode
    connections.disconnect(armature, ["c"])
    assert connected(twin) == [False, True, False]
    assert (armature.mode, twin.mode) == modes


def test_nothing_to_do_is_nothing_done() -> None:
    armature = straight_chain(NAMES)
    bpy.context.view_layer.objects.active = None
    connections.disconnect(armature, [])
    assert connected(armature) == [False, True, True]
