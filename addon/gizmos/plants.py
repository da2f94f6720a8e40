# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos of footplants: move a plant on the ground, turn it, raise it."""

from __future__ import annotations

import bpy
from bpy.types import GizmoGroup

from .pieces import HandleGroup, PointPiece, at
from .shown import MOST, ShownHandle, poll, shown_handles

DISC, DIAL, ARROW, SMALL = 0.3, 0.9, 1.0, 0.2
"""Sizes; a plant that is not the active one has a small disc alone."""


def pieces_of(handle: ShownHandle) -> list[PointPiece]:
    """The gizmos of one plant."""
    place = handle.matrix.translation
    if not handle.is_active:
        return [PointPiece("disc", "other", SMALL, at(place), handle.uid, handle.point, "GROUND")]
    return [
        PointPiece("disc", "main", DISC, at(place), handle.uid, handle.point, "GROUND"),
        PointPiece("dial", "z", DIAL, at(place), handle.uid, handle.point, "TURN"),
        PointPiece("arrow", "z", ARROW, at(place), handle.uid, handle.point, "Z"),
    ]


class POISE_GGT_plants(HandleGroup, GizmoGroup):  # noqa: N801
    """Footplants can be moved, turned and raised"""

    bl_idname = "POISE_GGT_plants"
    bl_label = "Footplants"
    counts = {"disc": MOST + 1, "dial": 1, "arrow": 1}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a character with constraints."""
        return poll(context)

    def pieces(self, context: bpy.types.Context) -> list[PointPiece]:
        """Of the active plant, and of those of the current frame."""
        return [piece for handle in shown_handles(context, ("FOOTPLANT",)) for piece in pieces_of(handle)]


classes = (POISE_GGT_plants,)
