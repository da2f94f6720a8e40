# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos are taken from a pool, set to what they drag, and hidden when they are not needed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from mathutils import Matrix, Vector

from poise.addon.gizmos.pieces import PhysicsPiece, PointPiece, Pool, at, theme_colours

COLOURS = {"main": (1.0, 1.0, 1.0), "other": (0.5, 0.5, 0.5)}


class FakeGizmo:
    """Keeps what is set, as a gizmo of Blender does; only Blender with a window makes real ones."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.targets: list[str] = []
        self.given: Any = None

    def target_set_operator(self, name: str) -> Any:
        self.targets.append(name)
        self.given = SimpleNamespace()
        return self.given


class FakeGroup:
    def __init__(self) -> None:
        self.made: list[Any] = []
        self.gizmos = self

    def new(self, kind: str) -> FakeGizmo:
        self.made.append(FakeGizmo(kind))
        return self.made[-1]  # type: ignore[no-any-return]


def piece(style: str, uid: str = "one", part: str = "FREE", point: int = 0) -> PointPiece:
    return PointPiece(style, "main", 0.5, at(Vector((1.0, 2.0, 3.0))), uid, point, part)


def test_pieces_are_shown_and_the_rest_is_hidden() -> None:
    group = FakeGroup()
    pool = Pool(group, {"ring": 3, "arrow": 1})
    assert [made.hide for made in group.made] == [True] * 4
    pool.show([piece("ring"), piece("arrow", part="Z"), piece("ring", "two")], COLOURS, (1.0, 1.0, 0.0))
    assert [made.hide for made in group.made] == [False, False, True, False]
    first, second, _, arrow = group.made
    assert (first.given.uid, second.given.uid, arrow.given.part) == ("one", "two", "Z")
    assert first.matrix_basis.translation == Vector((1.0, 2.0, 3.0)) and first.color == COLOURS["main"]
    pool.show([], COLOURS, (1.0, 1.0, 0.0))
    assert all(made.hide for made in group.made)


def test_the_operator_is_set_only_where_it_changes() -> None:
    group = FakeGroup()
    pool = Pool(group, {"ring": 1})
    for _ in range(3):
        pool.show([piece("ring")], COLOURS, (1.0, 1.0, 0.0))
    assert group.made[0].targets == ["poise.handle_drag"]
    pool.show([piece("ring", point=1)], COLOURS, (1.0, 1.0, 0.0))
    pool.show([piece("ring", part="")], COLOURS, (1.0, 1.0, 0.0))
    assert group.made[0].targets == ["poise.handle_drag", "poise.handle_drag", "poise.constraint_activate"]


def test_a_gizmo_may_change_from_a_point_to_a_footprint() -> None:
    group = FakeGroup()
    pool = Pool(group, {"ring": 1})
    pool.show([piece("ring")], COLOURS, (1.0, 1.0, 0.0))
    pool.show([PhysicsPiece("ring", "main", 0.5, at(Vector()), "Left Foot", "GROUND")], COLOURS, (1.0, 1.0, 0.0))
    assert group.made[0].targets == ["poise.handle_drag", "poise.physics_handle_drag"]
    assert vars(group.made[0].given) == {"handle": "Left Foot", "part": "GROUND"}


def test_more_pieces_than_gizmos_are_left_out() -> None:
    group = FakeGroup()
    Pool(group, {"ring": 1}).show([piece("ring"), piece("ring", "two")], COLOURS, (1.0, 1.0, 0.0))
    assert group.made[0].given.uid == "one"


def test_matrices_point_along_their_axis() -> None:
    for axis, direction in zip("XYZ", Matrix.Identity(3), strict=True):
        assert (at(Vector((1.0, 0.0, 0.0)), axis).to_3x3().col[2] - direction).length < 1e-6


def test_colours_are_those_of_the_theme() -> None:
    colours, highlight = theme_colours(bpy.context)
    theme = bpy.context.preferences.themes[0].user_interface
    assert tuple(colours["x"]) == tuple(theme.axis_x)[:3] and len(highlight) == 3
    theme.axis_x = (0.1, 0.2, 0.3)
    assert tuple(theme_colours(bpy.context)[0]["x"]) == pytest.approx((0.1, 0.2, 0.3), abs=1.0 / 255.0)
