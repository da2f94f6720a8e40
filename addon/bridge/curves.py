# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves as arrays: which bone and channel each one moves, its values at given times, and its keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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
"""The properties of a bone that move it."""


def bone_path(name: str, attribute: str) -> str:
    """The data path of a property of a bone."""
    return f'pose.bones["{bpy.utils.escape_identifier(name)}"].{attribute}'


def bone_property(path: str) -> tuple[str, str] | None:
    """The bone and property of a data path, if it is one of a bone's own."""
    found = BONE_PATH.match(path)
    return (bpy.utils.unescape_identifier(found[1]), found[2]) if found else None


def is_heard(curve: bpy.types.FCurve) -> bool:
    """Whether Blender evaluates an f-curve."""
    is_muted = curve.mute or (curve.group is not None and curve.group.mute)
    return not is_muted and not versions.is_passed_over(curve)


# Reading ----------------------------------------------------------------------------------------------------------


def values_at(curve: bpy.types.FCurve, times: Array) -> Array:
    """(times,) the values of an f-curve, modifiers included."""
    points = curve.keyframe_points
    if len(points) >= len(times) > 0 and len(curve.modifiers) == 0:
        keyed = floats(points, "co", 2)
        # On a key the curve has the key's own value, however it is interpolated: nothing needs to be evaluated.
        begin = int(np.searchsorted(keyed[:, 0], times[0]))
        inside = keyed[begin : begin + len(times)]
        if len(inside) == len(times) and np.array_equal(inside[:, 0], times):
            return np.ascontiguousarray(inside[:, 1])
    return np.fromiter(map(curve.evaluate, times.tolist()), dtype=np.float64, count=len(times))


@dataclass(frozen=True)
class StaticValues:
    """What the bones' channels hold where no f-curve gives them a value."""

    location: Array
    """(bones, 3), as all of these in the rig's order."""
    rotations: Mapping[str, Array]
    """(bones, 3 or 4) by property."""
    scale: Array

    @staticmethod
    def of(armature: bpy.types.Object, rig: Rig, remembered: Mapping[str, Iterable[float]]) -> StaticValues:
        """The present ones, except those `remembered` by data path from before a result was baked over them."""
        assert armature.pose is not None
        values = StaticValues(*pose_values(armature.pose, rig))
        by_attribute = {"location": values.location, "scale": values.scale, **values.rotations}
        for path, numbers in remembered.items():
            found = bone_property(path)
            if found is not None and found[0] in rig.places:
                by_attribute[found[1]][rig.places[found[0]]] = tuple(numbers)
        return values

    def of_mode(self, rig: Rig) -> Array:
        """(bones, 4) rotations in each bone's mode."""
        rotation = np.zeros((len(rig), 4))
        for mode, bones in rig.bones_by_mode.items():
            attribute, width = rotation_channels.property_of(mode)
            rotation[bones, :width] = self.rotations[attribute][bones]
        return rotation


def pose_values(pose: bpy.types.Pose, rig: Rig) -> tuple[Array, dict[str, Array], Array]:
    """Location (bones, 3), rotations (bones, 3 or 4) by property and scale (bones, 3) that a pose holds now."""
    needed = {rotation_channels.property_of(mode) for mode in rig.bones_by_mode}
    rotations = {name: floats(pose.bones, name, width)[rig.pose_places] for name, width in sorted(needed)}
    places = rig.pose_places
    return floats(pose.bones, "location", 3)[places], rotations, floats(pose.bones, "scale", 3)[places]


def channels_at(
    rig: Rig, curves: Iterable[bpy.types.FCurve], static: StaticValues, times: Array
) -> tuple[Channels, set[tuple[str, str, int]]]:
    """The channels at some times, given the f-curves that move them; also which channels have a curve that counts.

    A channel is told by its bone, its property and its index.
    """
    frames = len(times)
    channels = Channels(
        np.repeat(static.location[None], frames, axis=0),
        np.repeat(static.of_mode(rig)[None], frames, axis=0),
        np.repeat(static.scale[None], frames, axis=0),
    )
    keyed = set()
    for curve, bone, attribute in transform_curves(rig, curves):
        if not is_heard(curve):
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
    """The f-curves that move bones of the rig, each with its bone and property."""
    for curve in curves:
        found = bone_property(curve.data_path)
        if found is not None and found[1] in TRANSFORMS and found[0] in rig.places:
            yield curve, rig.places[found[0]], found[1]


# Writing ----------------------------------------------------------------------------------------------------------

LINEAR = 1
BEZIER = 2
FREE = 0
ALIGNED = 3
AUTO_CLAMPED = 4
"""Numbers of Blender's enumerations: of a key's interpolation and of its handles."""

KEY_FLOATS = (("co", 2), ("handle_left", 2), ("handle_right", 2), ("amplitude", 1), ("back", 1), ("period", 1))
KEY_CHOICES = ("interpolation", "easing", "handle_left_type", "handle_right_type", "type")


