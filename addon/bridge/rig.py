# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of an armature as arrays: rest pose, hierarchy, and how each inherits from its parent.

A bone's frame has its origin in the head and y along the bone. A transform is a pair: its `axes`, the columns of a
matrix (…, 3, 3) that may scale and shear, and its `heads`, a position (…, 3).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import bpy
import numpy as np

from .arrays import Array, BoolArray, IntArray, choices, enumeration, flags, floats

ALMOST_RIGID = 1e-5
"""Axes that are square and equally long to this share of their length are so, but for single precision."""


def squared(axes: Array) -> Array:
    """The nearest axes (…, 3, 3) that are square and equally long, for axes that are so but for rounding."""
    left, sizes, right = np.linalg.svd(axes)
    size = sizes.mean(axis=-1)
    is_rigid = np.ptp(sizes, axis=-1) <= ALMOST_RIGID * size
    # A size of 1 is what is almost always meant.
    size = np.where(np.abs(size - 1.0) <= ALMOST_RIGID, 1.0, size)
    return np.where(is_rigid[..., None, None], size[..., None, None] * (left @ right), axes)


@dataclass(frozen=True, eq=False)
class Rig:
    """All bones, parents before their children. Lengths are in the armature object's own space."""

    names: tuple[str, ...]
    parents: IntArray
    """(bones,) -1 for a root."""
    pose_places: IntArray
    """(bones,) where each bone stands in the armature object's `pose.bones`, whose order is another one."""
    rest_axes: Array
    """(bones, 3, 3) in the armature's space."""
    rest_heads: Array
    """(bones, 3) in the armature's space."""
    offset_axes: Array
    """(bones, 3, 3) rest frame in the parent's frame (of a root: in the armature's space)."""
    offset_heads: Array
    """(bones, 3) likewise."""
    lengths: Array
    connected: BoolArray
    """Whose location channels Blender ignores, since the head is held at the parent's tail."""
    inherits_rotation: BoolArray
    inherit_scale: tuple[str, ...]
    local_location: BoolArray
    """Whose location is along the bone's own axes, and not along its parent's."""
    deforms: BoolArray
    modes: tuple[str, ...]
    """The rotation mode of each bone."""

    @staticmethod
    def of(armature: bpy.types.Object) -> Rig:
        """The bones of an armature object."""
        assert isinstance(armature.data, bpy.types.Armature) and armature.pose is not None
        bones, pose_bones = armature.data.bones, armature.pose.bones
        names = tuple(bone.name for bone in bones)
        place = {name: index for index, name in enumerate(names)}
        parents = np.array([place[bone.parent.name] if bone.parent else -1 for bone in bones], dtype=np.int64)
        rest = floats(bones, "matrix_local", 4, 4).swapaxes(-1, -2)
        axes = floats(bones, "matrix", 3, 3).swapaxes(-1, -2)
        heads, lengths = floats(bones, "head", 3), floats(bones, "length")
        hangs = parents >= 0
        heads[hangs, 1] += lengths[parents[hangs]]
        heads[~hangs] = rest[~hangs, :3, 3]
        axes[~hangs] = rest[~hangs, :3, :3]
        # Rest axes are square but for rounding, and rounding would make turned bones seem to leave their parents.
        axes, rest[:, :3, :3] = squared(axes), squared(rest[:, :3, :3])
        pose_place = {bone.name: index for index, bone in enumerate(pose_bones)}
        pose_places = np.array([pose_place[name] for name in names], dtype=np.int64)
        pose_modes = choices(pose_bones, "rotation_mode", enumeration(bpy.types.PoseBone, "rotation_mode"))
        return Rig(
            names=names,
            parents=parents,
            pose_places=pose_places,
            rest_axes=rest[:, :3, :3],
            rest_heads=rest[:, :3, 3],
            offset_axes=axes,
            offset_heads=heads,
            lengths=lengths,
            connected=flags(bones, "use_connect") & hangs,
            inherits_rotation=flags(bones, "use_inherit_rotation"),
            inherit_scale=choices(bones, "inherit_scale", enumeration(bpy.types.Bone, "inherit_scale")),
            local_location=flags(bones, "use_local_location"),
            deforms=flags(bones, "use_deform"),
            modes=tuple(pose_modes[index] for index in pose_places),
        )

    def with_connected(self, names: Collection[str]) -> Rig:
        """The same bones, of which the named ones are connected too."""
        if not names:
            return self
        return replace(self, connected=self.connected | np.isin(np.array(self.names), np.array(names)))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each bone by its name."""
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def generations(self) -> tuple[IntArray, ...]:
        """The bones by their depth, roots first."""
        depths = np.zeros(len(self), dtype=np.int64)
        for bone, parent in enumerate(self.parents):
            if parent >= 0:
                depths[bone] = depths[parent] + 1
        return tuple(np.flatnonzero(depths == depth) for depth in range(int(depths.max(initial=0)) + 1))

    @cached_property
    def bones_by_mode(self) -> dict[str, IntArray]:
        """The bones of each rotation mode in use."""
        modes = np.array(self.modes)
        return {str(mode): np.flatnonzero(modes == mode) for mode in np.unique(modes)}
