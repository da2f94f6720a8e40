# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars are shown for the active character, until they are switched off or drawing fails; then once, and not again."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from poise.addon.gizmos import bar_view
from poise.addon.gizmos.lanes import View
from poise.addon.properties import character_of
from poise.addon.workflows import create

from ..overlay.offscreen import HEIGHT, WIDTH, pixels_of


@dataclass
class Space:
    """An editor of time, as far as drawing needs it."""

    type: str = "DOPESHEET_EDITOR"
    mode: str = "TIMELINE"


def context(armature: Any, space: Any = None, height: float = 400.0) -> Any:
    return SimpleNamespace(
        object=armature,
        space_data=space or Space(),
        region=SimpleNamespace(height=height, width=800, as_pointer=lambda: 1),
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
    )


def test_bars_are_those_of_the_active_character(armature: bpy.types.Object) -> None:
    assert bar_view.shown_armature(context(armature)) is None, "there is nothing to show yet"
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    assert bar_view.shown_armature(context(armature)) == armature
    assert bar_view.shown_armature(context(pin.points[0].object)) == armature
    assert bar_view.shown_armature(context(armature, Space(mode="GPENCIL"))) is None
    assert bar_view.shown_armature(context(armature, Space(type="GRAPH_EDITOR"))) is None


def test_they_can_be_switched_off(armature: bpy.types.Object) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0)
    character_of(armature).timeline.show_bars = False
    assert bar_view.shown_armature(context(armature)) is None


def test_bars_are_made_again_only_where_something_changed(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    view = bar_view.BarView()
    view.refresh(context(armature), armature)
    first = view.bars
    view.refresh(context(armature), armature)
    assert view.bars is first
    pin.points[0].end = 25.0
    view.refresh(context(armature), armature)
    assert view.bars is not first and view.bars[0].holds == ((20.0, 25.0),)


def test_a_region_that_is_seen_again_keeps_its_bars() -> None:
    regions = [SimpleNamespace(as_pointer=lambda number=number: number) for number in range(bar_view.MOST_REGIONS + 2)]
    first = bar_view.bar_view(regions[0])
    assert bar_view.bar_view(regions[0]) is first
    for region in regions:
        bar_view.bar_view(region)
    assert len(bar_view._views) <= bar_view.MOST_REGIONS


def test_frames_are_those_that_the_region_shows() -> None:
    def region_to_view(x: float, y: float) -> tuple[float, float]:
        return -5.0 + x / 8.0, y

    region = SimpleNamespace(width=800, view2d=SimpleNamespace(region_to_view=region_to_view))
    assert bar_view.view_of(region) == View(-5.0, 8.0)


def test_an_error_is_said_once_and_switches_bars_off(
    armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    create.add_pins(armature, ["l_wrist"], 20.0)

    def fail(*_: Any) -> None:
        raise ValueError("no colours")

    monkeypatch.setattr(bar_view.BarView, "draw", fail)
    monkeypatch.setattr(bar_view, "view_of", lambda region: View(0.0, 1.0))
    monkeypatch.setattr(bar_view, "bpy", SimpleNamespace(context=context(armature)))
    for _ in range(3):
        bar_view.draw()
    assert capsys.readouterr().out.count("Poise draws no bars in the timeline any more: no colours.") == 1
    assert bar_view.shown_armature(context(armature)) is None
    bar_view.forget()
    assert bar_view.shown_armature(context(armature)) == armature


# Pictures ------------------------------------------------------------------------------------------------------------

SHOWN = View(left=0.0, pixels_per_frame=4.0)


def drawn(view: bar_view.BarView, stale: bool = False) -> np.ndarray:
    """(height, width, 4) a picture of the bars; frame 0 is at its left edge and a frame 4 pixels wide."""
    return pixels_of(lambda: view.draw(WIDTH, SHOWN, 1.0, stale))


def colour_at(picture: np.ndarray, view: bar_view.BarView, frame: float, height: float = 0.5, bar: int = 0) -> Any:
    """The colour at a frame, at a share of the height of a bar's lane."""
    lane = view.layout.lanes[view.layout.lane_of[bar]]
    return picture[int(lane.low + height * (lane.high - lane.low)), int(SHOWN.x(frame)), :3]


def test_a_plant_is_drawn_over_its_frames_and_follows_its_events(armature: bpy.types.Object) -> None:
    item = create.add_footplant(armature, "left", 30.0, 50.0)
    view = bar_view.BarView()
    view.refresh(context(armature, height=HEIGHT), armature)
    picture = drawn(view)
    inside, outside = colour_at(picture, view, 40.0, 0.25), colour_at(picture, view, 75.0, 0.25)
    assert inside[2] > 0.3 and inside[2] > inside[0], "the left side is blue"
    assert inside.sum() > outside.sum() + 0.3
    item.heel_off, item.toe_off = 78.0, 78.0
    view.refresh(context(armature, height=HEIGHT), armature)
    assert np.allclose(colour_at(drawn(view), view, 70.0, 0.25), inside, atol=0.02)


def test_what_is_missed_is_red_and_faint_once_it_is_stale(armature: bpy.types.Object) -> None:
    create.add_footplant(armature, "left", 30.0, 50.0)
    create.add_pins(armature, ["l_wrist"], 60.0)
    character = character_of(armature)
    character.active_constraint = 1
    residual = character.residuals.add()
    residual.uid, residual.misses, residual.worst_frame = character.constraints[0].uid, True, 40.0
    view = bar_view.BarView()
    view.refresh(context(armature, height=HEIGHT), armature)
    fresh, stale = (colour_at(drawn(view, stale), view, 40.0) for stale in (False, True))
    assert fresh[0] > 0.9 and fresh[2] < 0.3
    assert stale[0] < fresh[0] and stale[2] > fresh[2]


def test_batches_are_kept_until_something_changes(armature: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    create.add_footplant(armature, "left", 30.0, 50.0)
    view = bar_view.BarView()
    view.refresh(context(armature, height=HEIGHT), armature)
    first = drawn(view)

    def fail(*_: Any) -> None:
        raise AssertionError("bars were made again although nothing has changed")

    monkeypatch.setattr(bar_view, "bar_triangles", fail)
    view.refresh(context(armature, height=HEIGHT), armature)
    assert np.array_equal(drawn(view), first)
    scrolled = pixels_of(lambda: view.draw(WIDTH, View(10.0, 4.0), 1.0))
    assert not np.array_equal(scrolled, first), "scrolling moves what is kept"
