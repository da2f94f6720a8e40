# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo and redo know all that operators do to constraints, landmarks and empties."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from mathutils import Vector

from poise.addon.properties import character_of

from ..property_values import property_values
from ..walking import walking_armature
from .test_constraints import LEFT, run

STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("constraint_add_pin", {"bone": LEFT, "frame": 20}),
    ("constraint_add_trajectory", {"bone": "r_wrist", "begin": 5, "end": 45}),
    ("constraint_add_footplant", {"foot": "LEFT", "begin": 10, "end": 25}),
    ("constraint_add_balance", {}),
    ("constraint_add_pose", {"bone": "r_elbow", "begin": 20, "end": 30}),
    ("constraint_mirror", {"index": 0}),
    ("constraint_duplicate", {"index": 1}),
    ("constraint_move", {"index": 0, "direction": "UP"}),
    ("constraint_pick", {"index": 0, "bone": "l_elbow"}),
    ("point_add", {"index": 0, "frame": 40}),
    ("point_remove", {"index": 1, "point": 1}),
    ("landmark_set", {"mark": "left_toe", "bone": "l_midtarsal"}),
    ("character_recognise", {}),
    ("landmark_clear", {"mark": "ALL"}),
    ("constraint_remove", {"index": 0}),
)


def state(name: str) -> Any:
    """All that operators may have changed."""
    armature = bpy.data.objects[name]
    empties = {held.name: list(held.location) for held in bpy.data.objects if held.type == "EMPTY"}
    marks = {bone.name: bone.poise_id for bone in armature.data.bones}
    return property_values(character_of(armature)), empties, marks, [held.name for held in bpy.data.collections]


def walker(folder: Path) -> str:
    """The name of a walking character in a file with a window, which undo needs."""
    bpy.ops.wm.read_homefile(use_empty=False)
    for held in list(bpy.data.objects):
        bpy.data.objects.remove(held)
    return walking_armature(folder).name


def test_every_step_is_undone_and_redone(tmp_path: Path) -> None:
    name = walker(tmp_path)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="Begin")
        states = [state(name)]
        for operator, given in STEPS:
            assert run(operator, **given) == {"FINISHED"}, operator
            bpy.ops.ed.undo_push(message=operator)
            states.append(state(name))
            assert states[-1] != states[-2], f"{operator} did nothing"
        character_of(bpy.data.objects[name]).constraints[0].points[0].object.location += Vector((0.0, 0.0, 1.0))
        bpy.ops.ed.undo_push(message="Move")
        states.append(state(name))
        for expected in reversed(states[:-1]):
            bpy.ops.ed.undo()
            assert state(name) == expected
        for expected in states[1:]:
            bpy.ops.ed.redo()
            assert state(name) == expected


def test_a_deleted_character_and_its_leftovers_come_back(tmp_path: Path) -> None:
    name = walker(tmp_path)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        run("constraint_add_pin", bone=LEFT, frame=20)
        run("solve")
        bpy.ops.ed.undo_push(message="Begin")
        before, actions = state(name), sorted(action.name for action in bpy.data.actions)
        bpy.data.objects[name].select_set(True)
        bpy.ops.object.delete()
        bpy.ops.ed.undo_push(message="Delete")
        assert name not in bpy.data.objects
        run("leftovers_remove")
        bpy.ops.ed.undo_push(message="Leftovers")
        assert not [held for held in bpy.data.objects if held.type == "EMPTY"]
        bpy.ops.ed.undo()
        bpy.ops.ed.undo()
        assert state(name) == before and sorted(action.name for action in bpy.data.actions) == actions


def test_the_empties_of_a_copy_belong_to_the_step_that_made_them(tmp_path: Path) -> None:
    name = walker(tmp_path)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        run("constraint_add_pin", bone=LEFT, frame=20)
        bpy.data.objects[name].select_set(True)
        bpy.ops.object.duplicate()
        copy = bpy.context.view_layer.objects.active.name
        bpy.ops.ed.undo_push(message="Duplicate")
        shared = state(copy)
        run("constraint_duplicate")
        bpy.ops.ed.undo_push(message="Use")
        own = state(copy)
        assert len(own[1]) == len(shared[1]) + 2, "its own one, and that of the new constraint"
        bpy.ops.ed.undo()
        assert state(copy) == shared
        bpy.ops.ed.redo()
        assert state(copy) == own
