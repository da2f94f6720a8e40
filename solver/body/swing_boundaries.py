# SPDX-License-Identifier: GPL-3.0-or-later
"""Boundary curves of a swing on the unit sphere: elliptic cones and spherical polygons.

The allowed side lies on the left of a curve. Distances are measured along the sphere. If c is the curve's point nearest
to a direction d and T the unit tangent there, then d leaves the allowed side fastest when it turns about T itself, at
unit rate: T is the gradient of the excess, near the boundary and far from it.

A boundary object holds one curve, or a stack of curves of the same kind (and of the same number of corners) with a
leading axis, for which directions have it too: (curves, count, 3). `stack` makes a stack of single ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray
from ..core.errors import LimitError
from ..core.rotations import cross, dot, lengths

COINCIDENT = 1e-6
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


class NearestPoint(NamedTuple):
    """The nearest points of a closed curve on the sphere to some directions (..., count, 3)."""

    excess: Array
    """(..., count)"""
    gradient: Array
    """(..., count, 3) unit"""
    point: Array
    """(..., count, 3) the curve's nearest point"""


class ConeBoundary:
    """The directions to which the bone axis is turned by the swings s(t) = u cos(t) e_u + v sin(t) e_v.

    In coordinates along (e_u, e_v, bone) the curve is (m v sin t, -m u cos t, cos(angle)), where angle² = A(t) =
    u² cos² t + v² sin² t and m = sin(angle) / angle. It is its own mirror image in the two planes that hold the bone
    axis and e_u or e_v; so the point nearest to a direction lies in the same quarter, and one quarter is searched.
    """

    def __init__(self, u: float | Array, v: float | Array, frame: Array) -> None:
        """One cone of two angles and a frame (3, 3), or a stack: angles (curves, 1), frames (curves, 3, 3)."""
        self._u = u
        self._v = v
        self._frame = frame
        self._samples = np.linspace(0.0, 0.5 * math.pi, _CONE_SAMPLES)
        cosine, sine = np.cos(self._samples), np.sin(self._samples)
        angle = np.hypot(u * cosine, v * sine)
        ratio = np.sin(angle) / angle
        self._sample_points = np.stack([ratio * v * sine, ratio * u * cosine, np.cos(angle)], axis=-2)

    @staticmethod
    def stack(boundaries: Sequence[ConeBoundary]) -> ConeBoundary:
        """Single cones as a stack."""
        u, v = (np.array([[getattr(each, name)] for each in boundaries]) for name in ("_u", "_v"))
        return ConeBoundary(u, v, np.stack([each._frame for each in boundaries]))

    def nearest(self, direction: Array) -> NearestPoint:
        """The nearest points of the curve to directions (..., count, 3)."""
        local = direction @ np.swapaxes(self._frame, -1, -2)
        x, y, z = np.abs(local[..., 0]), np.abs(local[..., 1]), local[..., 2]
        t = self._search(x, y, z)
        cosine = np.where(local[..., 1] > 0.0, -np.cos(t), np.cos(t))
        sine = np.where(local[..., 0] < 0.0, -np.sin(t), np.sin(t))
        u, v = self._u, self._v
        squared, first, _ = self._squared_angle(cosine, sine)
        ratio, ratio_1, _ = _sine_ratio(squared)

        point = np.empty(direction.shape)
        point[..., 0] = ratio * v * sine
        point[..., 1] = -ratio * u * cosine
        point[..., 2] = np.cos(np.sqrt(squared))
        tangent = np.empty(direction.shape)
        tangent[..., 0] = v * (ratio_1 * first * sine + ratio * cosine)
        tangent[..., 1] = -u * (ratio_1 * first * cosine - ratio * sine)
        tangent[..., 2] = -0.5 * ratio * first
        tangent /= np.linalg.norm(tangent, axis=-1, keepdims=True)

        outward = np.cross(tangent, point)
        excess = np.arctan2(np.sum(outward * local, axis=-1), np.sum(point * local, axis=-1))
        return NearestPoint(excess, tangent @ self._frame, point @ self._frame)

    def contains(self, direction: Array) -> BoolArray:
        """(..., count) whether directions (..., count, 3) lie on the left of the boundary: by the swing's rotation
        vector."""
        local = direction @ np.swapaxes(self._frame, -1, -2)
        sine = np.hypot(local[..., 0], local[..., 1])
        angle = np.arctan2(sine, local[..., 2])
        across = np.hypot(local[..., 1] / self._u, local[..., 0] / self._v)
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


