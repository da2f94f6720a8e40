# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a pose to the bones of an armature while it is edited, and restores the pose from before exactly."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from . import context, rotation_channels
from .arrays import IntArray
from .direct_channels import DirectChannels, Values
from .edits import Edits
from .errors import BridgeError
from .reading import Reading
from .rig import Rig

_Values = NDArray[np.float32]

_ROUNDING = 5e-7
"""Values in single precision that differ by less, as a share of the larger of 1 and themselves, are the same: a solve
changes what need not move by its last bits, and that is neither written nor keyed."""


class ShownPose:
    """The location and rotation channels of all bones as they were when it was made."""

    def __init__(self, armature: bpy.types.Object, rig: Rig) -> None:
        self._name = armature.name
        self._rig = rig
        widths = {"location": 3} | {
            name: width for name, width in (rotation_channels.property_of(mode) for mode in rig.bones_by_mode)
        }
        self._before = {name: _values(armature, name, width) for name, width in widths.items()}
        """(bones, width) by property, in the order of the pose and with the bits that Blender has."""

    @property
    def _armature(self) -> bpy.types.Object:
        """Looked up by its name, since undo replaces objects."""
        found: bpy.types.Object | None = context.get_item(bpy.data.objects, self._name)
        if found is None or found.pose is None or len(found.pose.bones) != len(self._rig):
            raise BridgeError(f"Armature {self._name!r} has been deleted or changed: begin again.")
        return found

    def write(self, edits: Edits) -> None:
        """Give the bones the channels of `edits`, of one frame; those that do not change keep the bits from before."""
        values = self._copied()
        moved = edits.moved_bones
        values["location"][self._rig.pose_indices[moved]] = edits.channels.location[0, moved]
        for mode, bones in self._rotated_by_mode(edits.rotated_bones).items():
            attribute, width = rotation_channels.property_of(mode)
            values[attribute][self._rig.pose_indices[bones]] = edits.channels.rotation[0, bones, :width]
        self._write(values)

    def write_direct(self, changed: Values) -> None:
        """As `write`, given the values of the properties that change, of one frame."""
        values = self._copied()
        for (bone, attribute), numbers in changed.items():
            values[attribute][self._rig.pose_indices[bone]] = numbers[0]
        self._write(values)

    def _copied(self) -> dict[str, _Values]:
        return {name: before.copy() for name, before in self._before.items()}

    def _write(self, values: dict[str, _Values]) -> None:
        for attribute, before in self._before.items():
            small = _ROUNDING * np.maximum(1.0, np.abs(before))
            same = (np.abs(values[attribute] - before) <= small).all(axis=1)
            values[attribute][same] = before[same]
        self._set(values)

    def restore(self) -> None:
        """Give all bones the pose from before, to the bit."""
        self._set(self._before)

    def changed(self) -> dict[str, list[str]]:
        """By name of each bone whose channels differ from those before: the properties that do."""
        armature, names = self._armature, [bone.name for bone in self._bones()]
        found: dict[str, list[str]] = {}
        for attribute, before in self._before.items():
            differs = (_values(armature, attribute, before.shape[1]) != before).any(axis=1)
            for bone in np.flatnonzero(differs).tolist():
                found.setdefault(names[bone], []).append(attribute)
        return found

    def _bones(self) -> bpy.types.bpy_prop_collection[bpy.types.PoseBone]:
        pose = self._armature.pose
        assert pose is not None
        return pose.bones

    def _rotated_by_mode(self, rotated: IntArray) -> Mapping[str, IntArray]:
        return {
            mode: np.intersect1d(bones, rotated, assume_unique=True) for mode, bones in self._rig.bones_by_mode.items()
        }

    def _set(self, values: Mapping[str, _Values]) -> None:
        bones = self._bones()
        for attribute, numbers in values.items():
            bones.foreach_set(attribute, numbers.reshape(-1))
        # Not the time: the action would be evaluated again, and would overwrite the pose.
        self._armature.update_tag(refresh={"DATA"})


def direct_channels(reading: Reading) -> DirectChannels | None:
    """The constants between joints and channels of a reading of one frame; None where they may vary with the pose.

    One frame does not show that, so the settings of the bones must.
    """
    rig, joints = reading.rig, reading.joints
    above = np.where(joints.parents >= 0, joints.bones[joints.parents], -1)
    if (above != rig.parents[joints.bones]).any() or not rig.inherits_rotation[joints.bones].all():
        return None
    linear = reading.world[0, :3, :3]
    size = float(np.linalg.norm(linear, axis=0).mean())
    is_uniform = np.abs(linear.T @ linear - size**2 * np.eye(3)).max() <= _ROUNDING * size**2
    return DirectChannels.of(reading) if is_uniform and np.linalg.det(linear) > 0.0 else None


def _values(armature: bpy.types.Object, attribute: str, width: int) -> _Values:
    assert armature.pose is not None
    values = np.empty((len(armature.pose.bones), width), dtype=np.float32)
    armature.pose.bones.foreach_get(attribute, values.reshape(-1))
    return values
