# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the bars of constraints lie in an editor of time: their lanes, and what is under the mouse.

Nothing here knows Blender's editors: lengths are pixels from the lower left corner of the region, times are frames.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from ..workflows.bars import Bar
from ..workflows.events import Event

SCRUB_HEIGHT = 24.0
"""Pixels at the top of the editor that show frame numbers, at an interface scale of 1: they stay free for scrubbing."""
SCROLLER_HEIGHT = 18.0
"""Pixels at its bottom with the scroller, which stays free where there is room."""
COMPACT_BOTTOM, COMPACT_TOP = 8.0, 16.0
"""In a low Timeline bars lie between the scroller and the frame numbers, which take so many pixels from below and from
above."""
NARROW_HEIGHT, NARROW_ROOM = 30.0, 7.0
"""In one that is lower than this, frame numbers stand at the bottom, where the mouse resizes the area. Bars have so
many pixels above the numbers: two lanes, so that left and right are told apart."""
LANE_HEIGHT, NAMED_HEIGHT, LEAST_HEIGHT = 14.0, 11.0, 4.0
"""Pixels of a lane: the usual height, the least one at which it gets its name, the least one at all."""
LARGEST_SHARE = 0.6
"""Of the room between scrubbing area and scroller, how much lanes take at most, so that keyframes stay in reach."""
GAP = 1.0
"""Pixels between two lanes."""
REACH = 5.0
"""Pixels from an event within which the mouse takes it."""


