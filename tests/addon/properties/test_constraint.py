# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of constraints that depend on each other."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.properties import character_of, ease_frames
from poise.addon.properties.copying import copy_properties

from ..property_values import property_values


def test_a_footplant_lasts_from_its_first_event_to_its_last(armature: bpy.types.Object) -> None:
    item = character_of(armature).constraints.add()
    item.kind = "FOOTPLANT"
    item.heel_strike, item.toe_strike, item.heel_off, item.toe_off = 10.0, 12.0, 20.0, 25.0
    assert (item.begin, item.end) == (10.0, 25.0)
    item.has_heel = False
    assert (item.begin, item.end) == (12.0, 25.0)
    item.toe_off = 30.0
    assert (item.begin, item.end) == (12.0, 30.0)


def test_a_stay_that_is_moved_out_takes_its_constraint_along(armature: bpy.types.Object) -> None:
    ease = ease_frames(bpy.context.scene)
    for _ in range(2):
        item = character_of(armature).constraints.add()
        item.begin, item.end = 10.0, 30.0
    point = item.points.add()
    point.begin = point.end = 20.0
    assert (item.begin, item.end) == (10.0, 30.0)
    point.end = 40.0
    assert (item.begin, item.end) == (10.0, 40.0 + ease)
    point.begin = 5.0
    assert (item.begin, item.end) == (5.0 - ease, 40.0 + ease)
    other = character_of(armature).constraints[0]
    assert (other.begin, other.end) == (10.0, 30.0)


@pytest.mark.parametrize("seconds", [24, 30, 120])
def test_the_usual_ease_is_a_quarter_of_a_second(seconds: int) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 2 * seconds, 2.0
    assert abs(ease_frames(scene) - 0.25 * seconds) <= 0.5


def test_a_copy_says_the_same(armature: bpy.types.Object) -> None:
    items = character_of(armature).constraints
    first = items.add()
    first.kind, first.axes = "FOOTPLANT", {"Z"}
    first.heel_strike, first.toe_strike, first.heel_off, first.toe_off = 10.0, 12.0, 20.0, 25.0
    first.bone, first.reference_object, first.offset = "l_wrist", armature, (1.0, 2.0, 3.0)
    first.points.add().tension = 0.5
    first.recruited.add().bone = "r_wrist"
    items.add()
    first, second = items
    second.points.add()
    copy_properties(first, second)
    assert property_values(first) == property_values(second)
