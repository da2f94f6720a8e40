# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits: hinge ranges, twist ranges, and swing inside an elliptic cone or a spherical polygon.

A limit sees the joint's rotation relative to its rest, `relative = conjugate(rest) * local`, shape (..., 4), and
works in the rest frame. Each of its c boundaries has an *excess*: the signed distance to it in radians, positive
outside and negative inside.

- `excess(relative)` (..., c)
- `gradients(relative)` (..., c, 3): the derivative of each excess with respect to a small rotation w on the left,
  relative -> exp(w) * relative.
- `clamp(relative)` (..., 4): a rotation inside. Rotations that are inside come back bit for bit.

A `BallLimit` owns its bone axis. A `HingeLimit` is only a range of angles: the skeleton owns the hinge's axis, and
each method takes it as a second argument.

The bone's direction is d = rotate(relative, axis). Its distance to the boundary curve is measured along the sphere.
If c is the curve's point nearest to d and T the unit tangent there, with the inside on the left, then d leaves the
inside fastest when it turns about T itself, at unit rate: T is the gradient, near the boundary and far from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..core import rotations
from ..core.arrays import Array, ArrayLike, BoolArray, IntArray
from ..core.errors import LimitError

CLAMP_TOLERANCE = 1e-10
"""Radians beyond a boundary that `clamp` lets pass: above rounding, so that clamping twice changes nothing."""

_LOST_TWIST = 4e-6
"""Where cos(swing / 2) is under this, the twist is only known to 1e-10 radians or worse, and at a half turn not at
all. There it breaks no limit and has no gradient."""

_COINCIDENT = 1e-6
"""Radians within which directions count as one: no anatomical limit is that fine."""

_CONE_SAMPLES = 33
"""Points on a quarter of a cone's boundary from which the search for the nearest one starts."""

_CONE_ITERATIONS = 60
"""Enough for pure bisection of the interval between two samples down to rounding; Newton usually needs five."""

_CONE_STEP = 1e-7
"""Change of the curve's parameter that ends the search: after a Newton step of this size the error is its square, and
the distance, which is stationary there, has only the square of that."""

_ROUNDING = 1e-15
"""Distance between unit vectors under which the direction from one to the other is only noise."""

_FULL_TURN = 2.0 * math.pi * (1.0 + 1e-9)
"""The widest range, with room for angles converted from degrees."""

_HALF_RIGHT_ANGLE_COSINE = math.sqrt(0.5)

Range = tuple[float, float]


class _Nearest(NamedTuple):
    """A closed curve on the sphere as seen from some directions (count, 3)."""

    excess: Array
    """(count,)"""
    gradient: Array
    """(count, 3) unit"""
    point: Array
    """(count, 3) the curve's nearest point"""


# ---------------------------------------------------------------------------------------------------------------------
# Ranges of the angle about an axis
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HingeLimit:
    """The range [low, high] in radians of the angle about a hinge's axis; 0 is the rest.

    A range may reach beyond pi, as (2, 4) does; it may not be wider than a full turn. Of the angles that mean the
    same rotation the one nearest to the range's middle counts, so the excess jumps only opposite to the middle.
    The methods take the hinge's axis (3,) in the rest frame.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = _checked_range((self.low, self.high), "hinge")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def slopes(self) -> Array:
        """(2,) the derivative of each excess (low, high) with respect to the hinge's angle."""
        return np.array([-1.0, 1.0])

    def excess(self, relative: ArrayLike, axis: ArrayLike) -> Array:
        """(..., 2) radians beyond low and beyond high."""
        return self.bound_to(axis).excess(relative)

    def gradients(self, relative: ArrayLike, axis: ArrayLike) -> Array:
        """(..., 2, 3) of each excess with respect to a small rotation on the left; of it a hinge can use the part
        along its axis, which is `slopes`."""
        return self.bound_to(axis).gradients(relative)

    def clamp(self, relative: ArrayLike, axis: ArrayLike) -> Array:
        """(..., 4) the nearest rotation about the axis inside the range."""
        return self.bound_to(axis).clamp(relative)

    def bound_to(self, axis: ArrayLike) -> BallLimit:
        """The same limit with its axis: a twist range about it."""
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
            if not _COINCIDENT <= angle <= math.pi - _COINCIDENT:
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
        if length < _COINCIDENT:
            raise LimitError("The cone's reference lies along the bone axis: give a direction across the bone.")
        across = across / length
        return np.stack([across, np.cross(bone, across), bone])

    def boundary(self, axis: ArrayLike) -> _ConeBoundary:
        """The curve on the sphere that directions of the bone must not pass."""
        return _ConeBoundary(self.u, self.v, self.frame(axis))


