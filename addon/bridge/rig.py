# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones of an armature as arrays: rest pose, hierarchy and inheritance settings.

A bone's frame has its origin in the head and y along the bone. A transform is a pair: its `axes`, the columns of a
matrix (…, 3, 3) that may scale and shear, and its `heads`, a position (…, 3).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import bpy
import numpy as np

from .arrays import Array, BoolArray, IntArray, enum_identifiers, enum_values, flags, floats

ALMOST_RIGID = 1e-5
"""Axes that are orthogonal and equally long to this share of their length are exactly so but for rounding."""


def made_orthogonal(axes: Array) -> Array:
    """Axes (…, 3, 3) made exactly orthogonal and equally long where they are so but for rounding; others unchanged."""
    left, sizes, right = np.linalg.svd(axes)
    size = sizes.mean(axis=-1)
    is_rigid = np.ptp(sizes, axis=-1) <= ALMOST_RIGID * size
    # A length of almost 1 is a length of 1 with rounding.
    size = np.where(np.abs(size - 1.0) <= ALMOST_RIGID, 1.0, size)
    return np.where(is_rigid[..., None, None], size[..., None, None] * (left @ right), axes)


@dataclass(frozen=True, eq=False)
class Rig:
    """All bones, parents before their children. Lengths are in the armature object's own space."""

    names: tuple[str, ...]
    parents: IntArray
    """(bones,) -1 for a root."""
    pose_indices: IntArray
    """(bones,) the index of each bone in the object's `pose.bones`, whose order differs."""
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
    """(bones,) whose head is at the parent's tail, so that Blender ignores their location."""
    inherits_rotation: BoolArray
    inherit_scale: tuple[str, ...]
    local_location: BoolArray
    """(bones,) whose location is along their own axes instead of the parent's."""
    deforms: BoolArray
    modes: tuple[str, ...]
    """The rotation mode of each bone."""

    @staticmethod
    def of(armature: bpy.types.Object) -> Rig:
        """The bones of an armature object."""
        assert isinstance(armature.data, bpy.types.Armature) and armature.pose is not None
        bones, pose_bones = armature.data.bones, armature.pose.bones
        names = tuple(bone.name for bone in bones)
        index_of = {name: index for index, name in enumerate(names)}
        parents = np.array([index_of[bone.parent.name] if bone.parent else -1 for bone in bones], dtype=np.int64)
        rest = floats(bones, "matrix_local", 4, 4).swapaxes(-1, -2)
        axes = floats(bones, "matrix", 3, 3).swapaxes(-1, -2)
        heads, lengths = floats(bones, "head", 3), floats(bones, "length")
        has_parent = parents >= 0
        heads[has_parent, 1] += lengths[parents[has_parent]]
        heads[~has_parent] = rest[~has_parent, :3, 3]
        axes[~has_parent] = rest[~has_parent, :3, :3]
        # With rounding errors in rest axes, rotated bones would seem to leave their parents.
        axes, rest[:, :3, :3] = made_orthogonal(axes), made_orthogonal(rest[:, :3, :3])
        pose_index = {bone.name: index for index, bone in enumerate(pose_bones)}
        pose_indices = np.array([pose_index[name] for name in names], dtype=np.int64)
        pose_modes = enum_values(pose_bones, "rotation_mode", enum_identifiers(bpy.types.PoseBone, "rotation_mode"))
        return Rig(
            names=names,
            parents=parents,
            pose_indices=pose_indices,
            rest_axes=rest[:, :3, :3],
            rest_heads=rest[:, :3, 3],
            offset_axes=axes,
            offset_heads=heads,
            lengths=lengths,
            connected=flags(bones, "use_connect") & has_parent,
            inherits_rotation=flags(bones, "use_inherit_rotation"),
            inherit_scale=enum_values(bones, "inherit_scale", enum_identifiers(bpy.types.Bone, "inherit_scale")),
            local_location=flags(bones, "use_local_location"),
            deforms=flags(bones, "use_deform"),
            modes=tuple(pose_modes[index] for index in pose_indices),
        )

    def with_connected(self, names: Collection[str]) -> Rig:
        """The same bones with the named ones connected too."""
        if not names:
            return self
        return replace(self, connected=self.connected | np.isin(np.array(self.names), np.array(names)))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def index(self) -> dict[str, int]:
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
