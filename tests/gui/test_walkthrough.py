# SPDX-License-Identifier: GPL-3.0-or-later
"""What the README says can be done in that order, in a Blender with a window."""

from __future__ import annotations

from typing import Any


def test_plants_are_found_and_dragged_live(seen: dict[str, Any]) -> None:
    assert seen["found"] > 20 and seen["live"]
    assert seen["plant: active"]
    assert max(map(abs, seen["plant: moved"])) > 0.02
    assert not seen["plant: missed"]


def test_a_hand_that_is_pulled_too_far_gets_advice(seen: dict[str, Any]) -> None:
    assert seen["pin: bone"] == "r_wrist"
    assert seen["pin: advice"] > 0


def test_one_key_shows_the_source_and_the_result_again(seen: dict[str, Any]) -> None:
    assert seen["hidden"] and not seen["hidden again"]
