# SPDX-License-Identifier: GPL-3.0-or-later
"""Points are where their handles are, with the frames at which they are held."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay.palette import Palette, palette_of
from poise.addon.overlay.points import AXIS, RING, point_picture

from .made_up import handle, mark


@pytest.fixture
def palette() -> Palette:
    return palette_of(bpy.context.preferences)


def drawn(palette: Palette, *marks: Any, frame: float = 15.0) -> Any:
    return point_picture(marks, frame, 1.0, palette, lambda bone: "left" if bone == "hand" else "")


def test_a_point_is_drawn_where_its_handle_is_with_its_frames(palette: Palette) -> None:
    picture = drawn(palette, mark("SHAPE", handle((1.0, 2.0, 3.0)), bone="hand"))
    assert picture.vertices["dots"].places.tolist() == [[1.0, 2.0, 3.0]]
    assert picture.vertices["dots"].colors[0, :3] == pytest.approx(palette.left[:3], abs=1e-6)
    assert [label.text for label in picture.labels] == ["10\N{EN DASH}20"]


def test_a_hold_has_a_ring_that_is_bright_while_it_holds(palette: Palette) -> None:
    hold = mark("SHAPE", handle((1.0, 2.0, 3.0)))
    now, later = (drawn(palette, hold, frame=frame).vertices["thin"] for frame in (15.0, 30.0))
    assert np.linalg.norm(now.places - [1.0, 2.0, 3.0], axis=1) == pytest.approx(RING, rel=1e-4)
    assert now.colors[0, 3] > later.colors[0, 3]
    passing = mark("SHAPE", handle(begin=10.0, end=10.0))
    assert set(drawn(palette, passing).vertices) == {"dots"}


def test_the_points_of_a_path_are_connected_in_the_order_of_time(palette: Palette) -> None:
    late = handle((1.0, 0.0, 0.0), begin=18.0, end=18.0)
    first, last = handle((0.0, 0.0, 0.0), begin=10.0, end=10.0), handle((2.0, 0.0, 0.0), begin=20.0, end=20.0)
    lines = drawn(palette, mark("SHAPE", late, last, first)).vertices["thin"].places
    assert lines[:, 0].tolist() == [0.0, 0.5, 1.0, 1.5]


def test_orientations_have_axes_and_directions_a_line(palette: Palette) -> None:
    turned = handle((0.0, 0.0, 1.0), turn=0.5, begin=10.0, end=10.0)
    axes = drawn(palette, mark("ORIENTATION", turned)).vertices["thin"].places.reshape(3, 2, 3)
    assert axes[0, 1] == pytest.approx([AXIS * np.cos(0.5), AXIS * np.sin(0.5), 1.0], abs=1e-6)
    line = drawn(palette, mark("LOOK_AT", turned, aim="DIRECTION")).vertices["thin"].places
    assert line.tolist() == [[0.0, 0.0, 1.0], pytest.approx([0.0, 0.0, 1.0 + AXIS])]
    assert "thin" not in drawn(palette, mark("LOOK_AT", turned, aim="PLACE")).vertices


def test_plants_and_proposals_are_not_drawn_as_points(palette: Palette) -> None:
    assert drawn(palette, mark("FOOTPLANT"), mark("SHAPE", is_proposal=True)).is_empty


def test_a_constraint_that_is_switched_off_is_faint(palette: Palette) -> None:
    on, off = (drawn(palette, mark("SHAPE", is_enabled=enabled)).vertices["dots"].colors for enabled in (True, False))
    assert off[0, 3] < 0.5 * on[0, 3]
