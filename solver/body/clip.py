# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip: a skeleton with a motion at a frame rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..core.arrays import Array
from ..core.errors import MotionError
from .joints import BodyPoint
from .kinematics import WorldState
from .motion import Motion, Pose
from .skeleton import Skeleton, Up


@dataclass(frozen=True, eq=False)
class Clip:
    """A skeleton with a motion at a frame rate. Immutable, its arrays too; checked when it is made."""

    skeleton: Skeleton
    motion: Motion
    fps: float = 30.0
    """Frames a second."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.fps) and self.fps > 0.0):
            raise MotionError(f"The frame rate must be a finite, positive number, not {self.fps!r}.")
        motion = self.motion.checked(self.skeleton)
        object.__setattr__(self, "motion", Motion(_read_only(motion.rotations), _read_only(motion.translations)))

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return self.motion.frames

    @property
    def up(self) -> Up:
        """The axis against gravity, "y" or "z"."""
        return self.skeleton.up

    @cached_property
    def world(self) -> WorldState:
        """Every joint in world space, every frame."""
        world = WorldState.of(self.skeleton, self.motion)
        world.rotations.setflags(write=False)
        world.positions.setflags(write=False)
        return world

    def pose(self, frame: int) -> Pose:
        """The posture of one frame, counted from 0."""
        return self.motion.pose(frame)

    def position(self, point: str | int | BodyPoint) -> Array:
        """(frames, 3) world positions of a joint or of a point on one."""
        return self.world.point(self.skeleton.resolve(point)).copy()

    def orientation(self, joint: str | int) -> Array:
        """(frames, 4) world rotations of a joint."""
        return self.world.rotations[:, self.skeleton.index(joint)].copy()

    def center_of_mass(self) -> Array:
        """(frames, 3) world positions of the centre of mass."""
        return self.world.center_of_mass()

    def with_motion(self, motion: Motion) -> Clip:
        """The same character with another motion."""
        return replace(self, motion=motion)


def _read_only(array: Array) -> Array:
    """The array, read-only: itself if it is read-only already, else a copy."""
    if array.flags.writeable:
        array = array.copy()
        array.setflags(write=False)
    return array
