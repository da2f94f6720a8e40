# SPDX-License-Identifier: GPL-3.0-or-later
"""Events are moved by an operator, as by bars in the timeline."""

from __future__ import annotations

import bpy

from .test_constraints import items, refused, run


def test_an_event_of_the_active_constraint_is_moved(armature: bpy.types.Object) -> None:
    run("constraint_add_footplant", foot="LEFT", begin=10, end=30)
    run("event_move", event="HEEL_OFF", frame=22)
    (item,) = items(armature)
    assert (item.heel_off, item.toe_off) == (22.0, 30.0)
    bpy.context.scene.frame_set(25)
    run("event_move", event="BALL_OFF")
    assert item.toe_off == 25.0


def test_a_constraint_is_given_by_its_uid(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist", frame=20)
    run("constraint_add_pin", bone="r_wrist", frame=20)
    first, second = items(armature)
    run("event_move", uid=first.uid, event="POINT", point=0, frame=35)
    assert (first.points[0].begin, second.points[0].begin) == (35.0, 20.0)
    run("event_move", uid=first.uid, frame=first.begin + 5)
    assert first.points[0].begin == 40.0
    assert "no such constraint any more" in refused("event_move", uid="gone", frame=1)


def test_what_cannot_be_is_refused(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist", frame=20)
    assert "no event 'Heel Strike'" in refused("event_move", event="HEEL_STRIKE", frame=3)
    assert "no point number 2" in refused("event_move", event="POINT", point=1, frame=3)


def test_markers_are_put_on_events_and_removed(armature: bpy.types.Object) -> None:
    run("constraint_add_footplant", foot="LEFT", begin=10, end=30)
    run("markers_update")
    assert len(bpy.context.scene.timeline_markers) == 4
    run("event_move", event="HEEL_OFF", frame=22)
    assert 22 in [marker.frame for marker in bpy.context.scene.timeline_markers]
    run("markers_remove")
    assert len(bpy.context.scene.timeline_markers) == 0