@dataclass(frozen=True)
class SwingPolygon:
    """A spherical polygon: the bone's direction stays on one side of a closed path of great-circle arcs.

    `directions` (K, 3) are its corners in order, in the rest frame, of any length; each arc is the shorter one
    between neighbouring corners. The polygon may be non-convex but not cross or touch itself. The allowed side is
    the one that contains the direction `inside` (3,), or else the smaller one.
    """

    directions: ArrayLike
    inside: ArrayLike | None = None
    _boundary: _PolygonBoundary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = np.asarray(self.directions, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != 3 or len(given) < 3:
            raise LimitError("A swing polygon needs at least three corners of three numbers each.")
        corners = [_checked_direction(corner, f"polygon's corner {number}") for number, corner in enumerate(given)]
        boundary = _PolygonBoundary(np.array(corners))
        boundary.check()
        if self.inside is not None:
            inside = _checked_direction(self.inside, "polygon's inside point")
            object.__setattr__(self, "inside", inside)
            seen = np.array([inside])
            if abs(float(boundary.nearest(seen).excess[0])) < _COINCIDENT:
                raise LimitError("The polygon's inside point lies on its boundary: move it to the allowed side.")
            on_the_left = bool(boundary.contains(seen)[0])
        else:
            area = boundary.area()
            if abs(area - 2.0 * math.pi) < _COINCIDENT:
                raise LimitError("The polygon halves the sphere: say which side is allowed with `inside`.")
            on_the_left = area < 2.0 * math.pi
        object.__setattr__(self, "directions", tuple(corners))
        object.__setattr__(self, "_boundary", boundary if on_the_left else _PolygonBoundary(boundary.corners[::-1]))

    def boundary(self, axis: ArrayLike) -> _PolygonBoundary:
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
    _boundary: _ConeBoundary | _PolygonBoundary | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        axis = _checked_direction(self.axis, "bone axis")
        if self.twist is None and self.swing is None:
            raise LimitError("A ball limit needs a twist range, a swing or both: give one or take the limit away.")
        object.__setattr__(self, "axis", axis)
        object.__setattr__(self, "_axis", np.array(axis))
        object.__setattr__(self, "_cross_axis", np.cross(np.eye(3), axis))
        if self.twist is not None:
            object.__setattr__(self, "twist", _checked_range(self.twist, "twist"))
        object.__setattr__(self, "_boundary", None if self.swing is None else self.swing.boundary(axis))

    @property
    def count(self) -> int:
        """How many boundaries there are."""
        return (2 if self.twist is not None else 0) + (1 if self.swing is not None else 0)

    def excess(self, relative: ArrayLike) -> Array:
        """(..., count) radians beyond each boundary."""
        return self.evaluate(relative)[0]

    def gradients(self, relative: ArrayLike) -> Array:
        """(..., count, 3) of each excess with respect to a small rotation on the left, in the rest frame."""
        return self.evaluate(relative)[1]

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
        if self._boundary is not None:
            nearest = self._nearest(relative)
            excess[..., -1] = nearest.excess.reshape(leading)
            gradients[..., -1, :] = nearest.gradient.reshape((*leading, 3))
        return excess, gradients

    def clamp(self, relative: ArrayLike) -> Array:
        """(..., 4) a rotation inside, in the hemisphere of the quaternion it was made from.

        Swing and twist are each put to the nearest allowed value and leave the other alone, so the bone moves along
        the sphere by the swing's excess. The rotation as a whole is nearly the nearest: one that mixes the two can
        be nearer by up to cos(swing / 2) of the way.
        """
        clamped = np.array(relative, dtype=np.float64, order="C")
        flat = clamped.reshape(-1, 4)
        suspects = self._suspects(flat)
        if not len(suspects):
            return clamped
        there = flat[suspects]
        swing, twist = rotations.swing_twist(there, self._axis)
        outside = np.zeros(len(there), dtype=bool)
        if self.twist is not None:
            low, high = self.twist
            angle = self._twist(there)[0]
            outside |= np.maximum(low - angle, angle - high) > CLAMP_TOLERANCE
            # A lost twist breaks no limit, but if the swing moves away from the half turn it is there again.
            angle = _nearest_turn(rotations.twist_angle(there, self._axis), self.twist)
            allowed = np.clip(angle, low, high)
            turned = rotations.from_axis_angle(self._axis, allowed)
            twist = np.where((allowed != angle)[:, None], turned, twist)
        if self._boundary is not None:
            nearest = self._nearest(there)
            swung_out = nearest.excess > CLAMP_TOLERANCE
            outside |= swung_out
            swing = np.where(swung_out[:, None], rotations.between(self._axis, nearest.point), swing)
        inside = rotations.align(rotations.normalize(rotations.multiply(swing, twist)), there)
        flat[suspects] = np.where(outside[:, None], inside, there)
        return clamped

    def _suspects(self, relative: Array) -> IntArray:
        """The indices of those of (count, 4) rotations that are not certainly inside, without measuring distances."""
        outside = np.zeros(len(relative), dtype=bool)
        if self.twist is not None:
            angle, _ = self._twist(relative)
            outside |= (angle < self.twist[0]) | (angle > self.twist[1])
        if self._boundary is not None:
            outside |= ~self._boundary.contains(rotations.rotate(relative, self._axis))
        return np.flatnonzero(outside)

    def _nearest(self, relative: Array) -> _Nearest:
        """The swing's boundary as seen from the bone's direction, leading axes flattened."""
        assert self._boundary is not None
        return self._boundary.nearest(rotations.rotate(relative, self._axis).reshape(-1, 3))

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
        known = squared > _LOST_TWIST * _LOST_TWIST
        angle = _nearest_turn(2.0 * np.arctan2(p, w), self.twist)
        angle = np.where(known, angle, 0.5 * (self.twist[0] + self.twist[1]))
        slope = w[..., None] * (w[..., None] * self._axis + v @ self._cross_axis) + p[..., None] * v
        return angle, slope * (known / np.where(known, squared, 1.0))[..., None]


JointLimit = HingeLimit | BallLimit
"""Any limit that a joint can have."""


# ---------------------------------------------------------------------------------------------------------------------
# Boundary curves on the sphere, the inside on their left
# ---------------------------------------------------------------------------------------------------------------------


class _ConeBoundary:
    """The directions to which the bone axis is turned by the swings s(t) = u cos(t) e_u + v sin(t) e_v.

    In coordinates along (e_u, e_v, bone) the curve is (m v sin t, -m u cos t, cos(angle)), where angle² = A(t) =
    u² cos² t + v² sin² t and m = sin(angle) / angle. It is its own mirror image in the two planes that hold the bone
    axis and e_u or e_v; so the point nearest to a direction lies in the same quarter, and one quarter is searched.
    """

    def __init__(self, u: float, v: float, frame: Array) -> None:
        self._u = u
        self._v = v
        self._frame = frame
        self._samples = np.linspace(0.0, 0.5 * math.pi, _CONE_SAMPLES)
        cosine, sine = np.cos(self._samples), np.sin(self._samples)
        angle = np.hypot(u * cosine, v * sine)
        ratio = np.sin(angle) / angle
        self._sample_points = np.stack([ratio * v * sine, ratio * u * cosine, np.cos(angle)])

    def nearest(self, direction: Array) -> _Nearest:
        local = direction @ self._frame.T
        x, y, z = np.abs(local[:, 0]), np.abs(local[:, 1]), local[:, 2]
        t = self._search(x, y, z)
        cosine = np.where(local[:, 1] > 0.0, -np.cos(t), np.cos(t))
        sine = np.where(local[:, 0] < 0.0, -np.sin(t), np.sin(t))
        u, v = self._u, self._v
        squared, first, _ = self._squared_angle(cosine, sine)
        ratio, ratio_1, _ = _sine_ratio(squared)

        point = np.empty(direction.shape)
        point[:, 0] = ratio * v * sine
        point[:, 1] = -ratio * u * cosine
        point[:, 2] = np.cos(np.sqrt(squared))
        tangent = np.empty(direction.shape)
        tangent[:, 0] = v * (ratio_1 * first * sine + ratio * cosine)
        tangent[:, 1] = -u * (ratio_1 * first * cosine - ratio * sine)
        tangent[:, 2] = -0.5 * ratio * first
        tangent /= np.linalg.norm(tangent, axis=-1, keepdims=True)

        outward = np.cross(tangent, point)
        excess = np.arctan2(np.sum(outward * local, axis=-1), np.sum(point * local, axis=-1))
        return _Nearest(excess, tangent @ self._frame, point @ self._frame)

    def contains(self, direction: Array) -> BoolArray:
        """(count,) whether directions (count, 3) lie on the left of the boundary: by the swing's rotation vector."""
        local = direction @ self._frame.T
        sine = np.hypot(local[:, 0], local[:, 1])
        angle = np.arctan2(sine, local[:, 2])
        across = np.hypot(local[:, 1] / self._u, local[:, 0] / self._v)
        return np.asarray((angle * across <= sine) & (angle < math.pi))

    def _squared_angle(self, cosine: Array, sine: Array) -> tuple[Array, Array, Array]:
        """A(t) with its first and second derivative."""
        difference = self._v**2 - self._u**2
        squared = (self._u * cosine) ** 2 + (self._v * sine) ** 2
        return squared, 2.0 * difference * sine * cosine, 2.0 * difference * (cosine * cosine - sine * sine)

    def _search(self, x: Array, y: Array, z: Array) -> Array:
        """The parameter in [0, pi/2] of the point with the largest cosine f to (x, y, z), where x, y >= 0.

        The best of the samples and the slope there say between which two samples a maximum lies; Newton's method
        finds it, with bisection wherever a step would leave the interval.
        """
        best = np.argmax(np.stack([x, y, z], axis=-1) @ self._sample_points, axis=-1)
        t = self._samples[best]
        slope, curvature = self._slopes(t, x, y, z)
        low = self._samples[np.maximum(best - (slope < 0.0), 0)]
        high = self._samples[np.minimum(best + (slope > 0.0), _CONE_SAMPLES - 1)]
        for _ in range(_CONE_ITERATIONS):
            rising = slope > 0.0
            low = np.where(rising, t, low)
            high = np.where(rising, high, t)
            peaked = curvature < 0.0
            newton = t - slope / np.where(peaked, curvature, -1.0)
            usable = peaked & (newton >= low) & (newton <= high)
            following = np.where(usable, newton, 0.5 * (low + high))
            done = not np.any(np.abs(following - t) > _CONE_STEP)
            t = following
            if done:
                break
            slope, curvature = self._slopes(t, x, y, z)
        return np.asarray(t)

    def _slopes(self, t: Array, x: Array, y: Array, z: Array) -> tuple[Array, Array]:
        """The first and second derivative of f with respect to t."""
        cosine, sine = np.cos(t), np.sin(t)
        squared, first, second = self._squared_angle(cosine, sine)
        ratio, ratio_1, ratio_2 = _sine_ratio(squared)
        across = x * self._v * sine + y * self._u * cosine
        across_1 = x * self._v * cosine - y * self._u * sine
        slope = (across * ratio_1 - 0.5 * z * ratio) * first + ratio * across_1
        curvature = (
            across * (ratio_2 * first * first + ratio_1 * second - ratio)
            + 2.0 * ratio_1 * first * across_1
            - 0.5 * z * (ratio_1 * first * first + ratio * second)
        )
        return slope, curvature


class _PolygonBoundary:
    """Great-circle arcs from each of the unit `corners` (K, 3) to the next and from the last to the first.

    An arc's normal (corner x next) points to its left. The direction's parts along the corner and along the
    arc's tangent there (normal x corner) place its foot on the great circle; the tangents at both ends tell whether
    the foot lies on the arc.
    """

    def __init__(self, corners: Array) -> None:
        self.corners = corners
        following = np.roll(corners, -1, axis=0)
        normals = np.cross(corners, following)
        self._triple = normals
        self._neighbour_cosines = np.sum(corners * following, axis=-1)
        lengths = np.linalg.norm(normals, axis=-1, keepdims=True)
        self._normals = normals / np.where(lengths > 0.0, lengths, 1.0)
        self._leaving = np.cross(self._normals, corners)
        self._arriving = np.cross(self._normals, following)
        # At a corner itself the distance grows no way faster than along the mean of both arcs' gradients.
        means = self._leaving + np.roll(self._arriving, 1, axis=0)
        self._corner_tangents = means / np.maximum(np.linalg.norm(means, axis=-1, keepdims=True), _COINCIDENT)

    def area(self) -> float:
        """The area on the left, in (0, 4 pi): 2 pi less the turns at the corners."""
        before = np.roll(self._normals, 1, axis=0)
        turns = np.arctan2(
            np.sum(self.corners * np.cross(before, self._normals), axis=-1), np.sum(before * self._normals, axis=-1)
        )
        return float(2.0 * math.pi - np.sum(turns))

    def contains(self, direction: Array) -> BoolArray:
        """(count,) whether directions (count, 3) lie on the left of the boundary.

        The triangles from any point to all arcs have signed areas that sum to the area on the left, less a whole
        sphere if the point's antipode is on the left, because one triangle then turned inside out. So the antipode
        of the direction is asked: the sum is negative where the direction is inside. That holds for non-convex
        polygons and for those larger than a hemisphere.
        """
        along = direction @ self.corners.T
        volume = -(direction @ self._triple.T)
        base = 1.0 - along - np.roll(along, -1, axis=-1) + self._neighbour_cosines
        return np.asarray(np.sum(np.arctan2(volume, base), axis=-1) < 0.0)

    def nearest(self, direction: Array) -> _Nearest:
        rows = np.arange(len(direction))
        sine = direction @ self._normals.T
        along, ahead = direction @ self.corners.T, direction @ self._leaving.T
        in_plane = np.sqrt(along * along + ahead * ahead)
        on_arc = (ahead >= 0.0) & (direction @ self._arriving.T <= 0.0)
        # Chords order the distances as angles do, without losing the small ones as cosines would.
        arc_chord = np.where(on_arc, np.abs(sine) * np.sqrt(2.0 / (1.0 + in_plane)), np.inf)
        apart = direction[:, None, :] - self.corners
        corner_chord = np.sqrt(np.einsum("fkc,fkc->fk", apart, apart))

        arc = np.argmin(arc_chord, axis=-1)
        corner = np.argmin(corner_chord, axis=-1)
        at_corner = corner_chord[rows, corner] < arc_chord[rows, arc]

        start, leaving = self.corners[arc], self._leaving[arc]
        length = in_plane[rows, arc]
        over_the_pole = length == 0.0
        scale = np.where(over_the_pole, 1.0, length)
        cosine = np.where(over_the_pole, 1.0, along[rows, arc] / scale)[:, None]
        forward = (ahead[rows, arc] / scale)[:, None]
        point = cosine * start + forward * leaving
        gradient = cosine * leaving - forward * start
        excess = -np.arctan2(sine[rows, arc], length)
        if np.any(at_corner):
            corner = corner[at_corner]
            seen = direction[at_corner]
            chord = corner_chord[at_corner, corner]
            side = np.where(self.contains(seen), -1.0, 1.0)
            away = np.cross(self.corners[corner], seen)
            size = np.linalg.norm(away, axis=-1, keepdims=True)
            distinct = size > _ROUNDING
            excess[at_corner] = side * 2.0 * np.arctan2(chord, np.linalg.norm(seen + self.corners[corner], axis=-1))
            gradient[at_corner] = np.where(
                distinct, side[:, None] * away / np.where(distinct, size, 1.0), self._corner_tangents[corner]
            )
            point[at_corner] = self.corners[corner]
        return _Nearest(excess, gradient, point)

    def check(self) -> None:
        """Raise LimitError where the corners do not make a simple closed path."""
        count = len(self.corners)
        following = np.roll(self.corners, -1, axis=0)
        for number, (corner, after) in enumerate(zip(self.corners, following, strict=True)):
            name = f"corners {number} and {(number + 1) % count}"
            if np.linalg.norm(corner - after) < _COINCIDENT:
                raise LimitError(f"The polygon's {name} are the same direction: leave one out.")
            if np.linalg.norm(corner + after) < _COINCIDENT:
                raise LimitError(f"The polygon's {name} are opposite: put a corner between them to say which way.")
        for number in range(count):
            others = [other for other in range(count) if other not in (number, (number + 1) % count)]
            beside = self._arc_distances(number, self.corners[others])
            if np.any(beside < _COINCIDENT):
                touching = others[int(np.argmin(beside))]
                raise LimitError(
                    f"The polygon touches itself: corner {touching} lies on the arc from corner {number} to corner "
                    f"{(number + 1) % count}."
                )
            for other in range(number + 2, count if number else count - 1):
                if self._cross_each_other(number, other):
                    raise LimitError(
                        f"The polygon crosses itself: the arcs that leave corners {number} and {other} intersect. "
                        "Give the corners in their order around the boundary."
                    )

    def _arc_distances(self, arc: int, points: Array) -> Array:
        """(count,) distances in radians from points (count, 3) to one arc."""
        ends = self.corners[[arc, (arc + 1) % len(self.corners)]]
        to_ends = 2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(points[:, None] - ends, axis=-1), 1.0)).min(axis=-1)
        over = (points @ self._leaving[arc] >= 0.0) & (points @ self._arriving[arc] <= 0.0)
        beside = np.abs(np.arcsin(np.clip(points @ self._normals[arc], -1.0, 1.0)))
        return np.asarray(np.where(over, beside, to_ends))

    def _cross_each_other(self, first: int, second: int) -> bool:
        """Whether two arcs intersect: they do where their great circles meet on both of them."""
        meeting = np.cross(self._normals[first], self._normals[second])
        for point in (meeting, -meeting):
            if all(point @ self._leaving[arc] > 0.0 > point @ self._arriving[arc] for arc in (first, second)):
                return True
        return False


# ---------------------------------------------------------------------------------------------------------------------
# Parts of the above
# ---------------------------------------------------------------------------------------------------------------------


def _sine_ratio(squared: Array) -> tuple[Array, Array, Array]:
    """sin(x) / x as a function of x², with its first and second derivative with respect to x²."""
    angle = np.sqrt(squared)
    ratio = np.sin(angle) / angle
    # These cancel for small angles, but then only stand beside derivatives of A that are as small.
    difference = np.cos(angle) - ratio
    first = difference / (2.0 * squared)
    second = (-ratio * squared - 3.0 * difference) / (4.0 * squared * squared)
    return ratio, first, second


def _nearest_turn(angle: Array, allowed: Range) -> Array:
    """The angle, by whole turns, nearest to the middle of the range; bit for bit where that is none."""
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
