# SPDX-License-Identifier: GPL-3.0-or-later
"""A point that is moved beyond its constraint extends it by the ease."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.properties import EASE, constraint_list, ease_frames


@pytest.mark.parametrize(("fps", "frames"), [(24, 6), (30, 8), (120, 30), (2, 1)])
def test_the_ease_is_in_whole_frames_of_the_scene(armature: bpy.types.Object, fps: int, frames: int) -> None:
    bpy.context.scene.render.fps = fps
    assert ease_frames(bpy.context.scene) == frames == max(1, round(EASE * fps))


def test_a_point_outside_extends_its_constraint(armature: bpy.types.Object) -> None:
    ease = ease_frames(bpy.context.scene)
    item = constraint_list.new_item(armature, "SHAPE", "Pin")
    item.begin, item.end = 10.0, 20.0
    point = item.points.add()
    point.begin = point.end = 15.0
    assert (item.begin, item.end) == (10.0, 20.0)
    point.end = 30.0
    assert (item.begin, item.end) == (10.0, 30.0 + ease)
    point.begin = 5.0
    assert (item.begin, item.end) == (5.0 - ease, 30.0 + ease)
