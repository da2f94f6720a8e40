# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of an f-curve as arrays, to be changed, concatenated and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from .arrays import Array

LINEAR = 1
BEZIER = 2
"""Blender's numbers for the interpolation of a key."""

FREE = 0
ALIGNED = 3
AUTO_CLAMPED = 4
"""Blender's numbers for the types of handles."""

KEY_FLOATS = (("co", 2), ("handle_left", 2), ("handle_right", 2), ("amplitude", 1), ("back", 1), ("period", 1))
KEY_ENUMS = ("interpolation", "easing", "handle_left_type", "handle_right_type", "type")
"""The properties of a key, numbers with their widths."""


@dataclass(eq=False)
class Keys:
    """The keys of one f-curve, with all of their properties or some of them."""

    floats: dict[str, np.ndarray[Any, np.dtype[np.float32]]]
    """(keys, 2 or 1) by property; "co" is always there."""
    enums: dict[str, np.ndarray[Any, np.dtype[np.uint8]]]
    """(keys,) by property, as Blender's numbers."""

    @property
    def times(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """(keys,)"""
        return self.floats["co"][:, 0]

    @staticmethod
    def of(curve: bpy.types.FCurve) -> Keys:
        """The keys of an f-curve with all of their properties."""
        points = curve.keyframe_points
        count = len(points)
        keys: Keys = Keys({}, {})
        for name, width in KEY_FLOATS:
            keys.floats[name] = np.empty((count, width), dtype=np.float32)
            points.foreach_get(name, keys.floats[name].reshape(-1))
        for name in KEY_ENUMS:
            keys.enums[name] = np.empty(count, dtype=np.uint8)
            points.foreach_get(name, keys.enums[name])
        return keys

    def free_handles(self, key: int) -> None:
        """Make the handles of a key free, so that a change of its neighbours does not move them."""
        self.enums["handle_left_type"][key] = self.enums["handle_right_type"][key] = FREE

    def extrapolate_after(self, slope: float) -> None:
        """Set the slope per frame with which an extrapolated curve leaves its last key."""
        self._ensure_handles()
        self._set_end_handle(-1, "handle_right", 1.0, slope)

    def extrapolate_before(self, slope: float) -> None:
        """Set the slope per frame with which an extrapolated curve reaches its first key.

        A linear segment after the first key becomes a Bézier segment of the same shape, since the slope before a linear
        key cannot be set.
        """
        self._ensure_handles()
        co = self.floats["co"]
        if len(co) > 1 and self.enums["interpolation"][0] == LINEAR:
            third = (co[1] - co[0]) / 3.0
            self.floats["handle_right"][0], self.floats["handle_left"][1] = co[0] + third, co[1] - third
            if self.enums["handle_right_type"][1] == AUTO_CLAMPED:
                after = (co[2] - co[1]) / 3.0 if len(co) > 2 else third
                self.floats["handle_right"][1] = co[1] + after
            self.free_handles(1)
        self._set_end_handle(0, "handle_left", -1.0, slope)

    def _set_end_handle(self, key: int, handle: str, direction: float, slope: float) -> None:
        self.floats[handle][key] = self.floats["co"][key] + direction * np.array([1.0, slope], dtype=np.float32)
        self.enums["interpolation"][key] = BEZIER
        self.free_handles(key)

    def _ensure_handles(self) -> None:
        """Add arrays of handles where there are none; Blender computes those that are not free."""
        for name in ("handle_left", "handle_right"):
            self.floats.setdefault(name, self.floats["co"].copy())

    def where(self, mask: np.ndarray[Any, np.dtype[np.bool_]]) -> Keys:
        """The keys for which the mask (keys,) is true."""
        return Keys(
            {name: values[mask] for name, values in self.floats.items()},
            {name: values[mask] for name, values in self.enums.items()},
        )


def linear_keys(times: Array, values: Array) -> Keys:
    """Keys with linear interpolation, whose handles give smooth curves if the animator changes the interpolation."""
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
    """Keys with the cubic segments between them that have these slopes at the keys, (keys,) per unit of time."""
    keys = linear_keys(times, values)
    count = len(times)
    # With handles a third of the way to the next key, time is linear along a Bézier segment.
    thirds = np.diff(times, prepend=2.0 * times[0] - times[1], append=2.0 * times[-1] - times[-2]) / 3.0
    for name, reach in (("handle_left", -thirds[:-1]), ("handle_right", thirds[1:])):
        keys.floats[name] = np.stack([times + reach, values + reach * slopes], axis=1).astype(np.float32)
        keys.enums[f"{name}_type"] = np.full(count, ALIGNED, dtype=np.uint8)
    keys.enums["interpolation"] = np.full(count, BEZIER, dtype=np.uint8)
    return keys


def concatenated(*runs: Keys) -> Keys:
    """The keys of several runs in one; a property that a run lacks is zero for its keys."""

    def columns(parts: list[dict[str, np.ndarray[Any, Any]]]) -> dict[str, np.ndarray[Any, Any]]:
        examples = {name: values for part in parts for name, values in part.items()}
        return {
            name: np.concatenate(
                [
                    part.get(name, np.zeros((len(run.times), *values.shape[1:]), values.dtype))
                    for run, part in zip(runs, parts, strict=True)
                ]
            )
            for name, values in examples.items()
        }

    return Keys(columns([run.floats for run in runs]), columns([run.enums for run in runs]))


def write_keys(curve: bpy.types.FCurve, keys: Keys) -> None:
    """Replace all keys of an f-curve."""
    points = curve.keyframe_points
    points.clear()
    points.add(len(keys.times))
    for name, values in keys.floats.items():
        points.foreach_set(name, values.reshape(-1))
    for name, numbers in keys.enums.items():
        points.foreach_set(name, numbers)
    curve.update()
