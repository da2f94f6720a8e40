# SPDX-License-Identifier: GPL-3.0-or-later
"""Proposals of footplants, accepted and rejected."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.properties import character_of

from .test_constraints import items, refused, run, set_preview
from .untouched import state


def found(armature: bpy.types.Object) -> list[Any]:
    return list(character_of(armature).found)


def test_footplants_of_the_whole_motion_are_proposed_in_the_scenes_frames(
    armature: bpy.types.Object, reading: bridge.Reading
) -> None:
    set_preview(10, 12)  # an example for something else must not hide the rest of the motion
    assert run("detect_footplants") == {"FINISHED"}
    expected = solver.detect_footplants(reading.clip)
    assert len(found(armature)) == len(expected) > 0
    for item, plant in zip(found(armature), expected, strict=True):
        assert item.foot == plant.foot.upper()
        assert item.confidence == pytest.approx(plant.confidence)
        assert item.heel_strike == reading.times[plant.heel_strike]
        assert item.toe_off == reading.times[plant.toe_off]
    assert not items(armature), "nothing is a constraint before it is accepted"
    assert not [held for held in bpy.data.objects if held.type == "EMPTY"]


def test_detecting_again_replaces_the_former_proposals(armature: bpy.types.Object) -> None:
    run("detect_footplants")
    count = len(found(armature))
    run("detect_footplants")
    assert len(found(armature)) == count


def test_only_what_is_sure_enough_is_proposed(armature: bpy.types.Object) -> None:
    character_of(armature).least_confidence = 0.5
    run("detect_footplants")
    assert all(item.confidence >= 0.5 for item in found(armature))
    before = state()
    run("detect_footplants", least_confidence=0.5)
    assert [item.name for item in found(armature)] == [
        item["name"] for item in before["objects"]["Walker"][-1]["found"]
    ]


def test_a_proposal_is_accepted_with_its_empty_and_another_is_dropped(armature: bpy.types.Object) -> None:
    run("detect_footplants")
    names = [item.name for item in found(armature)]
    run("found_accept", index=1)
    assert [item.name for item in items(armature)] == [names[1]]
    assert items(armature)[0].points[0].object is not None
    run("found_reject", index=0)
    assert [item.name for item in found(armature)] == names[2:]
    character_of(armature).active_found = 1
    run("found_accept")
    assert [item.name for item in items(armature)] == [names[1], names[3]]


def test_all_are_accepted_or_dropped_at_once(armature: bpy.types.Object) -> None:
    run("detect_footplants")
    count = len(found(armature))
    found(armature)[0].enabled = False
    run("found_accept_all")
    assert len(items(armature)) == count - 1
    assert len(found(armature)) == 1
    assert "Every proposal is switched off" in refused("found_accept_all")
    assert len(items(armature)) == count - 1
    run("found_reject_all")
    assert not found(armature)
    assert not bpy.ops.poise.found_accept.poll()
    assert not bpy.ops.poise.found_reject_all.poll()


def test_a_proposal_that_is_not_there_is_reported(armature: bpy.types.Object) -> None:
    run("detect_footplants")
    before = state()
    assert "There is no proposal 99" in refused("found_accept", index=99)
    assert state() == before
