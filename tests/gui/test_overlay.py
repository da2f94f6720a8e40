# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the viewport of a Blender with a window."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest

LEAST = {
    "footprints": 500,
    "points": 40,
    "trajectories": 500,
    "misses": 60,
    "proposals": 100,
    "balance": 40,
    "ghosts": 300,
}
"""Pixels that each part must change at least: about half of what it does on a screen of 1366x768."""

MOST_OF_FRAME = 0.1
"""The share of a frame's processor time that drawing may take: playback keeps nine tenths of its frame rate."""


@pytest.mark.parametrize("part", LEAST)
def test_each_part_is_drawn_and_can_be_switched_off(seen: dict[str, Any], part: str) -> None:
    assert seen["changed pixels"][part] >= LEAST[part], seen["changed pixels"]
    assert seen["changed pixels"]["nothing again"] == 0


def test_a_footprint_follows_its_handle_while_it_is_dragged(seen: dict[str, Any]) -> None:
    assert seen["picked before"] and len(seen["followed"]) == 8 and all(seen["followed"])
    assert seen["moved by"] > 0.1


def test_source_and_result_are_switched_undone_and_redone(seen: dict[str, Any]) -> None:
    assert all(seen[f"source: {what}"] for what in ("differs", "undone", "redone", "back"))


def test_source_and_result_are_there_after_opening_the_file_again(seen: dict[str, Any]) -> None:
    assert seen["reopened: source"] and seen["reopened: result"] and not seen["reopened: problem"]


def test_playback_keeps_nine_tenths_of_its_frame_rate(seen: dict[str, Any]) -> None:
    on, off = seen["playback"]["on"], seen["playback"]["off"]
    shares = [each["callback"] / each["processor"] for each in on]
    assert median(shares) <= MOST_OF_FRAME, seen["playback"]
    # What is drawn later by the driver is not in the callback, but in the time of the whole frame.
    with_all, without = (median(each["processor"] for each in found) for found in (on, off))
    assert without / with_all >= 1.0 - MOST_OF_FRAME, seen["playback"]
    drawn, switched_off = (median(each["callback"] for each in found) for found in (on, off))
    assert switched_off < 0.1 * drawn, seen["playback"]


def test_an_error_is_said_once_and_drawing_can_be_switched_on_again(seen: dict[str, Any]) -> None:
    assert seen["failing: calls"] == 1 and not seen["failing: shown"]
    assert "on purpose" in seen["failing: problem"] and not seen["failing: problem after"]
