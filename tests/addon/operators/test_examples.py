# SPDX-License-Identifier: GPL-3.0-or-later
"""Proposals from examples, and without: rests, turns and slides of bones and objects."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows.detected_constraints import as_constraints
from poise.addon.workflows.subjects import Subject
from poise.examples.detection.bodies import door

from ..bodies import moving_box
from ..bridge.test_selected_keys import choose
from ..walking import select_bones
from .test_constraints import refused, run, set_preview
from .untouched import state

FOOT = "l_talocrural"


def found(armature: bpy.types.Object) -> list[Any]:
    return list(character_of(armature).found)


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
        *_, held = as_constraints(reading.clip, Subject(bone=FOOT), each, reading)
        assert isinstance(held, solver.DirectionConstraint)
        deformed = solver.deform(reading.clip, [held])
        assert deformed.report.residual(held).worst < 0.1, "radians: the bone turns about the line, not away from it"


def templates(armature: bpy.types.Object) -> list[Any]:
    return list(character_of(armature).detection.templates)


def test_an_example_is_the_preview_range_or_the_selected_keys(armature: bpy.types.Object) -> None:
    select_bones(armature, FOOT, "l_wrist")
    assert "select its keys" in refused("template_add")
    assert not templates(armature)
    set_preview(10, 20)
    run("template_add")
    assert [(each.bone, each.begin, each.end) for each in templates(armature)] == [(FOOT, 10, 20), ("l_wrist", 10, 20)]
    choose(armature, 30, 36, FOOT)
    select_bones(armature, FOOT)
    run("template_add", source="KEYS")
    assert (templates(armature)[2].begin, templates(armature)[2].end) == (30, 36)
    bpy.context.scene.use_preview_range = False
    run("template_add")
    assert len(templates(armature)) == 3, "the same keys again"


def test_examples_are_shown_and_removed(armature: bpy.types.Object) -> None:
    assert not bpy.ops.poise.template_remove.poll() and not bpy.ops.poise.template_show.poll()
    run("template_add", bone=FOOT, begin=10, end=20)
    run("template_add", bone="l_wrist", begin=5, end=12)
    select_bones(armature, "skullbase")
    run("template_show", index=0)
    assert bpy.context.scene.frame_current == 10
    assert [bone.name for bone in armature.pose.bones if bridge.is_selected(bone)] == [FOOT]
    assert "There is no example 7" in refused("template_remove", index=7)
    run("template_remove")
    assert [each.bone for each in templates(armature)] == [FOOT]


def test_all_examples_that_are_switched_on_are_used(armature: bpy.types.Object) -> None:
    (first, last), (begin, end) = stance(armature), rolling(armature)
    run("template_add", bone=FOOT, kind="SPACE", begin=first, end=last)
    run("detect_template")
    alone = len(found(armature))
    run("detect_template", bone=FOOT, kind="LINE", begin=begin, end=end)
    assert [each.kind for each in templates(armature)] == ["SPACE", "LINE"], "the second is added to the first"
    kinds = {item.detected.kind for item in found(armature)}
    assert kinds == {"SPACE", "LINE"} and len(found(armature)) > alone
    templates(armature)[0].enabled = False
    run("detect_template")
    assert {item.detected.kind for item in found(armature)} == {"LINE"}
    assert len(templates(armature)) == 2, "examples are only added where they are given"


def test_footplants_and_examples_of_the_same_foot_stay_beside_each_other(armature: bpy.types.Object) -> None:
    begin, end = rolling(armature)
    run("detect_footplants")
    plants = len(found(armature))
    run("detect_template", bone=FOOT, kind="POINT", begin=begin, end=end)
    assert sum(item.kind == "FOOTPLANT" for item in found(armature)) == plants
    assert sum(item.detected.kind == "POINT" for item in found(armature)) > 0


def test_slides_and_stays_of_the_selected_bones_are_found(armature: bpy.types.Object) -> None:
    select_bones(armature, FOOT)
    run("detect_stays")
    assert {item.detected.kind for item in found(armature)} == {"POINT"}
    count = len(found(armature))
    run("detect_slides")
    assert len(found(armature)) == count, "feet of a walk do not slide"
    select_bones(armature)
    run("detect_slides")
    assert len(found(armature)) == count, "nor do hands, which are searched where nothing is selected"


def test_an_object_is_searched_shown_and_held(armature: bpy.types.Object) -> None:
    detection = character_of(armature).detection
    assert "No object is chosen" in refused("detect_object") and not bpy.ops.poise.event_hold.poll()
    detection.object = moving_box("Door", door().body)
    run("detect_object")
    assert {event.object.name for event in detection.events} == {"Door"}
    run("event_show", index=1)
    assert bpy.context.scene.frame_current == detection.events[1].begin
    select_bones(armature, "r_wrist")
    run("event_hold", index=1)
    (pin,) = character_of(armature).constraints
    assert pin.bone == "r_wrist" and pin.reference_object.name == "Door"
    assert "There is no entry 99" in refused("event_hold", index=99)
    run("template_add_object", kind="SPACE", begin=26, end=38)
    assert templates(armature)[0].object.name == "Door"
    run("events_clear")
    assert not len(detection.events)
