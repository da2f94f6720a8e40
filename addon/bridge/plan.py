# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of bones that a result changes, with their values and keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from . import rotation_channels
from .arrays import Array, BoolArray, IntArray
from .curves import bone_path
from .edits import Edits
from .keys import Keys, linear_keys, smooth_keys
from .reading import Reading
from .thinning import Fit, every_frame, thinned, with_keys

_SAME = 1e-6
"""Values in single precision that differ by less are the same."""


@dataclass(frozen=True, eq=False)
class ChangedProperty:
    """A property of a bone that changes, with all of its channels."""

    bone: int
    name: str
    """Of the bone."""
    attribute: str
    values: Array
    """(frames, channels)"""
    source: Array
    """(frames, channels) of the source."""
    times: Array
    """(frames,) in the time of f-curves."""
    changes: BoolArray
    """(frames,) where the values mean another transform than the source's; elsewhere they may differ by a sign or whole
    turns."""
    tolerances: Array | None
    """(frames, channels) within which keys may be left out; None where every frame is keyed."""
    fit: Fit
    """The keys."""

    @property
    def width(self) -> int:
        """How many channels there are."""
        return self.values.shape[1]

    @property
    def path(self) -> str:
        """The data path."""
        return bone_path(self.name, self.attribute)

    def differs_from_source(self, frame: int) -> bool:
        """Whether the values of a frame differ from the source's by more than rounding."""
        return bool(self.changes[frame]) and bool(np.abs(self.values[frame] - self.source[frame]).max() > _SAME)

    def keys(self, index: int) -> Keys:
        """The keys of one channel."""
        keyed, slopes = self.fit.keyed, self.fit.slopes
        if slopes is None:
            return linear_keys(self.times[keyed], self.values[keyed, index])
        return smooth_keys(self.times[keyed], self.values[keyed, index], slopes[:, index])

    def with_values(self, values: Array) -> ChangedProperty:
        """The same property with other values (frames, channels), at least with the same keys."""
        changed = replace(self, values=values, fit=_fit(self.times, values, self.tolerances))
        return changed.with_keys(np.flatnonzero(self.fit.keyed))

    def with_strains(self, strains: Array) -> ChangedProperty:
        """The same property with tolerances that are divided by strains (frames,) above 1; itself where none is."""
        if self.tolerances is None or (strains <= 1.0).all():
            return self
        tolerances = self.tolerances / np.maximum(strains, 1.0)[:, None]
        return replace(self, tolerances=tolerances, fit=thinned(self.times, self.values, tolerances))

    def with_keys(self, frames: IntArray) -> ChangedProperty:
        """The same property with keys at more frames; itself where these have keys already."""
        if self.tolerances is None or self.fit.keyed[frames].all():
            return self
        return replace(self, fit=with_keys(self.times, self.values, self.tolerances, self.fit, frames))


def _fit(times: Array, values: Array, tolerances: Array | None) -> Fit:
    return every_frame(values) if tolerances is None else thinned(times, values, tolerances)


def planned_changes(reading: Reading, edits: Edits, tolerance: float) -> list[ChangedProperty]:
    """The changed properties, bone by bone; `tolerance` as in `bake`."""
    rig, source, times = reading.rig, reading.channels, reading.key_times

    def changed(
        bone: int, attribute: str, values: Array, before: Array, changes: BoolArray, allowed: float
    ) -> ChangedProperty:
        tolerances = np.full(values.shape, allowed) if tolerance > 0.0 else None
        fit = _fit(times, values, tolerances)
        return ChangedProperty(bone, rig.names[bone], attribute, values, before, times, changes, tolerances, fit)

    plan = []
    for bone in range(len(rig)):
        if edits.rotation_changed[:, bone].any():
            attribute, width = rotation_channels.property_of(rig.modes[bone])
            values, before = edits.channels.rotation[:, bone, :width], source.rotation[:, bone, :width]
            # A quaternion's components change half as fast as the angle.
            allowed = 0.5 * tolerance if attribute == "rotation_quaternion" else tolerance
            plan.append(changed(bone, attribute, values, before, edits.rotation_changed[:, bone], allowed))
        if edits.location_changed[:, bone].any():
            values, before = edits.channels.location[:, bone], source.location[:, bone]
            allowed = tolerance * reading.size_in_armature
            plan.append(changed(bone, "location", values, before, edits.location_changed[:, bone], allowed))
    return plan


def unkeyed(reading: Reading, plan: Iterable[ChangedProperty]) -> dict[str, list[float]]:
    """The values by data path of changed properties that the source does not key completely: baking overwrites them."""
    values = {}
    for changed in plan:
        channels = {(changed.name, changed.attribute, index) for index in range(changed.width)}
        if not channels <= reading.keyed:
            values[changed.path] = [float(value) for value in changed.source[0]]
    return values
