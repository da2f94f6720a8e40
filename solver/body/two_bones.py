# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb of two bones and the hinge between them: its length at a bend, and the bend for a length.

`upper` (..., 3) leads from the ball joint to the hinge, `lower` (..., 3) from the hinge to the end, and `axis` (..., 3)
is the unit axis of the hinge, all in one frame. The bend is the signed angle by which `lower` is rotated away from
`upper` about the axis: 0 at full extension, positive where the limb is flexed. The bones need not be perpendicular to
the axis: their components along it add up with their signs and no bend changes them (Kovar 2004, equation 3.10, where
the sign of that term depends on the sides on which the two ends lie).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array
from ..core.rotations import cross, dot, scaled


@dataclass(frozen=True, eq=False)
class Reach:
    """The length d of a limb, from ball joint to end, at a bend b: d² = mean + amplitude cos b."""

    mean: Array
    """(...)"""
    amplitude: Array
    """(...)"""

    @property
    def longest(self) -> Array:
        """(...) the length at full extension."""
        return _root(self.mean + self.amplitude)

    @property
    def shortest(self) -> Array:
        """(...) the length when the limb is folded."""
        return _root(self.mean - self.amplitude)

    def length(self, bend: Array) -> Array:
        """(...) the length at a bend."""
        return _root(self.mean + self.amplitude * np.cos(bend))

    def bend(self, length: Array) -> Array:
        """(...) the bend, from 0 to pi, for a length; for an unreachable length, that for the nearest reachable one."""
        square = length * length
        farther = _root(self.mean + self.amplitude - square)
        return np.asarray(2.0 * np.arctan2(farther, _root(square - self.mean + self.amplitude)))


def reach_of(upper: Array, lower: Array, axis: Array) -> Reach:
    """The reach of two bones about an axis."""
    upper_along, lower_along = dot(upper, axis), dot(lower, axis)
    upper_across, lower_across = upper - scaled(axis, upper_along), lower - scaled(axis, lower_along)
    squares = dot(upper_across, upper_across), dot(lower_across, lower_across)
    along = upper_along + lower_along
    return Reach(squares[0] + squares[1] + along * along, 2.0 * np.sqrt(squares[0]) * np.sqrt(squares[1]))


def bend_of(upper: Array, lower: Array, axis: Array) -> Array:
    """(...) the bend, in [-pi, pi], of two bones about an axis."""
    along = dot(upper, axis) * dot(lower, axis)
    return np.asarray(np.arctan2(dot(axis, cross(upper, lower)), dot(upper, lower) - along))


def _root(square: Array) -> Array:
    """The square root; 0 where rounding has left less than 0."""
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))
