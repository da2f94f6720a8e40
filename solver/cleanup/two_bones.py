# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bones and the hinge between them: how far they reach at which bend, and the bend for a distance.

The bones are vectors from the ball joint to the hinge and on to the end, in one frame at one moment; the axis is the
hinge's, a unit vector in that frame. The bend is the signed angle by which the second bone turns out of the first, seen
along the axis: 0 where the limb is as long as it gets, positive where it flexes. The bones need not lie across the
axis: their parts along it add up, with their signs, and no bend changes them (document 000, 3.10, where the sign of
that term depends on the sides on which the two ends lie).

Numbers and vectors are `components`: of one frame, or of many.
"""

from __future__ import annotations

from dataclasses import dataclass

from .components import Number, Vector, arc_tangent, cosine, cross, dot, minus, root, times


@dataclass(frozen=True)
class Reach:
    """The distance d of the ends at a bend b: d² = middle + swing cos b."""

    middle: Number
    swing: Number

    @property
    def longest(self) -> Number:
        """The distance at full extension."""
        return root(self.middle + self.swing)

    @property
    def shortest(self) -> Number:
        """The distance when the limb is folded."""
        return root(self.middle - self.swing)

    def distance(self, bend: Number) -> Number:
        """How far the ends are apart."""
        return root(self.middle + self.swing * cosine(bend))

    def bend(self, distance: Number) -> Number:
        """The bend, from 0 to pi, for a distance; that of the nearest distance within reach."""
        square = distance * distance
        return 2.0 * arc_tangent(root(self.middle + self.swing - square), root(square - self.middle + self.swing))


def reach_of(upper: Vector, lower: Vector, axis: Vector) -> Reach:
    """How far two bones reach about an axis."""
    up, low = dot(upper, axis), dot(lower, axis)
    upper_across, lower_across = minus(upper, times(up, axis)), minus(lower, times(low, axis))
    squares = dot(upper_across, upper_across), dot(lower_across, lower_across)
    along = up + low
    return Reach(squares[0] + squares[1] + along * along, 2.0 * root(squares[0]) * root(squares[1]))


def bend_of(upper: Vector, lower: Vector, axis: Vector) -> Number:
    """The bend, in [-pi, pi], that two bones have."""
    up, low = dot(upper, axis), dot(lower, axis)
    return arc_tangent(dot(axis, cross(upper, lower)), dot(upper, lower) - up * low)
