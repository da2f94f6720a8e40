# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos of the physics: move a footprint on the ground, turn it and raise it, and move an obstacle."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import GizmoGroup
from mathutils import Vector

from ..bridge.placing import world_matrix
from ..properties import armature_in, character_of, handles
from .pieces import HandleGroup, PhysicsPiece, at
from .plants import ARROW, DIAL, DISC, SMALL
from .shown import MODES, MOST, has_own_gizmo


def pieces_of_footprint(handle: bpy.types.Object, is_now: bool) -> list[PhysicsPiece]:
    """The gizmos of one footprint: all of them while its foot stands, else a small disc."""
    place, name = world_matrix(handle).translation, handle.name
    if not is_now:
        return [PhysicsPiece("disc", "other", SMALL, at(place), name, "GROUND")]
    return [
        PhysicsPiece("disc", "main", DISC, at(place), name, "GROUND"),
        PhysicsPiece("dial", "z", DIAL, at(place), name, "TURN"),
        PhysicsPiece("arrow", "z", ARROW, at(place), name, "Z"),
    ]


def pieces_of_obstacle(handle: bpy.types.Object) -> list[PhysicsPiece]:
    """The gizmos of one obstacle."""
    place: Vector = world_matrix(handle).translation
    return [
        PhysicsPiece("disc", "main", DISC, at(place), handle.name, "GROUND"),
        PhysicsPiece("arrow", "z", ARROW, at(place), handle.name, "Z"),
    ]


class POISE_GGT_physics(HandleGroup, GizmoGroup):  # noqa: N801
    """Footprints and obstacles of a motion's physics can be moved"""

    bl_idname = "POISE_GGT_physics"
    bl_label = "Physics"
    counts = {"disc": MOST, "dial": 4, "arrow": 8}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a character with footprints or obstacles."""
        armature = armature_in(context) if context.mode in MODES else None
        if armature is None:
            return False
        character: Any = character_of(armature)
        shown = character.display.show and character.display.gizmos
        return bool(shown and (len(character.physics.stances) or len(character.physics.obstacles)))

    def pieces(self, context: bpy.types.Context) -> list[PhysicsPiece]:
        """Of all footprints and obstacles that have a handle in the scene."""
        armature, scene = armature_in(context), context.scene
        if armature is None or scene is None:
            return []
        physics, now = character_of(armature).physics, scene.frame_current_final
        there = handles.objects_in_scene()
        found = []
        for obstacle in physics.obstacles:
            if obstacle.object in there and not has_own_gizmo(context, obstacle.object):
                found += pieces_of_obstacle(obstacle.object)
        for stance in physics.stances:
            if stance.object in there and not has_own_gizmo(context, stance.object):
                found += pieces_of_footprint(stance.object, stance.begin <= now <= stance.end)
        return found


classes = (POISE_GGT_physics,)
