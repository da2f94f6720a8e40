# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of selected keys, of some bones or of an object."""

from __future__ import annotations

from typing import Any

import bpy

from poise.addon import bridge
from poise.addon.bridge import versions
from poise.examples.detection.bodies import door

from ..bodies import box, moving_box
from ..characters import armature, registered

__all__ = ["armature", "registered"]


def choose(animated: Any, first: float, last: float, named: str = "") -> None:
    """Select the keys of these frames, and no others."""
    data = animated.animation_data
    for curve in versions.curves_of(data.action, versions.slot_of(data)):
        for key in curve.keyframe_points:
            key.select_control_point = named in curve.data_path and first <= key.co[0] <= last


def test_the_frames_of_selected_keys_of_bones(armature: bpy.types.Object) -> None:
    choose(armature, 12, 20, "l_wrist")
    assert bridge.selected_frames(armature, ["l_wrist"]) == (12, 20)
    assert bridge.selected_frames(armature) == (12, 20)
    assert bridge.selected_frames(armature, ["r_wrist"]) is None


def test_all_keys_or_none_are_no_selection(armature: bpy.types.Object) -> None:
    choose(armature, 1, 1000)
    assert bridge.selected_frames(armature, ["l_wrist"]) is None
    choose(armature, 1, 0)
    assert bridge.selected_frames(armature, ["l_wrist"]) is None
    assert bridge.selected_frames(box("Still")) is None


def test_objects_have_keys_too() -> None:
    thing = moving_box("Door", door().body)
    choose(thing, 30, 44)
    assert bridge.selected_frames(thing) == (30, 44)
