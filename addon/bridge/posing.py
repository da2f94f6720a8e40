# SPDX-License-Identifier: GPL-3.0-or-later
"""From channels to the pose, as Blender computes it, and back: for all frames at once, generation by generation.

Blender's rule for one bone: its axes are those that it inherits times its own rotation and scale; its head is its
location seen through a matrix that may differ from those axes. What is inherited depends on the bone's settings; with
the usual ones both are the parent's axes times the bone's rest axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays import Array, BoolArray, IntArray
from .channels import Channels
from .rig import Rig

_SHEARED = 1e-4
"""Cosine between two axes above which Blender corrects the angle between them."""


@dataclass(eq=False)
class Pose:
    """Every bone in the armature's space, or in the world's."""

    axes: Array
    """(frames, bones, 3, 3) with scale and shear."""
    heads: Array
    """(frames, bones, 3)"""

    @staticmethod
    def empty(frames: int, bones: int) -> Pose:
        """Room for a pose."""
        return Pose(np.empty((frames, bones, 3, 3)), np.empty((frames, bones, 3)))

    def seen_through(self, matrices: Array) -> Pose:
        """The pose moved by affine matrices (frames or 1, 4, 4)."""
        linear = matrices[:, None, :3, :3]
        return Pose(linear @ self.axes, (linear @ self.heads[..., None])[..., 0] + matrices[:, None, :3, 3])


@dataclass(eq=False)
class Inheritance:
    """What some bones get from their parents, in every frame."""

    axes: Array
    """(frames, bones, 3, 3) on which a bone's own rotation and scale act."""
    reach: Array
    """(frames, bones, 3, 3) through which its location is seen."""
    origin: Array
    """(frames, bones, 3) where its head is at location zero."""
    stretch: Array
    """(frames or 1, bones, 3) by which its axes are scaled in the end."""

    def of(self, some: BoolArray) -> Inheritance:
        """That of some of the bones, (bones,)."""
        return Inheritance(self.axes[:, some], self.reach[:, some], self.origin[:, some], self.stretch[:, some])

    def axes_of(self, turns: Array, scale: Array) -> Array:
        """(frames, bones, 3, 3) of rotations and scales in the channels."""
        return self.axes @ (turns * scale[..., None, :]) * self.stretch[..., None, :]

    def heads_of(self, shifts: Array) -> Array:
        """(frames, bones, 3) of locations in the channels."""
        return (self.reach @ shifts[..., None])[..., 0] + self.origin


def pose_of(rig: Rig, channels: Channels, known: Pose | None = None, is_known: BoolArray | None = None) -> Pose:
    """The pose in the armature's space that the channels give where nothing else moves the bones.

    Bones that something else does move, (bones,), are where the `known` pose has them.
    """
    turns, shifts = channels.turns(rig), channels.shifts(rig)
    pose = Pose.empty(*channels.location.shape[:2])
    for generation in rig.generations:
        for bones in alike(rig, generation):
            given = inherited(rig, bones, pose)
            pose.axes[:, bones] = given.axes_of(turns[:, bones], channels.scale[:, bones])
            pose.heads[:, bones] = given.heads_of(shifts[:, bones])
        if known is not None and is_known is not None:
            moved = generation[is_known[generation]]
            pose.axes[:, moved], pose.heads[:, moved] = known.axes[:, moved], known.heads[:, moved]
    return pose


def alike(rig: Rig, bones: IntArray) -> Iterator[IntArray]:
    """The bones in groups that inherit in the same way: `inherited` takes one such group."""
    ways: dict[tuple[object, ...], list[int]] = {}
    for bone in bones.tolist():
        way = (
            rig.parents[bone] < 0,
            bool(rig.inherits_rotation[bone]),
            rig.inherit_scale[bone],
            bool(rig.local_location[bone]),
        )
        ways.setdefault(way, []).append(bone)
    for group in ways.values():
        yield np.array(group, dtype=np.int64)


