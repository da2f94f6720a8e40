# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles are grabbed in pose mode, by gizmos that are there at once; each drag is one step of undo."""

from __future__ import annotations

import math
from typing import Any

NEAR = 1e-5
"""Metres: the same place."""


def distance(one: list[float], other: list[float]) -> float:
    return math.dist(one, other)


def test_the_gizmo_of_a_new_pin_is_there_and_pose_mode_stays(seen: dict[str, Any]) -> None:
    assert seen["pin: name"] == "l_wrist 60"
    assert seen["pin: mode"] == seen["pin: mode after"] == "POSE"
    assert seen["pin: active object"] == "Walker"


def test_a_pin_follows_the_mouse_while_it_is_dragged(seen: dict[str, Any]) -> None:
    places = [seen["pin: begin"], *seen["pin: during"]]
    ways = [distance(places[0], place) for place in places]
    assert ways == sorted(ways)
    assert len({round(way, 6) for way in ways}) >= 6
    assert abs(seen["pin: pixels"][0] - 120) <= 3
    assert abs(seen["pin: pixels"][1] - 60) <= 3


def test_a_drag_is_one_step_of_undo(seen: dict[str, Any]) -> None:
    assert distance(seen["pin: begin"], seen["pin: end"]) > 0.05
    assert distance(seen["pin: undone"], seen["pin: begin"]) < NEAR
    assert distance(seen["pin: redone"], seen["pin: end"]) < NEAR


def test_other_frames_follow_a_gizmo_in_live_mode(seen: dict[str, Any]) -> None:
    changes = seen["live: during"]
    assert max(changes[: len(changes) // 2]) > 1e-3, "while the mouse is still down"
    assert changes[-1] > changes[len(changes) // 4]
    assert seen["live: mode"] == "POSE"


def test_a_click_makes_a_plant_active_and_moves_nothing(seen: dict[str, Any]) -> None:
    assert seen["plant: clicked"]
    assert seen["plant: after click"] == seen["plant: begin"]


def test_a_plant_is_moved_on_the_ground_in_pose_mode(seen: dict[str, Any]) -> None:
    begin, end = seen["plant: begin"], seen["plant: end"]
    assert distance(begin, end) > 0.05
    assert abs(begin[2] - end[2]) < NEAR
    assert seen["plant: mode"] == "POSE"


def test_a_plant_is_raised(seen: dict[str, Any]) -> None:
    begin, end = ([row[3] for row in seen[f"raise: {when}"]] for when in ("begin", "end"))
    assert end[2] > begin[2] + 0.02
    assert distance(begin[:2], end[:2]) < NEAR
    assert seen["raise: undone"] == seen["raise: begin"]


def test_a_plant_is_turned_about_the_vertical(seen: dict[str, Any]) -> None:
    begin, end = seen["turn: begin"], seen["turn: end"]
    assert distance([row[3] for row in begin], [row[3] for row in end]) < NEAR
    assert distance([row[2] for row in begin], [row[2] for row in end]) < NEAR
    assert distance([row[0] for row in begin], [row[0] for row in end]) > 0.2
    assert seen["turn: undone"] == seen["turn: begin"]


def test_a_footprint_is_clicked_in_pose_mode(seen: dict[str, Any]) -> None:
    assert seen["footprint: changed"]
    assert seen["footprint: clicked"]
    assert seen["footprint: mode"] == "POSE"


def test_a_point_slides_in_time(seen: dict[str, Any]) -> None:
    assert seen["slide: begin"] == 60.0
    assert seen["slide: end"] != 60.0
    assert seen["slide: frame"] == seen["slide: end"]
    assert seen["slide: undone"] == 60.0


def test_a_handle_is_deleted_with_its_constraint_and_comes_back(seen: dict[str, Any]) -> None:
    assert seen["delete: selected"] == [seen["delete: handle"]]
    assert seen["delete: left"] == seen["delete: redone"] == -1
    assert seen["delete: active object"] == "Walker"
    assert seen["delete: undone"] == 0
    assert seen["delete: handle back"]
