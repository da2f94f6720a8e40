# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments: lines and points of single displacements, merged while they agree in space and are near in time.

Algorithms 4 and 5 of Le Callennec 2006 (section 6.4.4). As published they lose the last constraint of their lists; here
none is lost.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, BoolArray
from .merge_criteria import MergeCriteria, are_mergeable
from .small_vectors import Vector, cross, dot, length, minus, mixed, plus, scaled

Span = tuple[int, int]
"""First and last frame, both included."""

PARALLEL = 1e-6
"""Sine of the angle below which the point nearest to two lines is not determined."""


@dataclass(slots=True)
class Segment:
    """A line, or a point, that a body rotates about from frame `begin` to frame `end`: the mean of its displacements.

    The error of a displacement's line is noise over rotation, so a displacement is weighted by its rotation squared.
    """

    begin: int
    end: int
    weight: float
    place: Vector
    """The point, or the point of the line near the body."""
    direction: Vector | None
    """Unit, along the line; None for a point."""
    turn: float
    """Radians of its largest displacement."""
    drift: float
    """The largest noise of a pivot in it (`NoisePattern.drift`)."""
    tilt: float
    """The largest noise of an axis in it (`NoisePattern.tilt`)."""

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1


def line_segments(
    flags: BoolArray,
    spaces: list[Span],
    lines: tuple[Array, Array],
    turns: Array,
    noise: tuple[Array, Array],
    stride: int,
) -> list[Segment]:
    """One segment for each displacement that leaves a line in place (flags (n,)) outside the space constraints.

    `lines` are points and directions (n, 3), `turns` (n,) the rotations, `noise` the drift and the tilt (n,).
    """
    free = flags.copy()
    for begin, end in spaces:
        free[begin : max(end - stride, begin) + 1] = False
    chosen = np.flatnonzero(free)
    places, directions = (part[chosen].tolist() for part in lines)
    values = zip(chosen.tolist(), places, directions, *(part[chosen].tolist() for part in (turns, *noise)), strict=True)
    return [
        Segment(frame, frame + stride, turn * turn, tuple(place), tuple(direction), turn, drift, tilt)
        for frame, place, direction, turn, drift, tilt in values
    ]


def merged_lines(listed: list[Segment], spaces: list[Span], criteria: MergeCriteria) -> list[Segment]:
    """Algorithm 4: segments that are one line are merged. A long space constraint separates those before and after."""
    barriers = long_spans(spaces, criteria)
    first = _merged(listed, _is_same_line, _merged_line, criteria, barriers, skipped=0)
    # Outlying displacements lie between segments of the same line: a few of them are skipped.
    return _merged(first, _is_same_line, _merged_line, criteria, barriers, skipped=criteria.most_frames)


def merged_points(lines: list[Segment], spaces: list[Span], criteria: MergeCriteria) -> list[Segment]:
    """Algorithm 5: lines that intersect are merged into a point, and further lines through that point into it."""
    barriers = long_spans(spaces, criteria)
    first = _merged(lines, _intersect, _merged_point, criteria, barriers, skipped=0)
    return _merged(first, _intersect, _merged_point, criteria, barriers, skipped=criteria.most_frames)


def without_short_spaces(
    spaces: list[Span], lines: list[Segment], criteria: MergeCriteria
) -> tuple[list[Span], list[Segment]]:
    """The spaces without those that are too short and next to a line, and the lines, which are extended by them."""
    kept = []
    number = 0
    for begin, end in spaces:
        while number < len(lines) and lines[number].end < begin - 1:
            number += 1
        short = end - begin + 1 < criteria.shortest
        if short and number < len(lines) and lines[number].begin <= end + 1:
            line = lines[number]
            line.begin, line.end = min(line.begin, begin), max(line.end, end)
        else:
            kept.append((begin, end))
    return kept, lines


def separate_in_time(lines: list[Segment], spaces: list[Span]) -> None:
    """Trim segments in place so that they overlap neither spaces nor each other, but for one common frame.

    Displacements over several frames reach into their neighbours. Two overlapping segments meet halfway.
    """
    for line in lines:
        for begin, end in spaces[bisect_left(spaces, line.begin, key=_last) :]:
            if begin > line.end:
                break
            if begin <= line.begin < end:
                line.begin = min(end, line.end)
            if begin < line.end <= end:
                line.end = max(begin, line.begin)
    for before, after in itertools.pairwise(lines):
        if before.begin <= after.begin < before.end <= after.end:
            before.end = after.begin = (after.begin + before.end) // 2


def long_spans(spans: list[Span], criteria: MergeCriteria) -> list[Span]:
    """The spans that are long enough to be kept."""
    return [span for span in spans if span[1] - span[0] + 1 >= criteria.shortest]


def are_separated(before: Segment, after: Segment, barriers: list[Span]) -> bool:
    """Whether one of the barriers, in the order of time, lies between two segments."""
    if after.begin <= before.end + 1:
        return False
    # Barriers have no common frames: only the first that ends later may lie between.
    first = bisect_right(barriers, before.end, key=_last)
    return first < len(barriers) and barriers[first][0] < after.begin


