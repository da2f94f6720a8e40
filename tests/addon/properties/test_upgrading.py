# SPDX-License-Identifier: GPL-3.0-or-later
"""Files saved before the ground was off by default keep their meaning; new ones begin without ground."""

from __future__ import annotations

from pathlib import Path

import bpy

from poise.addon.properties import character_of


def saved_and_loaded(path: Path) -> bpy.types.Object:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.objects["Walker"]


def as_before(armature: bpy.types.Object) -> None:
    """Take away what files did not store when the ground was on by default."""
    character = character_of(armature)
    character.property_unset("use_ground")
    for item in (*character.constraints, *character.found):
        item.property_unset("ground_choice")


def test_a_new_character_has_no_ground(armature: bpy.types.Object, tmp_path: Path) -> None:
    assert not character_of(armature).use_ground
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.found_accept_all()
    character = character_of(saved_and_loaded(tmp_path / "new.blend"))
    assert not character.use_ground
    assert {item.ground_choice for item in character.constraints} == {"AUTO"}


def test_an_old_file_with_plants_keeps_its_ground(armature: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.poise.detect_footplants()
    bpy.ops.poise.found_accept_all()
    as_before(armature)
    character = character_of(saved_and_loaded(tmp_path / "old.blend"))
    assert character.use_ground and character.ground_kind == "PLANE" and character.ground_plane is None
    assert {item.ground_choice for item in character.constraints} == {"GROUND"}
    character.use_ground = False
    assert not character_of(saved_and_loaded(tmp_path / "again.blend")).use_ground, "it is upgraded once"


def test_an_old_file_whose_ground_was_switched_off_keeps_that(armature: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.poise.detect_footplants()
    as_before(armature)
    character_of(armature).use_ground = False
    assert not character_of(saved_and_loaded(tmp_path / "off.blend")).use_ground


def test_an_old_file_without_plants_has_no_ground(armature: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.poise.constraint_add_pin(bone="l_wrist")
    as_before(armature)
    assert not character_of(saved_and_loaded(tmp_path / "pins.blend")).use_ground


def test_the_ground_and_the_soles_are_saved(armature: bpy.types.Object, tmp_path: Path) -> None:
    character = character_of(armature)
    stairs = bpy.data.objects.new("Stairs", bpy.data.meshes.new("Stairs"))
    bpy.context.scene.collection.objects.link(stairs)
    character.use_ground, character.ground_kind, character.ground_mesh = True, "MESH", stairs
    character.sole_heel, character.sole_ball = 0.02, 0.03
    character = character_of(saved_and_loaded(tmp_path / "ground.blend"))
    assert character.use_ground and character.ground_kind == "MESH" and character.ground_mesh.name == "Stairs"
    assert (round(character.sole_heel, 6), round(character.sole_ball, 6)) == (0.02, 0.03)
