# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of what detection proposes, by kind: footprints, points, axes, and bodies that rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .footprints import arrow, footprint_text
from .marks import Mark
from .palette import Palette
from .points import axes_of, place_of
from .shapes import Pen, Picture, frames_text, shade
from .soles import Footprint

CROSS, AXIS, BOX = 0.04, 0.3, 0.05
"""Half the size of a point, of an axis and of a body, in sizes of the character."""

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
    """The proposals: dashed footprints, a cross for a point, a long line for an axis, a box for a body that rests.

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
        for handle in mark.handles:
            place, axes = place_of(handle), axes_of(handle)
            if mark.kind == "ORIENTATION":
                corners = place + BOX * size * CORNERS @ axes
                pen.put("thin", corners[np.array(EDGES)], color)
            elif mark.kind == "LOOK_AT" and mark.aim == "DIRECTION":
                pen.put("bold", [place - AXIS * size * axes[2], place + AXIS * size * axes[2]], color)
            else:
                reach = CROSS * size * np.eye(3)
                pen.put("bold", np.stack([place - reach, place + reach], axis=1), color)
            if with_texts:
                pen.text(f"{mark.name} ({frames_text(handle.begin, handle.end)})?", place, color, rank=4)
    return pen.picture()


def _alpha(mark: Mark, frame: float) -> float:
    return (1.0 if mark.is_at(frame) or mark.is_active else 0.6) * (1.0 if mark.is_enabled else 0.4)
