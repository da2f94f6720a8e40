# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversions between Blender's rotation channels and rotation matrices.

A rotation is four numbers in every mode: a quaternion (w, x, y, z) of any length, an angle with an axis of any length,
or three Euler angles and an unused fourth number. Matrices act on columns.
"""

from __future__ import annotations

import numpy as np

from ...solver import rotations
from .arrays import Array, BoolArray

QUATERNION = "QUATERNION"
AXIS_ANGLE = "AXIS_ANGLE"

PROPERTIES = {QUATERNION: ("rotation_quaternion", 4), AXIS_ANGLE: ("rotation_axis_angle", 4)}
"""The property of each mode and how many channels it has; every other mode is an order of Euler angles."""

EULER = ("rotation_euler", 3)

_GIMBAL_LOCK = 1e-6
"""Cosine of the middle Euler angle below which the other two rotate about one axis (gimbal lock), to single
precision."""

_JUMP = 0.75 * np.pi
"""Radians: an Euler angle that changes by more from frame to frame has taken the other of two solutions."""

_NO_ROTATION = 1e-7
"""Sine of half the angle below which a rotation has no usable axis."""


def property_of(mode: str) -> tuple[str, int]:
    """The property that a rotation mode uses, and how many channels it has."""
    return PROPERTIES.get(mode, EULER)


# Channels to matrices ---------------------------------------------------------------------------------------------


def to_matrices(values: Array, mode: str) -> Array:
    """Rotation matrices (…, 3, 3) of channel values (…, 4), as Blender computes them where values are degenerate."""
    return rotations.to_matrix(to_quaternions(values, mode))


def to_quaternions(values: Array, mode: str) -> Array:
    """Unit quaternions (…, 4) of channel values (…, 4), as Blender computes them where values are degenerate."""
    if mode == QUATERNION:
        # Blender normalizes a zero quaternion to half a turn about x.
        has_length = values.any(axis=-1, keepdims=True)
        return np.where(has_length, rotations.normalize(values), (0.0, 1.0, 0.0, 0.0))
    if mode == AXIS_ANGLE:
        return rotations.from_axis_angle(values[..., 1:], values[..., 0])
    return rotations.from_euler(values[..., _axes(mode)], mode[::-1])


def _axes(order: str) -> list[int]:
    """The axes of an order such as "XYZ" in the solver's order, which begins with the last rotation."""
    return ["XYZ".index(letter) for letter in reversed(order)]


# Matrices to channels ---------------------------------------------------------------------------------------------


def continuous(matrices: Array, mode: str, source: Array, changed: BoolArray) -> Array:
    """Channel values (frames, 4) of one bone, without flips from frame to frame.

    Where `changed` (frames,) they mean the `matrices` (frames, 3, 3). All other frames keep the values of the `source`
    (frames, 4), except for a sign or whole turns where those would flip.
    """
    found = rotations.from_matrix(matrices)
    if mode == QUATERNION:
        return rotations.continuous(_with_sign_of_first(np.where(changed[:, None], found, source), source))
    if mode == AXIS_ANGLE:
        return _continuous_axis_angles(found, source, changed)
    values = source.copy()
    axes = _axes(mode)
    values[:, axes] = _continuous_eulers(found, mode[::-1], source[:, axes], changed)
    return values


def _with_sign_of_first(values: Array, source: Array) -> Array:
    """The quaternions, all negated where the first one has the opposite sign of the source's."""
    return -values if float(values[0] @ source[0]) < 0.0 else values


def _continuous_axis_angles(quaternions: Array, source: Array, changed: BoolArray) -> Array:
    lengths = np.linalg.norm(quaternions[:, 1:], axis=-1)
    angles = 2.0 * np.arctan2(lengths, quaternions[:, 0])
    values = source.copy()
    previous = source[0]
    for frame in range(len(values)):
        if changed[frame]:
            if lengths[frame] > _NO_ROTATION:
                axis = quaternions[frame, 1:] / lengths[frame]
                angle = angles[frame]
                if axis @ previous[1:] < 0.0:
                    axis, angle = -axis, -angle
            else:
                axis, angle = previous[1:], 0.0
            angle += 2.0 * np.pi * np.round((previous[0] - angle) / (2.0 * np.pi))
            values[frame] = (angle, *axis)
        previous = values[frame]
    return values


def _continuous_eulers(quaternions: Array, order: str, source: Array, changed: BoolArray) -> Array:
    """Euler angles (frames, 3) in the solver's order: near the source where it is smooth, else near the last frame."""
    one = rotations.to_euler(quaternions, order)
    locked = (np.abs(np.cos(one[:, 1])) < _GIMBAL_LOCK) & changed
    near = _nearest_turns(one, source)
    second = _nearest_turns(rotations.second_euler(one, order), source)
    is_second = np.abs(second - source).sum(axis=-1) < np.abs(near - source).sum(axis=-1)
    angles = np.where(changed[:, None], np.where(is_second[:, None], second, near), source)
    smooth = np.unwrap(angles, axis=0)
    jumps = (np.abs(np.diff(smooth, axis=0)) > _JUMP).any() if len(smooth) > 1 else False
    if not jumps and not locked.any():
        return smooth
    one = np.where(changed[:, None], one, source)
    chain = np.concatenate([source[:1], _unlocked(one, locked, order, source[0])])
    return rotations.continuous_euler(chain, order)[1:]


def _unlocked(angles: Array, locked: BoolArray, order: str, start: Array) -> Array:
    """The angles (frames, 3), with the innermost angle of the previous frame where `locked` (frames,).

    In gimbal lock only the sum (or difference) of the outer two angles is determined. Before the first frame that is
    not locked, the innermost angle is that of `start` (3,).
    """
    last_unlocked = np.maximum.accumulate(np.where(locked, 0, np.arange(1, len(angles) + 1)))
    innermost = np.concatenate([start[2:], angles[:, 2]])[last_unlocked]
    parity = 1.0 if (order.index("Y") - order.index("X")) % 3 == 1 else -1.0
    kept = angles.copy()
    kept[:, 0] += parity * np.sign(np.sin(angles[:, 1])) * (angles[:, 2] - innermost)
    kept[:, 2] = innermost
    return np.where(locked[:, None], kept, angles)


def _nearest_turns(angles: Array, reference: Array) -> Array:
    """The angles with whole turns added so that they are nearest to the reference."""
    return angles + 2.0 * np.pi * np.round((reference - angles) / (2.0 * np.pi))
