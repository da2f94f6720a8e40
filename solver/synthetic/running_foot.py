# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a foot in a run: it lands flat, its heel rises over the toes, and it swings high behind the body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Array, ArrayLike
from .axes import from_y_up
from .curves import SmoothCurve, curve
from .puppet import MIRROR, FootPose
from .stepping import SteppingFoot

HEEL_OFF = 0.4
"""When the heel begins to rise, as a share of the stance. Captured heels visibly rise at 0.5."""

# Shares of the swing phase, from toe off to the next strike, with values like those of a captured run of 4 sizes a
# second, but with a lower heel, as in a slower run.
_PITCH = ((0.0, 52.5), (0.17, 85.0), (0.40, 108.7), (0.60, 79.5), (0.78, 10.0))
"""Degrees, positive with the heel up; flat in the stance before and after."""
_TOE_PITCH = ((0.15, 40.0), (0.40, 102.0), (0.62, 66.0), (0.82, 14.0))
"""Degrees; flat up to toe off and at the next strike."""
_HEIGHT = ((0.20, 0.141), (0.42, 0.302), (0.62, 0.195), (0.82, 0.018), (0.92, 0.009))
"""Of the ball above its place in a stance, in sizes of the character."""
_AHEAD = ((0.20, -0.816), (0.40, -0.652), (0.60, -0.31), (0.78, 0.316), (0.90, 0.612))
"""Of the ball ahead of the body's mean path, in shares of the distance that the body travels in a stance; at toe off it
is half of it behind, at the next strike half ahead."""
_OUTWARD = 0.025
"""Of the ball at the middle of the swing, where it passes the other leg, in sizes."""


@dataclass(frozen=True, eq=False)
class RunningFoot(SteppingFoot):
    """One foot of a run straight ahead, whose first plant is at time 0 in cycles, and which steps by `stride`."""

    ball: Array
    """(3,) the ball's position in the plant that begins at time 0, in the skeleton's axes."""
    stride: Array
    """(3,) from each plant to the next of the same foot, in the skeleton's axes."""
    toe_off: float
    """When the plant ends, in cycles after it began."""

    def plant(self, number: int) -> tuple[Array, Array]:
        """Positions of heel and ball, (3,) each, in the plant that begins at time `number`."""
        ball = self.ball + number * self.stride
        return ball - self.sole, ball

    @property
    def heel_off(self) -> float:
        """When the heel begins to rise, in cycles after the plant began."""
        return HEEL_OFF * self.toe_off

    def at(self, cycles: ArrayLike) -> FootPose:
        """The foot's pose at these times (frames,), in cycles."""
        cycles = np.asarray(cycles, dtype=np.float64)
        plant = np.floor(cycles)
        phase = cycles - plant
        across = from_y_up((MIRROR[self.side], 0.0, 0.0), self.skeleton.up)
        moved = self._ahead(phase)[:, None] * self.stride
        moved += self.skeleton.size * (
            self._height(phase)[:, None] * self.upward + self._outward(phase)[:, None] * across
        )
        return self.pose(self.ball + plant[:, None] * self.stride + moved, self._pitch(phase), self._toe_pitch(phase))

    def _phase(self, share: float) -> float:
        """The time in cycles at a share of the swing phase."""
        return self.toe_off + share * (1.0 - self.toe_off)

    def _over_swing(self, *knots: tuple[float, float], end: float = 0.0) -> SmoothCurve:
        """A curve over the cycle: 0 at rest up to toe off, through (share of the swing, value) to `end` at rest."""
        inside = [(self._phase(share), value) for share, value in knots]
        return curve((self.toe_off, 0.0), *inside, (1.0, end))

    @cached_property
    def _ahead(self) -> SmoothCurve:
        """The distance of the ball from its last plant along the run, in strides."""
        of_body = 1.0 - self.toe_off
        return self._over_swing(
            *((share, self.toe_off * (0.5 + ahead) + of_body * share) for share, ahead in _AHEAD), end=1.0
        )

    @cached_property
    def _height(self) -> SmoothCurve:
        return self._over_swing(*_HEIGHT)

    @cached_property
    def _outward(self) -> SmoothCurve:
        return self._over_swing((0.5, _OUTWARD))

    @cached_property
    def _pitch(self) -> SmoothCurve:
        """Pitch of the foot in radians. It begins to rise in the stance."""
        inside = [(self._phase(share), np.deg2rad(angle)) for share, angle in _PITCH]
        return curve((self.heel_off, 0.0), *inside, (1.0, 0.0))

    @cached_property
    def _toe_pitch(self) -> SmoothCurve:
        return self._over_swing(*((share, np.deg2rad(angle)) for share, angle in _TOE_PITCH))
