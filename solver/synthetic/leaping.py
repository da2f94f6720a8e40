# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of the centre of mass from standing to a leap, by forces of the ground; backward in time, a landing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Array, ArrayLike
from ..core.smooth_steps import smooth_step
from .curves import SmoothCurve, curve
from .force_pulses import FADE, PUSH

_UP = np.array([0.0, 1.0, 0.0])
_ALONG = 1.0 - _UP


@dataclass(frozen=True, eq=False)
class LeapPath:
    """The path of a centre of mass that stands, crouches, and is pushed off. Vectors have y up; any unit of length.

    The force is the weight, which fades out over the push; a `PUSH` upward, and one along the ground that may begin
    earlier, as bodies fall forward before they are thrown; that of a slow shift from where the centre of mass stands to
    where the pushes must begin; and, along the ground, that of a sway, which is over before the leap. At the leap all
    of it is zero.

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
    """Seconds of the push upward, which ends with the leap."""
    drive: float
    """Seconds of the push along the ground, which ends with the leap too."""
    shift: tuple[float, float]
    """When the shift begins and ends, in seconds before the leap."""
    sway: tuple[tuple[float, float], ...]
    """Along the ground, what is added to the path: (seconds before the leap, share of the way from where it stands to
    where it leaves); zero at both ends, and before and after."""

    def at(self, before: ArrayLike) -> Array:
        """(..., 3) the place at times (...) in seconds before the leap, none of them after it."""
        before = np.asarray(before, dtype=np.float64)
        begin, end = self.shift
        shifted = smooth_step((begin - before) / (begin - end))[..., None]
        whole = self.leave - self.stand
        way = whole - self._pushed(np.array(0.0))
        return self.stand + shifted * way + self._pushed(before) + self._sway(-before)[..., None] * whole * _ALONG

    @cached_property
    def _sway(self) -> SmoothCurve:
        """Over seconds after the leap, which are negative."""
        return curve(*((-before, share) for before, share in self.sway))

    def _pushed(self, before: Array) -> Array:
        """(..., 3) the displacement by the pushes and by the weight that is no longer carried."""
        share = 1.0 - before / self.push
        falls = 0.5 * np.clip(share, 0.0, None) ** 2 - FADE.distance(share)
        # The push gives back the speed that is lost while the weight fades, half of a free fall's.
        acceleration = float(self.velocity @ _UP) / self.push + 0.5 * self.gravity
        raised = self.push**2 * (PUSH.distance(share) * acceleration - falls * self.gravity)
        moved = self.drive * PUSH.distance(1.0 - before / self.drive)
        return np.asarray(raised[..., None] * _UP + moved[..., None] * self.velocity * _ALONG)
