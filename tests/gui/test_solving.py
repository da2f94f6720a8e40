# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in a Blender with a window: the tab, the progress of a solve, Esc, undo and redo."""

from __future__ import annotations

from typing import Any


def test_the_tab_opens(seen: dict[str, Any]) -> None:
    assert seen["category"] == "Poise"


def test_escape_cancels_a_solve_and_nothing_has_changed(seen: dict[str, Any]) -> None:
    assert seen["escape: begun"] == ["RUNNING_MODAL"]
    assert seen["escape: runs"]
    assert not seen["escape: runs after"]
    assert seen["escape: after"] == seen["escape: before"]


def test_a_solve_shows_its_progress_and_ends_with_a_result(seen: dict[str, Any]) -> None:
    shares = seen["solve: shares"]
    assert len(set(shares)) >= 3, f"the window must be drawn while it solves, but saw only {shares}"
    assert shares == sorted(shares)
    assert seen["solve: after"]["action"] == "Walker.poise"
    assert seen["solve: after"]["last_solve"]
    assert seen["solve: missed"]
    assert not any(seen["solve: missed"])


def test_an_armature_is_solved_once_at_a_time(seen: dict[str, Any]) -> None:
    assert not seen["solve: twice"]


def test_undo_and_redo_restore_everything(seen: dict[str, Any]) -> None:
    assert seen["undone"] == seen["solve: before"]
    assert seen["redone"] == seen["solve: after"]


def test_operators_are_found_by_f3(seen: dict[str, Any]) -> None:
    assert seen["found by F3"]


def test_a_landmark_is_set_by_searching_for_its_bone_on_both_sides(seen: dict[str, Any]) -> None:
    assert seen["searched"] == {"left_ankle": "l_subtalar", "right_ankle": "r_subtalar"}


def test_an_error_is_one_sentence_and_changes_nothing(seen: dict[str, Any]) -> None:
    assert seen["error"].startswith("Error: ")
    assert seen["error"].strip().count("\n") == 0
    assert not seen["error: runs"]
    assert seen["error: after"] == seen["error: before"]
