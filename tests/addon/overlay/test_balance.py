# SPDX-License-Identifier: GPL-3.0-or-later
"""The centre of mass is judged by the area under the feet that stand."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon.overlay.balance import balance_picture, hull, is_over, support_of
from poise.addon.overlay.palette import Palette, palette_of
from poise.addon.overlay.soles import footprints_of

from .made_up import BODY, handle, mark

SQUARE = np.array([[0.0, 0.0, 0.2], [1.0, 0.0, 0.2], [1.0, 1.0, 0.2], [0.0, 1.0, 0.2]])


@pytest.fixture
def palette() -> Palette:
    return palette_of(bpy.context.preferences)


def test_the_hull_contains_all_places_and_turns_left() -> None:
    rng = np.random.default_rng(5)
    places = rng.normal(size=(40, 2))
    corners = places[hull(places)]
    side, following = (
        np.roll(corners, -1, axis=0) - corners,
        np.roll(corners, -2, axis=0) - np.roll(corners, -1, axis=0),
    )
    assert (side[:, 0] * following[:, 1] - side[:, 1] * following[:, 0] > 0.0).all()
    lifted = np.concatenate([corners, np.zeros((len(corners), 1))], axis=1)
    assert all(
        is_over(lifted, np.array([x, y, 1.0])) for x, y in 0.999999 * (places - corners.mean(0)) + corners.mean(0)
    )


def test_support_is_under_the_feet_that_stand() -> None:
    marks = [
        mark("FOOTPLANT", handle((0.2, 0.0, 0.0))),
        mark("FOOTPLANT", handle((-0.2, 0.0, 0.0)), foot="right", end=30.0),
        mark("FOOTPLANT", handle((5.0, 0.0, 0.0)), is_enabled=False),
        mark("FOOTPLANT", handle((9.0, 0.0, 0.0)), is_proposal=True),
    ]
    footprints = footprints_of(marks, BODY, None)
    both, one, none = (support_of(footprints, frame) for frame in (15.0, 25.0, 40.0))
    assert is_over(both, np.zeros(3)) and not is_over(one, np.zeros(3))
    assert both[:, 0].max() < 0.3 and one[:, 0].max() < 0.0 and len(none) == 0


def test_it_is_red_where_the_centre_leaves_the_support(palette: Palette) -> None:
    for place, color in ((0.5, palette.text), (1.5, palette.missed)):
        picture = balance_picture(np.array([place, 0.5, 1.0]), SQUARE, 0.0, 1.0, palette)
        for vertices in picture.vertices.values():
            assert vertices.colors[:, :3] == pytest.approx(np.tile(np.float32(color[:3]), (len(vertices.colors), 1)))


def test_the_line_drops_to_the_support_and_without_one_to_the_ground(palette: Palette) -> None:
    center = np.array([0.5, 0.5, 1.0])
    on_support = balance_picture(center, SQUARE, -3.0, 1.0, palette).vertices["thin"].places
    assert on_support[:2].tolist() == [pytest.approx([0.5, 0.5, 1.0]), pytest.approx([0.5, 0.5, 0.2])]
    in_flight = balance_picture(center, np.zeros((0, 3)), -3.0, 1.0, palette)
    assert in_flight.vertices["thin"].places[1].tolist() == [0.5, 0.5, -3.0] and "faces" not in in_flight.vertices
    assert in_flight.vertices["dots"].colors[0, :3] == pytest.approx(palette.text[:3]), "a jump is not judged"
