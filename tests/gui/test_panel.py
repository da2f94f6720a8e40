# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab in a Blender with a window: an advice is applied with the mouse, and several constraints are selected."""

from __future__ import annotations

from typing import Any


def test_problems_are_listed_with_buttons_on_the_screen(seen: dict[str, Any]) -> None:
    assert [kind for kind, _, _ in seen["problems"][:2]] == ["MISSED", "MISSED"]
    assert all(fixes for _, _, fixes in seen["problems"][:2])
    assert seen["apply buttons"] >= 2, f"without scrolling there were only {seen['buttons']}"
    for operator in ("detect_footplants(", "solve(", "source_restore("):
        assert any(operator in command for command in seen["buttons"])


def test_a_click_applies_an_advice_in_one_undo_step(seen: dict[str, Any]) -> None:
    assert seen["applied"] != seen["before"]
    assert seen["applied"][2] == seen["before"][2] - 1, "its problem is off the list"
    assert seen["undone"] == seen["before"]
    assert seen["redone"] == seen["applied"]


def test_the_advice_helps(seen: dict[str, Any]) -> None:
    assert len(seen["problems after"]) < len(seen["problems"])


def test_similar_constraints_are_selected(seen: dict[str, Any]) -> None:
    assert len(seen["selected"]) > 5 and len({tuple(each) for each in seen["selected"]}) == 1
