# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos of pins, paths, orientations, gazes and handplants: move a point along an axis or freely, or turn it."""

from __future__ import annotations

import bpy
from bpy.types import GizmoGroup

from ..properties import POINT_KINDS
from .pieces import TO_AXIS, HandleGroup, PointPiece, at
from .shown import MOST, ShownHandle, poll, shown_handles

KINDS = (*POINT_KINDS, "HANDPLANT")
"""The kinds whose handles are moved in all directions, or turned."""

RING, ARROW, DIAL, SMALL = 0.2, 1.0, 0.9, 0.12
"""Sizes; a point that is not the active one has a small ring alone."""


def is_turned(handle: ShownHandle) -> bool:
    """Whether the rotation of a handle is what counts, not its place."""
    return handle.kind == "ORIENTATION" or (handle.kind == "LOOK_AT" and handle.aim == "DIRECTION")


def pieces_of(handle: ShownHandle) -> list[PointPiece]:
    """The gizmos of one point."""
    place = handle.matrix.translation
    uid, point = handle.uid, handle.point
    if not handle.is_active:
        part = "" if is_turned(handle) else "FREE"
        return [PointPiece("ring", "other", SMALL, at(place), uid, point, part)]
    if is_turned(handle):
        return [
            PointPiece("dial", axis.lower(), DIAL, handle.matrix @ TO_AXIS[axis], uid, point, f"TURN_{axis}")
            for axis in "XYZ"
        ]
    arrows = [PointPiece("arrow", axis.lower(), ARROW, at(place, axis), uid, point, axis) for axis in "XYZ"]
    moved = [*arrows, PointPiece("ring", "main", RING, at(place), uid, point, "FREE")]
    if handle.kind == "HANDPLANT":
        return [*moved, PointPiece("dial", "z", DIAL, at(place), uid, point, "TURN")]
    return moved


class POISE_GGT_points(HandleGroup, GizmoGroup):  # noqa: N801
    """Points can be moved, and orientations turned"""

    bl_idname = "POISE_GGT_points"
    bl_label = "Points"
    counts = {"ring": MOST + 1, "dial": 3, "arrow": 3}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a character with constraints."""
        return poll(context)

    def pieces(self, context: bpy.types.Context) -> list[PointPiece]:
        """Of the active constraint, and of those of the current frame."""
        return [piece for handle in shown_handles(context, KINDS) for piece in pieces_of(handle)]


classes = (POISE_GGT_points,)
