# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture tool in a window, with a pinned foot."""

from __future__ import annotations

from typing import Any

import numpy as np

Seen = dict[str, Any]

STILL = 1e-5
"""Metres that a pinned bone may move: single precision."""


def moved(pair: list[list[float]]) -> float:
    return float(np.linalg.norm(np.subtract(*pair)))


def test_the_tool_is_chosen_and_a_foot_is_pinned(seen: Seen) -> None:
    assert seen["tool"] == "poise.posture"
    assert seen["clicked"] == "l_wrist"
    assert seen["pinned"] == [["r_talocrural", "BOTH"]]


def test_the_hand_follows_the_mouse_and_the_foot_stays(seen: Seen) -> None:
    assert seen["drag: runs"] == ["POISE_OT_posture_drag"]
    assert moved(seen["drag: hand"]) > 0.2
    assert moved(seen["drag: foot"]) < STILL
    assert "HumanoidRoot" in seen["drag: moved"]


def test_the_wheel_leaves_only_some_bones(seen: Seen) -> None:
    assert seen["wheel: level"] == [False, 2]
    assert moved([seen["drag: foot"][0], seen["wheel: foot"]]) < STILL


def test_release_keeps_the_pose_as_one_undo_step_without_keys(seen: Seen) -> None:
    assert seen["released: runs"] == [] and seen["released: changed"]
    assert seen["undone: as before"] and seen["undone: pins"] == 1
    assert seen["redone: as released"]


def test_escape_restores_to_the_bit(seen: Seen) -> None:
    assert seen["escape: changed"] and seen["escape: as before"] and seen["escape: runs"] == []


def test_auto_keying_keys_the_pose(seen: Seen) -> None:
    before, dragged, later = seen["keyed: hand"]
    assert moved([before, dragged]) > 0.05
    assert moved([dragged, later]) < STILL
