# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels of a result straight from the motion of its joints, where constants lead from one to the other.

This is so where bones are joints, inherit rotations and have no scale: then the rotation of a joint relative to its
parent is a constant rotation followed by that of the channels. `edits.edits_for` takes any rig and is several times
slower, since it goes from bone to bone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...solver import Clip, rotations
from . import rotation_channels
from .arrays import Array, BoolArray, IntArray
from .reading import Reading

_ROUNDING = 2e-6
"""How far a constant may vary over the frames of the source: keys have single precision. For places in sizes of the
character."""

Values = Mapping[tuple[int, str], Array]
"""Values (frames, channels) of properties, by bone and property."""


@dataclass(frozen=True, eq=False)
class DirectChannels:
    """The constants between joints and channels of a reading."""

    reading: Reading
    fixed: Array
    """(joints, 4) the rotation before that of the channels."""
    scale: float
    """Of the object: the length in the world of one unit in the armature's space."""

    @staticmethod
    def of(reading: Reading) -> DirectChannels | None:
        """The constants of a reading; None where they vary, so that channels must be found from bone to bone."""
        rig, bones = reading.rig, reading.joints.bones
        source, channels = reading.clip.motion, reading.channels
        if len(reading.world) != 1 or not reading.follows_channels[bones].all():
            return None
        if np.abs(channels.scale - 1.0).max() > _ROUNDING:
            return None
        own = np.empty((len(reading.times), len(bones), 4))
        for mode, members in rig.bones_by_mode.items():
            at = np.isin(bones, members)
            own[:, at] = rotation_channels.to_quaternions(channels.rotation[:, bones[at]], mode)
        fixed = rotations.multiply(source.rotations, rotations.conjugate(own))
        off = np.abs(rotations.align(fixed, fixed[:1]) - fixed[:1]).max()
        scale = float(np.cbrt(np.abs(np.linalg.det(reading.world[0, :3, :3]))))
        return DirectChannels(reading, fixed[0], scale) if off < _ROUNDING else None

    def values(self, result: Clip) -> Values | None:
        """The properties that a result changes; None where a joint moves whose location is not simply related to its
        translation."""
        source, motion = self.reading.clip.motion, result.motion
        rotated = (motion.rotations != source.rotations).any(axis=-1)
        moved = np.abs(motion.translations - source.translations).max(axis=-1)
        translated = moved > _ROUNDING * self.reading.clip.skeleton.size
        found = dict(self._rotations(motion.rotations, rotated))
        for joint in np.flatnonzero(translated.any(axis=0)).tolist():
            location = self._location(joint, motion.translations[:, joint], translated[:, joint])
            if location is None:
                return None
            found[int(self.reading.joints.bones[joint]), "location"] = location
        return found

    def _rotations(self, local: Array, changed: BoolArray) -> Values:
        """The rotation channels of joints, given their rotations (frames, joints, 4) and where they have changed."""
        rig, bones = self.reading.rig, self.reading.joints.bones
        joints = np.flatnonzero(changed.any(axis=0))
        own = rotations.multiply(rotations.conjugate(self.fixed[joints]), local[:, joints])
        before, changed = self.reading.channels.rotation[:, bones[joints]], changed[:, joints]
        modes = [rig.modes[bone] for bone in bones[joints].tolist()]
        found: dict[tuple[int, str], Array] = {}
        free = np.array([mode == rotation_channels.QUATERNION for mode in modes], dtype=bool)
        quaternions = _continuous(np.where(changed[:, free, None], own[:, free], before[:, free]), before[0, free])
        for column, joint in enumerate(joints[free].tolist()):
            found[int(bones[joint]), rotation_channels.PROPERTIES[rotation_channels.QUATERNION][0]] = quaternions[
                :, column
            ]
        for column in np.flatnonzero(~free).tolist():
            attribute, width = rotation_channels.property_of(modes[column])
            matrices = rotations.to_matrix(own[:, column])
            values = rotation_channels.continuous(matrices, modes[column], before[:, column], changed[:, column])
            found[int(bones[joints[column]]), attribute] = values[:, :width]
        return found

    def _location(self, joint: int, translations: Array, changed: BoolArray) -> Array | None:
        """The location channels (frames, 3) of a joint, given its translations (frames, 3) and where they changed."""
        reading, bone = self.reading, int(self.reading.joints.bones[joint])
        if reading.rig.connected[bone] or not reading.rig.local_location[bone]:
            return None
        before, locations = reading.clip.motion.translations[:, joint], reading.channels.location[:, bone]
        axes = self.scale * rotations.to_matrix(self.fixed[joint])
        origins = before - locations @ axes.T
        if np.ptp(origins, axis=0).max() > _ROUNDING * reading.clip.skeleton.size:
            return None
        found = locations + (translations - before) @ np.linalg.inv(axes).T
        return np.where(changed[:, None], found, locations)


def _continuous(values: Array, first: Array) -> Array:
    """Quaternions (frames, bones, 4) without flips from frame to frame, each beginning on the side of `first`
    (bones, 4)."""
    sides = np.empty(values.shape[:2])
    sides[0] = np.where((values[0] * first).sum(axis=-1) < 0.0, -1.0, 1.0)
    sides[1:] = np.where((values[1:] * values[:-1]).sum(axis=-1) < 0.0, -1.0, 1.0)
    return values * np.cumprod(sides, axis=0)[..., None]


def changed_bones(values: Values) -> IntArray:
    """The bones with changed properties, in rising order."""
    return np.unique(np.array([bone for bone, _ in values], dtype=np.int64))
