# SPDX-License-Identifier: GPL-3.0-or-later
"""An ankle of two angles: it rotates about one axis, then about another that the first rotation carries along.

With the three angles of the hip and the one of the knee that makes six degrees of freedom for five constraints, the
position of the ankle and the direction of the foot (Li and Hao 2006, section 7.4; see docs/derivations.md). Vectors
(frames, 3) or (3,) are in the frame of the shin, angles (frames,) in radians.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.rotations import cross, dot, from_axis_angle, multiply, rotate, scaled, unit

Range = tuple[float, float]
FREE: Range = (-math.pi, math.pi)

EQUAL = 1e-12
"""Squared errors, for bones of length one, that do not count as different."""

Angles = tuple[Array, Array]
"""(frames,) each: the first and the second angle."""


@dataclass(frozen=True, eq=False)
class TwoAngles:
    """A joint that rotates by `first` about one unit axis and then, carried along, by `second` about another."""

    first_axis: Array
    second_axis: Array
    first_range: Range = FREE
    second_range: Range = FREE

    def rotation(self, first: Array, second: Array) -> Array:
        """(frames, 4) the rotation of two angles."""
        return multiply(from_axis_angle(self.first_axis, first), from_axis_angle(self.second_axis, second))

    def angles(self, bone: Array, wanted: Array, near: Angles) -> Angles:
        """The two angles that rotate the bone, given at angles of zero, into the wanted direction.

        Of the two solutions, the one nearer to the angles `near`, within the ranges; where neither lies within them, or
        where the bone cannot point in that direction, the one with the smaller error.
        """
        foot, target = unit(bone), unit(wanted)
        # The first rotation keeps the component along its axis: the second one alone has to produce it.
        along = dot(foot, self.second_axis)
        across = foot - _times(self.second_axis, along)
        steady = along * dot(self.first_axis, self.second_axis)
        c, s = dot(self.first_axis, across), dot(self.first_axis, cross(self.second_axis, foot))
        amplitude = np.sqrt(c * c + s * s)
        sought = np.clip(dot(self.first_axis, target) - steady, -amplitude, amplitude)
        middle, half = np.arctan2(s, c), np.arctan2(np.sqrt(amplitude * amplitude - sought * sought), sought)
        one, other = (self._solution(foot, target, middle + sign * half) for sign in (1.0, -1.0))
        better = self._is_better(other, one, target, foot, near)
        return np.where(better, other[0], one[0]), np.where(better, other[1], one[1])

    def _solution(self, foot: Array, target: Array, second: Array) -> Angles:
        """Both angles, within their ranges, given the second."""
        kept = within(second, self.second_range)
        pointed = rotate(from_axis_angle(self.second_axis, kept), foot)
        pointed = pointed - _times(self.first_axis, dot(pointed, self.first_axis))
        level = target - _times(self.first_axis, dot(target, self.first_axis))
        first = np.arctan2(dot(self.first_axis, cross(pointed, level)), dot(pointed, level))
        return within(first, self.first_range), kept

    def _is_better(self, one: Angles, other: Angles, target: Array, foot: Array, near: Angles) -> BoolArray:
        """(frames,) whether one pair of angles has a smaller error than another or, with equal errors, is nearer."""
        misses = [rotate(self.rotation(*pair), foot) - target for pair in (one, other)]
        errors = [dot(miss, miss) for miss in misses]
        distances = [_squared_chord(pair[0], near[0]) + _squared_chord(pair[1], near[1]) for pair in (one, other)]
        return np.where(np.abs(errors[0] - errors[1]) <= EQUAL, distances[0] < distances[1], errors[0] < errors[1])


def within(angle: Array, allowed: Range) -> Array:
    """The angle, by whole turns, within a range; beyond it, its nearer end."""
    middle = 0.5 * (allowed[0] + allowed[1])
    # As an angle from the middle of the range, the nearer end lies on its own side.
    away = np.arctan2(np.sin(angle - middle), np.cos(angle - middle))
    return np.clip(middle + away, *allowed)


def _times(axis: Array, factors: Array) -> Array:
    """(frames, 3) an axis (frames, 3) or (3,) times factors (frames,)."""
    return scaled(np.broadcast_to(axis, (*factors.shape, 3)), factors)


def _squared_chord(one: Array, other: Array) -> Array:
    """The squared distance of the points of two angles on the unit circle."""
    x, y = np.cos(one) - np.cos(other), np.sin(one) - np.sin(other)
    return np.asarray(x * x + y * y)
