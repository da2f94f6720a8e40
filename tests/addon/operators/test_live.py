# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that switches live mode on and off."""

from __future__ import annotations

import bpy

from poise.addon.properties import character_of

from .test_constraints import LEFT, refused, run


def test_it_switches_on_and_off(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT, frame=30)
    assert run("live_toggle") == {"FINISHED"}
    assert character_of(armature).live
    assert armature.animation_data.action.name == "Walker.poise"
    assert run("live_toggle") == {"FINISHED"}
    assert not character_of(armature).live


def test_what_cannot_be_solved_is_refused_with_a_sentence(armature: bpy.types.Object) -> None:
    armature.animation_data.action = None
    assert "has no action" in refused("live_toggle")
    assert not character_of(armature).live
