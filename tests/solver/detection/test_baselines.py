# SPDX-License-Identifier: GPL-3.0-or-later
"""The detectors that Poise is compared with do what their authors say."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.detection.baselines import detect_by_speed_and_height, detect_by_squared_displacement, majority

from ..made_up import point_clip


def hopping() -> np.ndarray:
    """On the floor in frames 0 to 19 and 40 to 59, in the air between, at rest in the air in frames 70 to 89."""
    places = np.zeros((90, 3))
    places[20:40, 0] = np.linspace(0.1, 2.0, 20)
    places[20:40, 1] = np.sin(np.linspace(0.1, 3.0, 20))
    places[40:60, 0] = 2.1
    places[60:70, 0] = 2.1
    places[60:70, 1] = np.linspace(0.1, 1.0, 10)
    places[70:, :2] = (2.1, 1.1)
    return places


def spans(found: list) -> list[tuple[int, int]]:
    return [(each.begin, each.end) for each in found]


def test_slow_is_planted_at_any_height() -> None:
    """As Easy Foot Plant says: on the steps of stairs too. A height is required on request only."""
    clip = point_clip(hopping())
    assert spans(detect_by_speed_and_height(clip, "point", voters=0.0)) == [(0, 18), (40, 58), (70, 89)]
    assert spans(detect_by_speed_and_height(clip, "point", voters=0.0, height=0.055)) == [(0, 18), (40, 58)]
    assert spans(detect_by_speed_and_height(clip, "point", voters=0.0, height=0.055, speed=10.0))[0] == (0, 19)


def test_steps_of_stairs_are_planted() -> None:
    steps = np.repeat(np.arange(4.0), 30)
    places = np.stack([steps, 0.5 * steps, np.zeros(120)], axis=1)
    found = detect_by_speed_and_height(point_clip(places), "point", voters=0.0)
    assert [(each.position[1], each.frames) for each in found] == [(0.0, 29), (0.5, 29), (1.0, 29), (1.5, 30)]


def test_votes_bridge_a_frame_and_drop_one() -> None:
    places = hopping()
    places[10] += 0.04
    assert len(detect_by_speed_and_height(point_clip(places), "point", voters=0.0)) == 4
    assert len(detect_by_speed_and_height(point_clip(places), "point", voters=0.1)) == 3
    flags = np.array([0, 0, 1, 0, 0, 1, 1, 0, 1, 1], dtype=bool)
    np.testing.assert_array_equal(majority(flags, 1), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    np.testing.assert_array_equal(majority(flags, 0), flags)
    half = np.array([1, 0, 1, 0], dtype=bool)
    np.testing.assert_array_equal(majority(half, 5), False, err_msg="half is no majority")


def test_squared_displacements_are_in_the_clips_own_units() -> None:
    # A point at 0.1 a frame has the square 0.01; ten times as large, it has 1.
    places = np.zeros((30, 3))
    places[10:20, 0] = np.arange(1, 11) * 0.1
    places[20:, 0] = 1.0
    assert spans(detect_by_squared_displacement(point_clip(places), "point")) == [(0, 29)]
    assert spans(detect_by_squared_displacement(point_clip(10.0 * places), "point")) == [(0, 8), (19, 29)]
    assert spans(detect_by_squared_displacement(point_clip(places), "point", threshold=0.001)) == [(0, 8), (19, 29)]


@pytest.mark.parametrize("detector", [detect_by_speed_and_height, detect_by_squared_displacement])
def test_a_single_frame_holds_nothing(detector: object) -> None:
    assert detector(point_clip(np.zeros((1, 3))), "point") == []  # type: ignore[operator]
