# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples in a Blender with a window: the second refines the first, and the noise pattern is drawn."""

from __future__ import annotations

from typing import Any


def test_the_first_example_finds_the_quiet_half(seen: dict[str, Any]) -> None:
    assert seen["first: examples"] == 1
    assert seen["plants: quiet"] - 1 <= seen["first: found"] <= seen["plants: quiet"] + 1
    assert seen["first: threshold"] > 0.0


def test_the_second_example_refines_it(seen: dict[str, Any]) -> None:
    assert seen["second: examples"] == 2
    assert seen["plants: all"] - 1 <= seen["second: found"] <= seen["plants: all"]
    quiet, loud = seen["second: thresholds"]
    assert loud > 5.0 * quiet, "each half has its own threshold"


def test_a_tolerance_is_followed_at_once(seen: dict[str, Any]) -> None:
    assert seen["followed: fewer"] < seen["second: found"] == seen["followed: back"]
    assert seen["followed: seconds"] < 2.0


def test_the_noise_pattern_is_drawn_where_and_when_it_is_wanted(seen: dict[str, Any]) -> None:
    assert seen["second: drawn"] and not seen["second: problem"]
    assert seen["switched off"]
    assert seen["in the graph editor"] and not seen["graph problem"]


def test_escape_stops_a_search_and_keeps_what_was_found(seen: dict[str, Any]) -> None:
    assert seen["escape: begun"] == ["RUNNING_MODAL"] or not seen["escape: ran"]
    assert not seen["escape: runs"] and seen["escape: kept"]


def test_an_example_that_was_removed_comes_back_with_undo(seen: dict[str, Any]) -> None:
    assert (seen["removed"], seen["removed, undone"]) == (1, 2)


def test_a_door_waits_turns_and_waits(seen: dict[str, Any]) -> None:
    (before, turns, after) = seen["door"][:3]
    assert [before[0], turns[0], after[0]] == ["SPACE", "LINE", "SPACE"]
    assert before[1] == 1.0 and abs(turns[1] - 60) <= 12 and abs(turns[2] - 150) <= 12


def test_examples_are_there_again_after_saving_and_opening(seen: dict[str, Any]) -> None:
    assert seen["reopened"] and seen["reopened: found"] and not seen["reopened: problem"]
