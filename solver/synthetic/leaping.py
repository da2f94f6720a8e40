# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of the centre of mass from standing to a leap, by forces of the ground; backward in time, a landing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, ArrayLike
from ..core.smooth_steps import smooth_step
from .force_pulses import FADE, PUSH

_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class LeapPath:
    """The path of a centre of mass that stands, crouches, and is pushed off. Vectors have y up; any unit of length.

    The force is the weight, which fades out over the push; a `PUSH` along a constant direction; and that of a slow
    shift from where the centre of mass stands to where the push must begin. At the leap all of it is zero.

    A landing is a leap backward in time: its velocity is the opposite one, its times count from the landing on.
    """

    gravity: float
    stand: Array
    """(3,) the place before."""
    leave: Array
    """(3,) the place at the leap."""
    velocity: Array
    """(3,) the velocity at the leap."""
    push: float
    """Seconds of the push, which ends with the leap."""
    shift: tuple[float, float]
    """When the shift begins and ends, in seconds before the leap."""

    def at(self, before: ArrayLike) -> Array:
        """(..., 3) the place at times (...) in seconds before the leap, none of them after it."""
        before = np.asarray(before, dtype=np.float64)
        begin, end = self.shift
        shifted = smooth_step((begin - before) / (begin - end))[..., None]
        way = self.leave - self.stand - self._pushed(np.array(0.0))
        return self.stand + shifted * way + self._pushed(before)

    def _pushed(self, before: Array) -> Array:
        """(..., 3) the displacement by the push and by the weight that is no longer carried."""
        share = 1.0 - before / self.push
        falls = 0.5 * np.clip(share, 0.0, None) ** 2 - FADE.distance(share)
        # The push gives back the speed that is lost while the weight fades, half of a free fall's.
        acceleration = self.velocity / self.push + 0.5 * self.gravity * _UP
        pushed = PUSH.distance(share)[..., None] * acceleration - falls[..., None] * self.gravity * _UP
        return np.asarray(self.push**2 * pushed)
