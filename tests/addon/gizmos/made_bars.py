# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars without a character, for tests of their geometry."""

from __future__ import annotations

from typing import Any

from poise.addon.workflows.bars import Bar
from poise.addon.workflows.events import Event


def plant(begin: float, end: float, side: str = "LEFT", **given: Any) -> Bar:
    """A footplant whose heel stands until 5 frames before its end, and whose ball stands from 5 frames after its begin,
    with eases of 8 frames."""
    values: dict[str, Any] = {
        "uid": f"{side} {begin}",
        "name": f"{side} {begin}",
        "lane": f"{side.capitalize()} foot",
        "side": side,
        "begin": begin - 8.0,
        "end": end + 8.0,
        "solid": (begin, end),
        "parts": (("HEEL", begin, end - 5.0), ("BALL", begin + 5.0, end)),
        "events": (
            Event("HEEL_STRIKE", begin),
            Event("HEEL_OFF", end - 5.0),
            Event("BALL_STRIKE", begin + 5.0),
            Event("BALL_OFF", end),
        ),
    }
    return Bar(**{**values, **given})


def path(begin: float, end: float, *holds: tuple[float, float], **given: Any) -> Bar:
    """A trajectory of a hand through holds."""
    points = [
        Event(kind, frame, number)
        for number, (first, last) in enumerate(holds)
        for kind, frame in (("POINT_BEGIN", first), ("POINT_END", last))
        if kind == "POINT_BEGIN" or last > first
    ]
    values: dict[str, Any] = {
        "uid": f"hand {begin}",
        "name": "Trajectory hand",
        "lane": "hand",
        "side": "",
        "begin": begin,
        "end": end,
        "solid": (holds[0][0], holds[-1][1]) if holds else (begin, end),
        "holds": holds,
        "events": (Event("BEGIN", begin), Event("END", end), *points),
    }
    return Bar(**{**values, **given})
