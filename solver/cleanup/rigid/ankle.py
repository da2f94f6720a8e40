# SPDX-License-Identifier: GPL-3.0-or-later
"""An ankle of two angles: it turns about one axis, then about another that the first turn carries along.

With the three angles of the hip and the one of the knee that makes six degrees of freedom for five constraints, the
place of the ankle and the direction of the foot (document 002, 7.4; see docs/derivations.md). Vectors and numbers are
`components`, in the frame of the shin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..components import (
    Number,
    Quaternion,
    Truth,
    Vector,
    about,
    arc_tangent,
    clamped,
    cosine,
    cross,
    dot,
    minus,
    multiply,
    root,
    rotate,
    sine,
    times,
    unit,
    where,
)

Range = tuple[float, float]
FREE: Range = (-math.pi, math.pi)


@dataclass(frozen=True)
class TwoAngles:
    """A joint that turns by `first` about one unit axis and then, carried along, by `second` about another."""

    first_axis: Vector
    second_axis: Vector
    first_range: Range = FREE
    second_range: Range = FREE

    def turned(self, first: Number, second: Number) -> Quaternion:
        """The rotation of two angles."""
        return multiply(about(self.first_axis, first), about(self.second_axis, second))

    def angles(self, bone: Vector, wanted: Vector, near: tuple[Number, Number]) -> tuple[Number, Number]:
        """The two angles that turn the bone, given at angles of zero, into the wanted direction.

        Of the two ways there are, the one nearer to the angles `near`, within the ranges; where neither way lies within
        them, or where there is none because the bone comes nowhere near that direction, the nearest that there is.
        """
        foot, target = unit(bone), unit(wanted)
        # The first turn leaves what lies along its axis as it is: the second one alone must bring it about.
        along = dot(foot, self.second_axis)
        across = minus(foot, times(along, self.second_axis))
        sideways = cross(self.second_axis, foot)
        steady = along * dot(self.first_axis, self.second_axis)
        c, s = dot(self.first_axis, across), dot(self.first_axis, sideways)
        amplitude = root(c * c + s * s)
        sought = clamped(dot(self.first_axis, target) - steady, -amplitude, amplitude)
        middle, half = arc_tangent(s, c), arc_tangent(root(amplitude * amplitude - sought * sought), sought)
        ways = [self._way(foot, target, middle + sign * half) for sign in (1.0, -1.0)]
        better = self._is_better(ways[1], ways[0], target, foot, near)
        return where(better, ways[1][0], ways[0][0]), where(better, ways[1][1], ways[0][1])

    def _way(self, foot: Vector, target: Vector, second: Number) -> tuple[Number, Number]:
        """Both angles, within their ranges, given the second."""
        kept = within(second, self.second_range)
        turned = rotate(about(self.second_axis, kept), foot)
        turned = minus(turned, times(dot(turned, self.first_axis), self.first_axis))
        level = minus(target, times(dot(target, self.first_axis), self.first_axis))
        first = arc_tangent(dot(self.first_axis, cross(turned, level)), dot(turned, level))
        return within(first, self.first_range), kept

    def _is_better(
        self,
        one: tuple[Number, Number],
        other: tuple[Number, Number],
        target: Vector,
        foot: Vector,
        near: tuple[Number, Number],
    ) -> Truth:
        """Whether one pair of angles misses the target less than another or, where both meet it, is nearer."""
        misses = [_squared(minus(rotate(self.turned(*pair), foot), target)) for pair in (one, other)]
        ways = [_difference(pair[0], near[0]) + _difference(pair[1], near[1]) for pair in (one, other)]
        alike = abs(misses[0] - misses[1]) <= ALIKE
        return where(alike, ways[0] < ways[1], misses[0] < misses[1])


ALIKE = 1e-12
"""Squared misses, for bones of length one, that do not count as different."""


def within(angle: Number, allowed: Range) -> Number:
    """The angle, by whole turns, within a range; beyond it, its nearer end."""
    middle = 0.5 * (allowed[0] + allowed[1])
    # As an angle from the middle of the range, the nearer end lies on its own side.
    away = arc_tangent(sine(angle - middle), cosine(angle - middle))
    return clamped(middle + away, *allowed)


def _difference(one: Number, other: Number) -> Number:
    """The squared way between two angles, the shorter way round, as that of points on a circle."""
    apart = cosine(one) - cosine(other), sine(one) - sine(other)
    return apart[0] * apart[0] + apart[1] * apart[1]


def _squared(vector: Vector) -> Number:
    return dot(vector, vector)
