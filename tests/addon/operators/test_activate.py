# SPDX-License-Identifier: GPL-3.0-or-later
"""A constraint is made active by its uid, and what is added is active at once."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon import operators
from poise.addon.operators.on_armature import SelectsHandle

from ..walking import select_bones
from .test_constraints import LEFT, RIGHT, items, refused, run


def selected() -> set[str]:
    return {found.name for found in bpy.context.view_layer.objects.selected}


def press(name: str, **given: Any) -> None:
    """Run an operator and then what a button does besides: without a window Blender never calls `invoke`."""
    found = next(kind for kind in operators.classes if kind.bl_idname == f"poise.{name}")
    assert issubclass(found, SelectsHandle) and found.invoke is SelectsHandle.invoke

    class Pressed(SelectsHandle):
        def execute(self, context: bpy.types.Context) -> Any:
            return run(name, **given)

    assert Pressed().invoke(bpy.context, None) == {"FINISHED"}  # type: ignore[arg-type]


def test_a_constraint_is_activated_and_gone_to(armature: bpy.types.Object) -> None:
    assert "no constraint yet" in refused("constraint_activate")
    run("constraint_add_pin", bone=LEFT, frame=20)
    run("constraint_add_pin", bone=RIGHT, frame=30)
    first, second = items(armature)
    assert run("constraint_activate", uid=first.uid, jump=True) == {"FINISHED"}
    assert armature.poise.active_constraint == 0 and bpy.context.scene.frame_current == 20
    assert selected() == {first.points[0].object.name}
    run("constraint_activate", uid=second.uid, extend=True)
    assert len(selected()) == 2 and bpy.context.scene.frame_current == 20
    assert "no such constraint" in refused("constraint_activate", uid="other")
    assert "no point 3" in refused("constraint_activate", uid=first.uid, point=2)


@pytest.mark.parametrize("kind", ["pin", "trajectory", "orientation", "look_at", "footplant"])
def test_the_handle_of_a_new_one_is_selected(armature: bpy.types.Object, kind: str) -> None:
    given = {"foot": "LEFT", "begin": 10, "end": 25} if kind == "footplant" else {"bone": LEFT}
    run(f"constraint_add_{kind}", **given)
    assert selected() == {armature.name}, "a script keeps its selection"
    run("constraint_remove")
    press(f"constraint_add_{kind}", **given)
    (item,) = items(armature)
    assert selected() == {item.points[0].object.name}
    assert bpy.context.view_layer.objects.active == item.points[0].object


def test_in_pose_mode_the_animator_goes_on_posing(armature: bpy.types.Object) -> None:
    select_bones(armature, LEFT)
    press("constraint_add_pin")
    press("point_add", frame=40)
    (item,) = items(armature)
    assert bpy.context.mode == "POSE" and bpy.context.view_layer.objects.active == armature
    assert selected() == {armature.name} and item.active_point == 1


def test_copies_are_selected_instead_of_what_they_were_made_from(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone=LEFT, frame=20)
    for operator in ("constraint_duplicate", "constraint_mirror"):
        press(operator, index=0)
        assert selected() == {items(armature)[-1].points[0].object.name}
    run("detect_footplants")
    press("found_accept", index=0)
    assert selected() == {items(armature)[-1].points[0].object.name}
