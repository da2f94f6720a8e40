# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's rotation channels, and the rotation matrices that they mean.

A rotation is four numbers whatever its mode: a quaternion (w, x, y, z) of any length, an angle with an axis of any
length, or three Euler angles and a fourth number that means nothing. Matrices act on columns.
"""

from __future__ import annotations

import numpy as np

from ...solver import rotations
from .arrays import Array, BoolArray

QUATERNION = "QUATERNION"
AXIS_ANGLE = "AXIS_ANGLE"

PATHS = {QUATERNION: ("rotation_quaternion", 4), AXIS_ANGLE: ("rotation_axis_angle", 4)}
"""The property of each mode and how many channels it has; every other mode is an order of Euler angles."""

EULER = ("rotation_euler", 3)

_LOCKED = 1e-6
"""Cosine of the middle Euler angle below which the outer two turn about one axis, to rounding of single precision."""

_LEAP = 0.75 * np.pi
"""Between neighbouring frames, an angle that changes by more has probably taken the other of two solutions."""

_NO_TURN = 1e-7
"""Sine of half the angle below which a turn has no axis worth the name."""


def property_of(mode: str) -> tuple[str, int]:
    """The property that a rotation mode uses, and how many channels it has."""
    return PATHS.get(mode, EULER)


# Channels to matrices ---------------------------------------------------------------------------------------------


def to_matrices(values: Array, mode: str) -> Array:
    """Rotation matrices (…, 3, 3) of channel values (…, 4), with Blender's answer where the values mean nothing."""
    return rotations.to_matrix(to_quaternions(values, mode))


def to_quaternions(values: Array, mode: str) -> Array:
    """Unit quaternions (…, 4) of channel values (…, 4), with Blender's answer where the values mean nothing."""
    if mode == QUATERNION:
        # A quaternion without length is half a turn about x: that is what Blender's own normalization makes of it.
        has_length = values.any(axis=-1, keepdims=True)
        return np.where(has_length, rotations.normalize(values), (0.0, 1.0, 0.0, 0.0))
    if mode == AXIS_ANGLE:
        return rotations.from_axis_angle(values[..., 1:], values[..., 0])
    return rotations.from_euler(values[..., _axes(mode)], mode[::-1])


def _axes(order: str) -> list[int]:
    """The axes of an order such as "XYZ", which turns about x first, as the solver has them: the last one outermost."""
    return ["XYZ".index(letter) for letter in reversed(order)]


# Matrices to channels ---------------------------------------------------------------------------------------------


def continuous(matrices: Array, mode: str, source: Array, changed: BoolArray) -> Array:
    """(frames, 4) channel values of one bone, without flips from frame to frame.

    `matrices` (frames, 3, 3) is what the changed frames shall mean; all other frames keep the `source`'s values
    (frames, 4), but for their sign or whole turns where those would flip.
    """
    found = rotations.from_matrix(matrices)
    if mode == QUATERNION:
        return rotations.continuous(_anchored(np.where(changed[:, None], found, source), source))
    if mode == AXIS_ANGLE:
        return _continuous_axis_angles(found, source, changed)
    values = source.copy()
    axes = _axes(mode)
    values[:, axes] = _continuous_eulers(found, mode[::-1], source[:, axes], changed)
    return values


def _anchored(values: Array, source: Array) -> Array:
    """With the sign of the first frame as the source has it."""
    return -values if float(values[0] @ source[0]) < 0.0 else values


def _continuous_axis_angles(quaternions: Array, source: Array, changed: BoolArray) -> Array:
    lengths = np.linalg.norm(quaternions[:, 1:], axis=-1)
    angles = 2.0 * np.arctan2(lengths, quaternions[:, 0])
    values = source.copy()
    previous = source[0]
    for frame in range(len(values)):
        if changed[frame]:
            if lengths[frame] > _NO_TURN:
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
    """(frames, 3) angles in the solver's order: near the source where it is smooth, else near the frame before."""
    one = rotations.to_euler(quaternions, order)
    locked = (np.abs(np.cos(one[:, 1])) < _LOCKED) & changed
    near = _nearest_turns(one, source)
    second = _nearest_turns(rotations.second_euler(one, order), source)
    is_second = np.abs(second - source).sum(axis=-1) < np.abs(near - source).sum(axis=-1)
    angles = np.where(changed[:, None], np.where(is_second[:, None], second, near), source)
    smooth = np.unwrap(angles, axis=0)
    leaps = (np.abs(np.diff(smooth, axis=0)) > _LEAP).any() if len(smooth) > 1 else False
    if not leaps and not locked.any():
        return smooth
    one = np.where(changed[:, None], one, source)
    chain = np.concatenate([source[:1], _unlocked(one, locked, order, source[0])])
    return rotations.continuous_euler(chain, order)[1:]


def _unlocked(angles: Array, locked: BoolArray, order: str, start: Array) -> Array:
    """The angles (frames, 3), where the outer two turn about one axis with the innermost as in the frame before.

    There, only their sum (or difference) is told; before the first frame that tells more, the innermost is as in
    `start` (3,).
    """
    told = np.maximum.accumulate(np.where(locked, 0, np.arange(1, len(angles) + 1)))
    innermost = np.concatenate([start[2:], angles[:, 2]])[told]
    parity = 1.0 if (order.index("Y") - order.index("X")) % 3 == 1 else -1.0
    kept = angles.copy()
    kept[:, 0] += parity * np.sign(np.sin(angles[:, 1])) * (angles[:, 2] - innermost)
    kept[:, 2] = innermost
    return np.where(locked[:, None], kept, angles)


def _nearest_turns(angles: Array, reference: Array) -> Array:
    """The angles moved by whole turns to be nearest to the reference."""
    return angles + 2.0 * np.pi * np.round((reference - angles) / (2.0 * np.pi))
