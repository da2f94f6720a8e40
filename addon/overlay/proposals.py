# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of what detection proposes, by kind: footprints, points, axes, and bodies that rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .footprints import arrow, footprint_text
from .marks import Geometry, Mark
from .palette import Palette
from .points import axes_of, place_of
from .shapes import Color, Pen, Picture, frames_text, shade
from .soles import Footprint

CROSS, AXIS, BOX = 0.04, 0.3, 0.05
"""Half the size of a point, of an axis and of a body, in sizes of the character."""

LINE_REACH = 0.75
"""How far the line of a slide is drawn from its middle, in extents of the slide: a little beyond both ends."""
DASHES = 13
"""Corners of a dashed line."""

CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8) if np.count_nonzero(CORNERS[a] != CORNERS[b]) == 1]


def proposal_picture(
    marks: Sequence[Mark],
    footprints: Sequence[Footprint],
    frame: float,
    size: float,
    palette: Palette,
    with_texts: bool = True,
) -> Picture:
    """The proposals: dashed footprints, a cross for a point, a long line for an axis, a box for a body that rests; for
    a slide its path, with the line or a square of the plane that it is on.

    Proposals whose frames contain the current one are bright. Their texts are drawn after those of constraints.
    """
    pen = Pen()
    for each in footprints:
        if each.mark.is_proposal:
            color = shade(
                palette.active if each.mark.is_active else palette.side(each.mark.foot), _alpha(each.mark, frame)
            )
            pen.dashes(each.outline, color, is_closed=True)
            arrow(pen, each, color)
            if with_texts:
                pen.text(f"{footprint_text(each)}?", each.outer_edge, color, 4, each.middle)
    for mark in marks:
        if not mark.is_proposal or mark.kind == "FOOTPLANT":
            continue
        color = shade(palette.active if mark.is_active else palette.proposal, _alpha(mark, frame))
        if mark.detected is not None and mark.detected.kind.startswith("SLIDE"):
            _slide(pen, mark, mark.detected, color)
            if with_texts and mark.handles:
                first, last = mark.handles[0], mark.handles[-1]
                pen.text(f"{mark.name} ({frames_text(first.begin, last.end)})?", place_of(first), color, rank=4)
            continue
        for handle in mark.handles:
            place, axes = place_of(handle), axes_of(handle)
            if mark.kind == "ORIENTATION":
                corners = place + BOX * size * CORNERS @ axes
                pen.put("thin", corners[np.array(EDGES)], color)
            elif mark.kind == "LOOK_AT" and mark.aim == "DIRECTION":
                if mark.detected is not None:
                    place = np.array(mark.detected.location)
                pen.put("bold", [place - AXIS * size * axes[2], place + AXIS * size * axes[2]], color)
            else:
                reach = CROSS * size * np.eye(3)
                pen.put("bold", np.stack([place - reach, place + reach], axis=1), color)
            is_part = mark.detected is not None and mark.kind != "SHAPE"  # of something that has a text already
            if with_texts and not is_part:
                pen.text(f"{mark.name} ({frames_text(handle.begin, handle.end)})?", place, color, rank=4)
    return pen.picture()


def _slide(pen: Pen, mark: Mark, found: Geometry, color: Color) -> None:
    """The path of a slide through its points, and what it is on: a dashed line, or a dashed square of its plane."""
    pen.strip([place_of(handle) for handle in mark.handles], color, "bold")
    place, direction = np.array(found.location), np.array(found.direction)
    if found.kind == "SLIDE_LINE":
        reach = LINE_REACH * found.extent * direction
        pen.dashes(np.linspace(place - reach, place + reach, DASHES), color)
        return
    aside = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    across = 0.5 * found.extent * aside / np.linalg.norm(aside)
    ahead = np.cross(direction, across)
    corners = [place + one * across + other * ahead for one, other in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    sides = [np.linspace(*side, DASHES) for side in zip(corners, [*corners[1:], corners[0]], strict=True)]
    for side in sides:
        pen.dashes(side, color)


def _alpha(mark: Mark, frame: float) -> float:
    return (1.0 if mark.is_at(frame) or mark.is_active else 0.6) * (1.0 if mark.is_enabled else 0.4)
