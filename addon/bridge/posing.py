# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose of all bones from their channels, as Blender computes it, and the inverse, for all frames at once.

Blender's rule for one bone: its axes are the inherited axes times its own rotation and scale. Its head is its location
transformed by a second inherited matrix, which may differ from those axes. What a bone inherits depends on its
settings; with the defaults both matrices are the parent's axes times the bone's rest axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays import Array, BoolArray, IntArray
from .channels import Channels
from .rig import Rig

_SHEARED = 1e-4
"""Cosine between two axes above which Blender makes them orthogonal."""


@dataclass(eq=False)
class BonePose:
    """Axes and heads of all bones, in armature space or world space."""

    axes: Array
    """(frames, bones, 3, 3) with scale and shear."""
    heads: Array
    """(frames, bones, 3)"""

    @staticmethod
    def empty(frames: int, bones: int) -> BonePose:
        """A pose with arrays that are not yet filled."""
        return BonePose(np.empty((frames, bones, 3, 3)), np.empty((frames, bones, 3)))

    def transformed(self, matrices: Array) -> BonePose:
        """The pose transformed by affine matrices (frames or 1, 4, 4)."""
        linear = matrices[:, None, :3, :3]
        return BonePose(linear @ self.axes, (linear @ self.heads[..., None])[..., 0] + matrices[:, None, :3, 3])


@dataclass(eq=False)
class Inheritance:
    """What some bones inherit from their parents in every frame."""

    axes: Array
    """(frames, bones, 3, 3) that a bone's own rotation and scale are multiplied to."""
    location_axes: Array
    """(frames, bones, 3, 3) along which a bone's location is measured."""
    origin: Array
    """(frames, bones, 3) where a bone's head is at location zero."""
    axis_scale: Array
    """(frames or 1, bones, 3) by which the axes are scaled last."""

    def of(self, some: BoolArray) -> Inheritance:
        """The inheritance of those bones for which `some` (bones,) is true."""
        return Inheritance(
            self.axes[:, some], self.location_axes[:, some], self.origin[:, some], self.axis_scale[:, some]
        )

    def axes_of(self, matrices: Array, scale: Array) -> Array:
        """Axes (frames, bones, 3, 3) of bones whose channels mean these rotation matrices and scales (…, 3)."""
        return self.axes @ (matrices * scale[..., None, :]) * self.axis_scale[..., None, :]

    def heads_of(self, locations: Array) -> Array:
        """Heads (frames, bones, 3) of bones with these locations."""
        return (self.location_axes @ locations[..., None])[..., 0] + self.origin


def pose_of(rig: Rig, channels: Channels, known: BonePose | None = None, is_known: BoolArray | None = None) -> BonePose:
    """The pose in armature space that the channels give.

    Bones for which `is_known` (bones,) is true are where the `known` pose has them: constraints or drivers move them.
    """
    matrices, locations = channels.rotation_matrices(rig), channels.effective_locations(rig)
    pose = BonePose.empty(*channels.location.shape[:2])
    for generation in rig.generations:
        for bones in grouped_by_inheritance(rig, generation):
            inheritance = inheritance_of(rig, bones, pose)
            pose.axes[:, bones] = inheritance.axes_of(matrices[:, bones], channels.scale[:, bones])
            pose.heads[:, bones] = inheritance.heads_of(locations[:, bones])
        if known is not None and is_known is not None:
            moved = generation[is_known[generation]]
            pose.axes[:, moved], pose.heads[:, moved] = known.axes[:, moved], known.heads[:, moved]
    return pose


