# SPDX-License-Identifier: GPL-3.0-or-later
"""Proposals are drawn by kind, and apart from constraints."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay.marks import Geometry
from poise.addon.overlay.palette import Palette, palette_of
from poise.addon.overlay.proposals import AXIS, BOX, CROSS, proposal_picture
from poise.addon.overlay.soles import footprints_of

from .made_up import BODY, handle, mark


@pytest.fixture
def palette() -> Palette:
    return palette_of(bpy.context.preferences)


def drawn(palette: Palette, *marks: Any, frame: float = 15.0) -> Any:
    return proposal_picture(marks, footprints_of(marks, BODY, None), frame, 1.0, palette)


def test_a_footprint_is_dashed_and_asks(palette: Palette) -> None:
    picture = drawn(palette, mark(is_proposal=True))
    assert set(picture.vertices) == {"thin"} and picture.labels[0].text == "L1  10\N{EN DASH}20?"


def test_a_point_is_a_cross(palette: Palette) -> None:
    lines = drawn(palette, mark("SHAPE", is_proposal=True)).vertices["bold"].places.reshape(3, 2, 3)
    assert np.ptp(lines, axis=1) == pytest.approx(2.0 * CROSS * np.eye(3))


def test_an_axis_is_a_long_line_along_it(palette: Palette) -> None:
    line = drawn(palette, mark("LOOK_AT", aim="DIRECTION", is_proposal=True)).vertices["bold"].places
    assert line == pytest.approx(np.array([[0.0, 0.0, -AXIS], [0.0, 0.0, AXIS]]))


def test_a_body_that_rests_is_a_turned_box(palette: Palette) -> None:
    box = drawn(palette, mark("ORIENTATION", handle(turn=0.3), is_proposal=True)).vertices["thin"].places
    edges = box.reshape(12, 2, 3)
    assert np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1) == pytest.approx(2.0 * BOX)
    upright = np.isclose(edges[:, 0, :2], edges[:, 1, :2], atol=1e-6).all(axis=1)
    assert upright.sum() == 4, "it is turned about the vertical alone"
    along = (edges[~upright][:, 1] - edges[~upright][:, 0]) / (2.0 * BOX)
    assert np.abs(along @ [np.cos(0.3), np.sin(0.3), 0.0]).max() == pytest.approx(1.0, abs=1e-5)


def test_an_axis_lies_where_it_was_detected(palette: Palette) -> None:
    found = Geometry("LINE", (1.0, 2.0, 3.0), (0.0, 0.0, 1.0), 0.0)
    line = drawn(palette, mark("LOOK_AT", aim="DIRECTION", is_proposal=True, detected=found)).vertices["bold"].places
    assert line == pytest.approx(np.array([[1.0, 2.0, 3.0 - AXIS], [1.0, 2.0, 3.0 + AXIS]]))
    point = mark("SHAPE", is_proposal=True, detected=found)
    assert len(drawn(palette, point, mark("LOOK_AT", is_proposal=True, detected=found)).labels) == 1, (
        "one text for both"
    )


@pytest.mark.parametrize("kind", ["SLIDE_LINE", "SLIDE_PLANE"])
def test_a_slide_is_its_path_with_the_line_or_plane_that_it_is_on(kind: str, palette: Palette) -> None:
    direction = np.array([0.0, 0.6, 0.8])
    places = [(0.1, 0.0, 0.0), (0.4, 0.0, 0.0), (0.6, 0.0, 0.0)]
    found = Geometry(kind, (0.2, 0.0, 0.0), tuple(direction), 0.4)
    handles = [handle(place, point=number) for number, place in enumerate(places)]
    picture = drawn(palette, mark("SHAPE", *handles, is_proposal=True, detected=found))
    assert len(picture.labels) == 1 and len(picture.vertices["bold"].places) == 4
    away = picture.vertices["thin"].places - [0.2, 0.0, 0.0]
    along = away @ direction
    if kind == "SLIDE_LINE":
        assert away - along[:, None] * direction == pytest.approx(np.zeros_like(away), abs=1e-6)
        assert 0.2 < np.abs(along).max() <= 0.31, "a little beyond both ends"
    else:
        assert along == pytest.approx(np.zeros(len(away)), abs=1e-6)
        assert np.linalg.norm(away, axis=1).max() == pytest.approx(0.2 * np.sqrt(2.0), rel=1e-5)


def test_constraints_are_no_proposals(palette: Palette) -> None:
    assert drawn(palette, mark(), mark("SHAPE")).is_empty


def test_the_active_proposal_is_highlighted_and_others_wait(palette: Palette) -> None:
    active, waiting = (
        drawn(palette, mark("SHAPE", is_proposal=True, is_active=is_active), frame=50.0).vertices["bold"].colors[0]
        for is_active in (True, False)
    )
    assert active[:3] == pytest.approx(palette.active[:3], abs=1e-6) and active[3] > waiting[3]
    assert waiting[:3] == pytest.approx(palette.proposal[:3], abs=1e-6)
