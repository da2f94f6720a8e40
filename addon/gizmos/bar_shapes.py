# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles that bars are drawn with. Pixels, with frame 0 at x = 0, so that scrolling moves them as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..bridge.theme import Colour
from ..workflows.bars import Bar
from .lanes import Lane, Layout, eases

Triangles = tuple[NDArray[np.float32], NDArray[np.float32]]
"""(n, 2) corners in pixels and (n, 4) their colours; three corners a triangle."""

EASE_ALPHA, BODY_ALPHA, PART_ALPHA, DISABLED_ALPHA, BACKDROP_ALPHA = 0.3, 0.45, 0.9, 0.3, 0.75
"""Of eases where they end, of the span of a bar, of what stands or is held in it, of bars that are switched off, and of
what is below lanes."""
BALL_LIGHT = 0.35
"""By how much the ball's half of a plant is lighter than the heel's."""
THIN = 0.3
"""The share of a lane's height that the path between points takes."""
STRIPE = 4.0
"""Width in pixels of the stripes of proposals, and of the gaps between."""
LEAST_WIDTH = 3.0
"""Pixels of a missed frame, however small frames are."""
OUTLINED_HEIGHT = 6.0
"""Pixels of the lowest lane in which the active bar has an outline, which would hide it in a lower one."""


@dataclass(frozen=True)
class Palette:
    """The colours of bars: for each side usual and active."""

    sides: dict[str, tuple[Colour, Colour]]
    error: Colour
    back: Colour
    text: Colour


class _Collector:
    """Collects quads: each is a lower and an upper edge."""

    def __init__(self) -> None:
        self.edges: list[tuple[float, float, float, float, float, float]] = []
        """Left and right of the lower edge, left and right of the upper edge, low, high."""
        self.colours: list[tuple[Colour, Colour]] = []
        """Of the left and the right side."""

    def quad(
        self, left: float, right: float, low: float, high: float, colour: Colour, until: Colour | None = None
    ) -> None:
        """Add a rectangle, whose colour goes to another one at its right."""
        self.trapezoid((left, right), (left, right), low, high, colour, until)

    def trapezoid(
        self,
        below: tuple[float, float],
        above: tuple[float, float],
        low: float,
        high: float,
        colour: Colour,
        until: Colour | None = None,
    ) -> None:
        """Add a quad whose lower and upper edge go from left to right."""
        self.edges.append((*below, *above, low, high))
        self.colours.append((colour, colour if until is None else until))

    def triangles(self) -> Triangles:
        """All quads, two triangles each."""
        if not self.edges:
            return np.zeros((0, 2), np.float32), np.zeros((0, 4), np.float32)
        edges = np.array(self.edges, dtype=np.float32)
        x, y = edges[:, [0, 1, 3, 0, 3, 2]], edges[:, [4, 4, 5, 4, 5, 5]]
        colours = np.array(self.colours, dtype=np.float32)[:, [0, 1, 1, 0, 1, 0]]
        return np.stack([x, y], axis=2).reshape(-1, 2), colours.reshape(-1, 4)


def with_alpha(colour: Colour, alpha: float) -> Colour:
    """A colour with another alpha."""
    return colour[0], colour[1], colour[2], alpha


def lighter(colour: Colour, share: float) -> Colour:
    """A colour moved towards white by a share."""
    red, green, blue = (channel + share * (1.0 - channel) for channel in colour[:3])
    return red, green, blue, colour[3]


def bar_triangles(
    bars: Sequence[Bar], shown: Layout, pixels_per_frame: float, palette: Palette, scale: float = 1.0
) -> Triangles:
    """The triangles of all bars: below the bars, above them where they are missed, then their points and the outline
    of the active one."""
    collector = _Collector()
    spans = eases(bars, shown)
    order = sorted(range(len(bars)), key=lambda index: (bars[index].is_active, not bars[index].is_proposal))
    lanes = [shown.lanes[lane] for lane in shown.lane_of]
    for index in order:
        _add_bar(collector, bars[index], lanes[index], spans[index], pixels_per_frame, palette, scale)
    for index in order:
        for begin, end in bars[index].missed:
            left, right = (begin - 0.5) * pixels_per_frame, (end + 0.5) * pixels_per_frame
            spare = max(0.5 * (LEAST_WIDTH * scale - (right - left)), 0.0)
            collector.quad(left - spare, right + spare, lanes[index].low, lanes[index].high, palette.error)
    for index in order:
        _add_marks(collector, bars[index], lanes[index], pixels_per_frame, palette, scale)
    return collector.triangles()