def inherited(rig: Rig, bones: IntArray, pose: Pose) -> Inheritance:
    """What bones that are `alike` get from their parents, whose place in `pose` must be known."""
    first = int(bones[0])
    local_location = bool(rig.local_location[first])
    offset_axes, offset_heads = rig.offset_axes[bones], rig.offset_heads[bones]
    ones = np.ones((1, len(bones), 3))
    if rig.parents[first] < 0:
        axes = np.broadcast_to(offset_axes, (len(pose.axes), len(bones), 3, 3))
        reach = axes if local_location else np.broadcast_to(np.eye(3), axes.shape)
        return Inheritance(axes, reach, np.broadcast_to(offset_heads, axes.shape[:-1]), ones)
    parents = rig.parents[bones]
    parent_axes = pose.axes[:, parents]
    origin = (parent_axes @ offset_heads[..., None])[..., 0] + pose.heads[:, parents]
    followed = parent_axes @ offset_axes
    reach = followed if local_location else parent_axes
    how, turns_along = rig.inherit_scale[first], bool(rig.inherits_rotation[first])
    if how == "FULL" and turns_along:
        return Inheritance(followed, reach, origin, ones)
    stretch = ones
    base = parent_axes if turns_along else np.broadcast_to(rig.rest_axes[parents], parent_axes.shape)
    if turns_along:
        if how in ("NONE", "AVERAGE"):
            base = unsheared(base, normalize=True)
        elif how == "ALIGNED":
            base = unsheared(base, normalize=False)
            stretch = np.linalg.norm(base, axis=-2)
            base = base / np.where(stretch > 0.0, stretch, 1.0)[..., None, :]
        elif how == "NONE_LEGACY":
            lengths = np.linalg.norm(base, axis=-2)
            base = base / np.where(lengths > 0.0, lengths, 1.0)[..., None, :]
    elif how == "FULL":
        base = base * np.linalg.norm(parent_axes, axis=-2)[..., None, :]
    elif how == "FIX_SHEAR":
        base = base * _sizes_of_the_same_volume(parent_axes)[..., None, :]
    elif how == "ALIGNED":
        stretch = _sizes_of_the_same_volume(parent_axes)
    if how == "AVERAGE":
        base = base * np.cbrt(np.abs(np.linalg.det(parent_axes)))[..., None, None]
    axes = base @ offset_axes
    if how == "FIX_SHEAR":
        axes = unsheared(axes, normalize=False)
    return Inheritance(axes, reach, origin, stretch)


def unsheared(axes: Array, normalize: bool) -> Array:
    """Axes (…, 3, 3) made square to each other: y stays, x and z give way by the same angle.

    Their volume stays too, unless all are made as long as 1.
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
    square = _unit(x_unit - z_unit * cosine)
    new_x = square * np.sin(wanted) + z_unit * np.cos(wanted)
    new_z = _unit(z_unit - new_x * _dot(z_unit, new_x))
    x_unit, z_unit = np.where(sheared, new_x, x_unit), np.where(sheared, new_z, z_unit)
    if normalize:
        return np.stack([x_unit, y, z_unit], axis=-1)
    kept = np.where(sheared, np.sqrt(np.sin(angle)), 1.0)
    return np.stack([x_unit * (x_length * kept), y, z_unit * (z_length * kept)], axis=-1)


def _sizes_of_the_same_volume(axes: Array) -> Array:
    """(…, 3) lengths of axes, as long as those of an unsheared frame of the same volume."""
    sizes = np.linalg.norm(axes, axis=-2)
    volume = sizes.prod(axis=-1)
    scale = np.cbrt(np.abs(np.linalg.det(axes) / np.where(volume > 0.0, volume, 1.0)))
    return sizes * np.where(volume > 0.0, scale, 1.0)[..., None]


# Orientations -----------------------------------------------------------------------------------------------------


def orientations(axes: Array) -> tuple[Array, BoolArray]:
    """Rotations (…, 3, 3) in scaled and sheared axes, and where there is one, (…,).

    y keeps its direction, x the plane that it spans with y: so the direction of a bone is never falsified, and
    `turns_for` finds the way back. Mirrored axes have their z turned round.
    """
    x, y = axes[..., 0], axes[..., 1]
    y_unit = _unit(y)
    square = x - y_unit * _dot(x, y_unit)
    known = (_length(square) > _TINY_AXIS) & (_length(y) > _TINY_AXIS)
    x_unit = _unit(square)
    return np.stack([x_unit, y_unit, np.cross(x_unit, y_unit)], axis=-1), known


def turns_for(wanted: Array, axes: Array, scale: Array) -> tuple[Array, BoolArray]:
    """Rotations (…, 3, 3) whose product with `axes` before and `scale` after has the `wanted` orientation.

    Exact whatever the axes (…, 3, 3) and scales (…, 3) do; also where there is an answer, (…,).
    """
    invertible = np.abs(np.linalg.det(axes)) > _TINY_AXIS**3
    inverse = np.linalg.inv(np.where(invertible[..., None, None], axes, np.eye(3)))
    signs = np.where(scale < 0.0, -1.0, 1.0)
    y = _unit((inverse @ wanted[..., 1, None])[..., 0]) * signs[..., 1, None]
    # x shall come to lie in the plane of the wanted x and y: square to the wanted z, as seen from before the axes.
    x = _unit(np.cross(y, (axes.swapaxes(-1, -2) @ wanted[..., 2, None])[..., 0]))
    towards = _dot((axes @ x[..., None])[..., 0], wanted[..., 0]) * signs[..., 0, None]
    x = np.where(towards < 0.0, -x, x)
    return np.stack([x, y, np.cross(x, y)], axis=-1), invertible


_TINY_AXIS = 1e-9
"""Axes shorter than this have been scaled away: they point nowhere."""


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("...i,...i->...", a, b)[..., None]


def _length(vectors: Array) -> Array:
    return np.sqrt(np.einsum("...i,...i->...", vectors, vectors))


def _unit(vectors: Array) -> Array:
    lengths = _length(vectors)[..., None]
    return vectors / np.where(lengths > 0.0, lengths, 1.0)
