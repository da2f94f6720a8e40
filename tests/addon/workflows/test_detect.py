# SPDX-License-Identifier: GPL-3.0-or-later
"""Proposals replace former ones, are accepted in any number, and failures are explained."""

from __future__ import annotations

import bpy

from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows import detect


def test_footplants_are_proposed_and_replace_former_ones(armature: bpy.types.Object) -> None:
    first = detect.find_footplants(armature)
    again = detect.find_footplants(armature)
    found = character_of(armature).found
    assert first.count == again.count == len(found) > 2 and first.ground == ""
    assert {item.kind for item in found} == {"FOOTPLANT"} and {item.priority for item in found} == {3}


def test_enabled_proposals_are_accepted_and_others_stay(armature: bpy.types.Object) -> None:
    count = detect.find_footplants(armature).count
    character = character_of(armature)
    character.found[1].enabled = False
    left = character.found[1].name
    assert detect.accept_all(armature) == count - 1 == len(character.constraints)
    assert [item.name for item in character.found] == [left]
    assert detect.accept(armature, 0).name == left and not len(character.found)


def test_a_search_without_frames_or_landmarks_says_why(armature: bpy.types.Object) -> None:
    reading = bridge.read(armature, 5, 6)
    assert "so few frames" in detect.why_no_foot_stands(reading.clip, reading)
    longer = bridge.read(armature)
    assert "check the landmarks" in detect.why_no_foot_stands(longer.clip, longer)