def _add_bar(
    collector: _Collector,
    bar: Bar,
    lane: Lane,
    span: tuple[float, float],
    pixels_per_frame: float,
    palette: Palette,
    scale: float,
) -> None:
    usual, active = palette.sides[bar.side]
    colour = active if bar.is_active else usual
    strength = 1.0 if bar.is_enabled else DISABLED_ALPHA
    begin, end, first, last = (frame * pixels_per_frame for frame in (*span, *bar.solid))
    if bar.is_proposal:
        _add_outline(collector, first, last, lane, with_alpha(colour, strength), scale)
        _add_stripes(collector, first, last, lane, with_alpha(colour, BODY_ALPHA * strength), scale)
        return
    low, high = lane.low, lane.high
    if bar.holds:
        half = 0.5 * max(THIN * (lane.high - lane.low), scale)
        low, high = lane.middle - half, lane.middle + half
    eased, clear = with_alpha(colour, EASE_ALPHA * strength), with_alpha(colour, 0.0)
    collector.quad(begin, first, low, high, clear, eased)
    collector.quad(first, last, low, high, with_alpha(colour, BODY_ALPHA * strength))
    collector.quad(last, end, low, high, eased, clear)
    full = with_alpha(colour, PART_ALPHA * strength)
    for part, strike, off in bar.parts:
        rows = (lane.low, lane.middle) if part == "HEEL" else (lane.middle, lane.high)
        shade = full if part == "HEEL" else lighter(full, BALL_LIGHT)
        collector.quad(strike * pixels_per_frame, off * pixels_per_frame, *rows, shade)
    for held, left in bar.holds:
        collector.quad(held * pixels_per_frame, left * pixels_per_frame, lane.low, lane.high, full)
    if not bar.parts and not bar.holds:
        collector.quad(first, last, lane.low, lane.high, with_alpha(colour, BODY_ALPHA * strength))


def _add_marks(
    collector: _Collector, bar: Bar, lane: Lane, pixels_per_frame: float, palette: Palette, scale: float
) -> None:
    """A diamond at each end of a hold, and the outline of the active bar."""
    strength = 1.0 if bar.is_enabled else DISABLED_ALPHA
    colour = with_alpha(lighter(palette.sides[bar.side][bar.is_active], BALL_LIGHT), strength)
    for frame in sorted({frame for hold in bar.holds for frame in hold}):
        _add_diamond(collector, frame * pixels_per_frame, lane, colour)
    if bar.is_active and not bar.is_proposal and lane.high - lane.low >= OUTLINED_HEIGHT * scale:
        first, last = (frame * pixels_per_frame for frame in bar.solid)
        _add_outline(collector, first, last, lane, with_alpha(palette.text, strength), scale)


def _add_diamond(collector: _Collector, x: float, lane: Lane, colour: Colour) -> None:
    """A diamond as high as its lane."""
    half = 0.5 * (lane.high - lane.low)
    wide, tip = (x - half, x + half), (x, x)
    collector.trapezoid(tip, wide, lane.low, lane.middle, colour)
    collector.trapezoid(wide, tip, lane.middle, lane.high, colour)


def _add_outline(collector: _Collector, left: float, right: float, lane: Lane, colour: Colour, scale: float) -> None:
    """A frame of one pixel about the lane's part of a bar."""
    collector.quad(left, right, lane.low, lane.low + scale, colour)
    collector.quad(left, right, lane.high - scale, lane.high, colour)
    collector.quad(left, left + scale, lane.low, lane.high, colour)
    collector.quad(right - scale, right, lane.low, lane.high, colour)


def _add_stripes(collector: _Collector, left: float, right: float, lane: Lane, colour: Colour, scale: float) -> None:
    """Slanted stripes, of which those are left out that would reach beyond the bar."""
    shear, width = lane.high - lane.low, STRIPE * scale
    for start in np.arange(left, right - shear - width, 2.0 * width).tolist():
        collector.trapezoid((start, start + width), (start + shear, start + shear + width), lane.low, lane.high, colour)
