# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints go with their handles, and come back with them; nothing else that happens to handles deletes anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from poise.addon.properties import character_of
from poise.addon.workflows import create, deleted_handles, notices

from ..walking import walking_armature

LEFT, RIGHT = "l_wrist", "r_wrist"


@pytest.fixture
def name(tmp_path: Path) -> str:
    """The name of a walking character in a file with a window, which undo needs."""
    bpy.ops.wm.read_homefile(use_empty=False)
    for held in list(bpy.data.objects):
        bpy.data.objects.remove(held)
    return walking_armature(tmp_path).name


@pytest.fixture
def window(name: str) -> Any:
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        yield


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(notices, "show", found.append)
    return found


def select(*handles: Any) -> None:
    bpy.context.view_layer.update()  # objects that were just linked cannot be selected before
    for held in bpy.context.view_layer.objects:
        held.select_set(held in handles)
    bpy.context.view_layer.objects.active = handles[-1]


def press_x(*handles: Any) -> None:
    """Delete as the key does: the operator is registered and pushes a step of undo."""
    select(*handles)
    bpy.ops.object.delete("EXEC_DEFAULT", True, confirm=False)
    bpy.context.view_layer.update()


def items(name: str) -> list[Any]:
    return list(character_of(bpy.data.objects[name]).constraints)


def names(name: str) -> list[str]:
    return [item.name for item in items(name)]


def pushed(message: str) -> None:
    bpy.ops.ed.undo_push(message=message)


def test_the_only_handle_takes_its_constraint_with_it(name: str, window: None, notes: list[str]) -> None:
    armature = bpy.data.objects[name]
    create.add_pins(armature, [LEFT, RIGHT], 20.0)
    create.add_footplant(armature, "left", 10.0, 25.0)
    pushed("Added")
    press_x(items(name)[0].points[0].object)
    assert names(name) == [f"Pin {RIGHT}", "Left footplant 10"]
    assert notes == [f"Pin {LEFT} was deleted with its handle; undo brings both back."]
    assert bpy.context.view_layer.objects.active == armature and not armature.select_get()
    press_x(*(item.points[0].object for item in items(name)))
    assert names(name) == [] and notes[-1].startswith("2 handles")


def test_one_point_of_several_goes_alone(name: str, window: None, notes: list[str]) -> None:
    armature = bpy.data.objects[name]
    create.add_trajectories(armature, [LEFT], 5.0, 45.0, 3)
    kept = [point.begin for point in items(name)[0].points][::2]
    press_x(items(name)[0].points[1].object)
    (item,) = items(name)
    assert [point.begin for point in item.points] == kept
    assert notes == [f"a point of {item.name} was deleted with its handle; 2 left."]
    press_x(*(point.object for point in item.points))
    assert names(name) == []


def test_a_balance_stays_without_points(name: str, window: None, notes: list[str]) -> None:
    armature = bpy.data.objects[name]
    create.add_point(armature, create.add_balance(armature), 20.0)
    press_x(items(name)[0].points[0].object)
    assert names(name) == ["Balance"] and len(items(name)[0].points) == 0


def test_undo_brings_both_back_and_redo_takes_both(name: str, window: None, notes: list[str]) -> None:
    create.add_pins(bpy.data.objects[name], [LEFT, RIGHT], 20.0)
    pushed("Added")
    handle = items(name)[0].points[0].object.name
    press_x(items(name)[0].points[0].object)
    bpy.context.scene.frame_set(7)
    pushed("Something else")
    assert names(name) == [f"Pin {RIGHT}"]
    bpy.ops.ed.undo()
    assert names(name) == [f"Pin {RIGHT}"] and handle not in bpy.context.scene.objects, "the step of the deletion"
    bpy.ops.ed.undo()
    assert names(name) == [f"Pin {LEFT}", f"Pin {RIGHT}"] and handle in bpy.context.scene.objects
    assert items(name)[0].points[0].object.name == handle
    bpy.ops.ed.redo()
    assert names(name) == [f"Pin {RIGHT}"] and handle not in bpy.context.scene.objects
    bpy.ops.ed.undo()
    assert names(name) == [f"Pin {LEFT}", f"Pin {RIGHT}"]


def unlinked(handle: Any) -> None:
    handle.users_collection[0].objects.unlink(handle)


def hidden(handle: Any) -> None:
    handle.hide_set(True)
    handle.hide_viewport = True


def moved_to_another_collection(handle: Any) -> None:
    unlinked(handle)
    other = bpy.data.collections.new("Other")
    other.objects.link(handle)


def excluded(handle: Any) -> None:
    bpy.context.view_layer.layer_collection.children[handle.users_collection[0].name].exclude = True


def deleted_by_a_script(handle: Any) -> None:
    select(handle)
    bpy.ops.object.delete()


@pytest.mark.parametrize("happens", [unlinked, hidden, moved_to_another_collection, excluded, deleted_by_a_script])
def test_nothing_else_deletes_anything(name: str, window: None, notes: list[str], happens: Any) -> None:
    create.add_pins(bpy.data.objects[name], [LEFT], 20.0)
    cube = bpy.data.objects.new("Cube", None)
    bpy.context.scene.collection.objects.link(cube)
    press_x(cube)
    happens(items(name)[0].points[0].object)
    bpy.context.view_layer.update()
    assert names(name) == [f"Pin {LEFT}"] and not notes
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    press_x(other)
    assert names(name) == [f"Pin {LEFT}"] and not notes, "another object that is deleted later"


def test_an_object_of_the_animator_takes_nothing_with_it(name: str, window: None, notes: list[str]) -> None:
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    create.add_look_at(bpy.data.objects[name], ["skullbase"], 5.0, 40.0, "Ball")
    press_x(ball)
    assert len(items(name)) == 1 and not notes


def test_the_character_is_deleted_with_its_handles_without_a_word(name: str, window: None, notes: list[str]) -> None:
    create.add_pins(bpy.data.objects[name], [LEFT], 20.0)
    press_x(items(name)[0].points[0].object, bpy.data.objects[name])
    assert not notes


def test_another_file_is_not_touched(name: str, window: None, notes: list[str], tmp_path: Path) -> None:
    create.add_pins(bpy.data.objects[name], [LEFT], 20.0)
    unlinked(items(name)[0].points[0].object)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    cube = bpy.data.objects.new("Cube", None)
    bpy.context.scene.collection.objects.link(cube)
    press_x(cube)
    create.add_pins(bpy.data.objects[name], [RIGHT], 20.0)
    press_x(items(name)[-1].points[0].object)
    before = list(notes)
    assert deleted_handles._deleted
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert not deleted_handles._deleted
    bpy.context.view_layer.update()
    assert names(name) == [f"Pin {LEFT}"] and notes == before
