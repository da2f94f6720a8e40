# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of the centre of mass in a gait with flight: a push of the ground in each stance, free fall between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, ArrayLike
from .force_pulses import BRAKE_AND_PUSH, PUSH


@dataclass(frozen=True)
class BouncingPath:
    """The path of a centre of mass that is pushed once in each step, for the first `stance` seconds of it.

    The vertical push is that of `PUSH`, of which the mean over a step is the weight. Horizontal forces are the vertical
    one times a slope: the ground first brakes, then drives; and it pushes inward, away from the foot that stands.
    Lengths are in any one unit. Coordinates are x to the left, y up and z ahead.
    """

    gravity: float
    step: float
    """Seconds from one strike to the next."""
    stance: float
    """Seconds of contact in each step."""
    step_length: float
    """The distance travelled in a step."""
    slope_ahead: float = 0.0
    """Horizontal over vertical force, as it nears the end of a stance; the opposite at the beginning."""
    slope_inward: float = 0.0
    """The same across, to the right where the left foot stands; the left one stands first. 0 where one foot hops."""

    def at(self, times: ArrayLike) -> Array:
        """(..., 3) the place at times (...) in seconds from a strike of the left foot.

        There the height is 0 and z is 0; x is 0 in the mean.
        """
        times = np.asarray(times, dtype=np.float64)
        steps = np.floor(times / self.step)
        since = times - steps * self.step
        share = since / self.stance
        # A push with a mean of this acceleration over the stance has that of the weight over the whole step.
        push = self.gravity * self.step / self.stance
        flight = self.step - self.stance
        pushed = push * self.stance**2 * PUSH.distance(share)
        height = -0.5 * self.gravity * (flight * since + since**2) + pushed
        drive = push * self.slope_ahead * self.stance**2
        speed = (self.step_length - drive * float(BRAKE_AND_PUSH.distance(1.0))) / self.step
        ahead = steps * self.step_length + speed * since + drive * BRAKE_AND_PUSH.distance(share)
        inward = push * self.slope_inward * self.stance
        at_strike, leaving = 0.25 * inward * flight, 0.5 * inward
        left = at_strike + leaving * since - inward * self.stance * PUSH.distance(share)
        return np.stack([np.where(steps % 2 == 0.0, left, -left), height, ahead], axis=-1)
