# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints and proposals become active, and the scene and the view go there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from mathutils import Vector

from poise.addon.properties import active_constraint, character_of
from poise.addon.translation import TranslationError
from poise.addon.workflows import activate, create, detect

from ..walking import select_bones

LEFT, RIGHT = "l_wrist", "r_wrist"


def uids(armature: bpy.types.Object, name: str = "constraints") -> list[str]:
    return [item.uid for item in getattr(character_of(armature), name)]


def selected() -> set[str]:
    return {found.name for found in bpy.context.view_layer.objects.selected}


@pytest.fixture
def view() -> Any:
    """A context with a 3D view as the window of the default file has it."""
    bpy_view = SimpleNamespace(view_perspective="PERSP", view_location=Vector(), view_distance=17.0)
    space = SimpleNamespace(region_3d=bpy_view, lock_object=None, lock_cursor=False)
    return SimpleNamespace(type="VIEW_3D", width=10, height=10, spaces=SimpleNamespace(active=space))


def context_with(area: Any) -> Any:
    now = bpy.context
    return SimpleNamespace(scene=now.scene, view_layer=now.view_layer, mode=now.mode, area=area, window=None)


def test_a_constraint_becomes_active_and_its_handle_is_selected(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [LEFT, RIGHT], 20.0)
    first, second = uids(armature)
    for uid in (first, second):
        item = activate.activate(bpy.context, armature, uid)
        assert item.uid == uid == character_of(armature).constraints[character_of(armature).active_constraint].uid
        assert selected() == {item.points[0].object.name}
    activate.activate(bpy.context, armature, first, extend=True)
    assert len(selected()) == 2
    assert activate.activate(bpy.context, armature).uid == first, "without a uid it is the active one"


def test_a_point_becomes_active(armature: bpy.types.Object) -> None:
    create.add_trajectories(armature, [LEFT], 5.0, 45.0, 3)
    (uid,) = uids(armature)
    item = activate.activate(bpy.context, armature, uid, point=2)
    assert item.active_point == 2 and selected() == {item.points[2].object.name}
    with pytest.raises(TranslationError, match="no point 4; it has 3"):
        activate.activate(bpy.context, armature, uid, point=3)
    with pytest.raises(TranslationError, match="no such constraint"):
        activate.activate(bpy.context, armature, "gone")
    assert item.active_point == 2


def test_pose_mode_is_kept(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [LEFT, RIGHT], 20.0)
    select_bones(armature, LEFT)
    item = activate.activate(bpy.context, armature, uids(armature)[0], jump=True)
    assert bpy.context.mode == "POSE" and bpy.context.view_layer.objects.active == armature
    assert selected() == {armature.name} and item == active_constraint(armature)


def test_the_scene_goes_to_its_frame_unless_it_is_there(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [LEFT], 20.0, hold=10.0)
    create.add_pose(armature, [LEFT], 30.0, 40.0, 50.0)
    pin, pose = uids(armature)
    scene = bpy.context.scene
    for uid, before, after in ((pin, 1, 20), (pin, 25, 25), (pin, 31, 20), (pose, 31, 40), (pose, 45, 45)):
        scene.frame_set(before)
        activate.activate(bpy.context, armature, uid)
        assert scene.frame_current == before
        activate.activate(bpy.context, armature, uid, jump=True)
        assert scene.frame_current == after


def test_a_proposal_becomes_active_without_a_handle(armature: bpy.types.Object, view: Any) -> None:
    detect.find_footplants(armature)
    before = selected()
    last = uids(armature, "found")[-1]
    item = activate.activate(context_with(view), armature, last, jump=True)
    assert character_of(armature).active_found == len(character_of(armature).found) - 1 > 0
    assert selected() == before
    assert item.begin <= bpy.context.scene.frame_current <= item.end
    assert (view.spaces.active.region_3d.view_location - Vector(item.points[0].home)).length < 1e-5


def test_the_view_is_centred_on_the_handle_at_a_useful_distance(armature: bpy.types.Object, view: Any) -> None:
    (item,) = create.add_pins(armature, [LEFT], 20.0)
    item.points[0].object.location = (3.0, 4.0, 5.0)
    region = view.spaces.active.region_3d
    bpy.context.scene.frame_set(20)
    size = max(armature.dimensions)
    for before, after in ((100.0 * size, 4.0 * size), (0.01 * size, size), (2.0 * size, 2.0 * size)):
        region.view_distance = before
        activate.jump_to(context_with(view), armature, item)
        assert region.view_distance == pytest.approx(after)
        assert (region.view_location - Vector((3.0, 4.0, 5.0))).length < 1e-6


@pytest.mark.parametrize("held", ["CAMERA", "lock_object", "lock_cursor", "no view"])
def test_a_view_that_the_animator_has_fixed_stays(view: Any, held: str) -> None:
    space = view.spaces.active
    if held == "CAMERA":
        space.region_3d.view_perspective = held
    elif held != "no view":
        setattr(space, held, True)
    assert not activate.centre_view(context_with(None if held == "no view" else view), Vector((1.0, 1.0, 1.0)), 1.0)
    assert space.region_3d.view_location.length == 0.0


def test_the_largest_view_of_the_window_is_taken_from_another_editor(view: Any) -> None:
    small = SimpleNamespace(**{**vars(view), "width": 1})
    timeline = SimpleNamespace(type="DOPESHEET_EDITOR", width=100, height=100)
    found = context_with(timeline)
    found.window = SimpleNamespace(screen=SimpleNamespace(areas=[small, timeline, view]))
    assert activate.centre_view(found, Vector((1.0, 1.0, 1.0)), 1.0)
    assert view.spaces.active.region_3d.view_location.length > 0.0


def test_what_has_no_points_is_at_its_bone(armature: bpy.types.Object) -> None:
    pose = create.add_pose(armature, [LEFT], 30.0, 40.0, 50.0)
    place = activate.place_of(armature, pose)
    assert place is not None and (place - armature.matrix_world @ armature.pose.bones[LEFT].head).length < 1e-6
    assert activate.place_of(armature, create.add_balance(armature)) is None
