# SPDX-License-Identifier: GPL-3.0-or-later
"""Footprints are bright while they stand, and the active one is highlighted."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.overlay.footprints import footprint_picture
from poise.addon.overlay.palette import Palette, palette_of
from poise.addon.overlay.soles import footprints_of

from .made_up import BODY, mark


@pytest.fixture
def palette() -> Palette:
    return palette_of(bpy.context.preferences)


def drawn(palette: Palette, frame: float = 15.0, **fields: Any) -> Any:
    return footprint_picture(footprints_of([mark(**fields)], BODY, None), frame, palette)


def color(picture: Any, kind: str) -> Any:
    colors = np.unique(picture.vertices[kind].colors, axis=0)
    assert len(colors) == 1
    return colors[0]


def test_a_plant_is_bright_at_its_frames_and_faint_at_others(palette: Palette) -> None:
    stands, waits = drawn(palette, 15.0), drawn(palette, 30.0)
    assert color(stands, "faces")[3] > 2.0 * color(waits, "faces")[3]
    assert "bold" in stands.vertices and "bold" not in waits.vertices
    assert color(stands, "faces")[:3] == pytest.approx(palette.left[:3], abs=1e-6)


def test_left_and_right_have_their_own_colours_and_letters(palette: Palette) -> None:
    left, right = drawn(palette, foot="left"), drawn(palette, foot="right")
    assert color(right, "faces")[:3] == pytest.approx(palette.right[:3], abs=1e-6)
    assert left.labels[0].text == "L1  10\N{EN DASH}20" and right.labels[0].text == "R1  10\N{EN DASH}20"


def test_the_active_plant_has_the_colour_of_what_is_active(palette: Palette) -> None:
    picture = drawn(palette, 30.0, is_active=True)
    assert color(picture, "bold")[:3] == pytest.approx(palette.active[:3], abs=1e-6)
    assert color(picture, "faces")[:3] == pytest.approx(palette.left[:3], abs=1e-6), "its side is still seen"
    assert picture.labels[0].rank < drawn(palette, 15.0).labels[0].rank


def test_a_plant_that_is_switched_off_is_faint_and_says_so(palette: Palette) -> None:
    on, off = drawn(palette), drawn(palette, is_enabled=False)
    assert color(off, "faces")[3] < 0.5 * color(on, "faces")[3] and "off" in off.labels[0].text


def test_an_arrow_shows_the_heading(palette: Palette) -> None:
    footprints = footprints_of([mark()], BODY, None)
    picture = footprint_picture(footprints, 30.0, palette, with_texts=False)
    arrow = picture.vertices["thin"].places[-6:]
    assert arrow[1] @ footprints[0].ahead > footprints[0].tip @ footprints[0].ahead
    assert not picture.labels
