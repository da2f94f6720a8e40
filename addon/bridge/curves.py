# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves as arrays: which channel of which bone each one animates, and its values at given times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import bpy
import numpy as np

from . import rotation_channels, versions
from .arrays import Array, floats
from .channels import Channels
from .rig import Rig

BONE_PATH = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)$')
"""The data path of a property of a bone."""

ROTATIONS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")
TRANSFORMS = frozenset(("location", "scale", *ROTATIONS))
"""The properties of a bone's transform."""


def bone_path(name: str, attribute: str) -> str:
    """The data path of a property of a bone."""
    return f'pose.bones["{bpy.utils.escape_identifier(name)}"].{attribute}'


def bone_property(path: str) -> tuple[str, str] | None:
    """The bone and the property of a data path; None for a path that is not a property of a bone."""
    found = BONE_PATH.match(path)
    return (bpy.utils.unescape_identifier(found[1]), found[2]) if found else None


def is_evaluated_curve(curve: bpy.types.FCurve) -> bool:
    """Whether Blender evaluates an f-curve."""
    is_muted = curve.mute or (curve.group is not None and curve.group.mute)
    return not is_muted and not versions.is_skipped(curve)


def values_at(curve: bpy.types.FCurve, times: Array) -> Array:
    """The values of an f-curve with its modifiers, (times,)."""
    points = curve.keyframe_points
    if len(points) >= len(times) > 0 and len(curve.modifiers) == 0:
        keyed = floats(points, "co", 2)
        # At a key the curve has the value of the key, whatever the interpolation: nothing needs to be evaluated.
        begin = int(np.searchsorted(keyed[:, 0], times[0]))
        inside = keyed[begin : begin + len(times)]
        if len(inside) == len(times) and np.array_equal(inside[:, 0], times):
            return np.ascontiguousarray(inside[:, 1])
    return np.fromiter(map(curve.evaluate, times.tolist()), dtype=np.float64, count=len(times))


@dataclass(frozen=True)
class StaticValues:
    """The values of channels that no f-curve animates."""

    location: Array
    """(bones, 3); all arrays are in the order of the rig."""
    rotations: Mapping[str, Array]
    """(bones, 3 or 4) by property."""
    scale: Array

    @staticmethod
    def of(armature: bpy.types.Object, rig: Rig, overwritten: Mapping[str, Iterable[float]]) -> StaticValues:
        """The present values, with those by data path that a result has `overwritten`."""
        assert armature.pose is not None
        values = StaticValues(*pose_values(armature.pose, rig))
        by_attribute = {"location": values.location, "scale": values.scale, **values.rotations}
        for path, numbers in overwritten.items():
            found = bone_property(path)
            if found is not None and found[0] in rig.index:
                by_attribute[found[1]][rig.index[found[0]]] = tuple(numbers)
        return values

    def of_mode(self, rig: Rig) -> Array:
        """The rotations (bones, 4), each in the mode of its bone."""
        rotation = np.zeros((len(rig), 4))
        for mode, bones in rig.bones_by_mode.items():
            attribute, width = rotation_channels.property_of(mode)
            rotation[bones, :width] = self.rotations[attribute][bones]
        return rotation


def pose_values(pose: bpy.types.Pose, rig: Rig) -> tuple[Array, dict[str, Array], Array]:
    """Location (bones, 3), rotations (bones, 3 or 4) by property and scale (bones, 3) of a pose."""
    needed = {rotation_channels.property_of(mode) for mode in rig.bones_by_mode}
    order = rig.pose_indices
    rotations = {name: floats(pose.bones, name, width)[order] for name, width in sorted(needed)}
    return floats(pose.bones, "location", 3)[order], rotations, floats(pose.bones, "scale", 3)[order]


def channels_at(
    rig: Rig, curves: Iterable[bpy.types.FCurve], static: StaticValues, times: Array
) -> tuple[Channels, set[tuple[str, str, int]]]:
    """The channels at some times, given their f-curves, and which channels have an f-curve that is evaluated.

    These are given by bone, property and index.
    """
    frames = len(times)
    channels = Channels(
        np.repeat(static.location[None], frames, axis=0),
        np.repeat(static.of_mode(rig)[None], frames, axis=0),
        np.repeat(static.scale[None], frames, axis=0),
    )
    keyed = set()
    for curve, bone, attribute in transform_curves(rig, curves):
        if not is_evaluated_curve(curve):
            continue
        index = curve.array_index
        if attribute in ROTATIONS:
            used, width = rotation_channels.property_of(rig.modes[bone])
            if attribute != used:
                continue
            target = channels.rotation
        else:
            width = 3
            target = channels.location if attribute == "location" else channels.scale
        if index < width:
            target[:, bone, index] = values_at(curve, times)
            keyed.add((rig.names[bone], attribute, index))
    return channels, keyed


def transform_curves(rig: Rig, curves: Iterable[bpy.types.FCurve]) -> Iterator[tuple[bpy.types.FCurve, int, str]]:
    """The f-curves that animate transforms of bones, each with the index of its bone and its property."""
    for curve in curves:
        found = bone_property(curve.data_path)
        if found is not None and found[1] in TRANSFORMS and found[0] in rig.index:
            yield curve, rig.index[found[0]], found[1]
