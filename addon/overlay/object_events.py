# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of what detection has found of objects: where they rest, and what they turn about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..properties import character_of
from .marks import Numbers
from .palette import Palette
from .shapes import Pen, Picture, frames_text, shade

CROSS, AXIS = 0.3, 1.0
"""Half the size of a point and of an axis, in longest sides of the object."""


class Event(NamedTuple):
    """Frames in which an object rests or turns."""

    name: str
    kind: str
    """As `PoiseObjectEvent.kind`."""
    begin: float
    end: float
    is_active: bool
    location: Numbers
    direction: Numbers
    side: float
    """The longest side of the object."""

    def is_at(self, frame: float) -> bool:
        """Whether a frame lies between its first and its last one."""
        return self.begin <= frame <= self.end


def events_of(armature: bpy.types.Object) -> tuple[Event, ...]:
    """What is listed of objects that still exist. Nothing is changed or evaluated."""
    detection: Any = character_of(armature).detection
    return tuple(
        Event(
            event.object.name,
            event.kind,
            event.begin,
            event.end,
            number == detection.active_event,
            tuple(event.location),
            tuple(event.direction),
            max(event.object.dimensions) or 1.0,
        )
        for number, event in enumerate(detection.events)
        if event.object is not None
    )


def event_picture(events: Sequence[Event], frame: float, palette: Palette, with_texts: bool = True) -> Picture:
    """A line for an axis, and crosses for points and places of rest; those of the current frame are bright."""
    pen = Pen()
    for event in events:
        own = palette.active if event.is_active else palette.proposal
        color = shade(own, 1.0 if event.is_at(frame) or event.is_active else 0.4)
        place = np.array(event.location)
        if event.kind == "LINE":
            reach = AXIS * event.side * np.array(event.direction)
            pen.put("bold", [place - reach, place + reach], color)
        else:
            arms = CROSS * event.side * np.eye(3)
            pen.put("bold" if event.kind == "POINT" else "thin", np.stack([place - arms, place + arms], axis=1), color)
        if with_texts:
            pen.text(f"{event.name} ({frames_text(event.begin, event.end)})", place, color, rank=5)
    return pen.picture()
