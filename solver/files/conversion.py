# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of times, positions and rotations from the clip of a constraint file to another clip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..body.skeleton import Skeleton, Up
from ..core import rotations
from ..core.arrays import Array

_UPRIGHT = {
    "z": rotations.from_axis_angle((1.0, 0.0, 0.0), 0.5 * np.pi),
    "y": rotations.from_axis_angle((1.0, 0.0, 0.0), -0.5 * np.pi),
}
"""The rotation of the world that makes this axis the up axis instead of the other one."""


@dataclass(frozen=True)
class Conversion:
    """From times, positions and rotations of a file to those of a clip."""

    skeleton: Skeleton
    frames: int
    """Number of frames of the clip."""
    rate: float = 1.0
    """The clip's frame rate over the file's."""
    new_up: Up | None = None
    """The clip's up axis where it differs from the file's, else None."""
    joint_frame_changes: Mapping[str, Array] = field(default_factory=dict)
    """(4,) by name of each joint whose local frame differs: the rotation from the file's frame to the clip's."""

    def time(self, time: float) -> float:
        """A time in frames of the clip.

        At different frame rates the last frames of two clips seldom coincide, so a time less than a frame after the
        last frame becomes the last frame.
        """
        if self.rate == 1.0:
            return time
        last, converted = self.frames - 1, time * self.rate
        return float(last) if last < converted < last + 1 else converted

    def duration(self, duration: float) -> float:
        """A duration in frames of the clip."""
        return duration if self.rate == 1.0 else duration * self.rate

    def positions(self, vectors: Array) -> Array:
        """World vectors (…, 3) in the clip's axes."""
        if self.new_up is None:
            return vectors
        x, y, z = np.moveaxis(vectors, -1, 0)
        # Adding zero turns -0.0 into 0.0.
        return np.stack([x, -z + 0.0, y] if self.new_up == "z" else [x, z, -y + 0.0], axis=-1)

    def rotations(self, quaternions: Array, joint: str = "") -> Array:
        """Quaternions (…, 4) from the local frame of an object, or of a joint, to the clip's world."""
        frame = self.joint_frame_changes.get(joint)
        if frame is not None:
            quaternions = rotations.multiply(quaternions, rotations.conjugate(frame))
        return quaternions if self.new_up is None else rotations.multiply(_UPRIGHT[self.new_up], quaternions)

    def local_rotation(self, quaternion: Array, joint: str) -> Array:
        """A quaternion (4,) of a joint relative to its parent (of a root: in the world), in frames of the clip."""
        parent = int(self.skeleton.parents[self.skeleton.index(joint)])
        if parent < 0:
            return self.rotations(quaternion, joint)
        own, above = (self.joint_frame_changes.get(name) for name in (joint, self.skeleton.names[parent]))
        if own is not None:
            quaternion = rotations.multiply(quaternion, rotations.conjugate(own))
        return quaternion if above is None else rotations.multiply(above, quaternion)

    def local_vectors(self, vectors: Array, joint: str) -> Array:
        """Vectors (…, 3) in the local frame of a joint of the clip; unchanged where `joint` is empty."""
        frame = self.joint_frame_changes.get(joint)
        return vectors if frame is None else rotations.rotate(frame, vectors)

    def axes(self, letters: str) -> str:
        """Axis letters such as "xz" in the clip's axes."""
        return letters if self.new_up is None else letters.translate(str.maketrans("yz", "zy"))

    def sample_times(self, count: int) -> Array | None:
        """(clip's frames,) times at which to sample `count` frames of the file; None if the two differ in duration."""
        if self.rate == 1.0:
            return np.arange(float(count)) if count == self.frames else None
        if abs(count - 1 - (self.frames - 1) / self.rate) > max(1.0, 1.0 / self.rate):
            return None
        return np.clip(np.arange(self.frames) / self.rate, 0.0, count - 1.0)