@dataclass(frozen=True)
class Lane:
    """One row of bars."""

    name: str
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Half its height."""
        return 0.5 * (self.low + self.high)


@dataclass(frozen=True)
class Layout:
    """The lanes from above, and for each bar the index of its lane."""

    lanes: tuple[Lane, ...]
    lane_of: tuple[int, ...]
    is_named: bool
    """Whether lanes are high enough for names."""


@dataclass(frozen=True)
class View:
    """How frames are shown: the frame at the left edge of the region and how wide one is."""

    left: float
    pixels_per_frame: float

    def x(self, frame: float) -> float:
        """The pixel of a frame."""
        return (frame - self.left) * self.pixels_per_frame

    def frame(self, x: float) -> float:
        """The frame at a pixel."""
        return self.left + x / self.pixels_per_frame


@dataclass(frozen=True)
class Hit:
    """What is under the mouse: an event of a bar, or the bar itself with the event "ALL"."""

    bar: int
    event: Event


def packed(bars: Sequence[Bar]) -> tuple[list[str], list[int]]:
    """The names of the lanes, and for each bar the index of its lane: bars with the same lane share it, and those that
    overlap there are put below each other, proposals below constraints."""
    names: list[str] = []
    rows: dict[str, list[list[Bar]]] = {}
    found = [0] * len(bars)
    for index in sorted(range(len(bars)), key=lambda number: (bars[number].is_proposal, bars[number].solid[0])):
        bar = bars[index]
        own = rows.setdefault(bar.lane, [])
        free = next((number for number, row in enumerate(own) if not _overlaps(bar, row)), len(own))
        if free == len(own):
            own.append([])
        own[free].append(bar)
        found[index] = free
    first: dict[str, int] = {}
    for bar in bars:
        if bar.lane not in first:
            first[bar.lane] = len(names)
            names += [bar.lane] * len(rows[bar.lane])
    return names, [first[bar.lane] + row for bar, row in zip(bars, found, strict=True)]


def _overlaps(bar: Bar, row: Sequence[Bar]) -> bool:
    begin, end = bar.solid
    return any((begin < other.solid[1] and other.solid[0] < end) or bar.solid == other.solid for other in row)


def is_compact(height: float, scale: float = 1.0) -> bool:
    """Whether a region is so low, as a Timeline is at first, that bars lie over its scroller."""
    return height - (SCRUB_HEIGHT + SCROLLER_HEIGHT) * scale < 2.0 * LANE_HEIGHT * scale


def fitting(bars: Sequence[Bar], height: float, scale: float = 1.0) -> list[Bar]:
    """The bars that a region of this height shows: where it is low, proposals only if there is nothing else."""
    constraints = [bar for bar in bars if not bar.is_proposal]
    return constraints if constraints and is_compact(height, scale) else list(bars)


def layout(bars: Sequence[Bar], height: float, scale: float = 1.0, share: float = LARGEST_SHARE) -> Layout:
    """The lanes of bars in a region of this height, at a scale of the interface; in a high region they take at most
    a `share` of the room.

    Where not all lanes have room, as in a Timeline of one row, the lowest one is shared by all that have none.
    """
    names, lane_of = packed(bars)
    least = LEAST_HEIGHT * scale
    if height < NARROW_HEIGHT * scale:
        room = NARROW_ROOM * scale
        bottom, least = height - room, 0.5 * room
    elif is_compact(height, scale):
        bottom = COMPACT_BOTTOM * scale
        room = max(height - COMPACT_TOP * scale - bottom, least)
    else:
        bottom = SCROLLER_HEIGHT * scale
        room = share * (height - SCRUB_HEIGHT * scale - bottom)
    count = min(len(names), max(1, int(room // least)))
    if not count:
        return Layout((), (), False)
    pitch = min(LANE_HEIGHT * scale, room / count)
    lanes = tuple(
        Lane(names[number], bottom + (count - 1 - number) * pitch, bottom + (count - number) * pitch - GAP * scale)
        for number in range(count)
    )
    return Layout(lanes, tuple(min(number, count - 1) for number in lane_of), pitch >= NAMED_HEIGHT * scale)


def hit(
    bars: Sequence[Bar], shown: Layout, view: View, x: float, y: float, scale: float = 1.0, is_movable: bool = True
) -> Hit | None:
    """What is at a pixel: an event within reach, else a bar; the active bar comes before others.

    Heel events are taken in the lower half of a lane, those of the ball in the upper one. Without `is_movable` only
    bars are found.
    """
    frame = view.frame(x)
    within = [
        index
        for index, lane in enumerate(shown.lane_of)
        if shown.lanes[lane].low <= y < shown.lanes[lane].high + GAP * scale
        and _reaches(bars[index], frame, REACH * scale / view.pixels_per_frame)
    ]
    # What is drawn last lies on top.
    within.sort(key=lambda index: (not bars[index].is_active, bars[index].is_proposal, -index))
    for index in within if is_movable else ():
        found = _event_at(bars[index], shown.lanes[shown.lane_of[index]], view, x, y, scale)
        if found is not None:
            return Hit(index, found)
    for index in within:
        bar = bars[index]
        if bar.begin <= frame <= bar.end:
            return Hit(index, _whole(bar, view, x, scale))
    return None


def _reaches(bar: Bar, frame: float, reach: float) -> bool:
    return bar.begin - reach <= frame <= bar.end + reach


def _event_at(bar: Bar, lane: Lane, view: View, x: float, y: float, scale: float) -> Event | None:
    """The nearest event of a bar within reach; of events at the same frame the one in this half of the lane."""
    if bar.is_proposal or not bar.events:
        return None
    is_low = y < lane.middle
    ends = [view.x(event.frame) for event in bar.events]
    # The middle third of a short bar takes the whole bar.
    reach = min(REACH * scale, (max(ends) - min(ends)) / 3.0) if len(ends) > 1 else REACH * scale
    near = []
    for event, place in zip(bar.events, ends, strict=True):
        distance = abs(place - x)
        if distance <= max(reach, 1.0):
            other_half = event.kind.startswith("HEEL") != is_low if event.kind[:4] in ("HEEL", "BALL") else False
            near.append((other_half, distance, event))
    if not near:
        return None
    return min(near, key=lambda each: each[:2])[2]


def _whole(bar: Bar, view: View, x: float, scale: float) -> Event:
    """The bar, or the hold of one of its points that lies under the mouse, where there are several."""
    frame = view.frame(x)
    for number, (begin, end) in enumerate(bar.holds):
        if len(bar.holds) > 1 and begin < frame < end and not bar.is_proposal:
            return Event("POINT", begin, number)
    return Event("ALL", bar.solid[0])


def eases(bars: Sequence[Bar], shown: Layout) -> list[tuple[float, float]]:
    """For each bar its first and last frame with its eases, which end halfway to the next bar of its lane."""
    found = [(bar.begin, bar.end) for bar in bars]
    for lane in range(len(shown.lanes)):
        row = sorted(
            (index for index, other in enumerate(shown.lane_of) if other == lane),
            key=lambda index: bars[index].solid[0],
        )
        for before, after in itertools.pairwise(row):
            end, begin = bars[before].solid[1], bars[after].solid[0]
            if end <= begin and found[before][1] > found[after][0]:
                middle = 0.5 * (end + begin)
                found[before] = found[before][0], max(min(found[before][1], middle), end)
                found[after] = min(max(found[after][0], middle), begin), found[after][1]
    return found
