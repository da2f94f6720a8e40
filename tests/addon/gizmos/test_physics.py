# SPDX-License-Identifier: GPL-3.0-or-later
"""Footprints and obstacles of the physics have gizmos while they are in the scene."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy

from poise.addon.gizmos.physics import POISE_GGT_physics
from poise.addon.properties import character_of
from poise.addon.workflows import physics_handles


def pieces() -> list[tuple[str, str, str]]:
    group: Any = SimpleNamespace()
    found = POISE_GGT_physics.pieces(group, bpy.context)
    return [(piece.style, piece.handle, piece.part) for piece in found]


def test_a_footprint_has_all_gizmos_while_its_foot_stands(armature: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = armature
    assert not POISE_GGT_physics.poll(bpy.context)
    stance = character_of(armature).physics.stances.add()
    stance.contact, stance.begin, stance.end, stance.home = "left foot", 10.0, 25.0, (0.2, 0.1, 0.0)
    assert POISE_GGT_physics.poll(bpy.context) and not pieces()
    physics_handles.add_footprints(armature)
    bpy.context.view_layer.update()
    name = stance.object.name
    bpy.context.scene.frame_set(12)
    assert pieces() == [("disc", name, "GROUND"), ("dial", name, "TURN"), ("arrow", name, "Z")]
    bpy.context.scene.frame_set(30)
    assert pieces() == [("disc", name, "GROUND")]
    character_of(armature).display.gizmos = False
    assert not POISE_GGT_physics.poll(bpy.context)


def test_an_obstacle_is_moved_and_raised_until_it_is_removed(armature: bpy.types.Object) -> None:
    item = physics_handles.add_obstacle(armature, (1.0, 2.0, 0.0))
    bpy.context.view_layer.update()
    assert pieces() == [("disc", item.object.name, "GROUND"), ("arrow", item.object.name, "Z")]
    physics_handles.remove_obstacle(armature, 0)
    assert not pieces()
