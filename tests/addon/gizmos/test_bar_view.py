# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars are shown for the active character, until they are switched off or drawing fails; then once, and not again."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from poise.addon.gizmos import bar_view
from poise.addon.gizmos.lanes import View
from poise.addon.properties import character_of
from poise.addon.workflows import create


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
