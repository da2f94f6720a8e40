# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors and quaternions as tuples of components, each a number or an array: one code for a frame and for a clip.

A stream has one frame at a time, for which NumPy spends its time on being called; a clip has thousands. Written on
components, the same formulas serve both, and give the same bits: sums, products, quotients and roots are rounded alike
everywhere, and the functions that are not (sines, arc tangents) are those of `math` for arrays too. NumPy's own depend
on how long an array is and where in memory it lies.

The tuples have the order (x, y, z) and (w, x, y, z). Nothing here divides by zero: what has no length has no direction
and gives no turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..core.arrays import Array

Number: TypeAlias = Any
"""A float, or an array of them, (frames,)."""
Truth: TypeAlias = Any
"""A bool, or an array of them, (frames,)."""
Vector: TypeAlias = tuple[Number, Number, Number]
Quaternion: TypeAlias = tuple[Number, Number, Number, Number]

IDENTITY: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
ZERO: tuple[float, float, float] = (0.0, 0.0, 0.0)

_NOTHING = 1e-150
"""Lengths at or under this have no direction: their squares would leave the range of double precision."""


def split(array: Array) -> tuple[Any, ...]:
    """The components of an array (..., n), each contiguous."""
    return tuple(np.array(array[..., component], order="C") for component in range(array.shape[-1]))


def joined(components: tuple[Number, ...]) -> Array:
    """(..., n) of its components."""
    return np.stack(np.broadcast_arrays(*components), axis=-1).astype(np.float64, copy=False)


# Numbers -------------------------------------------------------------------------------------------------------------


def where(condition: Truth, one: Number, other: Number) -> Number:
    """One where the condition holds, the other elsewhere."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, one, other)
    return one if condition else other


def choose(condition: Truth, one: tuple[Number, ...], other: tuple[Number, ...]) -> tuple[Number, ...]:
    """`where` for tuples."""
    if isinstance(condition, np.ndarray):
        return tuple(np.where(condition, a, b) for a, b in zip(one, other, strict=True))
    return one if condition else other


def negated(condition: Truth) -> Truth:
    """Where the condition does not hold."""
    return np.logical_not(condition) if isinstance(condition, np.ndarray) else not condition


def holds_anywhere(condition: Truth) -> bool:
    """Whether the condition holds in any frame."""
    return bool(condition.any()) if isinstance(condition, np.ndarray) else bool(condition)


def smaller(a: Number, b: Number) -> Number:
    return where(a < b, a, b)


def larger(a: Number, b: Number) -> Number:
    return where(a > b, a, b)


def clamped(value: Number, lowest: Number, highest: Number) -> Number:
    return larger(lowest, smaller(value, highest))


def root(value: Number) -> Number:
    """The square root; of what rounding has left below zero, zero."""
    if isinstance(value, np.ndarray):
        return np.sqrt(np.where(value > 0.0, value, 0.0))
    return math.sqrt(value) if value > 0.0 else 0.0


def sine(angle: Number) -> Number:
    return _each(math.sin, angle) if isinstance(angle, np.ndarray) else math.sin(angle)


def cosine(angle: Number) -> Number:
    return _each(math.cos, angle) if isinstance(angle, np.ndarray) else math.cos(angle)


def arc_tangent(y: Number, x: Number) -> Number:
    """The angle of the point (x, y), in [-pi, pi]; 0 where both are 0."""
    if isinstance(y, np.ndarray) or isinstance(x, np.ndarray):
        return _each(math.atan2, y, x)
    return math.atan2(y, x)


def _each(function: Callable[..., float], *values: Number) -> Array:
    arrays = np.broadcast_arrays(*values)
    flat = map(function, *(array.ravel().tolist() for array in arrays))
    return np.fromiter(flat, np.float64, arrays[0].size).reshape(arrays[0].shape)


def _inverse(size: Number) -> Number:
    """One over a length; 0 of what has none."""
    if isinstance(size, np.ndarray):
        known = size > _NOTHING
        return np.where(known, 1.0, 0.0) / np.where(known, size, 1.0)
    return 1.0 / size if size > _NOTHING else 0.0


# Vectors -------------------------------------------------------------------------------------------------------------


def plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(factor: Number, a: Vector) -> Vector:
    return factor * a[0], factor * a[1], factor * a[2]


def dot(a: Vector, b: Vector) -> Number:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def length(a: Vector) -> Number:
    return root(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def unit(a: Vector) -> Vector:
    """The direction; zero of what has none."""
    factor = _inverse(length(a))
    return factor * a[0], factor * a[1], factor * a[2]


# Rotations -----------------------------------------------------------------------------------------------------------


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation b followed by the rotation a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(q: Quaternion) -> Quaternion:
    return q[0], -q[1], -q[2], -q[3]


def rotate(q: Quaternion, v: Vector) -> Vector:
    """A vector turned by q."""
    w, x, y, z = q
    vx, vy, vz = v
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return vx + w * tx + (y * tz - z * ty), vy + w * ty + (z * tx - x * tz), vz + w * tz + (x * ty - y * tx)


def normalized(q: Quaternion) -> Quaternion:
    w, x, y, z = q
    factor = _inverse(root(w * w + x * x + y * y + z * z))
    return where(factor > 0.0, factor * w, 1.0), factor * x, factor * y, factor * z


def about(axis: Vector, angle: Number) -> Quaternion:
    """The rotation by an angle about a unit axis."""
    half = 0.5 * angle
    factor = sine(half)
    return cosine(half), factor * axis[0], factor * axis[1], factor * axis[2]


def between(a: Vector, b: Vector) -> Quaternion:
    """The smallest rotation from the direction of a to that of b: `rot` of document 000.

    Half-way between the two lies the direction through which the halved turn leads; where the two are opposite there is
    no such direction, and it is a half turn about an axis across them. What has no length is not turned.
    """
    u, v = unit(a), unit(b)
    w = 1.0 + dot(u, v)
    axis = cross(u, v)
    least = where(abs(u[0]) > abs(u[1]), 0.0, 1.0)
    across = unit(cross(u, (least, 1.0 - least, 0.0)))
    opposite = (w < 1e-12) & (dot(u, u) > 0.0) & (dot(v, v) > 0.0)
    return normalized(choose(opposite, (0.0 * w, *across), (w, *axis)))


def powered(q: Quaternion, share: Number) -> Quaternion:
    """A share of the rotation q, the shorter way round."""
    sign = where(q[0] < 0.0, -1.0, 1.0)
    w, x, y, z = sign * q[0], sign * q[1], sign * q[2], sign * q[3]
    size = root(x * x + y * y + z * z)
    part = share * arc_tangent(size, w)
    turned = size > _NOTHING
    factor = where(turned, sine(part), 0.0) / where(turned, size, 1.0)
    return cosine(part), factor * x, factor * y, factor * z


def twist(q: Quaternion, axis: Vector) -> Number:
    """The angle, in [-pi, pi], of the turn about a unit axis that comes nearest to q."""
    along = q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2]
    sign = where(q[0] < 0.0, -1.0, 1.0)
    return 2.0 * arc_tangent(sign * along, sign * q[0])
