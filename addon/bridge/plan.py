# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be written: the properties of bones that change, with their values and keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from . import rotation_channels
from .arrays import Array, BoolArray
from .curves import Keys, bone_path, straight_keys
from .edits import Edits
from .reading import Reading
from .thinning import keys_needed

_SAME = 1e-6
"""Values in single precision that differ by less are the same."""


@dataclass(frozen=True, eq=False)
class ChangedProperty:
    """A property of a bone that changes, all of its channels together."""

    bone: int
    name: str
    """Of the bone."""
    attribute: str
    values: Array
    """(frames, channels)"""
    source: Array
    """(frames, channels) what the source has."""
    times: Array
    """(frames,) as f-curves count them."""
    changes: BoolArray
    """(frames,) where the values mean something else than the source's: others may differ by a sign or whole turns."""
    keyed: BoolArray
    """(frames,) which frames get a key."""

    @property
    def width(self) -> int:
        """How many channels there are."""
        return self.values.shape[1]

    @property
    def path(self) -> str:
        """The data path."""
        return bone_path(self.name, self.attribute)

    def is_off(self, frame: int) -> bool:
        """Whether a frame is noticeably different from the source."""
        return bool(self.changes[frame]) and bool(np.abs(self.values[frame] - self.source[frame]).max() > _SAME)

    def keys(self, values: Array, index: int) -> Keys:
        """The keys of one channel, given values (frames, channels)."""
        return straight_keys(self.times[self.keyed], values[self.keyed, index])


def plan_of(reading: Reading, edits: Edits, tolerance: float) -> list[ChangedProperty]:
    """All that changes, bone by bone; a tolerance as in `bake`."""
    rig, source, times = reading.rig, reading.channels, reading.key_times
    size = reading.size_in_armature
    plan = []
    for bone in range(len(rig)):
        if edits.turned[:, bone].any():
            attribute, width = rotation_channels.property_of(rig.modes[bone])
            values = edits.channels.rotation[:, bone, :width]
            # A quaternion's components change half as fast as the angle.
            allowed = np.full(width, 0.5 * tolerance if attribute == "rotation_quaternion" else tolerance)
            before = source.rotation[:, bone, :width]
            plan.append((bone, attribute, values, before, allowed, edits.turned[:, bone]))
        if edits.moved[:, bone].any():
            values = edits.channels.location[:, bone]
            allowed = np.full(3, tolerance * size)
            plan.append((bone, "location", values, source.location[:, bone], allowed, edits.moved[:, bone]))
    every = np.ones(len(times), dtype=bool)
    return [
        ChangedProperty(
            bone=bone,
            name=rig.names[bone],
            attribute=attribute,
            values=values,
            source=before,
            times=times,
            changes=changes,
            keyed=keys_needed(times, values, allowed) if tolerance > 0.0 and len(times) > 1 else every,
        )
        for bone, attribute, values, before, allowed, changes in plan
    ]


def unkeyed(reading: Reading, plan: Iterable[ChangedProperty]) -> dict[str, list[float]]:
    """What the bones hold in properties that were not wholly keyed: baking over them would lose it."""
    remembered = {}
    for changed in plan:
        channels = {(changed.name, changed.attribute, index) for index in range(changed.width)}
        if not channels <= reading.keyed:
            remembered[changed.path] = [float(value) for value in changed.source[0]]
    return remembered
