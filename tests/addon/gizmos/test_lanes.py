# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars share lanes without overlapping, fit into any region, and the mouse finds what it points at."""

from __future__ import annotations

import pytest

from poise.addon.gizmos.lanes import NARROW_ROOM, View, eases, fitting, hit, is_compact, layout, packed

from .made_bars import path, plant

WALK = [
    *(plant(begin, begin + 30.0) for begin in (0.0, 60.0, 120.0)),
    *(plant(begin, begin + 30.0, "RIGHT") for begin in (30.0, 90.0, 150.0)),
]
VIEW = View(left=-10.0, pixels_per_frame=4.0)
TALL, LOW = 500.0, 38.0
LEAST_LANE = 0.5 * NARROW_ROOM


def test_frames_and_pixels_lead_to_each_other() -> None:
    assert VIEW.x(0.0) == 40.0
    assert VIEW.frame(VIEW.x(12.25)) == 12.25


def test_the_plants_of_a_walk_share_a_lane_for_each_foot() -> None:
    names, lane_of = packed(WALK)
    assert names == ["Left foot", "Right foot"]
    assert lane_of == [0, 0, 0, 1, 1, 1]


def test_bars_that_overlap_in_their_lane_lie_below_each_other() -> None:
    bars = [plant(0.0, 30.0), plant(20.0, 50.0), plant(30.0, 40.0), path(0.0, 9.0)]
    names, lane_of = packed(bars)
    assert names == ["Left foot", "Left foot", "hand"]
    assert lane_of == [0, 1, 0, 2]


def test_proposals_lie_below_constraints_though_they_begin_earlier() -> None:
    bars = [plant(8.0, 30.0), plant(0.0, 20.0, is_proposal=True), plant(40.0, 50.0, is_proposal=True)]
    assert packed(bars) == (["Left foot", "Left foot"], [0, 1, 0])


@pytest.mark.parametrize("height", [20.0, 33.0, LOW, 60.0, 90.0, TALL])
@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("others", [0, 3, 40])
def test_lanes_lie_in_the_region_and_not_over_each_other(height: float, scale: float, others: int) -> None:
    bars = [*WALK, *(path(0.0, 50.0, lane=f"bone {number}") for number in range(others))]
    shown = layout(bars, height * scale, scale)
    assert len(shown.lane_of) == len(bars) and max(shown.lane_of) == len(shown.lanes) - 1
    assert shown.lanes[0].high <= height * scale
    for above, below in zip(shown.lanes, shown.lanes[1:], strict=False):
        assert below.high < above.low
    for lane in shown.lanes:
        assert lane.low >= 0.0 and lane.high - lane.low >= (LEAST_LANE - 1.0) * scale - 1e-9


def test_a_low_timeline_tells_left_and_right_apart_and_has_no_names() -> None:
    assert is_compact(LOW) and not is_compact(TALL)
    for height in (22.0, 33.0, LOW):
        shown = layout(WALK, height)
        assert len(shown.lanes) == 2 and not shown.is_named
        low, high = shown.lanes[-1].low, shown.lanes[0].high
        assert high <= 0.6 * height or low >= 0.6 * height, "frame numbers stay legible, and the mouse scrubs there"
    assert layout(WALK, TALL).is_named


def test_proposals_are_left_out_where_there_is_no_room() -> None:
    bars = [plant(0.0, 30.0), plant(0.0, 30.0, is_proposal=True)]
    assert fitting(bars, LOW) == bars[:1]
    assert fitting(bars, TALL) == bars
    assert fitting(bars[1:], LOW) == bars[1:]


def test_without_bars_there_is_nothing() -> None:
    shown = layout([], TALL)
    assert shown.lanes == () and hit([], shown, VIEW, 10.0, 10.0) is None


# The mouse -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("height", [LOW, TALL])
def test_each_event_of_a_plant_is_found_in_its_half(height: float) -> None:
    shown = layout(WALK, height)
    for number, bar in enumerate(WALK):
        lane = shown.lanes[shown.lane_of[number]]
        for event in bar.events:
            y = lane.low + 0.5 if event.kind.startswith("HEEL") else lane.high - 0.5
            found = hit(WALK, shown, VIEW, VIEW.x(event.frame), y)
            assert found is not None and found.bar == number and found.event == event


