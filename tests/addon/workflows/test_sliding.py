# SPDX-License-Identifier: GPL-3.0-or-later
"""A point slides along the path of its bone in the source, to the frame whose place is under the mouse."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector

from poise.addon import bridge
from poise.addon.bridge.placing import Placer
from poise.addon.properties import character_of
from poise.addon.translation import TranslationError
from poise.addon.workflows import create
from poise.addon.workflows.sliding import TimeDrag

from .test_dragging import view_from

HAND = "l_wrist"


def begun(armature: bpy.types.Object, index: int = 0) -> TimeDrag:
    """A drag of a point of the only constraint, in a view from the side."""
    item = character_of(armature).constraints[0]
    handle = item.points[index].object
    bpy.context.view_layer.update()
    view = view_from(Euler((1.4, 0.0, 1.5)), target=Vector(handle.location))
    pixel = view.pixel(Vector(item.points[index].home))
    assert pixel is not None
    return TimeDrag(armature, item, index, view, Placer(handle), pixel)


def pixel_at(drag: TimeDrag, frame: float) -> tuple[float, float]:
    """Where the path is seen at a frame."""
    found = drag.view.pixel(Vector(drag.path[int(np.abs(drag.times - frame).argmin())]))
    assert found is not None
    return found


def test_it_goes_to_the_frame_under_the_mouse(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    (item,) = create.add_pins(armature, [HAND], 20.0, hold=4.0)
    item.points[0].object.location += Vector((0.0, 0.0, 0.25))
    before = item.begin, item.end
    drag = begun(armature)
    for frame in (25.0, 32.0, 16.0):
        text = drag.to(pixel_at(drag, frame))
        point = item.points[0]
        assert (point.begin, point.end) == (frame, frame + 4.0) and text == f"Frame {frame:g} ({frame - 20:+.0f})"
        place = reading.clip.position(HAND)[reading.frame_of(frame)]
        assert np.allclose(point.home, place, atol=1e-4)
        assert np.allclose(point.object.location, place + np.array([0.0, 0.0, 0.25]), atol=1e-4), "its distance stays"
        assert (item.begin - frame, item.end - frame) == (before[0] - 20.0, before[1] - 20.0), "eases stay"
        assert bpy.context.scene.frame_current == frame and point.object.name == f"{HAND} {frame:g}–{frame + 4:g}"
    assert drag.has_moved


def test_it_is_put_back(armature: bpy.types.Object) -> None:
    (item,) = create.add_pins(armature, [HAND], 20.0)
    bpy.context.scene.frame_set(3)

    def state() -> Any:
        point = item.points[0]
        return point.begin, point.end, item.begin, item.end, tuple(point.home), tuple(point.object.location)

    before = state()
    drag = begun(armature)
    drag.to(pixel_at(drag, 30.0))
    assert state() != before
    drag.restore()
    assert state() == before and bpy.context.scene.frame_current == 3 and not drag.has_moved


def test_it_stays_between_its_neighbours(armature: bpy.types.Object) -> None:
    create.add_trajectories(armature, [HAND], 5.0, 45.0, 3)
    frames = [point.begin for point in character_of(armature).constraints[0].points]
    drag = begun(armature, 1)
    assert drag.times[0] == frames[0] + 1.0 and drag.times[-1] == frames[2] - 1.0
    drag.to((pixel_at(drag, frames[2])[0] + 500.0, drag.start[1]))
    drag.to((pixel_at(drag, frames[0])[0] - 500.0, drag.start[1]))
    assert frames[0] < character_of(armature).constraints[0].points[1].begin < frames[2]
    item = character_of(armature).constraints[0]
    assert (item.begin, item.end) == (5.0, 45.0), "the whole path keeps its frames"


def test_an_orientation_changes_its_frame_alone(armature: bpy.types.Object) -> None:
    (item,) = create.add_orientations(armature, [HAND], 20.0)
    handle = item.points[0].object
    before = handle.matrix_basis.copy()
    drag = begun(armature)
    drag.to(pixel_at(drag, 28.0))
    assert item.points[0].begin == 28.0 and handle.matrix_basis == before


def test_a_renamed_bone_has_its_path(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [HAND], 20.0)
    path = begun(armature).path
    armature.data.bones[HAND].name = "hand"
    assert character_of(armature).constraints[0].bone == HAND, "the name of before"
    assert np.array_equal(begun(armature).path, path)


def test_what_has_no_path_says_so(armature: bpy.types.Object) -> None:
    create.add_footplant(armature, "left", 10.0, 25.0)
    with pytest.raises(TranslationError, match="only points of pins"):
        begun(armature)