@dataclass(eq=False)
class Keys:
    """Keys of one f-curve with all that belongs to them."""

    floats: dict[str, np.ndarray[Any, np.dtype[np.float32]]]
    """(keys, 2 or 1) by property."""
    choices: dict[str, np.ndarray[Any, np.dtype[np.uint8]]]
    """(keys,) by property, as numbers of their enumerations."""

    @property
    def times(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """(keys,)"""
        return self.floats["co"][:, 0]

    @staticmethod
    def of(curve: bpy.types.FCurve) -> Keys:
        """The keys of an f-curve."""
        points = curve.keyframe_points
        count = len(points)
        held: Keys = Keys({}, {})
        for name, width in KEY_FLOATS:
            held.floats[name] = np.empty((count, width), dtype=np.float32)
            points.foreach_get(name, held.floats[name].reshape(-1))
        for name in KEY_CHOICES:
            held.choices[name] = np.empty(count, dtype=np.uint8)
            points.foreach_get(name, held.choices[name])
        return held

    def free_handles(self, key: int) -> None:
        """Keep the handles of a key where they are, whatever becomes of its neighbours."""
        self.choices["handle_left_type"][key] = self.choices["handle_right_type"][key] = FREE

    def go_on_after(self, slope: float) -> None:
        """Let a curve that goes on beyond its keys leave the last one with a slope, per frame."""
        self._ensure_handles()
        self._lead(-1, "handle_right", 1.0, slope)

    def come_from_before(self, slope: float) -> None:
        """Let a curve that goes on beyond its keys reach the first one with a slope, per frame.

        A straight line to the second key stays one, though it must become a curve: lines know no other slope.
        """
        self._ensure_handles()
        co = self.floats["co"]
        if len(co) > 1 and self.choices["interpolation"][0] == LINEAR:
            third = (co[1] - co[0]) / 3.0
            self.floats["handle_right"][0], self.floats["handle_left"][1] = co[0] + third, co[1] - third
            if self.choices["handle_right_type"][1] == AUTO_CLAMPED:
                after = (co[2] - co[1]) / 3.0 if len(co) > 2 else third
                self.floats["handle_right"][1] = co[1] + after
            self.free_handles(1)
        self._lead(0, "handle_left", -1.0, slope)

    def _lead(self, key: int, handle: str, towards: float, slope: float) -> None:
        self.floats[handle][key] = self.floats["co"][key] + towards * np.array([1.0, slope], dtype=np.float32)
        self.choices["interpolation"][key] = BEZIER
        self.free_handles(key)

    def _ensure_handles(self) -> None:
        """Those that are not told yet will be found by Blender, but for the ones that are set free."""
        for name in ("handle_left", "handle_right"):
            self.floats.setdefault(name, self.floats["co"].copy())

    def where(self, mask: np.ndarray[Any, np.dtype[np.bool_]]) -> Keys:
        """Some of the keys."""
        return Keys(
            {name: values[mask] for name, values in self.floats.items()},
            {name: values[mask] for name, values in self.choices.items()},
        )


def straight_keys(times: Array, values: Array) -> Keys:
    """Keys joined by straight lines, with handles that suit if the animator asks for curves."""
    count = len(times)
    co = np.empty((count, 2), dtype=np.float32)
    co[:, 0], co[:, 1] = times, values
    return Keys(
        {"co": co},
        {
            "interpolation": np.full(count, LINEAR, dtype=np.uint8),
            "handle_left_type": np.full(count, AUTO_CLAMPED, dtype=np.uint8),
            "handle_right_type": np.full(count, AUTO_CLAMPED, dtype=np.uint8),
        },
    )


def smooth_keys(times: Array, values: Array, slopes: Array) -> Keys:
    """Keys joined by the cubic polynomials that leave and reach them with these slopes, (keys,) per unit of time."""
    keys = straight_keys(times, values)
    count = len(times)
    # With handles a third of the way to the next key, time passes evenly along a Bézier segment.
    thirds = np.diff(times, prepend=2.0 * times[0] - times[1], append=2.0 * times[-1] - times[-2]) / 3.0
    for name, reach in (("handle_left", -thirds[:-1]), ("handle_right", thirds[1:])):
        keys.floats[name] = np.stack([times + reach, values + reach * slopes], axis=1).astype(np.float32)
        keys.choices[f"{name}_type"] = np.full(count, ALIGNED, dtype=np.uint8)
    keys.choices["interpolation"] = np.full(count, BEZIER, dtype=np.uint8)
    return keys


def joined(*runs: Keys) -> Keys:
    """Runs of keys in one; what only other runs say, the keys of a run have at zero."""

    def columns(held: list[dict[str, np.ndarray[Any, Any]]]) -> dict[str, np.ndarray[Any, Any]]:
        like = {name: values for columns in held for name, values in columns.items()}
        return {
            name: np.concatenate(
                [
                    columns.get(name, np.zeros((len(run.times), *values.shape[1:]), values.dtype))
                    for run, columns in zip(runs, held, strict=True)
                ]
            )
            for name, values in like.items()
        }

    return Keys(columns([run.floats for run in runs]), columns([run.choices for run in runs]))


def write_keys(curve: bpy.types.FCurve, keys: Keys) -> None:
    """Make these the keys of an f-curve."""
    points = curve.keyframe_points
    points.clear()
    points.add(len(keys.times))
    for name, values in keys.floats.items():
        points.foreach_set(name, values.reshape(-1))
    for name, choices in keys.choices.items():
        points.foreach_set(name, choices)
    curve.update()