def _last(span: Span) -> int:
    return span[1]


def _merged(
    listed: list[Segment],
    agree: Callable[[Segment, Segment, MergeCriteria], bool],
    merge: Callable[[Segment, Segment], Segment],
    criteria: MergeCriteria,
    barriers: list[Span],
    skipped: int,
) -> list[Segment]:
    """Merge each segment with those that follow it while they agree and are near in time (see `are_mergeable`).

    Up to `skipped` segments that are too short to be kept are dropped where the next one agrees again.
    """
    result: list[Segment] = []
    position, count = 0, len(listed)
    while position < count:
        active = listed[position]
        position += 1
        ahead = position
        while ahead < count and ahead - position <= skipped:
            current = listed[ahead]
            gap = current.begin - active.end - 1
            if gap >= criteria.most_frames or are_separated(active, current, barriers):
                break
            if agree(active, current, criteria) and (gap < 0 or are_mergeable(gap, _apart(active, current), criteria)):
                active = merge(active, current)
                position = ahead = ahead + 1
            elif current.frames < criteria.shortest and ahead - position < skipped:
                ahead += 1
            else:
                break
        result.append(active)
    return result


# Lines ---------------------------------------------------------------------------------------------------------------


def _is_same_line(active: Segment, current: Segment, criteria: MergeCriteria) -> bool:
    """Whether two segments are one line: parallel and in one place, or apart by no more than noise explains."""
    if active.direction is None or current.direction is None:
        return False
    angle = math.asin(min(length(cross(active.direction, current.direction)), 1.0))
    turn = min(active.turn, current.turn)
    if angle > criteria.angle and turn * angle > max(active.tilt, current.tilt):
        return False
    distance = _apart(active, current)
    return distance <= criteria.distance or turn * distance <= max(active.drift, current.drift)


def _apart(active: Segment, current: Segment) -> float:
    """The distance of the place of one segment from the line, or from the point, of the next."""
    off = minus(active.place, current.place)
    if current.direction is None:
        return length(off)
    return length(cross(off, current.direction))


def _merged_line(active: Segment, current: Segment) -> Segment:
    """The weighted mean of two lines."""
    assert active.direction is not None and current.direction is not None
    sign = math.copysign(1.0, dot(active.direction, current.direction))
    total = active.weight + current.weight
    share = current.weight / total
    # The nearest point of the current line: its own place may lie anywhere along it.
    off = minus(active.place, current.place)
    along = dot(off, current.direction)
    near = plus(current.place, current.direction, along)
    direction = mixed(active.direction, scaled(current.direction, sign), share)
    return Segment(
        min(active.begin, current.begin),
        max(active.end, current.end),
        total,
        mixed(active.place, near, share),
        scaled(direction, 1.0 / length(direction)),
        max(active.turn, current.turn),
        max(active.drift, current.drift),
        max(active.tilt, current.tilt),
    )


# Points --------------------------------------------------------------------------------------------------------------


def _intersect(active: Segment, current: Segment, criteria: MergeCriteria) -> bool:
    """Whether two segments intersect, or miss each other by no more than noise explains."""
    turn = min(active.turn, current.turn)
    distance = _distance(active, current)
    return distance <= criteria.distance or turn * distance <= max(active.drift, current.drift)


def _distance(one: Segment, other: Segment) -> float:
    """The distance between two lines, two points, or a line and a point."""
    off = minus(one.place, other.place)
    if one.direction is None or other.direction is None:
        along = one.direction or other.direction
        return length(off if along is None else cross(off, along))
    normal = cross(one.direction, other.direction)
    sine = length(normal)
    return length(cross(off, one.direction)) if sine < PARALLEL else abs(dot(off, normal)) / sine


def _merged_point(active: Segment, current: Segment) -> Segment:
    """The point that two segments have in common."""
    if active.direction is None:
        place = active.place
    elif current.direction is None:
        place = current.place
    else:
        place = _intersection(active.place, active.direction, current.place, current.direction)
    return Segment(
        min(active.begin, current.begin),
        max(active.end, current.end),
        active.weight + current.weight,
        place,
        None,
        max(active.turn, current.turn),
        max(active.drift, current.drift),
        max(active.tilt, current.tilt),
    )


def _intersection(one: Vector, along: Vector, other: Vector, other_along: Vector) -> Vector:
    """The midpoint of the shortest connection of two lines, each a point and a unit direction."""
    cosine = dot(along, other_along)
    off = minus(one, other)
    square = max(1.0 - cosine * cosine, PARALLEL**2)
    first = (cosine * dot(off, other_along) - dot(off, along)) / square
    second = (dot(off, other_along) - cosine * dot(off, along)) / square
    return mixed(plus(one, along, first), plus(other, other_along, second), 0.5)
