# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a foot in a walk: heel strike, flat foot, heel off over the toes, swing phase."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Array, ArrayLike
from .curves import SmoothCurve, curve
from .puppet import FootPose
from .stepping import SteppingFoot

TOE_STRIKE, HEEL_OFF, TOE_OFF = 0.075, 0.38, 0.61
"""Events as shares of the cycle after heel strike. People stand on a foot for 0.6 of the cycle. Captured heels visibly
rise at 0.43; this one begins slowly at 0.38, because the ankle would otherwise exceed its range."""

_PITCH = curve(
    *((phase, np.deg2rad(degrees)) for phase, degrees in (
        (HEEL_OFF, 0.0), (TOE_OFF, 50.0), (0.67, 66.0), (0.86, 0.0), (0.95, -20.0), (1.0 + TOE_STRIKE, 0.0)
    ))
)  # fmt: skip
"""Pitch of the foot in radians over the cycle, positive with the heel up: largest after toe off, negative at strike."""

_TOE_PITCH = curve(
    *((phase, np.deg2rad(degrees)) for phase, degrees in (
        (TOE_OFF, 0.0), (0.70, 24.0), (0.84, -8.0), (0.95, -25.0), (1.0 + TOE_STRIKE, 0.0)
    ))
)  # fmt: skip
"""Pitch of the toes: they stay flat until toe off, then become straight, a little raised."""

_HEEL_HEIGHT = ((0.685, 0.255), (0.82, 0.11), (0.93, 0.014))
"""(cycle, height) of the heel in the swing phase, in sizes of the character: high at first, because the toes hang below
it, and low long before it strikes, as in captured walks."""

_LAG = curve((TOE_OFF, 0.0), (0.90, -0.03), (1.0, 0.0))
"""Distance ahead of the plain swing curve, in strides. The foot lags at first, so that the knee is not straight before
the pelvis has followed."""


@dataclass(frozen=True, eq=False)
class RollingFoot(SteppingFoot):
    """One foot of a walk straight ahead, whose first plant is at time 0 in cycles, and which steps by `stride`."""

    heel: Array
    """(3,) the heel's position in the plant that begins at time 0, in the skeleton's axes."""
    stride: Array
    """(3,) from each plant to the next of the same foot, in the skeleton's axes."""

    def plant(self, number: int) -> tuple[Array, Array]:
        """Positions of heel and ball, (3,) each, in the plant that begins at time `number`."""
        heel = self.heel + number * self.stride
        return heel, heel + self.sole

    def at(self, cycles: ArrayLike) -> FootPose:
        """The foot's pose at these times (frames,), in cycles."""
        cycles = np.asarray(cycles, dtype=np.float64)
        plant = np.floor(cycles - TOE_STRIKE)
        phase = cycles - plant
        pitch = _PITCH(phase)
        swinging = self._heel_in_swing(phase) + self.from_heel(pitch)
        ball = np.where((phase > TOE_OFF)[:, None], swinging, self.sole)
        ball += self.heel + plant[:, None] * self.stride
        return self.pose(ball, pitch, _TOE_PITCH(phase))

    def _heel_in_swing(self, phase: Array) -> Array:
        """(frames, 3) displacement of the heel from its last plant, from toe off to its next plant."""
        height = self._height(phase)[:, None] * self.upward
        return self._along_floor(phase) + height + _LAG(phase)[:, None] * self.stride

    @cached_property
    def _leaving(self) -> tuple[Array, Array]:
        """The heel at toe off: its position (3,), and its velocity and acceleration (2, 3).

        Until then it rotates about the ball.
        """
        leaving = np.array([TOE_OFF])
        arm = -self.from_heel(_PITCH(leaving))[0]
        speed, acceleration = float(_PITCH.derivative(leaving)[0]), float(_PITCH.derivative(leaving, 2)[0])
        tangent = np.cross(self.axis, arm)
        inward = np.cross(self.axis, tangent)
        return self.sole + arm, np.stack([speed * tangent, acceleration * tangent + speed**2 * inward])

    @cached_property
    def _along_floor(self) -> SmoothCurve:
        """Horizontal displacement from toe off to the next heel strike."""
        place, moving = self._leaving
        level = np.eye(3) - np.outer(self.upward, self.upward)
        return SmoothCurve(np.array([TOE_OFF, 1.0]), np.stack([place, self.stride]) @ level, begin=moving @ level)

    @cached_property
    def _height(self) -> SmoothCurve:
        """Height from toe off to the next heel strike."""
        place, moving = self._leaving
        phases, heights = zip(*_HEEL_HEIGHT, strict=True)
        return SmoothCurve(
            np.array([TOE_OFF, *phases, 1.0]),
            np.array([place @ self.upward, *(self.skeleton.size * np.array(heights)), 0.0]),
            begin=moving @ self.upward,
        )
