# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses and motions: the local transform of every joint, in one posture or in every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core import rotations
from ..core.arrays import Array, ArrayLike, IntArray
from ..core.errors import MotionError
from ..core.sentences import Frame
from .skeleton import Skeleton

UNIT_TOLERANCE = 1e-3
"""A quaternion whose length is further than this from 1 is a mistake, not rounding."""


@dataclass(frozen=True, eq=False)
class Pose:
    """One posture."""

    rotations: Array
    """(joints, 4) rotation of each joint in its parent's frame (of a root: in the world)."""
    translations: Array
    """(joints, 3) position of each joint in its parent's frame (of a root: in the world)."""

    @staticmethod
    def rest(skeleton: Skeleton) -> Pose:
        """The rest pose."""
        return Pose(np.array(skeleton.rest_rotations), np.array(skeleton.offsets))

    @property
    def motion(self) -> Motion:
        """The motion of this one frame."""
        return Motion(self.rotations[None], self.translations[None])


@dataclass(frozen=True, eq=False)
class Motion:
    """A posture for every frame. All joints may have translations: the solver changes only those of free joints, but
    files and Blender animate others too, and stretched limbs are translations."""

    rotations: Array
    """(frames, joints, 4) rotation of each joint in its parent's frame (of a root: in the world)."""
    translations: Array
    """(frames, joints, 3) position of each joint in its parent's frame (of a root: in the world)."""

    @staticmethod
    def from_root(skeleton: Skeleton, local_rotations: ArrayLike, root_translation: ArrayLike) -> Motion:
        """A motion in which only the root, joint 0, translates: rotations (frames, joints, 4), root (frames, 3)."""
        local, path = np.asarray(local_rotations, dtype=np.float64), np.asarray(root_translation, dtype=np.float64)
        if path.shape != (len(local), 3):
            raise MotionError(f"Translations of the root must have the shape ({len(local)}, 3), not {path.shape}.")
        translations = np.tile(skeleton.offsets, (len(local), 1, 1))
        translations[:, 0] = path
        return Motion(local, translations)

    @staticmethod
    def from_poses(poses: Sequence[Pose]) -> Motion:
        """A motion with one frame for each posture."""
        if not poses:
            raise MotionError("A motion of poses needs at least one pose.")
        return Motion(np.stack([pose.rotations for pose in poses]), np.stack([pose.translations for pose in poses]))

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self.rotations)

    @property
    def root_translation(self) -> Array:
        """(frames, 3) where the root is in the world."""
        return self.translations[:, 0]

    def at(self, frames: IntArray) -> Motion:
        """Some of the frames."""
        return Motion(self.rotations[frames], self.translations[frames])

    def pose(self, frame: int) -> Pose:
        """The posture of one frame, counted from 0: a copy, so that changing it leaves the motion alone."""
        if not -self.frames <= frame < self.frames:
            raise MotionError(f"There is no frame {frame}: the motion has {self.frames}, counted from 0.")
        return Pose(self.rotations[frame].copy(), self.translations[frame].copy())

    def checked(self, skeleton: Skeleton) -> Motion:
        """This motion in double precision with unit quaternions, or MotionError, which says why it does not fit."""
        local_rotations = np.asarray(self.rotations, dtype=np.float64)
        translations = np.asarray(self.translations, dtype=np.float64)
        joints = len(skeleton)
        if local_rotations.ndim != 3 or local_rotations.shape[1:] != (joints, 4):
            raise MotionError(f"Rotations must have the shape (frames, {joints}, 4), not {local_rotations.shape}.")
        if translations.shape != (len(local_rotations), joints, 3):
            raise MotionError(
                f"Translations must have the shape ({len(local_rotations)}, {joints}, 3), not {translations.shape}."
            )
        for what, values in (("rotation", local_rotations), ("translation", translations)):
            if not np.isfinite(values).all():
                frame, joint = np.argwhere(~np.isfinite(values).all(axis=-1))[0]
                raise MotionError(
                    f"The {what} of joint {skeleton.names[joint]!r} at frame ", Frame(frame), " is not finite."
                )
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(local_rotations, axis=-1)
        off = np.abs(lengths - 1.0)
        if (off > UNIT_TOLERANCE).any():
            frame, joint = np.argwhere(off > UNIT_TOLERANCE)[0]
            raise MotionError(
                f"The rotation of joint {skeleton.names[joint]!r} at frame ",
                Frame(frame),
                f" is not a unit quaternion (its length is {lengths[frame, joint]:.6g}).",
            )
        # Quaternions that are unit to rounding stay bit for bit: frames that are not edited must not change.
        rounding = 4.0 * np.finfo(np.float64).eps
        if (off > rounding).any():
            local_rotations = np.where(
                (off > rounding)[..., None], rotations.normalize(local_rotations), local_rotations
            )
        return Motion(local_rotations, translations)
