# SPDX-License-Identifier: GPL-3.0-or-later
"""What a newcomer clicks first leads to a result."""

from __future__ import annotations

from typing import Any


def test_a_click_on_add_example_puts_a_walking_character_into_the_scene(seen: dict[str, Any]) -> None:
    assert seen["armatures"] == 1 and seen["active"]
    assert seen["skinned"]
    begin, end = seen["frames"]
    assert end - begin > 50


def test_the_next_click_cleans_its_feet(seen: dict[str, Any]) -> None:
    assert seen["cleaned"] and not seen["live"], seen["report"]


def test_undo_takes_result_and_character_away(seen: dict[str, Any]) -> None:
    assert seen["armatures after undo"] == 0
