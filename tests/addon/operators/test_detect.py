# SPDX-License-Identifier: GPL-3.0-or-later
"""Proposals from footplants and from examples, accepted and rejected."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows import detect

from ..walking import select_bones
from .test_constraints import items, refused, run, set_preview
from .untouched import state

FOOT = "l_talocrural"


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


# Examples -----------------------------------------------------------------------------------------------------------


def stance(armature: bpy.types.Object) -> tuple[int, int]:
    """Frames in which the left foot stands flat."""
    return _events(armature)[:2]


def rolling(armature: bpy.types.Object) -> tuple[int, int]:
    """Frames in which it rolls over its ball."""
    return _events(armature)[1:]


def _events(armature: bpy.types.Object) -> tuple[int, int, int]:
    run("detect_footplants")
    plant = next(item for item in found(armature) if item.foot == "LEFT")
    events = int(plant.toe_strike), int(plant.heel_off), int(plant.toe_off)
    run("found_reject_all")
    return events


@pytest.mark.parametrize("kind", ["SPACE", "LINE", "POINT"])
def test_what_is_like_the_example_is_proposed_and_holds_already(kind: str, armature: bpy.types.Object) -> None:
    set_preview(*(stance if kind == "SPACE" else rolling)(armature))
    select_bones(armature, FOOT)
    run("detect_template", kind=kind)
    proposals = found(armature)
    assert proposals
    parts = {"SPACE": {"SHAPE", "ORIENTATION"}, "LINE": {"SHAPE", "LOOK_AT"}, "POINT": {"SHAPE"}}
    assert {item.kind for item in proposals} == parts[kind]
    assert {item.bone for item in proposals} == {FOOT}
    first, last = bpy.context.scene.frame_preview_start, bpy.context.scene.frame_preview_end
    assert any(item.begin <= first and item.end >= last for item in proposals), "the example itself is found"
    run("found_accept_all")
    run("solve")
    assert not any(residual.misses for residual in character_of(armature).residuals)


def test_the_kind_is_the_panels_unless_it_is_given(armature: bpy.types.Object) -> None:
    begin, end = rolling(armature)
    character_of(armature).template_kind = "POINT"
    run("detect_template", bone=FOOT, begin=begin, end=end)
    assert {item.kind for item in found(armature)} == {"SHAPE"}


def test_proposals_for_one_bone_leave_those_for_others(armature: bpy.types.Object) -> None:
    begin, end = rolling(armature)
    run("detect_template", bone=FOOT, kind="POINT", begin=begin, end=end)
    count = len(found(armature))
    run("detect_footplants")
    assert len([item for item in found(armature) if item.kind == "SHAPE"]) == count
    run("detect_template", bone=FOOT, kind="POINT", begin=begin, end=end)
    assert len([item for item in found(armature) if item.kind == "SHAPE"]) == count


def test_what_is_no_example_is_reported_in_a_sentence(armature: bpy.types.Object) -> None:
    before = state()
    assert "preview range" in refused("detect_template", bone=FOOT)
    assert "from frame 10 to 11 is too short" in refused("detect_template", bone=FOOT, begin=10, end=11)
    assert "does not lie within" in refused("detect_template", bone=FOOT, begin=10, end=100_000)
    assert "no bone 'Missing'" in refused("detect_template", bone="Missing", begin=10, end=20)
    assert state() == before
    select_bones(armature)
    assert "No bone is chosen" in refused("detect_template", begin=10, end=20)


def test_a_line_is_held_by_the_axis_that_points_along_it(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    begin, end = rolling(armature)
    template = solver.Template(reading.frame_of(begin), reading.frame_of(end), "line")
    seen = solver.detect(reading.clip, FOOT, [template])
    assert seen
    for each in seen:
        *_, held = detect.as_constraints(reading.clip, FOOT, each, reading)
        assert isinstance(held, solver.DirectionConstraint)
        deformed = solver.deform(reading.clip, [held])
        assert deformed.report.residual(held).worst < 0.1, "radians: the bone turns about the line, not away from it"
