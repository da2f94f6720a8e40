# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of footprints."""

from __future__ import annotations

from collections.abc import Sequence

from .palette import Palette
from .shapes import Kind, Pen, Picture, frames_text, shade
from .soles import Footprint

ARROW = 0.28
"""The length of the arrow ahead of a footprint, in lengths of the foot."""


def footprint_picture(
    footprints: Sequence[Footprint], frame: float, palette: Palette, with_texts: bool = True
) -> Picture:
    """The footprints of constraints: bright at the frame at which they stand, with the outline of the active one
    highlighted."""
    pen = Pen()
    for each in footprints:
        mark = each.mark
        color, stands = palette.side(mark.foot), mark.is_at(frame)
        strength = 1.0 if mark.is_enabled else 0.35
        edge = palette.active if mark.is_active else color
        pen.area(each.outline, shade(color, (0.55 if stands else 0.16) * strength))
        alpha = (1.0 if stands or mark.is_active else 0.55) * strength
        kind: Kind = "bold" if stands or mark.is_active else "thin"
        pen.strip(each.outline, shade(edge, alpha), kind, is_closed=True)
        arrow(pen, each, shade(edge, alpha))
        if with_texts:
            rank = 0 if mark.is_active else 1 if stands else 2
            pen.text(footprint_text(each), each.outer_edge, shade(edge, max(alpha, 0.7)), rank, each.middle)
    return pen.picture()


def footprint_text(footprint: Footprint) -> str:
    """The number of a plant and its frames, such as "L3  12-41"."""
    mark = footprint.mark
    off = "" if mark.is_enabled else " (off)"
    return f"{mark.foot[0].upper()}{footprint.number}  {frames_text(mark.begin, mark.end)}{off}"


def arrow(pen: Pen, footprint: Footprint, color: tuple[float, float, float, float]) -> None:
    """Draw an arrow ahead of a footprint: its heading."""
    size = ARROW * footprint.length
    begin = footprint.tip
    end = begin + size * footprint.ahead
    wing = 0.4 * size
    sides = [end - wing * footprint.ahead + side * wing * footprint.aside for side in (1.0, -1.0)]
    pen.put("thin", [begin, end, end, sides[0], end, sides[1]], color)
