# SPDX-License-Identifier: GPL-3.0-or-later
"""A click activates what is drawn under it, and is passed on where something else is meant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from mathutils import Euler, Vector

from poise.addon.operators.clicks import POISE_OT_constraint_click
from poise.addon.properties import active_constraint, character_of
from poise.addon.workflows import create, detect

from ..walking import select_bones
from ..workflows.test_dragging import HEIGHT, WIDTH, view_from


def click(place: Vector, aside: tuple[float, float] = (0.0, 0.0), tilt: float = 0.6, **given: Any) -> Any:
    """Click where a place is seen, some pixels aside, in a view that looks at it from above."""
    view = view_from(Euler((tilt, 0.0, 0.3)), target=place)
    pixel = view.pixel(place)
    assert pixel is not None
    now = bpy.context
    context: Any = SimpleNamespace(
        object=now.view_layer.objects.active,
        scene=now.scene,
        view_layer=now.view_layer,
        mode=now.mode,
        preferences=now.preferences,
        evaluated_depsgraph_get=now.evaluated_depsgraph_get,
        region=SimpleNamespace(width=WIDTH, height=HEIGHT),
        region_data=SimpleNamespace(perspective_matrix=view.perspective),
    )
    event: Any = SimpleNamespace(mouse_region_x=pixel[0] + aside[0], mouse_region_y=pixel[1] + aside[1])
    operator: Any = SimpleNamespace(extend=False, _is_covered=POISE_OT_constraint_click._is_covered, **given)
    return POISE_OT_constraint_click.invoke(operator, context, event)


@pytest.fixture
def plants(armature: bpy.types.Object) -> list[Any]:
    """Footplants, with the character far from the last two."""
    detect.find_footplants(armature)
    detect.accept_all(armature)
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.update()
    return sorted(character_of(armature).constraints, key=lambda item: float(item.begin))


def place(item: Any) -> Vector:
    return Vector(item.points[0].object.location)


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_a_footprint_is_clicked(armature: bpy.types.Object, plants: list[Any], mode: str) -> None:
    if mode == "POSE":
        select_bones(armature, "l_wrist")
    for plant in (plants[-1], plants[-2]):
        assert click(place(plant)) == {"FINISHED"}
        assert active_constraint(armature) == plant
    assert bpy.context.mode == mode
    is_handle_active = bpy.context.view_layer.objects.active == plants[-2].points[0].object
    assert is_handle_active == (mode == "OBJECT")


def test_beside_everything_it_is_passed_on(armature: bpy.types.Object, plants: list[Any]) -> None:
    before = character_of(armature).active_constraint
    assert click(place(plants[-1]), (250.0, 100.0)) == {"PASS_THROUGH"}
    assert character_of(armature).active_constraint == before


def test_a_bone_wins(armature: bpy.types.Object, plants: list[Any]) -> None:
    select_bones(armature, "l_wrist")
    standing = plants[0]
    bpy.context.scene.frame_set(int(0.5 * (standing.begin + standing.end)))
    bpy.context.view_layer.update()
    assert click(place(standing), tilt=0.1) == {"PASS_THROUGH"}


def test_in_object_mode_what_is_in_front_wins(armature: bpy.types.Object, plants: list[Any]) -> None:
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=place(plants[-1]) + Vector((0.0, 0.0, 0.4)))
    bpy.context.view_layer.objects.active = armature
    bpy.context.view_layer.update()
    assert click(place(plants[-1]), tilt=0.0) == {"PASS_THROUGH"}
    select_bones(armature, "l_wrist")
    assert click(place(plants[-1]), tilt=0.0) == {"FINISHED"}, "in pose mode only bones can be selected"


def test_a_proposal_is_gone_to(armature: bpy.types.Object) -> None:
    detect.find_footplants(armature)
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.update()
    last = max(character_of(armature).found, key=lambda item: float(item.begin))
    assert click(Vector(last.points[0].home)) == {"FINISHED"}
    character = character_of(armature)
    assert character.found[character.active_found] == last
    assert last.begin <= bpy.context.scene.frame_current <= last.end


def test_a_point_is_clicked(armature: bpy.types.Object) -> None:
    create.add_trajectories(armature, ["l_wrist"], 5.0, 60.0, 3)
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.update()
    item = character_of(armature).constraints[0]
    assert click(Vector(item.points[2].object.location)) == {"FINISHED"}
    assert item.active_point == 2
