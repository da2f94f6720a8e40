# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of many joints, evaluated together: one array operation for all twists, and one for each kind of swing.

Swings are of one kind if all are cones, or all are polygons with the same number of corners, as those of
`anatomical_limits` are. A joint costs then what its numbers cost, not a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core import rotations
from ..core.arrays import Array, IntArray
from .limits import UNDETERMINED_TWIST, BallLimit
from .swing_boundaries import ConeBoundary, PolygonBoundary

BLOCK = 64
"""Frames evaluated at a time: what they need for all joints fits into a processor's cache, and more takes longer."""


@dataclass(frozen=True, eq=False)
class _Swings:
    """Swings of one kind."""

    limits: IntArray
    """(curves,) the limits that they belong to."""
    rows: IntArray
    """(curves,) their boundaries among those of all limits."""
    boundary: ConeBoundary | PolygonBoundary
    """A stack of curves."""


class StackedLimits:
    """The limits of some joints: n limits with altogether c boundaries, in the order of the limits.

    Rotations are relative to the rest of each joint, (frames, n, 4). Results are those of `BallLimit`, up to rounding.
    """

    def __init__(self, limits: Sequence[BallLimit]) -> None:
        """Collect limits; a hinge's is `HingeLimit.bound_to` its axis."""
        self.limits = tuple(limits)
        counts = [limit.count for limit in limits]
        ends = np.cumsum(counts, dtype=np.int64)
        self.count = int(ends[-1]) if counts else 0
        """How many boundaries there are."""
        self.rows = tuple(slice(int(end) - count, int(end)) for end, count in zip(ends, counts, strict=True))
        """The boundaries of each limit."""
        self.owners: IntArray = np.repeat(np.arange(len(counts)), counts)
        """(c,) the limit of each boundary."""
        self._axes = np.array([limit.axis for limit in limits], dtype=np.float64).reshape(-1, 3)
        has_twist = [limit.twist is not None for limit in limits]
        self._twisting = np.flatnonzero(has_twist)
        self._twist_rows = np.array([rows.start for rows, has in zip(self.rows, has_twist, strict=True) if has], int)
        twists = [limit.twist for limit in limits if limit.twist is not None]
        self._ranges = np.array(twists, dtype=np.float64).reshape(-1, 2)
        self._swings = self._stacked_swings()
        caps = [limit.inner_cap for limit in limits]
        self._cap_centers = np.array([center for center, _ in caps], dtype=np.float64).reshape(-1, 3)
        self._cap_angles = np.array([angle for _, angle in caps], dtype=np.float64)

    def _stacked_swings(self) -> tuple[_Swings, ...]:
        kinds: dict[int, list[int]] = {}
        for index, limit in enumerate(self.limits):
            if limit.boundary is not None:
                corners = len(limit.boundary.corners) if isinstance(limit.boundary, PolygonBoundary) else 0
                kinds.setdefault(corners, []).append(index)
        return tuple(
            _Swings(
                np.array(members),
                np.array([self.rows[index].stop - 1 for index in members]),
                (PolygonBoundary if corners else ConeBoundary).stack([self.limits[i].boundary for i in members]),  # type: ignore[misc]
            )
            for corners, members in kinds.items()
        )

    def __len__(self) -> int:
        return len(self.limits)

    def excess(self, relative: Array) -> Array:
        """(frames, c) radians beyond each boundary."""
        return self.evaluate(relative)[0]

    def evaluate(self, relative: Array) -> tuple[Array, Array]:
        """Excess (frames, c) and its gradients (frames, c, 3) in the rest frames, as `BallLimit.evaluate` has them."""
        excess, gradients = np.empty((len(relative), self.count)), np.empty((len(relative), self.count, 3))
        for start in range(0, len(relative), BLOCK):
            block = slice(start, start + BLOCK)
            self._evaluate(relative[block], excess[block], gradients[block])
        return excess, gradients

    def _evaluate(self, relative: Array, excess: Array, gradients: Array) -> None:
        """Write excess and gradients of a block of frames."""
        if len(self._twisting):
            angle, slope = self._twist(relative[:, self._twisting])
            low = self._twist_rows
            excess[:, low], excess[:, low + 1] = self._ranges[:, 0] - angle, angle - self._ranges[:, 1]
            gradients[:, low], gradients[:, low + 1] = -slope, slope
        for swings in self._swings:
            nearest = swings.boundary.nearest(self._directions(relative, swings.limits))
            excess[:, swings.rows] = nearest.excess.T
            gradients[:, swings.rows] = nearest.gradient.swapaxes(0, 1)

    def room(self, relative: Array) -> Array:
        """(frames, n) a lower bound of the radians from each joint to its nearest boundary; negative where it may be
        outside.

        A swing is bounded by the largest circle around one direction that lies inside: no direction is nearer to the
        boundary than to that circle. The twist changes by at most 1 / c times the rotation, where c = cos(swing / 2),
        and c by at most half the rotation: after a rotation r, by at most -2 log(1 - r / 2c).
        """
        directions = rotations.rotate(relative, self._axes)
        chord = rotations.lengths(directions - self._cap_centers)
        room = self._cap_angles - 2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))
        if len(self._twisting):
            there = relative[:, self._twisting]
            angle, _ = self._twist(there)
            along = np.einsum("fnk,nk->fn", there[..., 1:], self._axes[self._twisting])
            twist_room = np.minimum(angle - self._ranges[:, 0], self._ranges[:, 1] - angle)
            twist_room = -2.0 * np.hypot(there[..., 0], along) * np.expm1(-0.5 * twist_room)
            room[:, self._twisting] = np.minimum(room[:, self._twisting], twist_room)
        return room

    def clamp(self, relative: Array) -> Array:
        """(frames, n, 4) rotations inside, as `BallLimit.clamp` has them; those that are inside come back bit for
        bit."""
        clamped = np.array(relative, dtype=np.float64)
        found = self.room(clamped) <= 0.0
        for index in np.flatnonzero(found.any(axis=0)):
            frames = np.flatnonzero(found[:, index])
            clamped[frames, index] = self.limits[index].clamp(clamped[frames, index])
        return clamped

    def _directions(self, relative: Array, limits: IntArray) -> Array:
        """(limits given, frames, 3) the directions of bones, for a stack of curves."""
        return rotations.rotate(relative[:, limits].swapaxes(0, 1), self._axes[limits, None])

    def _twist(self, relative: Array) -> tuple[Array, Array]:
        """The twists (frames, twisting) of rotations (frames, twisting, 4) and their gradients; see `BallLimit`."""
        axes = self._axes[self._twisting]
        w, v = relative[..., 0], relative[..., 1:]
        p = np.einsum("fnk,nk->fn", v, axes)
        squared = w * w + p * p
        known = squared > UNDETERMINED_TWIST * UNDETERMINED_TWIST
        middle = 0.5 * self._ranges.sum(axis=1)
        angle = 2.0 * np.arctan2(p, w)
        angle = angle + 2.0 * np.pi * np.rint((middle - angle) / (2.0 * np.pi))
        angle = np.where(known, angle, middle)
        slope = w[..., None] * (w[..., None] * axes + rotations.cross(v, np.broadcast_to(axes, v.shape)))
        slope += p[..., None] * v
        return angle, slope * (known / np.where(known, squared, 1.0))[..., None]
