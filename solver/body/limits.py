# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits: hinge ranges, twist ranges, and swing inside an elliptic cone or a spherical polygon.

A limit takes the joint's rotation relative to its rest, `relative = conjugate(rest) * local`, shape (..., 4), and
works in the rest frame. Each of its c boundaries has an *excess*: the signed distance to it in radians, positive
outside and negative inside.

- `excess(relative)` (..., c)
- `evaluate(relative)`: the excess, and (..., c, 3) its derivative with respect to a small rotation w on the left,
  relative -> exp(w) * relative.
- `clamp(relative)` (..., 4): a rotation inside. Rotations that are inside come back bit for bit.

A `BallLimit` has its bone axis. A `HingeLimit` is only a range of angles, since the skeleton has the hinge's axis:
`HingeLimit.bound_to(axis)` is the ball limit with that range as its twist.

The swing limits the bone's direction, rotate(relative, axis), by a curve on the sphere (`swing_boundaries`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..core import rotations
from ..core.arrays import Array, ArrayLike, IntArray
from ..core.errors import LimitError
from .swing_boundaries import COINCIDENT, ConeBoundary, NearestPoint, PolygonBoundary

CLAMP_TOLERANCE = 1e-10
"""Radians beyond a boundary that `clamp` lets pass: above rounding, so that clamping twice changes nothing."""

UNDETERMINED_TWIST = 4e-6
"""Where cos(swing / 2) is under this, the twist is only known to 1e-10 radians or worse, and at a half turn not at
all. There it violates no limit and has no gradient."""

_CAP_CANDIDATES = 200
"""Directions about 14 degrees apart, from which the middle of a swing is chosen: it only saves time."""

_FULL_TURN = 2.0 * math.pi * (1.0 + 1e-9)
"""The widest range, with room for angles converted from degrees."""

_HALF_RIGHT_ANGLE_COSINE = math.sqrt(0.5)

Range = tuple[float, float]


# ---------------------------------------------------------------------------------------------------------------------
# Ranges of the angle about an axis
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HingeLimit:
    """The range [low, high] in radians of the angle about a hinge's axis; 0 is the rest.

    A range may reach beyond pi, as (2, 4) does; it may not be wider than a full turn. Of the angles that mean the
    same rotation the one nearest to the range's middle counts, so the excess jumps only opposite to the middle.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = _checked_range((self.low, self.high), "hinge")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def bound_to(self, axis: ArrayLike) -> BallLimit:
        """The limit as a twist range about the hinge's axis (3,) in the rest frame."""
        return BallLimit(axis, twist=(self.low, self.high))


# ---------------------------------------------------------------------------------------------------------------------
# Shapes of a swing
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SwingCone:
    """An elliptic cone: the swing is at most u about one axis perpendicular to the bone, at most v about the other.

    The swing's rotation vector, which is perpendicular to the bone axis, stays inside the ellipse with the semi-axes
    u and v: radians between 0 and pi, and a millionth away from both. `reference` is the direction (3,), in the rest
    frame, of the axis about which u turns; its part along the bone does not count. Without it that axis is the rest
    frame's x, or y where the bone is within 45 degrees of x.
    """

    u: float
    v: float
    reference: ArrayLike | None = None

    def __post_init__(self) -> None:
        for name in ("u", "v"):
            angle = getattr(self, name)
            if not COINCIDENT <= angle <= math.pi - COINCIDENT:
                raise LimitError(
                    f"The cone's angle {name} is {angle}: give radians between 0 and pi, neither included."
                )
            object.__setattr__(self, name, float(angle))
        if self.reference is not None:
            object.__setattr__(self, "reference", _checked_direction(self.reference, "cone's reference"))

    def frame(self, axis: ArrayLike) -> Array:
        """(3, 3) rows: the axis about which u turns, the one about which v turns, the bone axis; right-handed."""
        bone = np.array(_checked_direction(axis, "bone axis"))
        if self.reference is not None:
            toward = np.asarray(self.reference, dtype=np.float64)
        else:
            toward = np.eye(3)[0 if abs(bone[0]) <= _HALF_RIGHT_ANGLE_COSINE else 1]
        across = toward - (toward @ bone) * bone
        length = float(np.linalg.norm(across))
        if length < COINCIDENT:
            raise LimitError("The cone's reference lies along the bone axis: give a direction across the bone.")
        across = across / length
        return np.stack([across, np.cross(bone, across), bone])

    def boundary(self, axis: ArrayLike) -> ConeBoundary:
        """The curve on the sphere that directions of the bone must not pass."""
        return ConeBoundary(self.u, self.v, self.frame(axis))


