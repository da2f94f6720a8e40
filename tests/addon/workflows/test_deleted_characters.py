# SPDX-License-Identifier: GPL-3.0-or-later
"""A deleted character takes its handles, their collection and its results with it, and undo brings all back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from poise.addon.properties import character_of
from poise.addon.workflows import create, leftovers, solve

from ..property_values import property_values
from .test_deleted_handles import LEFT, RIGHT, name, press_x, pushed, window

__all__ = ["name", "window"]


@pytest.fixture
def solved(name: str, window: None) -> str:
    """The name of a character with two pins and a result."""
    armature = bpy.data.objects[name]
    create.add_pins(armature, [LEFT, RIGHT], 20.0)
    character_of(armature).constraints[0].points[0].object.location.z += 0.1
    solve.solve(armature)
    bpy.context.view_layer.update()
    pushed("Solved")
    return name


def state() -> Any:
    """What belongs to characters: handles, collections, actions, and all properties of the armatures."""
    armatures = [found for found in bpy.data.objects if found.type == "ARMATURE" and found.users_scene]
    return (
        {found.name: list(found.location) for found in bpy.data.objects if found.type == "EMPTY"},
        [found.name for found in bpy.data.collections],
        sorted(action.name for action in bpy.data.actions),
        {found.name: property_values(character_of(found)) for found in armatures},
    )


NOTHING_LEFT = {}, [], ["Walker"], {}  # type: ignore[var-annotated]
"""Only the action that was there before Poise."""


def without_scene_collection(found: Any) -> Any:
    handles, collections, actions, characters = found
    return handles, [each for each in collections if each.startswith("Poise")], actions, characters


def test_everything_goes_with_the_character(solved: str) -> None:
    assert len(state()[0]) == 2 and "Walker.poise" in state()[2]
    press_x(bpy.data.objects[solved])
    assert without_scene_collection(state()) == NOTHING_LEFT
    assert not leftovers.glance()


def test_undo_brings_all_back_and_redo_takes_it(solved: str) -> None:
    before = state()
    press_x(bpy.data.objects[solved])
    bpy.context.scene.frame_set(7)
    pushed("Something else")
    bpy.ops.ed.undo()
    assert without_scene_collection(state()) == NOTHING_LEFT, "the step of the deletion"
    bpy.ops.ed.undo()
    assert state() == before
    bpy.ops.ed.redo()
    assert without_scene_collection(state()) == NOTHING_LEFT
    bpy.ops.ed.undo()
    assert state() == before
    solve.solve(bpy.data.objects[solved])


def test_undo_at_once_brings_all_back(solved: str) -> None:
    before = state()
    press_x(bpy.data.objects[solved])
    bpy.ops.ed.undo()
    assert state() == before


def test_another_character_keeps_what_it_has(solved: str) -> None:
    armature = bpy.data.objects[solved]
    armature.select_set(True)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.duplicate()
    copy = bpy.context.view_layer.objects.active
    press_x(armature)
    assert [item.name for item in character_of(copy).constraints] == [f"Pin {LEFT}", f"Pin {RIGHT}"]
    assert all(item.points[0].object.users_collection for item in character_of(copy).constraints)


def unlinked(armature: Any) -> None:
    for collection in armature.users_collection:
        collection.objects.unlink(armature)


def removed_by_a_script(armature: Any) -> None:
    bpy.data.objects.remove(armature)


def hidden(armature: Any) -> None:
    armature.hide_set(True)


@pytest.mark.parametrize("happens", [unlinked, removed_by_a_script, hidden])
def test_nothing_else_removes_anything(solved: str, happens: Any) -> None:
    before = state()[:3]
    happens(bpy.data.objects[solved])
    bpy.context.view_layer.update()
    assert state()[:3] == before
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    bpy.context.view_layer.update()
    press_x(other)
    assert state()[:3] == before, "another object that is deleted later"


def test_what_a_loaded_file_has_left_over_stays(solved: str, tmp_path: Path) -> None:
    bpy.data.objects.remove(bpy.data.objects[solved])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "left.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "left.blend"))
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    press_x(other)
    assert len(state()[0]) == 2 and leftovers.glance()
