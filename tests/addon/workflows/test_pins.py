# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins and walls of the posture tool."""

from __future__ import annotations

import bpy
import pytest

from poise.addon import bridge
from poise.addon.properties import follow_renames
from poise.addon.workflows import pins


def test_bones_are_pinned_and_unpinned(armature: bpy.types.Object) -> None:
    pins.pin(armature, ["l_talocrural", "r_talocrural"], "BOTH")
    pins.pin(armature, ["l_talocrural"], "PLACE")
    assert pins.pinned_bones(armature) == {"l_talocrural": "PLACE", "r_talocrural": "BOTH"}
    assert pins.unpin(armature, ["r_talocrural", "l_wrist"]) == 1
    assert list(pins.pinned_bones(armature)) == ["l_talocrural"]
    assert pins.unpin(armature) == 1 and pins.pinned_bones(armature) == {}


def test_a_pin_follows_its_bone_when_that_is_renamed(armature: bpy.types.Object) -> None:
    pins.pin(armature, ["l_wrist"], "ROTATION")
    armature.data.bones["l_wrist"].name = "Hand"
    assert pins.pinned_bones(armature) == {"Hand": "ROTATION"}
    follow_renames(armature)
    assert armature.poise.posture.pins[0].bone == "Hand"


def test_what_cannot_be_pinned_is_said(armature: bpy.types.Object) -> None:
    with pytest.raises(bridge.BridgeError, match="No bone is selected"):
        pins.pin(armature, [], "BOTH")
    with pytest.raises(bridge.BridgeError, match="has no bone 'tail'"):
        pins.pin(armature, ["l_wrist", "tail"], "BOTH")
    assert pins.pinned_bones(armature) == {}


def test_a_wall_is_added_once_and_is_not_the_armature(armature: bpy.types.Object) -> None:
    wall = bpy.data.objects.new("Wall", None)
    for _ in range(2):
        pins.add_wall(armature, wall)
    assert [each.object for each in armature.poise.posture.walls] == [wall]
    with pytest.raises(bridge.BridgeError, match="cannot be a wall of its own"):
        pins.add_wall(armature, armature)
