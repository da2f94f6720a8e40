# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body turns about over many frames: the point of it, and the line of it, that stays where it is.

The documents average the lines of single displacements. Where a body turns by little from one frame to the next, noise
throws these far, so here the whole interval is fitted at once: the point p of the body and its place c in the world
minimise the sum over the frames of |R p + t − c|². With both means taken away p solves a system of three equations;
the direction in which that is the least determined is the axis that the body keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..arrays import Array, BoolArray
from ..constraints import MovingObject
from ..constraints.robust import NORMAL_SPREAD, OUTLYING

UNDETERMINED = 1e-2
"""A direction of the body that turns by less than this share of what the others do does not tell where the pivot is:
about a line, every point of the line is one, and the nearest to the body's origin is taken."""


@dataclass(frozen=True, eq=False)
class Pivot:
    """The point of a body that stays nearest to one place, and the axis of it that stays nearest to one direction."""

    offset: Array
    """(3,) in the body's frame."""
    position: Array
    """(3,) where it stays."""
    direction: Array
    """(3,) the unit direction of the axis where the body moves."""
    strays: Array
    """(frames,) how far the point is from its place, in every frame that was given."""
    tilts: Array
    """(frames,) radians between the axis and its direction, in every frame that was given."""

    @property
    def residual(self) -> float:
        """How far the point strays: the root of the mean square."""
        return float(np.sqrt((self.strays**2).mean()))


def pivot(body: MovingObject, begin: int, end: int, *, about_line: bool) -> Pivot:
    """Fit the frames from `begin` to `end`, both included; frames that lie far off do not count.

    About a line the point is the one of the line that is nearest to the body's origin.
    """
    turned = rotations.to_matrix(body.rotations[begin : end + 1])
    placed = body.positions[begin : end + 1]
    found = _fitted(turned, placed, np.ones(len(placed), dtype=bool), about_line)
    spread = NORMAL_SPREAD * float(np.median(found.strays))
    near = found.strays <= OUTLYING * spread
    if near.all() or np.count_nonzero(near) <= len(near) // 2:
        return found
    return _fitted(turned, placed, near, about_line)


def _fitted(turned: Array, placed: Array, used: BoolArray, about_line: bool) -> Pivot:
    mean_turn, mean_place = turned[used].mean(axis=0), placed[used].mean(axis=0)
    turns, ways = turned - mean_turn, placed - mean_place
    spread, axes = np.linalg.eigh(np.einsum("nij,nik->jk", turns[used], turns[used]))
    pull = axes.T @ np.einsum("nij,ni->j", turns[used], ways[used])
    known = spread > UNDETERMINED**2 * spread[-1]
    if about_line:
        known[0] = False
    known &= spread > 0.0
    offset = -axes @ np.where(known, pull / np.where(known, spread, 1.0), 0.0)
    axis = axes[:, 0]
    directions = turned @ axis
    direction = directions[used].mean(axis=0)
    direction /= max(float(np.linalg.norm(direction)), np.finfo(np.float64).tiny)
    sine = np.linalg.norm(np.cross(directions, direction), axis=1)
    return Pivot(
        offset=offset,
        position=mean_turn @ offset + mean_place,
        direction=direction,
        strays=np.linalg.norm(turns @ offset + ways, axis=1),
        tilts=np.arctan2(sine, directions @ direction),
    )
