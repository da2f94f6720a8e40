# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's rotation channels, and the rotation matrices that they mean.

A rotation is four numbers whatever its mode: a quaternion (w, x, y, z) of any length, an angle with an axis of any
length, or three Euler angles and a fourth number that means nothing. Matrices act on columns.
"""

from __future__ import annotations

import numpy as np

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
    if mode == QUATERNION:
        return _matrices_of_quaternions(values)
    if mode == AXIS_ANGLE:
        lengths = np.linalg.norm(values[..., 1:], axis=-1, keepdims=True)
        axes = values[..., 1:] / np.where(lengths > 0.0, lengths, 1.0)
        half = 0.5 * values[..., :1]
        turned = np.concatenate([np.cos(half), np.sin(half) * axes], axis=-1)
        return quaternions_to_matrices(np.where(lengths > 0.0, turned, (1.0, 0.0, 0.0, 0.0)))
    return _matrices_of_eulers(values, mode)


def _matrices_of_quaternions(values: Array) -> Array:
    lengths = np.linalg.norm(values, axis=-1, keepdims=True)
    # A quaternion without length is half a turn about x: that is what Blender's own normalization makes of it.
    unit = np.where(lengths > 0.0, values / np.where(lengths > 0.0, lengths, 1.0), (0.0, 1.0, 0.0, 0.0))
    return quaternions_to_matrices(unit)


def quaternions_to_matrices(quaternions: Array) -> Array:
    """Matrices (…, 3, 3) of unit quaternions (…, 4)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    matrices = np.empty((*quaternions.shape[:-1], 3, 3))
    matrices[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    matrices[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    matrices[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    matrices[..., 0, 1] = 2.0 * (x * y - w * z)
    matrices[..., 1, 0] = 2.0 * (x * y + w * z)
    matrices[..., 0, 2] = 2.0 * (x * z + w * y)
    matrices[..., 2, 0] = 2.0 * (x * z - w * y)
    matrices[..., 1, 2] = 2.0 * (y * z - w * x)
    matrices[..., 2, 1] = 2.0 * (y * z + w * x)
    return matrices


def _matrices_of_eulers(values: Array, order: str) -> Array:
    """Of an order such as "XYZ", which turns about x first."""
    product: Array | None = None
    for letter in order:
        axis = "XYZ".index(letter)
        turn = _turn(values[..., axis], axis)
        product = turn if product is None else turn @ product
    assert product is not None
    return product


def _turn(angles: Array, axis: int) -> Array:
    cosine, sine = np.cos(angles), np.sin(angles)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    matrices = np.zeros((*angles.shape, 3, 3))
    matrices[..., axis, axis] = 1.0
    matrices[..., first, first] = matrices[..., second, second] = cosine
    matrices[..., first, second] = -sine
    matrices[..., second, first] = sine
    return matrices


# Matrices to channels ---------------------------------------------------------------------------------------------


def matrices_to_quaternions(matrices: Array) -> Array:
    """Unit quaternions (…, 4) with w ≥ 0 of rotation matrices (…, 3, 3)."""
    diagonal = np.moveaxis(np.diagonal(matrices, axis1=-2, axis2=-1), -1, 0)
    trace = diagonal.sum(axis=0)
    # Four times the square of each component: the largest is far from zero, and tells the others by division.
    squares = np.stack([1.0 + trace, *(1.0 + 2.0 * diagonal - trace)], axis=-1)
    largest = squares.argmax(axis=-1)
    m = matrices
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    products = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], axis=-1),
            np.stack([wx, squares[..., 1], xy, xz], axis=-1),
            np.stack([wy, xy, squares[..., 2], yz], axis=-1),
            np.stack([wz, xz, yz, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    rows = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    rows = np.where(rows[..., :1] < 0.0, -rows, rows)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def same_signs(quaternions: Array) -> Array:
    """The quaternions (frames, …, 4), each with the sign nearer to the frame before; the first keeps its own."""
    steps = np.einsum("...i,...i->...", quaternions[1:], quaternions[:-1])
    signs = np.cumprod(np.where(steps < 0.0, -1.0, 1.0), axis=0)
    aligned = quaternions.copy()
    aligned[1:] *= signs[..., None]
    return aligned


def continuous(matrices: Array, mode: str, source: Array, changed: BoolArray) -> Array:
    """(frames, 4) channel values of one bone, without flips from frame to frame.

    `matrices` (frames, 3, 3) is what the changed frames shall mean; all other frames keep the `source`'s values
    (frames, 4), but for their sign or whole turns where those would flip.
    """
    if mode == QUATERNION:
        found = matrices_to_quaternions(matrices)
        return same_signs(_anchored(np.where(changed[:, None], found, source), source))
    if mode == AXIS_ANGLE:
        return _continuous_axis_angles(matrices, source, changed)
    return _continuous_eulers(matrices, mode, source, changed)


def _anchored(values: Array, source: Array) -> Array:
    """With the sign of the first frame as the source has it."""
    return -values if float(values[0] @ source[0]) < 0.0 else values


def _continuous_axis_angles(matrices: Array, source: Array, changed: BoolArray) -> Array:
    quaternions = matrices_to_quaternions(matrices)
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


def _continuous_eulers(matrices: Array, order: str, source: Array, changed: BoolArray) -> Array:
    """Near the source where it is smooth, and else near the frame before."""
    one, other, locked = _euler_solutions(matrices, order)
    nearest = _nearest_turns(one, source[:, :3])
    second = _nearest_turns(other, source[:, :3])
    is_second = np.abs(second - source[:, :3]).sum(axis=-1) < np.abs(nearest - source[:, :3]).sum(axis=-1)
    angles = np.where(is_second[:, None], second, nearest)
    angles = np.where(changed[:, None], angles, source[:, :3])
    smooth = _unwrapped(angles)
    leaps = (np.abs(np.diff(smooth, axis=0)) > _LEAP).any() if len(smooth) > 1 else False
    if leaps or (locked & changed).any():
        smooth = _chained(one, other, locked, order, source[:, :3], changed)
    values = source.copy()
    values[:, :3] = smooth
    return values


def _unwrapped(angles: Array) -> Array:
    """(frames, 3) each angle within half a turn of the frame before, bit for bit the same where it is so already."""
    turns = np.cumsum(np.round(np.diff(angles, axis=0) / (2.0 * np.pi)), axis=0)
    smooth = angles.copy()
    smooth[1:] -= 2.0 * np.pi * turns
    return smooth


def _nearest_turns(angles: Array, reference: Array) -> Array:
    """The angles moved by whole turns to be nearest to the reference."""
    return angles + 2.0 * np.pi * np.round((reference - angles) / (2.0 * np.pi))


def _euler_solutions(matrices: Array, order: str) -> tuple[Array, Array, BoolArray]:
    """Both triples of angles (…, 3), stored by axis, and where the outer two axes coincide, (…,).

    There, the first triple has all of the turn in the axis that turns last, and none in the first.
    """
    i, j, k = ("XYZ".index(letter) for letter in order)
    parity = 1.0 if (j - i) % 3 == 1 else -1.0
    # The matrix is turn(k) turn(j) turn(i): its column i holds the last two angles, its row k the first two.
    cosine = np.hypot(matrices[..., i, i], matrices[..., j, i])
    locked = cosine < _LOCKED
    middle = np.arctan2(-parity * matrices[..., k, i], cosine)
    first = np.arctan2(parity * matrices[..., k, j], matrices[..., k, k])
    last = np.arctan2(parity * matrices[..., j, i], matrices[..., i, i])
    locked_last = np.arctan2(-parity * matrices[..., i, j], matrices[..., j, j])
    one = np.empty((*matrices.shape[:-2], 3))
    one[..., i] = np.where(locked, 0.0, first)
    one[..., j] = middle
    one[..., k] = np.where(locked, locked_last, last)
    other = np.empty_like(one)
    other[..., i] = one[..., i] + np.pi
    other[..., j] = np.pi - middle
    other[..., k] = one[..., k] + np.pi
    return one, other, locked


def _chained(one: Array, other: Array, locked: BoolArray, order: str, source: Array, changed: BoolArray) -> Array:
    """Frame by frame, the solution nearest to the frame before."""
    i, j, k = ("XYZ".index(letter) for letter in order)
    parity = 1.0 if (j - i) % 3 == 1 else -1.0
    values = np.empty_like(source)
    previous = source[0]
    for frame in range(len(values)):
        if not changed[frame]:
            choices = [source[frame]]
            mirrored = source[frame] + np.pi
            mirrored[j] = np.pi - source[frame, j]
            choices.append(mirrored)
        elif locked[frame]:
            # Only the sum (or difference) of the outer angles is told: the first one stays where it was.
            free = one[frame].copy()
            free[i] = previous[i]
            free[k] += np.sign(np.sin(free[j])) * parity * previous[i]
            choices = [free]
        else:
            choices = [one[frame], other[frame]]
        near = [_nearest_turns(choice, previous) for choice in choices]
        values[frame] = min(near, key=lambda choice: float(np.abs(choice - previous).sum()))
        previous = values[frame]
    return values