class PolygonBoundary:
    """Great-circle arcs from each of the unit `corners` (K, 3) to the next and from the last to the first.

    An arc's normal (corner x next) points to its left. The direction's parts along the corner and along the
    arc's tangent there (normal x corner) place its foot on the great circle; the tangents at both ends tell whether
    the foot lies on the arc.
    """

    def __init__(self, corners: Array) -> None:
        """One polygon of corners (K, 3), or a stack (curves, K, 3)."""
        self.corners = corners
        following = np.roll(corners, -1, axis=-2)
        normals = cross(corners, following)
        self._triple = normals
        self._neighbour_cosines = np.sum(corners * following, axis=-1)[..., None, :]
        sines = np.linalg.norm(normals, axis=-1, keepdims=True)
        self._normals = normals / np.where(sines > 0.0, sines, 1.0)
        self._leaving = cross(self._normals, corners)
        self._arriving = cross(self._normals, following)
        # At a corner itself the distance grows no way faster than along the mean of both arcs' gradients.
        means = self._leaving + np.roll(self._arriving, 1, axis=-2)
        self._corner_tangents = means / np.maximum(np.linalg.norm(means, axis=-1, keepdims=True), COINCIDENT)
        self._corner_normals = self._normals + np.roll(self._normals, 1, axis=-2)

    @staticmethod
    def stack(boundaries: Sequence[PolygonBoundary]) -> PolygonBoundary:
        """Single polygons with as many corners each, as a stack."""
        return PolygonBoundary(np.stack([each.corners for each in boundaries]))

    def area(self) -> float:
        """The area on the left of a single polygon, in (0, 4 pi): 2 pi less the turns at the corners."""
        before = np.roll(self._normals, 1, axis=0)
        turns = np.arctan2(
            np.sum(self.corners * np.cross(before, self._normals), axis=-1), np.sum(before * self._normals, axis=-1)
        )
        return float(2.0 * math.pi - np.sum(turns))

    def contains(self, direction: Array) -> BoolArray:
        """(count,) whether directions (count, 3) lie on the left of the boundary.

        The triangles from any point to all arcs have signed areas that sum to the area on the left, less a whole
        sphere if the point's antipode is on the left, because one triangle then turned inside out. So the sum is
        taken from the antipode of the direction: it is negative where the direction is inside. That holds for
        non-convex polygons and for those larger than a hemisphere.
        """
        along = direction @ np.swapaxes(self.corners, -1, -2)
        volume = -(direction @ np.swapaxes(self._triple, -1, -2))
        base = 1.0 - along - np.roll(along, -1, axis=-1) + self._neighbour_cosines
        return np.asarray(np.sum(np.arctan2(volume, base), axis=-1) < 0.0)

    def nearest(self, direction: Array) -> NearestPoint:
        """The nearest points of the curve to directions (..., count, 3).

        A direction whose nearest point is a corner lies beyond both ends of its arcs, where the sum of their normals
        says on which side: an arc alone would not.
        """
        sine = direction @ np.swapaxes(self._normals, -1, -2)
        along = direction @ np.swapaxes(self.corners, -1, -2)
        ahead = direction @ np.swapaxes(self._leaving, -1, -2)
        on_arc = (ahead >= 0.0) & (direction @ np.swapaxes(self._arriving, -1, -2) <= 0.0)
        arc = np.argmax(on_arc - np.abs(sine), axis=-1)  # a foot on the arc beats all others
        corner = np.argmax(along, axis=-1)
        place = _of_curves(self.corners, corner)
        sine, over, forward = (_picked(values, arc) for values in (sine, along, ahead))
        length = np.sqrt(over * over + forward * forward)
        # Chords order the distances as angles do, without losing the small ones as cosines would.
        arc_chord = np.where(_picked(on_arc, arc), np.abs(sine) * np.sqrt(2.0 / (1.0 + length)), np.inf)
        corner_chord = lengths(direction - place)
        at_corner = corner_chord < arc_chord

        start, leaving = _of_curves(self.corners, arc), _of_curves(self._leaving, arc)
        over_the_pole = length == 0.0
        scale = np.where(over_the_pole, 1.0, length)
        cosine = np.where(over_the_pole, 1.0, over / scale)[..., None]
        forward = (forward / scale)[..., None]
        point = cosine * start + forward * leaving
        gradient = cosine * leaving - forward * start
        excess = -np.arctan2(sine, length)
        if np.any(at_corner):
            seen, place, chord = direction[at_corner], place[at_corner], corner_chord[at_corner]
            which = (*np.nonzero(at_corner)[:-1], corner[at_corner])
            side = np.where(dot(self._corner_normals[which], seen) > 0.0, -1.0, 1.0)
            away = cross(place, seen)
            size = np.linalg.norm(away, axis=-1, keepdims=True)
            distinct = size > _ROUNDING
            excess[at_corner] = side * 2.0 * np.arctan2(chord, np.linalg.norm(seen + place, axis=-1))
            gradient[at_corner] = np.where(
                distinct,
                side[:, None] * away / np.where(distinct, size, 1.0),
                self._corner_tangents[which],
            )
            point[at_corner] = place
        return NearestPoint(excess, gradient, point)

    def check(self) -> None:
        """Raise LimitError where the corners of a single polygon do not make a simple closed path."""
        count = len(self.corners)
        crossing = self._crossings()
        following = np.roll(self.corners, -1, axis=0)
        for number, (corner, after) in enumerate(zip(self.corners, following, strict=True)):
            name = f"corners {number} and {(number + 1) % count}"
            if np.linalg.norm(corner - after) < COINCIDENT:
                raise LimitError(f"The polygon's {name} are the same direction: leave one out.")
            if np.linalg.norm(corner + after) < COINCIDENT:
                raise LimitError(f"The polygon's {name} are opposite: put a corner between them to say which way.")
        for number in range(count):
            others = [other for other in range(count) if other not in (number, (number + 1) % count)]
            beside = self._arc_distances(number, self.corners[others])
            if np.any(beside < COINCIDENT):
                touching = others[int(np.argmin(beside))]
                raise LimitError(
                    f"The polygon touches itself: corner {touching} lies on the arc from corner {number} to corner "
                    f"{(number + 1) % count}."
                )
            for other in range(number + 2, count if number else count - 1):
                if crossing[number, other]:
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

    def _crossings(self) -> BoolArray:
        """(K, K) whether two arcs intersect: they do where their great circles meet on both of them."""
        meeting = cross(self._normals[:, None], self._normals[None])
        first, second = (
            (dot(meeting, ahead), dot(meeting, back))
            for ahead, back in (
                (self._leaving[:, None], self._arriving[:, None]),
                (self._leaving[None], self._arriving[None]),
            )
        )
        here = (first[0] > 0.0) & (first[1] < 0.0) & (second[0] > 0.0) & (second[1] < 0.0)
        opposite = (first[0] < 0.0) & (first[1] > 0.0) & (second[0] < 0.0) & (second[1] > 0.0)
        return np.asarray(here | opposite)


def _picked(values: Array | BoolArray, index: IntArray) -> Array:
    """(..., count) of values (..., count, K) those with an index (..., count)."""
    return np.asarray(np.take_along_axis(values, index[..., None], axis=-1)[..., 0])


def _of_curves(vectors: Array, index: IntArray) -> Array:
    """(..., count, 3) of vectors (..., K, 3) of each curve those with an index (..., count)."""
    return np.asarray(vectors[index] if vectors.ndim == 2 else np.take_along_axis(vectors, index[..., None], axis=-2))


def _sine_ratio(squared: Array) -> tuple[Array, Array, Array]:
    """sin(x) / x as a function of x², with its first and second derivative with respect to x²."""
    angle = np.sqrt(squared)
    ratio = np.sin(angle) / angle
    # These cancel for small angles, but then only stand beside derivatives of A that are as small.
    difference = np.cos(angle) - ratio
    first = difference / (2.0 * squared)
    second = (-ratio * squared - 3.0 * difference) / (4.0 * squared * squared)
    return ratio, first, second
