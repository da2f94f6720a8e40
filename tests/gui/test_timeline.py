# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars in the Timeline and the Dope Sheet, the pie menu and keys, in a Blender with a window."""

from __future__ import annotations

from typing import Any

BY = 8
"""Frames by which the scene drags events."""
NEAR = 1.0
"""Frames: a pixel is up to so wide."""


def test_an_event_is_dragged_to_whole_frames_while_the_mouse_moves(seen: dict[str, Any]) -> None:
    before, after = seen["drag: before"], seen["drag: after"]
    assert abs(after[1] - before[1] - BY) <= NEAR and after[1] == int(after[1])
    assert [after[number] for number in (0, 2, 3)] == [before[number] for number in (0, 2, 3)]
    assert len(set(seen["drag: during"])) >= 3 and seen["drag: during"] == sorted(seen["drag: during"])
    assert seen["drag: active"] == 2


def test_a_drag_is_one_undo_step(seen: dict[str, Any]) -> None:
    assert seen["drag: undone"] == seen["drag: before"]
    assert seen["drag: redone"] == seen["drag: after"]


def test_escape_restores_the_event(seen: dict[str, Any]) -> None:
    assert seen["escape: during"] != seen["escape: before"]
    assert seen["escape: after"] == seen["escape: before"]


def test_a_click_makes_a_constraint_active_and_a_double_click_goes_there(seen: dict[str, Any]) -> None:
    assert seen["click: active"] == 0 and seen["click: frame"] == 1
    assert seen["double click: active"] == 3
    assert seen["double click: begin"] <= seen["double click: frame"] <= seen["double click: end"]


def test_the_timeline_scrubs_beside_bars(seen: dict[str, Any]) -> None:
    assert abs(seen["scrub: frame"] - 120) <= NEAR
    assert seen["scrub: kept"]


def test_a_bar_slides_with_its_points(seen: dict[str, Any]) -> None:
    shifts = [after - before for before, after in zip(seen["slide: before"], seen["slide: after"], strict=True)]
    assert len(set(shifts)) == 1 and abs(shifts[0] - BY) <= NEAR
    assert seen["slide: active"]


def test_keys_pin_recruit_and_unpin(seen: dict[str, Any]) -> None:
    assert seen["keys: pinned"] == [1, "r_wrist", "SHAPE"]
    assert seen["keys: recruited"] == 1 and seen["keys: recruited again"] == 0
    assert seen["keys: priority"] == 1
    assert seen["keys: unpinned"] == 0


def test_the_pie_pins(seen: dict[str, Any]) -> None:
    assert seen["pie: pinned"] == 1


def test_a_high_dope_sheet_shows_misses_and_leaves_keys_in_reach(seen: dict[str, Any]) -> None:
    assert seen["high: missed"] >= 1
    assert abs(seen["high: dragged"] + BY) <= NEAR
    assert seen["high: selected keys"]