def test_events_at_the_same_frame_are_told_apart_by_the_half_of_the_lane() -> None:
    flat = plant(10.0, 40.0)
    both = [event.__class__(event.kind, 10.0) if "STRIKE" in event.kind else event for event in flat.events]
    bars = [plant(10.0, 40.0, events=tuple(both))]
    shown = layout(bars, TALL)
    lane = shown.lanes[0]
    kinds = [hit(bars, shown, VIEW, VIEW.x(10.0), y).event.kind for y in (lane.low + 1, lane.high - 1)]  # type: ignore[union-attr]
    assert kinds == ["HEEL_STRIKE", "BALL_STRIKE"]


def test_the_middle_of_a_bar_takes_all_of_it_and_beside_it_is_nothing() -> None:
    shown = layout(WALK, TALL)
    y = shown.lanes[0].middle
    found = hit(WALK, shown, VIEW, VIEW.x(75.0), y)
    assert found is not None and (found.bar, found.event.kind) == (1, "ALL")
    assert hit(WALK, shown, VIEW, VIEW.x(-9.5), y) is None
    assert hit(WALK, shown, VIEW, VIEW.x(75.0), shown.lanes[0].high + 5.0) is None


def test_a_short_bar_can_still_be_taken_by_its_middle() -> None:
    bars = [plant(10.0, 16.0, parts=(), events=plant(10.0, 16.0).events[::3])]
    shown, view = layout(bars, TALL), View(0.0, 1.0)
    y = shown.lanes[0].middle
    kinds = [hit(bars, shown, view, x, y).event.kind for x in (10.0, 13.0, 16.0)]  # type: ignore[union-attr]
    assert kinds == ["HEEL_STRIKE", "ALL", "BALL_OFF"]


def test_the_active_bar_is_taken_before_others_at_the_same_place() -> None:
    bars = [plant(0.0, 50.0), path(0.0, 50.0, uid="other"), path(0.0, 50.0, uid="active", is_active=True)]
    shown = layout(bars, 20.0)
    assert shown.lane_of == (0, 1, 1)
    found = hit(bars, shown, VIEW, VIEW.x(25.0), shown.lanes[1].middle)
    assert found is not None and bars[found.bar].uid == "active"
    bars = [plant(0.0, 50.0), path(0.0, 50.0, uid="below"), path(0.0, 50.0, uid="above")]
    found = hit(bars, shown, VIEW, VIEW.x(25.0), shown.lanes[1].middle)
    assert found is not None and bars[found.bar].uid == "above", "what is drawn last lies on top"


def test_points_are_taken_by_their_ends_and_by_their_holds() -> None:
    bars = [path(0.0, 100.0, (20.0, 40.0), (60.0, 60.0))]
    shown = layout(bars, TALL)
    y = shown.lanes[0].middle

    def at(frame: float) -> tuple[str, int]:
        found = hit(bars, shown, VIEW, VIEW.x(frame), y)
        assert found is not None
        return found.event.kind, found.event.point

    assert at(20.0) == ("POINT_BEGIN", 0) and at(40.0) == ("POINT_END", 0) and at(30.0) == ("POINT", 0)
    assert at(60.0) == ("POINT_BEGIN", 1) and at(80.0) == ("ALL", -1) and at(0.0) == ("BEGIN", -1)


def test_a_proposal_is_clicked_but_has_no_events() -> None:
    bars = [plant(0.0, 30.0, is_proposal=True)]
    shown = layout(bars, TALL)
    found = hit(bars, shown, VIEW, VIEW.x(0.0), shown.lanes[0].middle)
    assert found is not None and found.event.kind == "ALL"


# Eases ---------------------------------------------------------------------------------------------------------------


def test_eases_end_halfway_to_the_next_bar() -> None:
    bars = [plant(0.0, 30.0), plant(40.0, 60.0), plant(100.0, 110.0)]
    assert eases(bars, layout(bars, TALL)) == [(-8.0, 35.0), (35.0, 68.0), (92.0, 118.0)]
