# SPDX-License-Identifier: GPL-3.0-or-later
"""Events move in time as far as their order allows, and come back as they were."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.properties import character_of, constraint_list
from poise.addon.translation import TranslationError
from poise.addon.workflows import create, events


def plant(armature: bpy.types.Object, begin: float, end: float, foot: str = "LEFT") -> str:
    """A plant whose ball strikes 2 frames after its heel and leaves 4 frames after it; returns its uid."""
    item = constraint_list.new_item(armature, "FOOTPLANT", f"Plant {begin:g}")
    item.foot = foot
    item.heel_strike, item.heel_off, item.toe_strike, item.toe_off = begin, end - 4.0, begin + 2.0, end
    return str(item.uid)


def path(armature: bpy.types.Object, *holds: tuple[float, float]) -> Any:
    """A trajectory from 0 to 100 with points."""
    item = constraint_list.new_item(armature, "SHAPE", "Path")
    item.begin, item.end = 0.0, 100.0
    for begin, end in holds:
        point = item.points.add()
        point.begin, point.end = begin, end
    return item


def of(armature: bpy.types.Object, uid: str) -> Any:
    return next(item for item in character_of(armature).constraints if item.uid == uid)


def test_a_plant_has_the_events_of_what_stands(armature: bpy.types.Object) -> None:
    item = of(armature, plant(armature, 10.0, 30.0))
    assert {event.kind: event.frame for event in events.events(item)} == {
        "HEEL_STRIKE": 10.0,
        "HEEL_OFF": 26.0,
        "BALL_STRIKE": 12.0,
        "BALL_OFF": 30.0,
    }
    item.has_heel = False
    assert [event.kind for event in events.events(item)] == ["BALL_STRIKE", "BALL_OFF"]


def test_a_path_has_its_ends_and_those_of_its_holds(armature: bpy.types.Object) -> None:
    item = path(armature, (20.0, 30.0), (50.0, 50.0))
    assert [(event.label, event.frame) for event in events.events(item)] == [
        ("Begin", 0.0),
        ("End", 100.0),
        ("Point 1 Begin", 20.0),
        ("Point 1 End", 30.0),
        ("Point 2 Begin", 50.0),
    ]


def test_what_is_active_in_all_frames_has_no_events(armature: bpy.types.Object) -> None:
    item = create.add_balance(armature)
    assert list(events.events(item)) == []
    with pytest.raises(TranslationError, match="all frames"):
        events.move(armature, item, "ALL", 5.0)


def test_a_heel_never_leaves_before_it_strikes(armature: bpy.types.Object) -> None:
    item = of(armature, plant(armature, 10.0, 30.0))
    assert events.move(armature, item, "HEEL_OFF", 20.0) == 20.0
    assert (item.heel_off, item.toe_off, item.end) == (20.0, 30.0, 30.0)
    assert events.move(armature, item, "HEEL_OFF", 3.0) == 10.0
    assert events.move(armature, item, "BALL_STRIKE", 99.0) == 30.0
    assert item.heel_strike == item.heel_off == 10.0 and item.begin == 10.0


def test_the_span_of_a_plant_follows_its_events(armature: bpy.types.Object) -> None:
    item = of(armature, plant(armature, 10.0, 30.0))
    events.move(armature, item, "HEEL_STRIKE", 6.0)
    events.move(armature, item, "BALL_OFF", 35.0)
    assert (item.begin, item.end) == (6.0, 35.0)


def test_plants_of_a_foot_do_not_reach_into_each_other(armature: bpy.types.Object) -> None:
    uids = [plant(armature, begin, begin + 20.0) for begin in (0.0, 30.0, 60.0)]
    plant(armature, 22.0, 28.0, "RIGHT")
    item = of(armature, uids[1])
    assert events.bounds(armature, item, "HEEL_STRIKE") == (20.0, 46.0)
    assert events.bounds(armature, item, "BALL_OFF") == (32.0, 60.0)
    assert events.move(armature, item, "ALL", 99.0) == 40.0
    assert (item.heel_strike, item.toe_off, item.begin, item.end) == (40.0, 60.0, 40.0, 60.0)
    of(armature, uids[2]).enabled = False
    assert events.move(armature, item, "ALL", 99.0) == 99.0


def test_an_event_that_is_out_of_order_already_can_be_moved_back(armature: bpy.types.Object) -> None:
    item = of(armature, plant(armature, 10.0, 30.0))
    item.heel_off = 5.0
    assert events.move(armature, item, "HEEL_OFF", 12.0) == 12.0


def test_points_keep_their_order(armature: bpy.types.Object) -> None:
    item = path(armature, (20.0, 30.0), (50.0, 50.0))
    assert events.move(armature, item, "POINT_END", 80.0, 0) == 49.0
    assert events.move(armature, item, "POINT_BEGIN", 60.0, 1) == 60.0
    assert (item.points[1].begin, item.points[1].end) == (60.0, 60.0)
    assert events.move(armature, item, "POINT_BEGIN", 10.0, 1) == 50.0
    assert events.move(armature, item, "POINT", 90.0, 0) == 20.0
    assert events.move(armature, item, "POINT", 5.0, 0) == 5.0
    assert (item.points[0].begin, item.points[0].end) == (5.0, 34.0)


def test_a_path_ends_not_before_its_points(armature: bpy.types.Object) -> None:
    item = path(armature, (20.0, 30.0))
    assert events.move(armature, item, "BEGIN", 50.0) == 20.0
    assert events.move(armature, item, "END", 10.0) == 30.0


def test_a_point_that_is_moved_out_extends_its_constraint(armature: bpy.types.Object) -> None:
    item = path(armature, (20.0, 30.0))
    assert events.move(armature, item, "POINT", -10.0, 0) == -10.0
    assert item.begin < -10.0 and (item.points[0].begin, item.points[0].end) == (-10.0, 0.0)


def test_a_whole_path_slides_with_its_points(armature: bpy.types.Object) -> None:
    item = path(armature, (20.0, 30.0), (50.0, 50.0))
    assert events.move(armature, item, "ALL", 7.5) == 7.5
    assert (item.begin, item.end) == (7.5, 107.5)
    assert [(point.begin, point.end) for point in item.points] == [(27.5, 37.5), (57.5, 57.5)]


@pytest.mark.parametrize("kind", ["ALL", "HEEL_STRIKE", "BALL_OFF"])
def test_a_plant_comes_back_as_it_was(armature: bpy.types.Object, kind: str) -> None:
    item = of(armature, plant(armature, 10.0, 30.0))
    before = events.times_of(item)
    events.move(armature, item, kind, 55.0)
    assert events.times_of(item) != before
    events.set_times(item, before)
    assert events.times_of(item) == before


@pytest.mark.parametrize(("kind", "point"), [("ALL", -1), ("POINT", 0), ("POINT_END", 1), ("END", -1)])
def test_a_path_comes_back_as_it_was(armature: bpy.types.Object, kind: str, point: int) -> None:
    item = path(armature, (20.0, 30.0), (50.0, 60.0))
    before = events.times_of(item)
    events.move(armature, item, kind, -200.0 if kind == "POINT" else 200.0, point)
    assert events.times_of(item) != before
    events.set_times(item, before)
    assert events.times_of(item) == before


def test_what_is_no_event_is_refused(armature: bpy.types.Object) -> None:
    item = path(armature, (20.0, 30.0))
    with pytest.raises(TranslationError, match="no event 'Heel Strike'"):
        events.move(armature, item, "HEEL_STRIKE", 1.0)
    with pytest.raises(TranslationError, match="no point number 3"):
        events.move(armature, item, "POINT", 1.0, 2)
