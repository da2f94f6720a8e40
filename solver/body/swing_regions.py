# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges and regions that can be widened: of angles, and of a bone's direction as a star or as a strip along a plane.

A region is made of *extents*, an array of angles in radians. `extents_for(directions)` are those that just enclose some
directions; the elementwise maximum of two extents encloses what each of them does. So a region is widened, and that of
a left joint merged with that of its right counterpart, without looking at its shape. The polygon of each region has
`CORNERS` corners, so that the limits of many joints can be evaluated together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array
from ..core.rotations import unit
from .limits import Range, SwingPolygon

MARGIN = np.deg2rad(1.0)
"""How far inside the widened limits the source stays: a small correction of a frame must not meet a boundary."""

CORNERS = 16
"""Corners of a region's polygon: great-circle arcs between them cut at most 2 % off an ellipse."""

WIDEST_STAR = np.deg2rad(170.0)
"""Extents of a star beyond which it limits nothing: its corners would meet opposite to its middle."""

WIDEST_STRIP, LONGEST_STRIP = np.deg2rad(75.0), np.deg2rad(330.0)
"""The extents of a strip, to its sides and along its plane, beyond which it limits nothing."""

_AZIMUTHS = 2.0 * np.pi / CORNERS * np.arange(CORNERS)
_HALF_SECTOR = np.pi / CORNERS


@dataclass(frozen=True, eq=False)
class Star:
    """Directions around a middle: the extents are the largest angles from it toward `CORNERS` equally spaced sides."""

    frame: Array
    """(3, 3) rows of unit length, perpendicular: the first side, the one a quarter turn on, the middle. Of a right
    joint it is left-handed, so that extents of both sides mean the same."""
    quarters: tuple[float, float, float, float]
    """The angles toward the first side, the one a quarter turn on, and their opposites; ellipses join them."""

    def extents(self) -> Array:
        """(CORNERS,) of the quarters of ellipses."""
        cosine, sine = np.cos(_AZIMUTHS), np.sin(_AZIMUTHS)
        first = np.where(cosine >= 0.0, self.quarters[0], self.quarters[2])
        second = np.where(sine >= 0.0, self.quarters[1], self.quarters[3])
        return np.asarray(np.minimum(1.0 / np.hypot(cosine / first, sine / second), WIDEST_STAR))

    def extents_for(self, directions: Array, margin: float) -> Array:
        """(CORNERS,) the least that enclose unit directions (count, 3) and `margin` radians more.

        Both corners of the sector in which a direction lies are taken so far out that their arc passes beyond it.
        """
        x, y, z = self.frame @ directions.T
        azimuth = np.mod(np.arctan2(y, x), 2.0 * np.pi)
        sector = np.minimum((azimuth / (2.0 * _HALF_SECTOR)).astype(np.int64), CORNERS - 1)
        beside = azimuth - _HALF_SECTOR * (2 * sector + 1)
        angle = np.minimum(np.arctan2(np.hypot(x, y), z) + margin, np.pi)
        needed = np.arctan2(np.sin(angle) * np.cos(beside), np.cos(angle) * np.cos(_HALF_SECTOR))
        extents = np.zeros(CORNERS)
        np.maximum.at(extents, sector, needed)
        np.maximum.at(extents, (sector + 1) % CORNERS, needed)
        return extents

    def polygon(self, extents: Array) -> SwingPolygon | None:
        """The region of these extents, with its dents filled; None where it limits nothing.

        A dent is where a straight line between two corners, in the plane of swing vectors, passes beyond the corners
        between them: what lies between two postures is allowed where both are.
        """
        extents = _convex(extents)
        if float(extents.max()) > WIDEST_STAR:
            return None
        across = np.outer(np.cos(_AZIMUTHS), self.frame[0]) + np.outer(np.sin(_AZIMUTHS), self.frame[1])
        corners = np.cos(extents)[:, None] * self.frame[2] + np.sin(extents)[:, None] * across
        return SwingPolygon(corners, inside=self.frame[2])


@dataclass(frozen=True, eq=False)
class Strip:
    """Directions near a plane: the extents are the angles along it backward and forward, and to both sides of it."""

    frame: Array
    """(3, 3) rows of unit length, perpendicular: the middle, the direction a quarter turn forward along the plane, and
    the plane's normal toward the first side."""
    along: tuple[float, float]
    """The range of the angle along the plane."""
    side: float
    """The largest angle to each side."""

    def extents(self) -> Array:
        """(4,)"""
        return np.array([-self.along[0], self.along[1], self.side, self.side])

    def extents_for(self, directions: Array, margin: float) -> Array:
        """(4,) the least that enclose unit directions (count, 3) and `margin` radians more."""
        x, y, z = self.frame @ directions.T
        middle = 0.5 * (self.along[0] + self.along[1])
        angle = np.arctan2(y, x)
        angle += 2.0 * np.pi * np.rint((middle - angle) / (2.0 * np.pi))
        side = np.arctan2(z, np.hypot(x, y))
        return margin + np.array([np.max(-angle), np.max(angle), np.max(side), np.max(-side)])

    def polygon(self, extents: Array) -> SwingPolygon | None:
        """The region of these extents; None where it limits nothing."""
        back, forward, left, right = extents
        if back + forward > LONGEST_STRIP or max(left, right) > WIDEST_STRIP:
            return None
        angles = np.linspace(-back, forward, CORNERS // 2)
        along = np.outer(np.cos(angles), self.frame[0]) + np.outer(np.sin(angles), self.frame[1])
        sides = [np.cos(side) * along + np.sin(side) * self.frame[2] for side in (left, -right)]
        middle = 0.5 * (forward - back)
        inside = np.cos(middle) * self.frame[0] + np.sin(middle) * self.frame[1]
        return SwingPolygon(unit(np.vstack([sides[0], sides[1][::-1]])), inside=inside)


def widened_range(allowed: Range, angles: Array) -> Range | None:
    """The shortest range that encloses a range and angles (count,) with `MARGIN`; None where less than that is left
    outside.

    Angles count up to whole turns: the range leaves out the widest gap between them.
    """
    turn = 2.0 * np.pi
    start, width = allowed[0] + MARGIN, max(allowed[1] - allowed[0] - 2.0 * MARGIN, 0.0)
    beyond = np.sort(np.mod(angles - start, turn))
    ends = np.concatenate([[width], beyond[beyond > width], [turn]])
    widest = int(np.argmax(np.diff(ends)))
    if ends[widest + 1] - ends[widest] <= 2.0 * MARGIN:
        return None
    return float(start + ends[widest + 1] - turn - MARGIN), float(start + ends[widest] + MARGIN)


def _convex(extents: Array) -> Array:
    """(CORNERS,) the extents raised to the lines between any two corners less than half a turn apart."""
    raised = extents.copy()
    steps = np.arange(1, CORNERS // 2)
    for before in steps:
        for after in steps[steps < CORNERS // 2 - before]:
            one, other = np.roll(extents, before), np.roll(extents, -after)
            gaps = 2.0 * _HALF_SECTOR * np.array([before, after])
            # The line from `one` to `other` in polar coordinates, where it crosses the side between them.
            line = one * other * np.sin(gaps.sum()) / (one * np.sin(gaps[0]) + other * np.sin(gaps[1]))
            raised = np.maximum(raised, line)
    return raised
