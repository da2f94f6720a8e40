# SPDX-License-Identifier: GPL-3.0-or-later
"""The geometry of a foot that stands, turned outward, and pitches about its ball."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array
from .axes import from_y_up
from .puppet import MIRROR, FootPose, Side, heel_to_ball


@dataclass(frozen=True, eq=False)
class SteppingFoot:
    """One foot that steps straight ahead, with its toes turned outward. Vectors are in the skeleton's own axes."""

    skeleton: Skeleton
    side: Side
    turned_out: float
    """Radians by which the toes point outward."""

    @cached_property
    def yaw(self) -> Array:
        """(4,) the rotation of the flat foot."""
        return rotations.exp(from_y_up((0.0, MIRROR[self.side] * self.turned_out, 0.0), self.skeleton.up))

    @cached_property
    def axis(self) -> Array:
        """(3,) the axis of the foot's pitch."""
        return rotations.rotate(self.yaw, from_y_up((1.0, 0.0, 0.0), self.skeleton.up))

    @cached_property
    def sole(self) -> Array:
        """(3,) from heel to ball of the flat foot."""
        return rotations.rotate(self.yaw, heel_to_ball(self.skeleton, self.side))

    @cached_property
    def upward(self) -> Array:
        """(3,) the direction against gravity."""
        return from_y_up((0.0, 1.0, 0.0), self.skeleton.up)

    def pose(self, ball: Array, pitch: Array, toe_pitch: Array) -> FootPose:
        """The foot with its ball at `ball` (frames, 3), pitched by angles (frames,) in radians, positive with the heel
        up, and its toes by angles of their own."""
        return FootPose(ball, self._pitched(pitch), self._pitched(toe_pitch))

    def from_heel(self, pitch: Array) -> Array:
        """(frames, 3) from heel to ball of the foot pitched by angles (frames,)."""
        return rotations.rotate(rotations.from_axis_angle(self.axis, pitch), self.sole)

    def _pitched(self, pitch: Array) -> Array:
        return rotations.multiply(rotations.from_axis_angle(self.axis, pitch), self.yaw)