@dataclass(frozen=True)
class SwingPolygon:
    """A spherical polygon: the bone's direction stays on one side of a closed path of great-circle arcs.

    `directions` (K, 3) are its corners in order, in the rest frame, of any length; each arc is the shorter one
    between neighbouring corners. The polygon may be non-convex but not cross or touch itself. The allowed side is
    the one that contains the direction `inside` (3,), or else the smaller one.
    """

    directions: ArrayLike
    inside: ArrayLike | None = None
    _boundary: PolygonBoundary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = np.asarray(self.directions, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != 3 or len(given) < 3:
            raise LimitError("A swing polygon needs at least three corners of three numbers each.")
        corners = [_checked_direction(corner, f"polygon's corner {number}") for number, corner in enumerate(given)]
        boundary = PolygonBoundary(np.array(corners))
        boundary.check()
        if self.inside is not None:
            inside = _checked_direction(self.inside, "polygon's inside point")
            object.__setattr__(self, "inside", inside)
            seen = np.array([inside])
            if abs(float(boundary.nearest(seen).excess[0])) < COINCIDENT:
                raise LimitError("The polygon's inside point lies on its boundary: move it to the allowed side.")
            on_the_left = bool(boundary.contains(seen)[0])
        else:
            area = boundary.area()
            if abs(area - 2.0 * math.pi) < COINCIDENT:
                raise LimitError("The polygon halves the sphere: say which side is allowed with `inside`.")
            on_the_left = area < 2.0 * math.pi
        object.__setattr__(self, "directions", tuple(corners))
        object.__setattr__(self, "_boundary", boundary if on_the_left else PolygonBoundary(boundary.corners[::-1]))

    def boundary(self, axis: ArrayLike) -> PolygonBoundary:
        """The curve on the sphere that directions of the bone must not pass; it does not depend on the bone axis."""
        return self._boundary


# ---------------------------------------------------------------------------------------------------------------------
# Both together
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BallLimit:
    """The limit of a ball joint: relative = swing * twist, with the twist about `axis` and the swing across it.

    `axis` (3,) is the bone's direction in the rest frame. `twist` is a range in radians under the same rules as a
    `HingeLimit`; `swing` bounds the bone's direction. The boundaries come in the order twist low, twist high, swing,
    as far as they are given.
    """

    axis: ArrayLike
    twist: Range | None = None
    swing: SwingCone | SwingPolygon | None = None
    _axis: Array = field(init=False, repr=False, compare=False)
    _cross_axis: Array = field(init=False, repr=False, compare=False)
    """(3, 3) so that v @ _cross_axis is v x axis."""
    boundary: ConeBoundary | PolygonBoundary | None = field(init=False, repr=False, compare=False)
    """The curve of the swing on the sphere."""

    def __post_init__(self) -> None:
        axis = _checked_direction(self.axis, "bone axis")
        if self.twist is None and self.swing is None:
            raise LimitError("A ball limit needs a twist range, a swing or both: give one or take the limit away.")
        object.__setattr__(self, "axis", axis)
        object.__setattr__(self, "_axis", np.array(axis))
        object.__setattr__(self, "_cross_axis", np.cross(np.eye(3), axis))
        if self.twist is not None:
            object.__setattr__(self, "twist", _checked_range(self.twist, "twist"))
        object.__setattr__(self, "boundary", None if self.swing is None else self.swing.boundary(axis))

    @property
    def count(self) -> int:
        """How many boundaries there are."""
        return (2 if self.twist is not None else 0) + (1 if self.swing is not None else 0)

    @cached_property
    def inner_cap(self) -> tuple[Array, float]:
        """The middle (3,) of a large circle inside the swing, and its angle from middle to edge; infinite if the swing
        is not limited.

        The middle is the best of `_CAP_CANDIDATES` directions spread over the sphere, and of the bone axis.
        """
        if self.boundary is None:
            return self._axis, math.inf
        candidates = np.vstack([self._axis, _spread(_CAP_CANDIDATES)])
        room = -self.boundary.nearest(candidates).excess
        best = int(np.argmax(room))
        return candidates[best], float(room[best])

    def excess(self, relative: ArrayLike) -> Array:
        """(..., count) radians beyond each boundary."""
        return self.evaluate(relative)[0]

    def evaluate(self, relative: ArrayLike) -> tuple[Array, Array]:
        """Excess (..., count) and gradients (..., count, 3), for a little more than the cost of one of them."""
        relative = np.asarray(relative, dtype=np.float64)
        leading = relative.shape[:-1]
        excess = np.empty((*leading, self.count))
        gradients = np.empty((*leading, self.count, 3))
        if self.twist is not None:
            low, high = self.twist
            angle, slope = self._twist(relative)
            excess[..., 0] = low - angle
            excess[..., 1] = angle - high
            gradients[..., 0, :] = -slope
            gradients[..., 1, :] = slope
        if self.boundary is not None:
            nearest = self._nearest(relative)
            excess[..., -1] = nearest.excess.reshape(leading)
            gradients[..., -1, :] = nearest.gradient.reshape((*leading, 3))
        return excess, gradients

    def clamp(self, relative: ArrayLike) -> Array:
        """(..., 4) a rotation inside, in the hemisphere of the quaternion it was made from.

        Swing and twist are each clamped to the nearest allowed value, so the bone moves along the sphere by the swing's
        excess. The rotation as a whole is nearly the nearest: one that changes both can be nearer by up to
        cos(swing / 2) of the distance.
        """
        clamped = np.array(relative, dtype=np.float64, order="C")
        flat = clamped.reshape(-1, 4)
        candidates = self._candidates(flat)
        if not len(candidates):
            return clamped
        there = flat[candidates]
        swing, twist = rotations.swing_twist(there, self._axis)
        outside = np.zeros(len(there), dtype=bool)
        if self.twist is not None:
            low, high = self.twist
            angle = self._twist(there)[0]
            outside |= np.maximum(low - angle, angle - high) > CLAMP_TOLERANCE
            # An undetermined twist violates no limit, but it is determined again where the swing leaves the half turn.
            angle = _nearest_turn(rotations.twist_angle(there, self._axis), self.twist)
            allowed = np.clip(angle, low, high)
            clamped_twist = rotations.from_axis_angle(self._axis, allowed)
            twist = np.where((allowed != angle)[:, None], clamped_twist, twist)
        if self.boundary is not None:
            nearest = self._nearest(there)
            swung_out = nearest.excess > CLAMP_TOLERANCE
            outside |= swung_out
            swing = np.where(swung_out[:, None], rotations.between(self._axis, nearest.point), swing)
        inside = rotations.align(rotations.normalize(rotations.multiply(swing, twist)), there)
        flat[candidates] = np.where(outside[:, None], inside, there)
        return clamped

    def _candidates(self, relative: Array) -> IntArray:
        """The indices of the rotations (count, 4) that may be outside, without measuring distances."""
        outside = np.zeros(len(relative), dtype=bool)
        if self.twist is not None:
            angle, _ = self._twist(relative)
            outside |= (angle < self.twist[0]) | (angle > self.twist[1])
        if self.boundary is not None:
            outside |= ~self.boundary.contains(rotations.rotate(relative, self._axis))
        return np.flatnonzero(outside)

    def _nearest(self, relative: Array) -> NearestPoint:
        """The nearest points of the swing's boundary to the bone's directions, leading axes flattened."""
        assert self.boundary is not None
        return self.boundary.nearest(rotations.rotate(relative, self._axis).reshape(-1, 3))

    def _twist(self, relative: Array) -> tuple[Array, Array]:
        """The twist's angle (...) and its gradient (..., 3) with respect to a small rotation on the left.

        The angle is 2 atan2(p, w) with p = v . axis for relative = (w, v). A rotation on the left changes the
        quaternion by half its product with it, which gives the gradient (w (w axis + v x axis) + p v) / (w² + p²):
        the same as (axis + d) / (1 + axis . d), without its cancellation where d nears -axis.
        """
        assert self.twist is not None
        w, v = relative[..., 0], relative[..., 1:]
        p = v @ self._axis
        squared = w * w + p * p
        known = squared > UNDETERMINED_TWIST * UNDETERMINED_TWIST
        angle = _nearest_turn(2.0 * np.arctan2(p, w), self.twist)
        angle = np.where(known, angle, 0.5 * (self.twist[0] + self.twist[1]))
        slope = w[..., None] * (w[..., None] * self._axis + v @ self._cross_axis) + p[..., None] * v
        return angle, slope * (known / np.where(known, squared, 1.0))[..., None]


JointLimit = HingeLimit | BallLimit
"""Any limit that a joint can have."""


# ---------------------------------------------------------------------------------------------------------------------
# Helpers
# ---------------------------------------------------------------------------------------------------------------------


def _spread(count: int) -> Array:
    """(count, 3) unit vectors spread evenly over the sphere, on a spiral from pole to pole."""
    height = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angle = np.pi * (1.0 + math.sqrt(5.0)) * np.arange(count)
    across = np.sqrt(1.0 - height * height)
    return np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=-1)


