# SPDX-License-Identifier: GPL-3.0-or-later
"""A result that changes many times a second: its f-curves are samples, which are far faster to write than keys.

Samples have no keys to edit, so they are for the time of an edit alone: `baking.bake` then replaces them by keys.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...solver import Clip
from . import rotation_channels, versions
from .arrays import Array
from .curves import bone_path, bone_property
from .direct_channels import DirectChannels, Values
from .edits import edits_for
from .errors import BridgeError
from .plan import planned_changes
from .reading import Reading
from .sources import Animation, animation_of, record_unkeyed, result_action


class SampledResult:
    """The result of an armature while it is edited."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._direct = DirectChannels.of(reading)
        self._written: dict[tuple[int, str], Array] = {}
        """What was written last, by bone and property."""
        self._action = 0
        """Blender's number of the action that was written to; 0 where it is not known what that holds."""
        first, last = float(reading.key_times[0]), float(reading.key_times[-1])
        self._frames = np.arange(np.floor(first), np.ceil(last) + 1.0)
        """(samples,) the frames from the first to the last key."""

    def forget(self) -> None:
        """Forget what was written, since undo or a bake has replaced it."""
        self._written.clear()
        self._action = 0

    def write(self, clip: Clip) -> int:
        """Show a clip: write the channels that have changed, and let Blender evaluate the armature again. Returns the
        number of f-curves that were written."""
        armature = self.reading.armature
        animation = animation_of(armature)
        action = _writable(armature, animation)
        slot = versions.slot_of(armature.animation_data)
        present = {(curve.data_path, curve.array_index): curve for curve in versions.curves_of(action, slot)}
        uid: Any = action.session_uid
        wanted = dict(self._values(clip))
        is_known = self._action == uid
        for owner in list(self._written) if is_known else self._properties_of(present):
            if owner not in wanted:
                wanted[owner] = self._source(*owner)
        count, added = 0, []
        for owner, values in wanted.items():
            if is_known and owner in self._written and np.array_equal(values, self._written[owner]):
                continue
            count += values.shape[1]
            path = bone_path(self.reading.rig.names[owner[0]], owner[1])
            added += [owner] if (path, 0) not in present else []
            for index in range(values.shape[1]):
                curve = present.get((path, index))
                if curve is None:
                    curve = self._new_curve(action, slot, path, index, owner[0])
                self._sample(curve)
                self._fill(curve, values[:, index])
        if added:
            self._record(action, added)
        self._written, self._action = wanted, uid
        if count:
            versions.tag_curves(armature, action)
        return count

    def _values(self, clip: Clip) -> Values:
        """The properties that a clip changes, with their values."""
        found = self._direct.values(clip) if self._direct is not None else None
        if found is None:
            edits = edits_for(self.reading, clip, may_leave_parent=False)
            plan = planned_changes(self.reading, edits, tolerance=0.0)
            found = {(changed.bone, changed.attribute): changed.values for changed in plan}
        return found

    def _properties_of(self, present: dict[tuple[str, int], bpy.types.FCurve]) -> list[tuple[int, str]]:
        """The properties that f-curves animate and that a result may have changed, by bone and property."""
        rig, found = self.reading.rig, []
        for path in dict.fromkeys(path for path, _ in present):
            known = bone_property(path)
            if known is not None and known[0] in rig.index:
                bone = rig.index[known[0]]
                if known[1] in ("location", rotation_channels.property_of(rig.modes[bone])[0]):
                    found.append((bone, known[1]))
        return found

    def _source(self, bone: int, attribute: str) -> Array:
        """The values (frames, channels) of a property in the source."""
        channels = self.reading.channels
        if attribute == "location":
            return channels.location[:, bone]
        return channels.rotation[:, bone, : rotation_channels.property_of(self.reading.rig.modes[bone])[1]]

    def _new_curve(self, action: bpy.types.Action, slot: str, path: str, index: int, bone: int) -> bpy.types.FCurve:
        """Add an f-curve with a key at either end, from which samples are made."""
        curve = versions.new_curve(action, slot, path, index, self.reading.rig.names[bone])
        curve.keyframe_points.add(2)
        ends = np.array([self._frames[0], 0.0, self._frames[-1], 0.0], dtype=np.float32)
        curve.keyframe_points.foreach_set("co", ends)
        curve.update()
        return curve

    def _sample(self, curve: bpy.types.FCurve) -> None:
        """Make samples of the keys of an f-curve, over all of them and at every frame."""
        if len(curve.sampled_points) > 0:
            return
        first, last = self._frames[0], self._frames[-1]
        if len(curve.keyframe_points) > 0:
            keyed = curve.range()
            first, last = min(first, np.floor(keyed[0])), max(last, np.ceil(keyed[1]))
        curve.convert_to_samples(int(first), int(last) + 1)

    def _fill(self, curve: bpy.types.FCurve, values: Array) -> None:
        """Write values (frames,) to the samples of an f-curve; those of other frames stay."""
        points, times = curve.sampled_points, self.reading.key_times
        samples = np.empty((len(points), 2), dtype=np.float32)
        if not np.array_equal(times, self._frames):  # a draft has every few frames, stretched time has any
            values = np.interp(self._frames, times, values)
        begin = 0
        if len(points) != len(self._frames):
            points.foreach_get("co", samples.reshape(-1))
            begin = int(np.searchsorted(samples[:, 0], self._frames[0]))
        part = samples[begin : begin + len(self._frames)]
        part[:, 0], part[:, 1] = self._frames, values
        points.foreach_set("co", samples.reshape(-1))

    def _record(self, action: bpy.types.Action, added: list[tuple[int, str]]) -> None:
        """Record the values of properties that the source does not key, so that restoring the source sets them."""
        values = {}
        for bone, attribute in added:
            name, source = self.reading.rig.names[bone], self._source(bone, attribute)
            if not {(name, attribute, index) for index in range(source.shape[1])} <= self.reading.keyed:
                values[bone_path(name, attribute)] = [float(value) for value in source[0]]
        record_unkeyed(action, values)


def _writable(armature: bpy.types.Object, animation: Animation) -> bpy.types.Action:
    """The action of the result; raises where it is not the action that is shown."""
    if animation.result is None or animation.layer is not None or animation.is_hidden:
        raise BridgeError(f"Armature {armature.name!r} does not show its result as an action: solve again.")
    return animation.result


def has_samples(armature: bpy.types.Object) -> bool:
    """Whether f-curves of a result are samples."""
    return any(len(curve.sampled_points) > 0 for curve in _result_curves(armature))


def make_keys(armature: bpy.types.Object) -> None:
    """Make keys at every frame of all samples of a result, shown or hidden: where it cannot be baked."""
    for curve in _result_curves(armature):
        count = len(curve.sampled_points)
        if count:
            first = curve.sampled_points[0].co[0]
            curve.convert_to_keyframes(int(first), int(first) + count)


def _result_curves(armature: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The f-curves of the result of an armature, shown or hidden; none without one."""
    result = result_action(armature)
    return versions.curves_of(result, versions.present_slot(result, "")) if result is not None else []
