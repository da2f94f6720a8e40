# SPDX-License-Identifier: GPL-3.0-or-later
"""A drag in the timeline follows the mouse; tests/gui drags with a real mouse, since gizmos need a window."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.gizmos import classes
from poise.addon.gizmos.bars import MOST_EVENTS, PRECISION, Drag
from poise.addon.workflows import create, events


def drag_of(armature: bpy.types.Object) -> Drag:
    item = create.add_footplant(armature, "left", 30.0, 50.0)
    event = next(events.events(item))
    return Drag(armature.name, item.uid, event, events.times_of(item), event.frame, 100.0, True, False)


def test_a_drag_follows_the_mouse_frame_by_frame(armature: bpy.types.Object) -> None:
    drag = drag_of(armature)
    drag.follow(112.0, 4.0, False)
    assert drag.way == 3.0
    drag.follow(104.0, 4.0, False)
    assert drag.way == 1.0


def test_shift_slows_only_the_way_that_it_is_held_for(armature: bpy.types.Object) -> None:
    drag = drag_of(armature)
    drag.follow(140.0, 4.0, False)
    drag.follow(180.0, 4.0, True)
    assert drag.way == pytest.approx(10.0 + 10.0 * PRECISION)


def test_a_click_is_no_drag(armature: bpy.types.Object) -> None:
    drag = drag_of(armature)
    drag.frame = 30.4
    drag.follow(102.0, 4.0, False)
    assert not drag.has_moved, "an event between frames stays there"
    drag.follow(104.0, 4.0, False)
    assert drag.has_moved
    drag.follow(100.0, 4.0, False)
    assert drag.has_moved and drag.way == 0.0


def test_a_drag_goes_to_whole_frames_unless_it_is_free(armature: bpy.types.Object) -> None:
    drag = drag_of(armature)
    drag.follow(105.0, 4.0, False)
    assert drag.goal(is_free=False) == 31.0 and drag.goal(is_free=True) == 31.25


def test_numbers_of_parts_never_meet(armature: bpy.types.Object) -> None:
    (item,) = create.add_trajectories(armature, ["l_wrist"], 1.0, 50.0, 20)
    assert len(list(events.events(item))) < MOST_EVENTS


def test_gizmos_are_registered() -> None:
    assert {found.__name__ for found in classes} >= {"POISE_GT_bars", "POISE_GGT_bars"}
