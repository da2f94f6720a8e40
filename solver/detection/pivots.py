# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body turns about over many frames: the point of it, and the line of it, that stays where it is.

The documents average the lines of single displacements. Where a body turns by little from one frame to the next, noise
throws these far, so here the whole interval is fitted at once: the point p of the body and its place c in the world
minimise the sum over the frames of |R p + t − c|². With both means taken away p solves a system of three equations;
the direction in which that is the least determined is the axis that the body keeps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..core import rotations
from ..core.arrays import TINY, Array, BoolArray
from ..core.robust import NORMAL_SPREAD, OUTLYING

UNDETERMINED = 1e-2
"""A direction of the body that turns by less than this share of what the others do does not tell where the pivot is:
about a line, every point of the line is one, and the nearest to the body's origin is taken."""


@dataclass(frozen=True, eq=False)
class Pivot:
    """The point of a body that stays nearest to one place, and the axis of it that stays nearest to one direction."""

    offset: Array
    """(3,) in the body's frame."""
    axis: Array
    """(3,) the unit direction of the axis in the body's frame."""
    position: Array
    """(3,) where it stays."""
    direction: Array
    """(3,) the unit direction of the axis where the body moves."""
    strays: Array
    """(frames,) how far the point is from its place, in every frame that was given."""
    axes: Array
    """(frames, 3) where the axis points, in every frame that was given."""

    @property
    def residual(self) -> float:
        """How far the point strays: the root of the mean square."""
        return float(np.sqrt((self.strays**2).mean()))

    @property
    def tilts(self) -> Array:
        """(frames,) radians between the axis and its direction."""
        sine = rotations.lengths(rotations.cross(self.axes, self.direction))
        return np.asarray(np.arctan2(sine, self.axes @ self.direction))

    def over(self, turned: Array, placed: Array) -> Pivot:
        """The same pivot in other frames: matrices (frames, 3, 3) and places (frames, 3)."""
        strays, axes = _seen(self.offset, self.axis, self.position, turned, placed)
        return replace(self, strays=strays, axes=axes)


def pivot(turned: Array, placed: Array, *, about_line: bool) -> Pivot:
    """Fit the frames in which a body is turned by matrices (frames, 3, 3) and placed at (frames, 3); frames that lie
    far off do not count.

    About a line the point is the one of the line that is nearest to the body's origin.
    """
    found = _fitted(turned, placed, None, about_line)
    near = found.strays <= OUTLYING * NORMAL_SPREAD * median(found.strays)
    counted = np.count_nonzero(near)
    if counted == len(near) or counted <= len(near) // 2:
        return found
    return _fitted(turned, placed, near, about_line)


def median(values: Array) -> float:
    """Of values (n,); np.median costs many times as much where they are few."""
    ordered = np.sort(values)
    count = len(ordered)
    return float(0.5 * (ordered[(count - 1) // 2] + ordered[count // 2]))


def _fitted(turned: Array, placed: Array, used: BoolArray | None, about_line: bool) -> Pivot:
    # Sums over frames are products of flat matrices here: with a few dozen frames the calls are what costs.
    counted_turns, counted_places = (turned, placed) if used is None else (turned[used], placed[used])
    count = len(counted_places)
    mean_turn, mean_place = np.add.reduce(counted_turns) / count, np.add.reduce(counted_places) / count
    turns, ways = (counted_turns - mean_turn).reshape(-1, 3), counted_places - mean_place
    spread, axes = np.linalg.eigh(turns.T @ turns)
    pull = axes.T @ (turns.T @ ways.ravel())
    known = spread > max(UNDETERMINED**2 * float(spread[-1]), 0.0)
    if about_line:
        known[0] = False
    offset = -axes @ np.where(known, pull / np.where(known, spread, 1.0), 0.0)
    position = mean_turn @ offset + mean_place
    directions = (counted_turns.reshape(-1, 3) @ axes[:, 0]).reshape(-1, 3)
    direction = np.add.reduce(directions)
    direction = direction / max(math.sqrt(float(direction @ direction)), TINY)
    return Pivot(offset, axes[:, 0], position, direction, *_seen(offset, axes[:, 0], position, turned, placed))


def _seen(offset: Array, axis: Array, position: Array, turned: Array, placed: Array) -> tuple[Array, Array]:
    """How far a point of a body is from a place, and where an axis of it points, in every frame."""
    flat = turned.reshape(-1, 3)
    strays = rotations.lengths((flat @ offset).reshape(-1, 3) + (placed - position))
    return strays, (flat @ axis).reshape(-1, 3)
