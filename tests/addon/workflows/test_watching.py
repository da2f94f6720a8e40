# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of constraints follows what is selected in the viewport, and the view what is chosen in the list."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise import addon
from poise.addon.properties import character_of, selecting
from poise.addon.workflows import create, detect, watching

LEFT, RIGHT = "l_wrist", "r_wrist"


def choose(*chosen: Any) -> None:
    """Select objects as clicks do, the last of them as the active one."""
    for found in bpy.context.view_layer.objects:
        found.select_set(found in chosen)
    bpy.context.view_layer.objects.active = chosen[-1]
    bpy.context.view_layer.update()


def test_a_handle_that_is_selected_makes_its_constraint_active(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [LEFT, RIGHT], 20.0)
    create.add_trajectories(armature, [LEFT], 5.0, 45.0, 3)
    character = character_of(armature)
    for index, point in ((0, 0), (2, 1), (1, 0), (2, 2)):
        choose(character.constraints[index].points[point].object)
        assert character.active_constraint == index and character.constraints[index].active_point == point
    choose(armature)
    assert character.active_constraint == 2, "other objects change nothing"


def test_several_handles_stay_selected(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [LEFT, RIGHT], 20.0)
    first, second = (item.points[0].object for item in character_of(armature).constraints)
    choose(first, second)
    choose(second, first)
    assert character_of(armature).active_constraint == 0
    assert first.select_get() and second.select_get()


def test_what_the_animator_chooses_in_the_list_is_not_taken_back(armature: bpy.types.Object) -> None:
    create.add_pins(armature, [LEFT, RIGHT], 20.0)
    character = character_of(armature)
    choose(character.constraints[0].points[0].object)
    character.constraints[1].points[0].object.hide_set(True)
    character.active_constraint = 1
    bpy.context.view_layer.update()
    assert character.active_constraint == 1, "the active object is still the first one's handle"


def test_it_costs_nothing_while_nothing_is_selected(armature: bpy.types.Object, monkeypatch: Any) -> None:
    create.add_pins(armature, [LEFT], 20.0)
    handle = character_of(armature).constraints[0].points[0].object
    choose(handle)
    calls: list[Any] = []
    monkeypatch.setattr(watching, "activate_handle", lambda *given: calls.append(given))
    for step in range(5):
        handle.location.x = step
        bpy.context.view_layer.update()
    assert not calls
    choose(armature)
    assert len(calls) == 1


def test_a_proposal_that_is_chosen_is_gone_to(armature: bpy.types.Object) -> None:
    scene = bpy.context.scene
    scene.frame_set(1)
    detect.find_footplants(armature)
    assert scene.frame_current == 1, "finding goes nowhere"
    found = character_of(armature).found
    character_of(armature).active_found = len(found) - 1
    assert found[-1].begin <= scene.frame_current <= found[-1].end
    now = scene.frame_current
    detect.accept(armature, len(found) - 1)
    assert scene.frame_current == now, "accepting goes nowhere"


def test_nothing_is_left_when_the_add_on_is_gone() -> None:
    assert selecting.go_to_proposal is not None
    addon.unregister()
    try:
        assert selecting.go_to_proposal is None  # type: ignore[unreachable]
        assert watching.follow_active_object not in bpy.app.handlers.depsgraph_update_post
    finally:
        addon.register()


@pytest.mark.parametrize("name", ["Other", "Empty"])
def test_objects_of_others_change_nothing(armature: bpy.types.Object, name: str) -> None:
    data = bpy.data.meshes.new(name) if name == "Other" else None
    other = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(other)
    create.add_pins(armature, [LEFT], 20.0)
    choose(other)
    assert character_of(armature).active_constraint == 0


def test_scenes_that_are_gone_are_forgotten(armature: bpy.types.Object) -> None:
    """Each file that is loaded brings a scene of its own, whose session uid is never used again."""
    choose(armature)
    for _ in range(3):
        scene = bpy.data.scenes.new("Other")
        watching.follow_active_object(scene, _Graph(armature))
        bpy.data.scenes.remove(scene)
    choose(armature)
    last = bpy.data.scenes.new("Last")
    watching.follow_active_object(last, _Graph(armature))
    assert set(watching._seen) == {scene.session_uid for scene in bpy.data.scenes}


class _Graph:
    """What the handler asks a dependency graph for."""

    mode = "VIEWPORT"

    def __init__(self, active: bpy.types.Object) -> None:
        self.view_layer = type("Layer", (), {"objects": type("Objects", (), {"active": active})})
