# SPDX-License-Identifier: GPL-3.0-or-later
"""The gizmos of Blender that handles are grabbed by, in pools: they are made once, then moved, shown and hidden."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Matrix, Vector

DRAG, ACTIVATE, PHYSICS_DRAG = "poise.handle_drag", "poise.constraint_activate", "poise.physics_handle_drag"

CLEAR = 0.3
"""Where arrows begin, as a share of their length: the middle is for the ring or the disc."""

TO_AXIS = {
    "X": Matrix.Rotation(0.5 * math.pi, 4, "Y"),
    "Y": Matrix.Rotation(-0.5 * math.pi, 4, "X"),
    "Z": Matrix.Identity(4),
}
"""Rotations that take the z axis, along which arrows point and about which dials turn, to an axis."""


@dataclass(frozen=True)
class Piece:
    """One gizmo: what it looks like, and where it is. What it does is up to its kind."""

    style: str
    """"ring" (faces the viewer), "disc" (lies on the ground), "arrow" or "dial"."""
    colour: str
    """"x", "y", "z", "main" or "other"."""
    size: float
    """1 is the size of Blender's own gizmos."""
    matrix: Matrix

    @property
    def operator(self) -> str:
        """What a press on it starts."""
        raise NotImplementedError

    @property
    def arguments(self) -> dict[str, str | int]:
        """What the operator is given."""
        raise NotImplementedError


@dataclass(frozen=True)
class PointPiece(Piece):
    """A gizmo of a point of a constraint."""

    uid: str
    point: int
    part: str
    """Of `poise.handle_drag`; empty for a click only."""

    @property
    def operator(self) -> str:
        return DRAG if self.part else ACTIVATE

    @property
    def arguments(self) -> dict[str, str | int]:
        given: dict[str, str | int] = {"uid": self.uid, "point": self.point}
        return given | {"part": self.part} if self.part else given


@dataclass(frozen=True)
class PhysicsPiece(Piece):
    """A gizmo of a footprint or an obstacle of a motion's physics."""

    handle: str
    """The name of its handle."""
    part: str

    @property
    def operator(self) -> str:
        return PHYSICS_DRAG

    @property
    def arguments(self) -> dict[str, str | int]:
        return {"handle": self.handle, "part": self.part}


@dataclass(eq=False)
class _Slot:
    """A gizmo of the pool with what it was last set to."""

    gizmo: Any
    target: tuple[str, dict[str, str | int]] | None = None


def make(group: Any, style: str) -> Any:
    """A new gizmo of a group, hidden."""
    if style in ("ring", "disc"):
        made = group.gizmos.new("GIZMO_GT_move_3d")
        made.draw_style = "RING_2D"
        made.draw_options = {"ALIGN_VIEW", "FILL_SELECT"} if style == "ring" else {"FILL_SELECT"}
    elif style == "dial":
        made = group.gizmos.new("GIZMO_GT_dial_3d")
        made.draw_options = set()
    else:
        made = group.gizmos.new("GIZMO_GT_arrow_3d")
        made.draw_style = "NORMAL"
        made.length = 1.0 - CLEAR
        made.use_draw_offset_scale = True
        made.matrix_offset = Matrix.Translation((0.0, 0.0, CLEAR))
    made.use_draw_modal = True
    made.use_tooltip = False  # it would hide what is below; the header says what a drag does
    made.line_width = 2.5
    made.alpha, made.alpha_highlight = 0.8, 1.0
    made.hide = True
    return made


class Pool:
    """The gizmos of a group, some for each style."""

    def __init__(self, group: Any, counts: dict[str, int]) -> None:
        self._slots = {style: [_Slot(make(group, style)) for _ in range(count)] for style, count in counts.items()}

    def show(self, pieces: Sequence[Piece], colours: dict[str, Any], highlight: Any) -> None:
        """Show these pieces and no others; those for which there is no gizmo are left out."""
        free = {style: iter(slots) for style, slots in self._slots.items()}
        for piece in pieces:
            slot = next(free[piece.style], None)
            if slot is not None:
                _set(slot, piece, colours[piece.colour], highlight)
        for rest in free.values():
            for slot in rest:
                slot.gizmo.hide = True


def _set(slot: _Slot, piece: Piece, colour: Any, highlight: Any) -> None:
    gizmo = slot.gizmo
    target = piece.operator, piece.arguments
    if slot.target != target:
        slot.target = target
        given = gizmo.target_set_operator(piece.operator)
        for name, value in piece.arguments.items():
            setattr(given, name, value)
    gizmo.matrix_basis = piece.matrix
    gizmo.scale_basis = piece.size
    gizmo.color, gizmo.color_highlight = colour, highlight
    gizmo.hide = False


def at(place: Vector, axis: str = "Z") -> Matrix:
    """A matrix at a place of the world, whose z axis leads along an axis of the world."""
    return Matrix.Translation(place) @ TO_AXIS[axis]


def theme_colours(context: bpy.types.Context) -> tuple[dict[str, Any], Any]:
    """The colours of pieces from the theme, and that of a piece under the mouse."""
    preferences: Any = context.preferences
    interface = preferences.themes[0].user_interface
    return {
        "x": interface.axis_x[:3],
        "y": interface.axis_y[:3],
        "z": interface.axis_z[:3],
        "main": interface.gizmo_primary[:3],
        "other": interface.gizmo_secondary[:3],
    }, interface.gizmo_hi[:3]


class HandleGroup:
    """Mixed into groups of gizmos of handles in the 3D view, in object mode and in pose mode."""

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "WINDOW"
    bl_options: Any = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}  # noqa: RUF012

    counts: dict[str, int] = {}  # noqa: RUF012
    """How many gizmos of each style there can be at once."""

    def pieces(self, context: bpy.types.Context) -> Sequence[Piece]:
        """What is shown now."""
        raise NotImplementedError

    def setup(self, context: bpy.types.Context) -> None:
        """Make all gizmos."""
        self.pool = Pool(self, self.counts)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Put the gizmos where the handles are, before each drawing."""
        colours, highlight = theme_colours(context)
        self.pool.show(self.pieces(context), colours, highlight)

    refresh = draw_prepare
