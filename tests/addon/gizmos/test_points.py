# SPDX-License-Identifier: GPL-3.0-or-later
"""Points are moved, orientations and directions turned; those that are not active have a small ring."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.gizmos import points
from poise.addon.gizmos.shown import shown_handles
from poise.addon.properties import POINT_KINDS, character_of
from poise.addon.workflows import create

HEAD = "skullbase"
MOVED = [("arrow", "X"), ("arrow", "Y"), ("arrow", "Z"), ("ring", "FREE")]
TURNED = [("dial", "TURN_X"), ("dial", "TURN_Y"), ("dial", "TURN_Z")]


def test_a_handplant_is_moved_and_turned_about_the_vertical(armature: bpy.types.Object) -> None:
    create.add_handplant(armature, "left", 10.0, 25.0)
    (handle,) = shown_handles(bpy.context, points.KINDS)
    assert [(piece.style, piece.part) for piece in points.pieces_of(handle)] == [*MOVED, ("dial", "TURN")]


def add(armature: bpy.types.Object, kind: str) -> None:
    if kind == "ORIENTATION":
        create.add_orientations(armature, [HEAD], 20.0)
    elif kind == "SHAPE":
        create.add_pins(armature, [HEAD], 20.0)
    else:
        (item,) = create.add_look_at(armature, [HEAD], 10.0, 40.0)
        item.aim = kind


@pytest.mark.parametrize(
    ("kind", "active", "other"),
    [("SHAPE", MOVED, "FREE"), ("PLACE", MOVED, "FREE"), ("DIRECTION", TURNED, ""), ("ORIENTATION", TURNED, "")],
)
def test_what_counts_of_a_handle_can_be_changed(
    armature: bpy.types.Object, kind: str, active: list[tuple[str, str]], other: str
) -> None:
    add(armature, kind)
    (handle,) = shown_handles(bpy.context, POINT_KINDS)
    assert [(piece.style, piece.part) for piece in points.pieces_of(handle)] == active
    create.add_pins(armature, ["l_wrist"], 20.0)
    bpy.context.scene.frame_set(20)
    _, handle = shown_handles(bpy.context, POINT_KINDS)
    assert [(piece.style, piece.part) for piece in points.pieces_of(handle)] == [("ring", other)]
    assert character_of(armature).constraints[0].uid == handle.uid
