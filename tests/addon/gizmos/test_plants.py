# SPDX-License-Identifier: GPL-3.0-or-later
"""A plant is moved on the ground, turned and raised; one that is not active has a small disc."""

from __future__ import annotations

import bpy

from poise.addon.gizmos import plants
from poise.addon.gizmos.shown import shown_handles
from poise.addon.properties import character_of
from poise.addon.workflows import create


def test_the_active_plant_has_all_and_others_a_disc(armature: bpy.types.Object) -> None:
    create.add_footplant(armature, "left", 10.0, 25.0)
    create.add_footplant(armature, "right", 20.0, 30.0)
    bpy.context.scene.frame_set(22)
    character_of(armature).active_constraint = 0
    active, other = (plants.pieces_of(handle) for handle in shown_handles(bpy.context, ("FOOTPLANT",)))
    assert [(piece.style, piece.part) for piece in active] == [("disc", "GROUND"), ("dial", "TURN"), ("arrow", "Z")]
    assert [(piece.style, piece.part) for piece in other] == [("disc", "GROUND")]
    assert other[0].size < active[0].size
    for pieces, item in zip((active, other), character_of(armature).constraints, strict=True):
        for piece in pieces:
            assert piece.uid == item.uid and piece.matrix.translation == item.points[0].object.location
