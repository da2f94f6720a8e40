# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles of bars lie where their frames are, in the colours of their sides."""

from __future__ import annotations

import numpy as np
import pytest

from poise.addon.gizmos.bar_shapes import Palette, Triangles, bar_triangles
from poise.addon.gizmos.lanes import layout
from poise.addon.workflows.bars import Bar

from .made_bars import path, plant

BLUE, LIGHT_BLUE = (0.0, 0.0, 1.0, 1.0), (0.0, 0.5, 1.0, 1.0)
GREEN, YELLOW, RED = (0.0, 1.0, 0.0, 1.0), (1.0, 1.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0)
PALETTE = Palette(
    {"LEFT": (BLUE, LIGHT_BLUE), "RIGHT": (GREEN, GREEN), "": (YELLOW, YELLOW)},
    error=RED,
    back=(0.0, 0.0, 0.0, 1.0),
    text=(1.0, 1.0, 1.0, 1.0),
)
PIXELS = 4.0


def shapes(*bars: Bar) -> Triangles:
    return bar_triangles(bars, layout(bars, 500.0), PIXELS, PALETTE)


def frames_of(found: Triangles, colour: tuple[float, ...]) -> tuple[float, float]:
    """The first and last frame of what has a colour and is not transparent."""
    places, colours = found
    own = np.all(np.abs(colours[:, :3] - np.array(colour[:3])) < 1e-6, axis=1) & (colours[:, 3] > 0.0)
    assert own.any()
    return places[own, 0].min() / PIXELS, places[own, 0].max() / PIXELS


def test_nothing_is_drawn_of_nothing() -> None:
    places, colours = shapes()
    assert places.shape == (0, 2) and colours.shape == (0, 4)


def test_triangles_are_single_precision_and_complete() -> None:
    places, colours = shapes(plant(10.0, 40.0), path(0.0, 90.0, (20.0, 40.0)))
    assert places.dtype == colours.dtype == np.float32
    assert len(places) == len(colours) and len(places) % 6 == 0
    assert np.isfinite(places).all()


def test_heel_and_ball_have_a_half_each_and_shades_of_their_own() -> None:
    places, colours = shapes(plant(10.0, 40.0))
    lane = layout([plant(10.0, 40.0)], 500.0).lanes[0]
    strong = colours[:, 3] > 0.8
    low = strong & (places[:, 1] <= lane.middle) & (colours[:, 0] == 0.0)
    assert places[low, 0].min() == 40.0 and places[low, 0].max() == 35.0 * PIXELS
    high = strong & (colours[:, 0] > 0.0)
    assert places[high, 0].min() == 15.0 * PIXELS and places[high, 0].max() == 40.0 * PIXELS
    assert places[high, 1].min() == pytest.approx(lane.middle)


def test_eases_fade() -> None:
    places, colours = shapes(plant(10.0, 40.0))
    for edge, frame in (("first", 2.0), ("last", 48.0)):
        at = np.abs(places[:, 0] - frame * PIXELS) < 1e-3
        assert at.any() and (colours[at, 3] == 0.0).all(), edge


def test_sides_have_their_colours_and_the_active_bar_its_own() -> None:
    assert frames_of(shapes(plant(10.0, 40.0)), BLUE)[0] == 10.0
    assert frames_of(shapes(plant(10.0, 40.0, "RIGHT")), GREEN)[0] == 10.0
    assert frames_of(shapes(plant(10.0, 40.0, is_active=True)), LIGHT_BLUE)[0] == 10.0
    assert frames_of(shapes(plant(10.0, 40.0, is_active=True)), PALETTE.text) == (10.0, 40.0)


def test_missed_frames_are_red_and_seen_however_small() -> None:
    found = shapes(plant(10.0, 40.0, missed=((12.0, 20.0),)))
    assert frames_of(found, RED) == (11.5, 20.5)
    bar = plant(10.0, 40.0, missed=((12.0, 12.0),))
    places, colours = bar_triangles([bar], layout([bar], 500.0), 0.01, PALETTE)
    red = colours[:, 0] == 1.0
    assert places[red, 0].max() - places[red, 0].min() == pytest.approx(3.0, abs=1e-3)


def test_points_are_diamonds_above_what_is_missed() -> None:
    places, colours = shapes(path(0.0, 90.0, (20.0, 40.0), missed=((0.0, 90.0),)))
    red = np.flatnonzero((colours[:, 0] == 1.0) & (colours[:, 1] == 0.0))
    diamonds = np.flatnonzero((colours[:, 2] > 0.0) & (colours[:, 1] == 1.0))
    assert len(diamonds) == 24 and diamonds.min() > red.max()
    assert set(np.round(places[diamonds, 0] / PIXELS).tolist()) >= {20.0, 40.0}


def test_a_proposal_is_striped_and_what_is_off_is_faint() -> None:
    _, colours = shapes(plant(10.0, 40.0, is_proposal=True))
    assert set(np.round(colours[:, 3].astype(np.float64), 2).tolist()) == {1.0, 0.45}
    _, colours = shapes(plant(10.0, 40.0, is_enabled=False))
    assert colours[:, 3].max() < 0.3
