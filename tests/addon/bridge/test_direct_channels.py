# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels straight from joints are those that are found from bone to bone."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.addon.bridge.direct_channels import DirectChannels, changed_bones
from poise.addon.bridge.edits import edits_for
from poise.addon.bridge.plan import planned_changes

from .rigs import changed, straight_chain, swing

NAMES = ("a", "b", "c", "d")
MODES = ("QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE")


@pytest.fixture
def armature() -> Any:
    armature = straight_chain(NAMES)
    swing(armature, range(1, 25))
    return armature


@pytest.fixture(autouse=True)
def bone_by_bone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Edits are found from bone to bone, to compare with."""
    monkeypatch.setattr("poise.addon.bridge.edits.DirectChannels", NoDirectChannels)


class NoDirectChannels:
    @staticmethod
    def of(reading: bridge.Reading) -> None:
        return None


def compared(armature: Any, moved: list[str]) -> None:
    reading = bridge.read(armature, 1, 24)
    result = changed(reading.clip, np.random.default_rng(2), ["a", "c"], moved)
    direct = DirectChannels.of(reading)
    assert direct is not None
    values = direct.values(result)
    assert values is not None
    plan = planned_changes(reading, edits_for(reading, result, may_leave_parent=False), tolerance=0.0)
    wanted = {(each.bone, each.attribute): each.values for each in plan}
    assert set(wanted) <= set(values)
    for owner, found in values.items():
        bone, attribute = owner
        source = reading.channels.location if attribute == "location" else reading.channels.rotation
        np.testing.assert_allclose(found, wanted.get(owner, source[:, bone, : found.shape[1]]), atol=1e-5)
    assert {reading.rig.names[bone] for bone in changed_bones(values)} == {"a", "c"}


@pytest.mark.parametrize("mode", MODES)
def test_they_agree_in_every_rotation_mode(mode: str) -> None:
    armature = straight_chain(NAMES)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    swing(armature, range(1, 25))
    compared(armature, [])


def test_they_agree_for_a_character_that_is_placed_turned_and_scaled(armature: Any) -> None:
    armature.location, armature.rotation_euler, armature.scale = (1.0, 2.0, 3.0), (0.3, 0.2, 1.0), (2.0, 2.0, 2.0)
    compared(armature, ["a"])


def test_a_root_that_moves_gets_its_location(armature: Any) -> None:
    compared(armature, ["a"])


def test_scaled_bones_and_moving_objects_are_left_to_the_other_way(armature: Any) -> None:
    armature.pose.bones["b"].scale = (1.0, 2.0, 1.0)
    assert DirectChannels.of(bridge.read(armature, 1, 24)) is None
    armature.pose.bones["b"].scale = (1.0, 1.0, 1.0)
    armature.keyframe_insert("location", frame=1)
    assert DirectChannels.of(bridge.read(armature, 1, 24)) is None


def test_bones_that_inherit_no_rotation_are_left_to_the_other_way(armature: Any) -> None:
    armature.data.bones["c"].use_inherit_rotation = False
    assert DirectChannels.of(bridge.read(armature, 1, 24)) is None


def test_a_connected_bone_that_moves_is_left_to_the_other_way(armature: Any) -> None:
    reading = bridge.read(armature, 1, 24)
    assert reading.rig.connected[reading.rig.index["c"]]
    direct = DirectChannels.of(reading)
    assert direct is not None
    assert direct.values(changed(reading.clip, np.random.default_rng(2), [], ["c"])) is None
    bpy.context.view_layer.update()
