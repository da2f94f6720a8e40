# SPDX-License-Identifier: GPL-3.0-or-later
"""The example: what it looks like after one click, and that the next clicks lead to a result."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.properties import character_of
from poise.addon.workflows import clean, example_character


@pytest.fixture
def example() -> Any:
    return example_character.add()


def test_it_is_alone_selected_and_the_scene_has_its_frames(example: Any) -> None:
    scene = bpy.context.scene
    assert bpy.context.view_layer.objects.active is example and bpy.context.selected_objects == [example]
    assert scene.render.fps == example_character.RATE and scene.frame_current == scene.frame_start == 1
    assert tuple(example.animation_data.action.frame_range) == (scene.frame_start, scene.frame_end)


def test_its_bones_are_recognised_and_have_names_that_blender_mirrors(example: Any) -> None:
    assert not bridge.read(example).clip.skeleton.landmarks.missing
    names = {bone.name for bone in example.data.bones}
    assert {"thigh.L", "hand.R", "head"} <= names
    assert {bpy.utils.flip_name(name) for name in names} == names


def test_its_feet_slide_visibly_and_clean_up_makes_them_stand(example: Any) -> None:
    contacts = example_character.walk().contacts
    plants = solver.detect_footplants(bridge.read(example).clip)
    assert [plant.foot for plant in plants] == [contact.foot for contact in contacts], "all of them are found"
    done = clean.clean(example)
    assert done.before.largest_slide > 0.04, "a twenty-fifth of the leg is seen"
    assert done.after.largest_slide < 0.001 and not done.unmet
    assert bridge.has_result(example)


def test_a_second_one_has_its_own_name_and_data(example: Any) -> None:
    second = example_character.add()
    assert second.name != example.name and second.data is not example.data
    assert second.animation_data.action is not example.animation_data.action
    assert len([found for found in bpy.data.objects if found.type == "MESH"]) == 2
    assert not len(character_of(second).constraints)


def test_it_walks_beside_what_is_in_its_way(example: Any) -> None:
    assert example.location.x == 0.0, "nothing is there"
    second, third = example_character.add(), example_character.add()
    assert 0.5 < second.location.x < 1.5 and second.location.x + 0.5 < third.location.x


def test_a_hidden_mesh_and_one_beside_the_walk_are_not_in_its_way() -> None:
    for place, is_hidden in (((0.0, 0.0, 0.0), True), ((5.0, 0.0, 0.0), False), ((0.0, 0.0, 9.0), False)):
        bpy.ops.mesh.primitive_cube_add(location=place)
        bpy.context.active_object.hide_set(is_hidden)
    assert example_character.add().location.x == 0.0
    bpy.ops.mesh.primitive_cube_add(location=(0.0, -3.0, 0.0))
    assert 1.0 < example_character.add().location.x < 2.5


def test_its_contacts_are_those_of_its_own_walk() -> None:
    motion = example_character.walk()
    heels = {
        side: motion.clip.position(motion.clip.skeleton.landmarks.require(f"{side}_heel")) for side in ("left", "right")
    }
    for contact in motion.contacts:
        middle = (contact.toe_strike + contact.heel_off) // 2
        assert np.linalg.norm(heels[contact.foot][middle] - contact.heel) < 0.1 * motion.clip.skeleton.size
