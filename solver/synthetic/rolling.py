# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a foot that rolls: it lands on its heel, lies flat, lifts its heel over the toes, and swings on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, ArrayLike
from .axes import standing
from .curves import SmoothCurve, curve
from .puppet import MIRROR, FootPose, Side, heel_to_ball

TOE_STRIKE, HEEL_OFF, TOE_OFF = 0.075, 0.38, 0.61
"""When, in shares of the cycle after its heel strikes, the foot is flat, its heel lifts, and its toes lift. People
stand on a foot for 0.6 of the cycle. Captured heels are seen to rise at 0.43; this one begins to, unseen, while the
ankle is within its range."""

_PITCH = curve(
    *((phase, np.deg2rad(degrees)) for phase, degrees in (
        (HEEL_OFF, 0.0), (TOE_OFF, 50.0), (0.67, 66.0), (0.86, 0.0), (0.95, -20.0), (1.0 + TOE_STRIKE, 0.0)
    ))
)  # fmt: skip
"""How far the foot is turned, heel up and toes down: most after the toes have left, and back before the heel lands."""

_TOE_PITCH = curve(
    *((phase, np.deg2rad(degrees)) for phase, degrees in (
        (TOE_OFF, 0.0), (0.70, 24.0), (0.84, -8.0), (0.95, -25.0), (1.0 + TOE_STRIKE, 0.0)
    ))
)  # fmt: skip
"""The same for the toes alone: they stay on the floor until they leave, then become straight, a little raised."""

_HEEL_HEIGHT = ((0.685, 0.255), (0.82, 0.11), (0.93, 0.014))
"""How far above the floor the heel swings then, in sizes of the character: high, for the toes hang below it, and long
before it strikes already low, as in captured walks."""

_LAG = curve((TOE_OFF, 0.0), (0.90, -0.03), (1.0, 0.0))
"""How far ahead of an even swing it is, in strides: it comes late and stops short, lest the knee be stretched before
the pelvis has followed."""


@dataclass(frozen=True, eq=False)
class RollingFoot:
    """One foot of a walk straight ahead, whose first plant is at time 0 in cycles, and which steps by `stride`."""

    skeleton: Skeleton
    side: Side
    heel: Array
    """(3,) the heel's place in the plant that begins at time 0, as the skeleton stands."""
    stride: Array
    """(3,) from each plant to the next of the same foot, as the skeleton stands."""
    turned_out: float
    """Radians by which the toes point outward."""

    @cached_property
    def _yaw(self) -> Array:
        return rotations.exp(standing((0.0, MIRROR[self.side] * self.turned_out, 0.0), self.skeleton.up))

    @cached_property
    def _axis(self) -> Array:
        """(3,) about which the foot rolls."""
        return rotations.rotate(self._yaw, standing((1.0, 0.0, 0.0), self.skeleton.up))

    @cached_property
    def _sole(self) -> Array:
        """(3,) from heel to toe joint in a flat foot."""
        return rotations.rotate(self._yaw, heel_to_ball(self.skeleton, self.side))

    def plant(self, number: int) -> tuple[Array, Array]:
        """Where heel and toe joint are, (3,) each, in the plant that begins at time `number`."""
        heel = self.heel + number * self.stride
        return heel, heel + self._sole

    def at(self, cycles: ArrayLike) -> FootPose:
        """The foot at these times (frames,), counted in cycles."""
        cycles = np.asarray(cycles, dtype=np.float64)
        plant = np.floor(cycles - TOE_STRIKE)
        phase = cycles - plant
        pitch = _PITCH(phase)
        swinging = self._heel_on_its_way(phase) + self._from_heel(pitch)
        ball = np.where((phase > TOE_OFF)[:, None], swinging, self._sole)
        ball += self.heel + plant[:, None] * self.stride
        return FootPose(ball, self._turned(pitch), self._turned(_TOE_PITCH(phase)))

    def _turned(self, pitch: Array) -> Array:
        return rotations.multiply(rotations.from_axis_angle(self._axis, pitch), self._yaw)

    def _from_heel(self, pitch: Array) -> Array:
        return rotations.rotate(rotations.from_axis_angle(self._axis, pitch), self._sole)

    def _heel_on_its_way(self, phase: Array) -> Array:
        """(frames, 3) the heel from toe off to its next place, where it stays; seen from the place it left."""
        lifted = self._lifted(phase)[:, None] * self._upward
        return self._carried(phase) + lifted + _LAG(phase)[:, None] * self.stride

    @cached_property
    def _upward(self) -> Array:
        return standing((0.0, 1.0, 0.0), self.skeleton.up)

    @cached_property
    def _leaving(self) -> tuple[Array, Array]:
        """Where the heel is when the toes leave the floor, (3,), and its speed and acceleration then, (2, 3).

        Until then it turns about the toe joint.
        """
        leaving = np.array([TOE_OFF])
        arm = -self._from_heel(_PITCH(leaving))[0]
        speed, acceleration = float(_PITCH.derivative(leaving)[0]), float(_PITCH.derivative(leaving, 2)[0])
        tangent = np.cross(self._axis, arm)
        inward = np.cross(self._axis, tangent)
        return self._sole + arm, np.stack([speed * tangent, acceleration * tangent + speed**2 * inward])

    @cached_property
    def _carried(self) -> SmoothCurve:
        """Along the floor, until it rests."""
        place, moving = self._leaving
        level = np.eye(3) - np.outer(self._upward, self._upward)
        return SmoothCurve(np.array([TOE_OFF, 1.0]), np.stack([place, self.stride]) @ level, begin=moving @ level)

    @cached_property
    def _lifted(self) -> SmoothCurve:
        """Above the floor, until it rests."""
        place, moving = self._leaving
        phases, heights = zip(*_HEEL_HEIGHT, strict=True)
        return SmoothCurve(
            np.array([TOE_OFF, *phases, 1.0]),
            np.array([place @ self._upward, *(self.skeleton.size * np.array(heights)), 0.0]),
            begin=moving @ self._upward,
        )