def grouped_by_inheritance(rig: Rig, bones: IntArray) -> Iterator[IntArray]:
    """The bones in groups with the same inheritance settings, one of which `inheritance_of` takes at a time."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for bone in bones.tolist():
        settings = (
            rig.parents[bone] < 0,
            bool(rig.inherits_rotation[bone]),
            rig.inherit_scale[bone],
            bool(rig.local_location[bone]),
        )
        groups.setdefault(settings, []).append(bone)
    for group in groups.values():
        yield np.array(group, dtype=np.int64)


def inheritance_of(rig: Rig, bones: IntArray, pose: BonePose) -> Inheritance:
    """What one group of `grouped_by_inheritance` inherits from its parents, which must be filled in `pose`."""
    first = int(bones[0])
    local_location = bool(rig.local_location[first])
    offset_axes, offset_heads = rig.offset_axes[bones], rig.offset_heads[bones]
    ones = np.ones((1, len(bones), 3))
    if rig.parents[first] < 0:
        axes = np.broadcast_to(offset_axes, (len(pose.axes), len(bones), 3, 3))
        location_axes = axes if local_location else np.broadcast_to(np.eye(3), axes.shape)
        return Inheritance(axes, location_axes, np.broadcast_to(offset_heads, axes.shape[:-1]), ones)
    parents = rig.parents[bones]
    parent_axes = pose.axes[:, parents]
    origin = (parent_axes @ offset_heads[..., None])[..., 0] + pose.heads[:, parents]
    rest_on_parent = parent_axes @ offset_axes
    location_axes = rest_on_parent if local_location else parent_axes
    mode, inherits_rotation = rig.inherit_scale[first], bool(rig.inherits_rotation[first])
    if mode == "FULL" and inherits_rotation:
        return Inheritance(rest_on_parent, location_axes, origin, ones)
    axis_scale = ones
    base = parent_axes if inherits_rotation else np.broadcast_to(rig.rest_axes[parents], parent_axes.shape)
    if inherits_rotation:
        if mode in ("NONE", "AVERAGE"):
            base = unsheared(base, normalize=True)
        elif mode == "ALIGNED":
            base = unsheared(base, normalize=False)
            axis_scale = np.linalg.norm(base, axis=-2)
            base = base / np.where(axis_scale > 0.0, axis_scale, 1.0)[..., None, :]
        elif mode == "NONE_LEGACY":
            lengths = np.linalg.norm(base, axis=-2)
            base = base / np.where(lengths > 0.0, lengths, 1.0)[..., None, :]
    elif mode == "FULL":
        base = base * np.linalg.norm(parent_axes, axis=-2)[..., None, :]
    elif mode == "FIX_SHEAR":
        base = base * _lengths_at_same_volume(parent_axes)[..., None, :]
    elif mode == "ALIGNED":
        axis_scale = _lengths_at_same_volume(parent_axes)
    if mode == "AVERAGE":
        base = base * np.cbrt(np.abs(np.linalg.det(parent_axes)))[..., None, None]
    axes = base @ offset_axes
    if mode == "FIX_SHEAR":
        axes = unsheared(axes, normalize=False)
    return Inheritance(axes, location_axes, origin, axis_scale)


def unsheared(axes: Array, normalize: bool) -> Array:
    """Axes (…, 3, 3) made orthogonal: y keeps its direction, x and z rotate by the same angle.

    Their volume stays the same, unless `normalize` makes each of them a unit vector.
    """
    x, y, z = (axes[..., column] for column in range(3))
    length_squared = _dot(y, y)
    along = 1.0 / np.where(length_squared > 0.0, length_squared, np.inf)
    x = x - y * _dot(x, y) * along
    z = z - y * _dot(z, y) * along
    if normalize:
        y = _unit(y)
    x_length, z_length = np.linalg.norm(x, axis=-1, keepdims=True), np.linalg.norm(z, axis=-1, keepdims=True)
    x_unit, z_unit = _unit(x), _unit(z)
    cosine = _dot(x_unit, z_unit)
    sheared = (np.abs(cosine) > _SHEARED) & (np.abs(cosine) < 1.0 - np.finfo(np.float32).eps)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    wanted = angle + 0.5 * (0.5 * np.pi - angle)
    across = _unit(x_unit - z_unit * cosine)
    new_x = across * np.sin(wanted) + z_unit * np.cos(wanted)
    new_z = _unit(z_unit - new_x * _dot(z_unit, new_x))
    x_unit, z_unit = np.where(sheared, new_x, x_unit), np.where(sheared, new_z, z_unit)
    if normalize:
        return np.stack([x_unit, y, z_unit], axis=-1)
    kept = np.where(sheared, np.sqrt(np.sin(angle)), 1.0)
    return np.stack([x_unit * (x_length * kept), y, z_unit * (z_length * kept)], axis=-1)


def _lengths_at_same_volume(axes: Array) -> Array:
    """The lengths (…, 3) of axes, scaled to those of an orthogonal frame of the same volume."""
    sizes = np.linalg.norm(axes, axis=-2)
    volume = sizes.prod(axis=-1)
    scale = np.cbrt(np.abs(np.linalg.det(axes) / np.where(volume > 0.0, volume, 1.0)))
    return sizes * np.where(volume > 0.0, scale, 1.0)[..., None]


# Orientations -----------------------------------------------------------------------------------------------------


def orientations(axes: Array) -> tuple[Array, BoolArray]:
    """The rotations (…, 3, 3) of scaled and sheared axes, and whether there is one, (…,).

    y keeps its direction, which is that of the bone, and x stays in the plane of x and y; `rotations_for` is the
    inverse. The z axis of mirrored axes is reversed.
    """
    x, y = axes[..., 0], axes[..., 1]
    y_unit = _unit(y)
    across = x - y_unit * _dot(x, y_unit)
    known = (_length(across) > _TINY_AXIS) & (_length(y) > _TINY_AXIS)
    x_unit = _unit(across)
    return np.stack([x_unit, y_unit, np.cross(x_unit, y_unit)], axis=-1), known


def rotations_for(wanted: Array, axes: Array, scale: Array) -> tuple[Array, BoolArray]:
    """The rotations (…, 3, 3) for which `axes @ rotation @ scale` has the `wanted` orientation (…, 3, 3).

    Exact for any invertible axes (…, 3, 3) and any scales (…, 3). Also returns where the axes are invertible, (…,).
    """
    invertible = np.abs(np.linalg.det(axes)) > _TINY_AXIS**3
    inverse = np.linalg.inv(np.where(invertible[..., None, None], axes, np.eye(3)))
    signs = np.where(scale < 0.0, -1.0, 1.0)
    y = _unit((inverse @ wanted[..., 1, None])[..., 0]) * signs[..., 1, None]
    # x must end in the plane of the wanted x and y, so before the axes it is orthogonal to the wanted z.
    x = _unit(np.cross(y, (axes.swapaxes(-1, -2) @ wanted[..., 2, None])[..., 0]))
    towards = _dot((axes @ x[..., None])[..., 0], wanted[..., 0]) * signs[..., 0, None]
    x = np.where(towards < 0.0, -x, x)
    return np.stack([x, y, np.cross(x, y)], axis=-1), invertible


_TINY_AXIS = 1e-9
"""Axes shorter than this have no direction: a scale of zero has removed it."""


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("...i,...i->...", a, b)[..., None]


def _length(vectors: Array) -> Array:
    return np.sqrt(np.einsum("...i,...i->...", vectors, vectors))


def _unit(vectors: Array) -> Array:
    lengths = _length(vectors)[..., None]
    return vectors / np.where(lengths > 0.0, lengths, 1.0)
