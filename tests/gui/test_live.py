# SPDX-License-Identifier: GPL-3.0-or-later
"""Live mode in a Blender with a window: other frames change during a drag, undo shows what belonged to a step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def test_a_solve_leaves_the_window_free(seen: dict[str, Any]) -> None:
    assert seen["orbit: runs"], "it must still run, or nothing is shown"
    assert seen.get("orbit: during"), "the view turns while it runs"
    assert seen["scrub: during"], "and the frame changes"


def test_escape_stops_it_and_nothing_has_changed(seen: dict[str, Any]) -> None:
    assert not seen["escape: runs"]
    assert seen["escape: after"] == seen["escape: before"]


def test_other_frames_change_during_a_drag(seen: dict[str, Any]) -> None:
    assert seen["live: action"] == "Walker.poise"
    changes = np.array(seen["pin: during"])
    assert seen["pin: samples during"]
    assert (changes[len(changes) // 2 :] > 1e-3).all(), "before the mouse is released"
    assert len(np.unique(changes)) > 2, "again and again"
    assert not seen["pin: problem"]


def test_when_the_hand_rests_there_are_keys(seen: dict[str, Any]) -> None:
    assert not seen["pin: samples after"] and not seen["pin: stale"]
    assert np.abs(np.subtract(seen["pin: second place"], seen["pin: first place"])).max() > 0.01


def test_undo_and_redo_show_what_belonged_to_the_step(seen: dict[str, Any]) -> None:
    for name, step in (("undo", "first"), ("redo", "second")):
        assert seen[f"{name}: live"] and not seen[f"{name}: samples"]
        np.testing.assert_allclose(seen[f"{name}: place"], seen[f"pin: {step} place"], atol=1e-6)
        np.testing.assert_allclose(sorted(seen[f"{name}: curves"]), sorted(seen[f"pin: {step} curves"]), atol=1e-4)


def test_a_drag_is_followed_while_the_animation_plays(seen: dict[str, Any]) -> None:
    assert max(seen["playing: during"]) > 1e-3


def test_a_file_is_saved_with_keys_and_goes_on_live(seen: dict[str, Any]) -> None:
    assert not seen["saved: samples"]
    assert seen["opened: live"]
    np.testing.assert_allclose(seen["opened: curves"], seen["saved: curves"], atol=1e-6)
    assert max(seen["opened: during"]) > 1e-3
    assert seen["left: sessions"] == 0


def test_edits_of_the_captured_walk_are_answered_in_time(seen: dict[str, Any]) -> None:
    if "plant: answers" not in seen:
        pytest.skip("the captured walk is not there")
    for name in ("plant", "far"):
        for what in ("answers", "results"):
            found = 1000.0 * np.array(seen[f"{name}: {what}"])
            median, most = np.median(found), np.percentile(found, 95)
            print(f"{name}: {len(found)} {what}, median {median:.0f} ms, 95 % within {most:.0f} ms")
        assert len(seen[f"{name}: answers"]) > 3