def _nearest_turn(angle: Array, allowed: Range) -> Array:
    """The angle plus the whole turns that bring it nearest to the middle of the range; unchanged bits where none do."""
    middle = 0.5 * (allowed[0] + allowed[1])
    return np.asarray(angle + 2.0 * math.pi * np.rint((middle - angle) / (2.0 * math.pi)))


def _checked_range(given: Range, what: str) -> Range:
    low, high = float(given[0]), float(given[1])
    if not (math.isfinite(low) and math.isfinite(high)):
        raise LimitError(f"The {what} range from {low} to {high} is not finite: give both ends in radians.")
    if low > high:
        raise LimitError(f"The {what} range is empty: its low end {low} is above its high end {high}.")
    if high - low > _FULL_TURN:
        raise LimitError(f"The {what} range from {low} to {high} is wider than a full turn, so it limits nothing.")
    return low, high


def _checked_direction(given: ArrayLike, what: str) -> tuple[float, float, float]:
    """A direction of length 1 as plain numbers, so that limits compare and hash by value."""
    direction = np.asarray(given, dtype=np.float64)
    if direction.shape != (3,) or not np.all(np.isfinite(direction)):
        raise LimitError(f"The {what} must be three finite numbers.")
    largest = float(np.max(np.abs(direction)))
    if largest == 0.0:
        raise LimitError(f"The {what} is zero and has no direction.")
    scaled = direction / largest
    x, y, z = (float(value) for value in scaled / np.linalg.norm(scaled))
    return x, y, z
