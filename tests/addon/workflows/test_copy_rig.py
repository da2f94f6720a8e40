# SPDX-License-Identifier: GPL-3.0-or-later
"""A bakeable copy has the settings of the character, but no constraints or results."""

from __future__ import annotations

import bpy
import pytest

from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows import create, landmarks
from poise.addon.workflows.copy_rig import make_bakeable_copy


def test_a_copy_has_the_settings_without_constraints_and_results(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["r_wrist"], 20.0)
    landmarks.set_landmark(armature, "left_wrist", ["l_wrist"], (0.0, 0.0, 0.0))
    character = character_of(armature)
    character.mass, character.last_solve, character.has_metrics = 55.0, "Solved.", True
    armature.pose.bones["l_wrist"].constraints.new("COPY_ROTATION").target = armature
    armature.pose.bones["l_wrist"].constraints[0].subtarget = "vt6"
    copy = make_bakeable_copy(armature)
    copied = character_of(copy)
    assert (copied.mass, copied.last_solve, copied.has_metrics, copied.collection) == (55.0, "", False, None)
    assert not len(copied.constraints) and [mark.bone for mark in copied.landmarks] == ["l_wrist"]
    assert len(character.constraints) == 1 and armature.hide_get() and not bridge.has_movers(copy)
    assert bpy.context.view_layer.objects.active == copy


def test_an_armature_that_can_be_baked_is_not_copied(armature: bpy.types.Object) -> None:
    with pytest.raises(bridge.BridgeError, match="keys alone"):
        make_bakeable_copy(armature)
