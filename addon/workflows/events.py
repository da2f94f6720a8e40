# SPDX-License-Identifier: GPL-3.0-or-later
"""The events of constraints: the frames at which something begins, touches or ends, and how they are moved in time.

Frames are those of the scene.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from ..properties import PoiseConstraint, PoisePoint, character_of
from ..translation import TranslationError

KINDS = (
    ("HEEL_STRIKE", "Heel Strike", "The heel of a footplant touches down"),
    ("BALL_STRIKE", "Ball Strike", "The ball of a footplant touches down"),
    ("HEEL_OFF", "Heel Off", "The heel of a footplant leaves the ground"),
    ("BALL_OFF", "Ball Off", "The ball of a footplant leaves the ground"),
    ("BEGIN", "Begin", "The first frame of the constraint"),
    ("END", "End", "The last frame of the constraint"),
    ("POINT_BEGIN", "Point Begin", "The frame at which a point is reached"),
    ("POINT_END", "Point End", "The frame at which a point is left"),
    ("POINT", "Point", "A point with its whole hold"),
    ("ALL", "Whole Constraint", "The constraint with all its events and points"),
)
LABELS = {kind: label for kind, label, _ in KINDS}

_PLANT_FIELDS = {
    "HEEL_STRIKE": "heel_strike",
    "HEEL_OFF": "heel_off",
    "BALL_STRIKE": "toe_strike",
    "BALL_OFF": "toe_off",
}
_TIMES = ("heel_strike", "heel_off", "toe_strike", "toe_off", "begin", "end")

LEAST_GAP = 1.0
"""Frames between the holds of two points, which the solver needs to lead from one to the other."""


@dataclass(frozen=True)
class Event:
    """One event of a constraint."""

    kind: str
    """One of `KINDS`."""
    frame: float
    point: int = -1
    """The index of its point; -1 for events of the constraint itself."""

    @property
    def label(self) -> str:
        """What it is called where it is shown; points are counted from 1."""
        if self.point < 0:
            return LABELS[self.kind]
        return LABELS[self.kind].replace("Point", f"Point {self.point + 1}")


@dataclass(frozen=True)
class Times:
    """All frames that a constraint stores, so that they can be restored."""

    own: tuple[float, ...]
    points: tuple[tuple[float, float], ...]


def events(item: PoiseConstraint) -> Iterator[Event]:
    """The events of a constraint that can be moved."""
    if item.kind == "FOOTPLANT":
        for part in ("HEEL", "BALL"):
            if _stands(item, part):
                for kind in (f"{part}_STRIKE", f"{part}_OFF"):
                    yield Event(kind, getattr(item, _PLANT_FIELDS[kind]))
        return
    if not (item.kind == "BALANCE" and item.is_whole):
        yield Event("BEGIN", item.begin)
        yield Event("END", item.end)
    if item.kind == "HANDPLANT":
        return  # its point has no times of its own
    for index, point in enumerate(item.points):
        yield Event("POINT_BEGIN", point.begin, index)
        if point.end > point.begin:
            yield Event("POINT_END", point.end, index)


def times_of(item: PoiseConstraint) -> Times:
    """The frames that a constraint stores."""
    return Times(
        tuple(getattr(item, name) for name in _TIMES), tuple((point.begin, point.end) for point in item.points)
    )


def set_times(item: PoiseConstraint, times: Times) -> None:
    """Store frames in a constraint; values that it has already are not written.

    Storing the frames of a point or of a plant adapts the span of the constraint, so that is written last.
    """
    for point, (begin, end) in zip(item.points, times.points, strict=True):
        if (point.begin, point.end) != (begin, end):
            point.begin, point.end = begin, end
    for name, frame in zip(_TIMES, times.own, strict=True):
        if getattr(item, name) != frame:
            setattr(item, name, frame)


def move(armature: bpy.types.Object, item: PoiseConstraint, kind: str, frame: float, point: int = -1) -> float:
    """Move an event as near to a frame as the order of events allows, and return the frame where it is then.

    A heel or ball never leaves before it strikes, a plant does not reach into another one of the same foot, and points
    keep their order. A point that is moved out of its constraint extends it.
    """
    _check(item, kind, point)
    now = frame_of(item, kind, point)
    earliest, latest = bounds(armature, item, kind, point)
    frame = min(max(frame, earliest), latest)
    if kind == "ALL":
        _shift(item, frame - now)
    elif kind in _PLANT_FIELDS:
        setattr(item, _PLANT_FIELDS[kind], frame)
    elif kind in ("BEGIN", "END"):
        setattr(item, kind.lower(), frame)
    elif kind == "POINT":
        moved = item.points[point]
        first, last = frame, frame + moved.end - moved.begin
        # The one that leads goes first, so that the hold never ends before it begins.
        for name, value in (("end", last), ("begin", first)) if frame > now else (("begin", first), ("end", last)):
            setattr(moved, name, value)
    else:
        _move_point(item, kind, point, frame)
    return frame


def frame_of(item: PoiseConstraint, kind: str, point: int = -1) -> float:
    """The frame of an event; of a whole constraint or point its first one."""
    if kind == "ALL":
        return min((event.frame for event in events(item)), default=float(item.begin))
    if kind in _PLANT_FIELDS:
        return float(getattr(item, _PLANT_FIELDS[kind]))
    if kind in ("BEGIN", "END"):
        return float(getattr(item, kind.lower()))
    return float(item.points[point].end if kind == "POINT_END" else item.points[point].begin)


def bounds(armature: bpy.types.Object, item: PoiseConstraint, kind: str, point: int = -1) -> tuple[float, float]:
    """The earliest and the latest frame that an event can be moved to; where it is now is always among them."""
    now = frame_of(item, kind, point)
    if item.kind == "FOOTPLANT":
        earliest, latest = _plant_bounds(armature, item, kind)
    elif kind == "BEGIN":
        earliest, latest = -math.inf, min([item.end, *(each.begin for each in _timed_points(item))])
    elif kind == "END":
        earliest, latest = max([item.begin, *(each.end for each in _timed_points(item))]), math.inf
    elif kind == "ALL":
        earliest, latest = -math.inf, math.inf
    else:
        earliest, latest = _point_bounds(item, kind, point)
    return min(earliest, now), max(latest, now)


def _timed_points(item: PoiseConstraint) -> list[PoisePoint]:
    """The points with times of their own."""
    return [] if item.kind == "HANDPLANT" else list(item.points)


def _stands(item: PoiseConstraint, part: str) -> bool:
    return bool(item.has_heel if part == "HEEL" else item.has_toe)


def _check(item: PoiseConstraint, kind: str, point: int) -> None:
    """Raise where a constraint has no such event."""
    if kind.startswith("POINT"):
        if item.kind == "FOOTPLANT" or not 0 <= point < len(item.points):
            raise TranslationError(f"{item.name} has no point number {point + 1} that can be moved in time.")
    elif kind == "ALL":
        if not list(events(item)):
            raise TranslationError(f"{item.name} has no events: it is active in all frames.")
    elif kind not in {event.kind for event in events(item)}:
        raise TranslationError(f"{item.name} has no event {LABELS.get(kind, kind)!r}.")


def _plant_bounds(armature: bpy.types.Object, item: PoiseConstraint, kind: str) -> tuple[float, float]:
    """As `bounds`, for an event of a footplant."""
    own = [event.frame for event in events(item)]
    before, after = -math.inf, math.inf
    for other in character_of(armature).constraints:
        if other.kind != "FOOTPLANT" or other.foot != item.foot or other.uid == item.uid or not other.enabled:
            continue
        frames = [event.frame for event in events(other)]
        if frames and max(frames) <= min(own):
            before = max(before, *frames)
        elif frames and min(frames) >= max(own):
            after = min(after, *frames)
    if kind == "ALL":
        return before, after - (max(own) - min(own))
    part, _, change = kind.partition("_")
    if change == "STRIKE":
        return before, float(getattr(item, _PLANT_FIELDS[f"{part}_OFF"]))
    return float(getattr(item, _PLANT_FIELDS[f"{part}_STRIKE"])), after


def _point_bounds(item: PoiseConstraint, kind: str, index: int) -> tuple[float, float]:
    """As `bounds`, for an event of a point."""
    held = item.points[index]
    others = [point for number, point in enumerate(item.points) if number != index]
    before = max((point.end for point in others if point.end <= held.begin), default=-math.inf) + LEAST_GAP
    after = min((point.begin for point in others if point.begin >= held.end), default=math.inf) - LEAST_GAP
    if kind == "POINT":
        return before, after - (held.end - held.begin)
    if kind == "POINT_END":
        return held.begin, after
    return before, held.end if held.end > held.begin else after


def _move_point(item: PoiseConstraint, kind: str, index: int, frame: float) -> None:
    """Move the begin or the end of a point's hold; a point without a hold moves as a whole by its begin."""
    held = item.points[index]
    if kind == "POINT_END":
        held.end = frame
    elif held.end > held.begin:
        held.begin = frame
    else:
        held.begin = held.end = frame


def _shift(item: PoiseConstraint, frames: float) -> None:
    """Move all frames of a constraint."""
    times = times_of(item)
    set_times(
        item,
        Times(
            tuple(frame + frames for frame in times.own),
            tuple((begin + frames, end + frames) for begin, end in times.points),
        ),
    )
