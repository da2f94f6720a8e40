# SPDX-License-Identifier: GPL-3.0-or-later
"""Markers of events come and go, and the animator's own stay."""

from __future__ import annotations

import bpy

from poise.addon.properties import character_of
from poise.addon.workflows import create, events, markers


def names() -> list[tuple[str, int]]:
    return sorted((marker.name, marker.frame) for marker in bpy.context.scene.timeline_markers)


def test_each_event_has_a_marker(armature: bpy.types.Object) -> None:
    create.add_footplant(armature, "left", 30.0, 50.0)
    create.add_pins(armature, ["l_wrist"], 20.0)
    assert markers.update(armature) == 7
    assert ("L heel strike", 30) in names() and ("L ball off", 50) in names()
    assert ("l_wrist point 1 begin", 20) in names()
    assert markers.remove(armature) == 7
    assert names() == []


def test_markers_of_hands_say_so(armature: bpy.types.Object) -> None:
    create.add_handplant(armature, "right", 10.0, 30.0)
    markers.update(armature)
    assert names() == [("R hand begin", 10), ("R hand end", 30)]


def test_markers_follow_their_events_where_there_are_some(armature: bpy.types.Object) -> None:
    item = create.add_footplant(armature, "left", 30.0, 50.0)
    markers.refresh(armature)
    assert names() == []
    markers.update(armature)
    events.move(armature, item, "HEEL_OFF", 44.0)
    markers.refresh(armature)
    assert ("L heel off", 44) in names() and len(names()) == 4


def test_markers_of_the_animator_stay(armature: bpy.types.Object) -> None:
    scene = bpy.context.scene
    scene.timeline_markers.new("mine", frame=30)
    create.add_footplant(armature, "left", 30.0, 50.0)
    markers.update(armature)
    moved, renamed = scene.timeline_markers["L heel strike"], scene.timeline_markers["L ball off"]
    moved.frame, renamed.name = 33, "contact ends"
    markers.update(armature)
    assert {("mine", 30), ("L heel strike", 33), ("contact ends", 50)} <= set(names())
    markers.remove(armature)
    assert names() == [("L heel strike", 33), ("contact ends", 50), ("mine", 30)]


def test_constraints_that_are_off_have_none(armature: bpy.types.Object) -> None:
    create.add_footplant(armature, "left", 30.0, 50.0)
    character_of(armature).constraints[0].enabled = False
    assert markers.update(armature) == 0
