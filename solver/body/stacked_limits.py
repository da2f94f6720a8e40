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
from ..core.arrays import Array, BoolArray, IntArray
from .limits import CLAMP_TOLERANCE, UNDETERMINED_TWIST, BallLimit
from .swing_boundaries import ConeBoundary, PolygonBoundary

BLOCK = 64
"""Frames evaluated at a time: what they need for all joints fits into a processor's cache, and more takes longer."""

FEW = 16
"""Frames up to which evaluating all limits costs no more than choosing those that are wanted."""


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
        self._bounds = np.tile([-np.inf, np.inf], (len(counts), 1))
        self._bounds[self._twisting] = self._ranges
        self._middles = np.zeros(len(counts))
        self._middles[self._twisting] = 0.5 * self._ranges.sum(axis=1)
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
            angle, half_cosine, _ = self._twist_angle(relative[:, self._twisting])
            twist_room = np.minimum(angle - self._ranges[:, 0], self._ranges[:, 1] - angle)
            twist_room = -2.0 * half_cosine * np.expm1(-0.5 * twist_room)
            room[:, self._twisting] = np.minimum(room[:, self._twisting], twist_room)
        return room

    def packed(self, wanted: BoolArray) -> tuple[StackedLimits, IntArray, IntArray]:
        """The limits (k,) that are wanted in some frame of (frames, n), as `StackedLimits` and as their indices here;
        and for each of them, (most, k), the frames in which it is wanted, filled up with others.

        `relative[frames, indices]` are then the rotations to evaluate. Where these are few, k is n.
        """
        counts = wanted.sum(axis=0)
        part, indices = self, np.arange(len(self))
        if counts.max(initial=0) > FEW and not counts.all():
            indices = np.flatnonzero(counts)
            part, wanted = StackedLimits([self.limits[index] for index in indices]), wanted[:, indices]
        return part, indices, _packed_frames(wanted)

    def clamp(self, relative: Array) -> Array:
        """(frames, n, 4) rotations inside, as `BallLimit.clamp` has them; those that are inside come back bit for
        bit."""
        clamped = np.array(relative, dtype=np.float64)
        if len(relative) <= FEW:
            self._clamp_measured(clamped)
            return clamped
        found = self.room(clamped) <= 0.0
        if found.any():
            part, indices, frames = self.packed(found)
            there = clamped[frames, indices]
            part._clamp(there)
            clamped[frames, indices] = there
        return clamped

    def _clamp(self, relative: Array) -> None:
        """`clamp` in place, without choosing the rotations that may be outside."""
        candidates = np.zeros(relative.shape[:2], dtype=bool)
        if len(self._twisting):
            angle = self._twist_angle(relative[:, self._twisting])[0]
            candidates[:, self._twisting] = (angle < self._ranges[:, 0]) | (angle > self._ranges[:, 1])
        for swings in self._swings:
            candidates[:, swings.limits] |= ~swings.boundary.contains(self._directions(relative, swings.limits)).T
        if candidates.any():
            frames, limits = _packed_frames(candidates), np.arange(len(self))
            there = relative[frames, limits]
            self._clamp_measured(there)
            relative[frames, limits] = there

    def _clamp_measured(self, relative: Array) -> None:
        """`clamp` in place, by measuring all distances."""
        swung_out = np.zeros(relative.shape[:2], dtype=bool)
        bones = np.empty((*relative.shape[:2], 3))
        for swings in self._swings:
            nearest = swings.boundary.nearest(self._directions(relative, swings.limits))
            swung_out[:, swings.limits] = nearest.excess.T > CLAMP_TOLERANCE
            bones[:, swings.limits] = nearest.point.swapaxes(0, 1)
        outside = swung_out.copy()
        if len(self._twisting):
            angle = self._twist_angle(relative[:, self._twisting])[0]
            over = np.maximum(self._ranges[:, 0] - angle, angle - self._ranges[:, 1])
            outside[:, self._twisting] |= over > CLAMP_TOLERANCE
        frames, limits = np.nonzero(outside)
        if not len(frames):
            return
        there, axes = relative[frames, limits], self._axes[limits]
        swing, twist = rotations.swing_twist(there, axes)
        if len(self._twisting):
            # An undetermined twist violates no limit, but it is determined again where the swing leaves the half turn.
            low, high = self._bounds[limits].T
            angle = rotations.twist_angle(there, axes)
            angle = angle + 2.0 * np.pi * np.rint((self._middles[limits] - angle) / (2.0 * np.pi))
            allowed = np.clip(angle, low, high)
            clamped_twist = rotations.from_axis_angle(axes, allowed)
            twist = np.where((allowed != angle)[:, None], clamped_twist, twist)
        moved = swung_out[frames, limits]
        swing[moved] = rotations.between(axes[moved], bones[frames, limits][moved])
        relative[frames, limits] = rotations.align(rotations.normalize(rotations.multiply(swing, twist)), there)

    def _directions(self, relative: Array, limits: IntArray) -> Array:
        """(limits given, frames, 3) the directions of bones, for a stack of curves."""
        return rotations.rotate(relative[:, limits].swapaxes(0, 1), self._axes[limits, None])

    def _twist_angle(self, relative: Array) -> tuple[Array, Array, Array]:
        """The twists (frames, twisting) of rotations (frames, twisting, 4), the cosines of half their swings, and the
        sines of half their twists times these."""
        along = np.einsum("fnk,nk->fn", relative[..., 1:], self._axes[self._twisting])
        half_cosine = np.hypot(relative[..., 0], along)
        middle = self._middles[self._twisting]
        angle = 2.0 * np.arctan2(along, relative[..., 0])
        angle = angle + 2.0 * np.pi * np.rint((middle - angle) / (2.0 * np.pi))
        return np.where(half_cosine > UNDETERMINED_TWIST, angle, middle), half_cosine, along

    def _twist(self, relative: Array) -> tuple[Array, Array]:
        """The twists (frames, twisting) of rotations (frames, twisting, 4) and their gradients; see `BallLimit`."""
        axes = self._axes[self._twisting]
        angle, half_cosine, p = self._twist_angle(relative)
        w, v = relative[..., 0], relative[..., 1:]
        known = half_cosine > UNDETERMINED_TWIST
        slope = w[..., None] * (w[..., None] * axes + rotations.cross(v, np.broadcast_to(axes, v.shape)))
        slope += p[..., None] * v
        return angle, slope * (known / np.where(known, half_cosine * half_cosine, 1.0))[..., None]


def _packed_frames(wanted: BoolArray) -> IntArray:
    """(most, n) for each limit the frames in which it is wanted, (frames, n), and then others: as many as the limit
    that is wanted most often has."""
    return np.argsort(~wanted, axis=0, kind="stable")[: int(wanted.sum(axis=0).max(initial=0))]
