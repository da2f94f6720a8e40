# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as unit quaternions (w, x, y, z).

Every function broadcasts over leading axes, computes in double precision, never modifies its input and takes no
Python loop over the batch. Quaternions have shape (..., 4), vectors and rotation vectors (..., 3), angles (...) in
radians. q and -q are the same rotation; no function depends on the sign of its input unless its docstring says so.

A rotation vector is axis times angle. Small rotations act on the left: `exp(w) * q` turns q by w in the frame that
q maps into.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import Array, ArrayLike
from .errors import PoiseError

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.setflags(write=False)

_TWO_PI = 2.0 * math.pi

_SMALLEST_ANGLE = 1e-300
"""Replaces an angle of zero in a division: half of it, and its sine, are still normal numbers."""

_SERIES_BELOW = 0.3
"""Angle under which the Jacobian's coefficient is summed as a series: its closed form cancels there, and the terms of
the series that are left out sum to less than 1e-17."""

_ROUNDING = 16.0 * float(np.finfo(np.float64).eps)
"""Components of a unit quaternion at or under this are rounding: their ratio means nothing."""

_NEARLY_OPPOSITE = -0.9
"""Cosine under which `between` uses the formula that is accurate up to opposite directions."""

_MEAN_ITERATIONS = 50
"""An upper bound: rotations within a quarter turn of each other need about ten."""

_FEW = 128
"""Quaternions or vectors up to which the number of NumPy calls decides the time: they are then multiplied by small
matrices, which takes few calls. More are computed component by component, which takes less arithmetic."""

_LEFT = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
"""(4, 4) for each component of a product, the component of the left factor that multiplies each of the right one."""
_SIGN = np.array([[1.0, -1.0, -1.0, -1.0], [1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 1.0, -1.0], [1.0, -1.0, 1.0, 1.0]])
"""(4, 4) the sign of each of these products."""
_TO_LEFT = (np.eye(4)[_LEFT] * _SIGN[:, :, None]).reshape(16, 4).T
"""(4, 16) from a quaternion to the 4 by 4 matrix that multiplies by it from the left."""
_UNTURNED = np.eye(3)
_TO_CROSS = np.cross(np.eye(3)[:, None], np.eye(3)).swapaxes(1, 2).reshape(3, 9)
"""(3, 9) from a vector to the 3 by 3 matrix of the cross product with it."""
_TO_MATRIX = np.zeros((4, 4, 3, 3))
"""(16, 9) from the products of any two components of a quaternion to its rotation matrix minus `_UNTURNED`."""
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _TO_MATRIX[1 + _j, 1 + _j, _i, _i] = _TO_MATRIX[1 + _k, 1 + _k, _i, _i] = -2.0
    _TO_MATRIX[1 + _i, 1 + _j, _i, _j] = _TO_MATRIX[1 + _i, 1 + _j, _j, _i] = 2.0
    _TO_MATRIX[0, 1 + _k, _i, _j], _TO_MATRIX[0, 1 + _k, _j, _i] = -2.0, 2.0
_TO_MATRIX = _TO_MATRIX.reshape(16, 9)
_QUOTIENT = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 0, 1, 3], [3, 0, 2, 1]])
_QUOTIENT_OTHER = np.array([[0, 1, 2, 3], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]])
_QUOTIENT_SIGN = np.array([[1.0, 1.0, 1.0, 1.0], *[[1.0, -1.0, 1.0, -1.0]] * 3])
"""(4, 4) for each component of a quotient, the components of a and b whose products it sums in two pairs, and signs."""


# ---------------------------------------------------------------------------------------------------------------------
# Products, inverses and signs
# ---------------------------------------------------------------------------------------------------------------------


def normalize(q: ArrayLike) -> Array:
    """The unit quaternion along q; a zero quaternion, which has no direction, becomes the identity."""
    q = np.asarray(q, dtype=np.float64)
    norm = _norm4(q)
    known = norm > 0.0
    if known.all():
        return scaled(q, 1.0 / norm)
    return np.where(known[..., None], q / np.where(known, norm, 1.0)[..., None], IDENTITY)


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """a * b: the rotation b followed by the rotation a."""
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    if a.size <= 4 * _FEW and b.size <= 4 * _FEW:
        return np.asarray(((a @ _TO_LEFT).reshape(*a.shape, 4) @ b[..., None])[..., 0])
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    w = aw * bw - ax * bx - ay * by - az * bz
    product = np.empty((*w.shape, 4))
    product[..., 0] = w
    product[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    product[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    product[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return product


def conjugate(q: ArrayLike) -> Array:
    """The inverse of a unit quaternion."""
    inverse = np.negative(np.asarray(q, dtype=np.float64))
    np.negative(inverse[..., 0], out=inverse[..., 0])
    return inverse


def quotient(a: ArrayLike, b: ArrayLike) -> Array:
    """a * b⁻¹ of unit quaternions: the rotation from b to a; its vector part is exactly zero where a is b or -b."""
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    # If a is b, the products of these sums cancel exactly in pairs; those of `multiply` leave rounding.
    if a.size <= 4 * _FEW and b.size <= 4 * _FEW:
        terms = a[..., _QUOTIENT] * b[..., _QUOTIENT_OTHER] * _QUOTIENT_SIGN
        pairs = terms[..., ::2] + terms[..., 1::2]
        return np.asarray(pairs[..., 0] + pairs[..., 1])
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    w = aw * bw + ax * bx + ay * by + az * bz
    ratio = np.empty((*w.shape, 4))
    ratio[..., 0] = w
    ratio[..., 1] = (ax * bw - aw * bx) + (az * by - ay * bz)
    ratio[..., 2] = (ay * bw - aw * by) + (ax * bz - az * bx)
    ratio[..., 3] = (az * bw - aw * bz) + (ay * bx - ax * by)
    return ratio


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """The vectors v turned by q."""
    q = np.asarray(q, dtype=np.float64)
    v = np.asarray(v, dtype=np.float64)
    if q.size <= 4 * _FEW and v.size <= 3 * _FEW:
        return np.asarray((to_matrix(q) @ v[..., None])[..., 0])
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    vx, vy, vz = v[..., 0], v[..., 1], v[..., 2]
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    turned = np.empty((*tx.shape, 3))
    turned[..., 0] = vx + w * tx + (y * tz - z * ty)
    turned[..., 1] = vy + w * ty + (z * tx - x * tz)
    turned[..., 2] = vz + w * tz + (x * ty - y * tx)
    return turned


def align(q: ArrayLike, reference: ArrayLike) -> Array:
    """q or -q, whichever lies in the hemisphere of `reference`; q itself where the two are equally near."""
    q = np.asarray(q, dtype=np.float64)
    opposite = _dot4(q, np.asarray(reference, dtype=np.float64)) < 0.0
    return np.where(opposite[..., None], -q, q)


def continuous(q: ArrayLike) -> Array:
    """The quaternions (frames, ..., 4), each with the sign that is nearer to the previous frame; the first is kept."""
    q = np.asarray(q, dtype=np.float64)
    signs = np.cumprod(np.where(_dot4(q[1:], q[:-1]) < 0.0, -1.0, 1.0), axis=0)
    return np.concatenate([q[:1], q[1:] * signs[..., None]])


# ---------------------------------------------------------------------------------------------------------------------
# Quaternions as four component arrays
# ---------------------------------------------------------------------------------------------------------------------

# With the components w, x, y and z in separate arrays, (4, ...), a product of many quaternions is a few operations on
# whole arrays. (Pairs of complex numbers would need fewer, but NumPy's rounding of their products depends on where in
# memory they lie, so results would not be reproducible.)


def to_parts(q: ArrayLike) -> Array:
    """(4, ...) the components of quaternions (..., 4)."""
    return np.ascontiguousarray(np.moveaxis(np.asarray(q, dtype=np.float64), -1, 0))


def from_parts(parts: Array) -> Array:
    """(..., 4) quaternions from their components (4, ...)."""
    return np.ascontiguousarray(np.moveaxis(parts, 0, -1))


def multiply_parts(a: Array, b: Array) -> Array:
    """`multiply` for quaternions, and with a result, in component arrays (4, ...)."""
    terms = a[_LEFT]
    terms *= _SIGN.reshape(4, 4, *[1] * (a.ndim - 1))
    terms *= b
    return np.asarray(terms.sum(axis=1))


# ---------------------------------------------------------------------------------------------------------------------
# The exponential map
# ---------------------------------------------------------------------------------------------------------------------


def exp(rotation_vector: ArrayLike) -> Array:
    """The quaternion that turns by |rotation_vector| about its direction, for any length."""
    v = np.asarray(rotation_vector, dtype=np.float64)
    angle = np.maximum(lengths(v), _SMALLEST_ANGLE)
    half = 0.5 * angle
    q = np.empty((*v.shape[:-1], 4))
    np.cos(half, out=q[..., 0])
    scale = np.sin(half)
    scale /= angle
    scaled(v, scale, q[..., 1:])
    return q


def log(q: ArrayLike) -> Array:
    """The shortest rotation vector of q: its norm is at most pi."""
    q = np.asarray(q, dtype=np.float64)
    w = q[..., 0]
    sine = np.maximum(lengths(q[..., 1:]), _SMALLEST_ANGLE)
    scale = 2.0 * np.arctan2(sine, np.abs(w)) / sine
    return scaled(q[..., 1:], np.copysign(scale, w))


def exp_jacobian(rotation_vector: ArrayLike) -> Array:
    """The left Jacobian L (..., 3, 3) of `exp`: exp(v + d) is exp(L d) * exp(v) to first order in d."""
    v = np.asarray(rotation_vector, dtype=np.float64)
    angle = lengths(v)
    squared = angle * angle
    small = angle < _SERIES_BELOW
    first = _polynomial(squared, (1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800))
    second = _polynomial(squared, (1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800))
    if not small.all():
        safe = np.where(small, 1.0, angle)
        first = np.where(small, first, (1.0 - np.cos(safe)) / (safe * safe))
        second = np.where(small, second, (safe - np.sin(safe)) / (safe * safe * safe))
    return _identity_and_cross_powers(v, squared, first, second)


def exp_jacobian_inverse(rotation_vector: ArrayLike) -> Array:
    """The inverse left Jacobian K (..., 3, 3) of `exp`: log(exp(d) * exp(v)) is v + K d to first order in d.

    It grows without bound where |v| nears a multiple of 2 pi (other than 0).
    """
    v = np.asarray(rotation_vector, dtype=np.float64)
    angle = lengths(v)
    squared = angle * angle
    small = angle < _SERIES_BELOW
    second = _polynomial(squared, (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000))
    if not small.all():
        safe = np.where(small, 1.0, angle)
        half = 0.5 * safe
        second = np.where(small, second, (1.0 - half * np.cos(half) / np.sin(half)) / (safe * safe))
    return _identity_and_cross_powers(v, squared, np.full(angle.shape, -0.5), second)


# ---------------------------------------------------------------------------------------------------------------------
# Other forms: matrices, axis and angle, Euler angles
# ---------------------------------------------------------------------------------------------------------------------


def to_matrix(q: ArrayLike) -> Array:
    """The rotation matrices (..., 3, 3) that act on column vectors as `rotate` does."""
    q = np.asarray(q, dtype=np.float64)
    if q.size <= 4 * _FEW:
        products = (q[..., :, None] * q[..., None, :]).reshape(*q.shape[:-1], 16)
        return np.asarray((products @ _TO_MATRIX).reshape(*q.shape[:-1], 3, 3) + _UNTURNED)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    matrix = np.empty((*q.shape[:-1], 3, 3))
    matrix[..., 0, 0] = 1.0 - (yy + zz)
    matrix[..., 0, 1] = xy - wz
    matrix[..., 0, 2] = xz + wy
    matrix[..., 1, 0] = xy + wz
    matrix[..., 1, 1] = 1.0 - (xx + zz)
    matrix[..., 1, 2] = yz - wx
    matrix[..., 2, 0] = xz - wy
    matrix[..., 2, 1] = yz + wx
    matrix[..., 2, 2] = 1.0 - (xx + yy)
    return matrix


def from_matrix(matrix: ArrayLike) -> Array:
    """The quaternions, with w >= 0, of rotation matrices (..., 3, 3).

    A rotation matrix holds every product of two components of q. The row of the largest component is that
    component times q, so it is far from zero for every rotation and only has to be normalised.
    """
    m = np.asarray(matrix, dtype=np.float64)
    products = np.empty((*m.shape[:-2], 4, 4))
    m00, m11, m22 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    products[..., 0, 0] = 1.0 + m00 + m11 + m22
    products[..., 1, 1] = 1.0 + m00 - m11 - m22
    products[..., 2, 2] = 1.0 - m00 + m11 - m22
    products[..., 3, 3] = 1.0 - m00 - m11 + m22
    products[..., 0, 1] = products[..., 1, 0] = m[..., 2, 1] - m[..., 1, 2]
    products[..., 0, 2] = products[..., 2, 0] = m[..., 0, 2] - m[..., 2, 0]
    products[..., 0, 3] = products[..., 3, 0] = m[..., 1, 0] - m[..., 0, 1]
    products[..., 1, 2] = products[..., 2, 1] = m[..., 0, 1] + m[..., 1, 0]
    products[..., 1, 3] = products[..., 3, 1] = m[..., 0, 2] + m[..., 2, 0]
    products[..., 2, 3] = products[..., 3, 2] = m[..., 1, 2] + m[..., 2, 1]
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    return align(normalize(row), IDENTITY)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """The rotation by `angle` (...) about `axis` (..., 3) of any length; a zero axis gives the identity."""
    direction = _unit(np.asarray(axis, dtype=np.float64))
    angle = np.asarray(angle, dtype=np.float64)
    half = 0.5 * angle
    q = np.empty((*np.broadcast_shapes(direction.shape[:-1], angle.shape), 4))
    q[..., 0] = np.where(np.any(direction != 0.0, axis=-1), np.cos(half), 1.0)
    q[..., 1:] = direction * np.sin(half)[..., None]
    return q


def from_euler(angles: ArrayLike, order: str) -> Array:
    """The rotation of three angles (..., 3) about the axes that `order` names, such as "ZYX" or "XYX".

    The rotations are intrinsic and the first letter is the outermost: "ZYX" gives q_Z * q_Y * q_X, as the channels
    of a BVH file read.
    """
    i, j, k, parity = _euler_axes(order)
    third = 3 - i - j
    half = 0.5 * np.asarray(angles, dtype=np.float64)
    cosine, sine = np.cos(half), np.sin(half)
    c1, c2, c3 = cosine[..., 0], cosine[..., 1], cosine[..., 2]
    s1, s2, s3 = sine[..., 0], sine[..., 1], sine[..., 2]

    # The first two factors give these components along 1, axis i, axis j and the third axis.
    w, x, y, z = c1 * c2, s1 * c2, c1 * s2, parity * s1 * s2
    q = np.empty((*half.shape[:-1], 4))
    if k == i:
        q[..., 0] = w * c3 - x * s3
        q[..., 1 + i] = x * c3 + w * s3
        q[..., 1 + j] = y * c3 + parity * z * s3
        q[..., 1 + third] = z * c3 - parity * y * s3
    else:
        q[..., 0] = w * c3 - z * s3
        q[..., 1 + i] = x * c3 + parity * y * s3
        q[..., 1 + j] = y * c3 - parity * x * s3
        q[..., 1 + third] = z * c3 + w * s3
    return q


def to_euler(q: ArrayLike, order: str) -> Array:
    """The angles (..., 3) for which `from_euler(angles, order)` is the rotation q.

    The first and the third lie in (-pi, pi]. The second lies in [-pi/2, pi/2] when the three axes differ and in
    [0, pi] when the first axis returns as the third. In gimbal lock, where only a sum or a difference of the outer
    angles is known, the third is 0.
    """
    q = np.asarray(q, dtype=np.float64)
    i, j, k, parity = _euler_axes(order)
    returns = i == k
    w, x, y, z = q[..., 0], q[..., 1 + i], q[..., 1 + j], parity * q[..., 4 - i - j]
    if not returns:
        # A quarter turn about the second axis on the right carries the third axis onto the first, up to its sign.
        w, x, y, z = w - y, x - z, y + w, z + x

    # w, x are cos(middle/2) times the cosine and sine of the outer angles' half sum; y, z are sin(middle/2) times
    # those of the half difference. A pair that is lost in rounding leaves its angle free.
    outer, inner = np.hypot(w, x), np.hypot(y, z)
    half_sum, half_difference = np.arctan2(x, w), np.arctan2(z, y)
    half_difference = np.where(inner <= _ROUNDING, half_sum, half_difference)
    half_sum = np.where(outer <= _ROUNDING, half_difference, half_sum)

    angles = np.empty((*q.shape[:-1], 3))
    angles[..., 0] = _wrap(half_sum + half_difference)
    angles[..., 1] = 2.0 * np.arctan2(inner, outer)
    angles[..., 2] = _wrap(half_sum - half_difference)
    if not returns:
        angles[..., 1] -= 0.5 * math.pi
        angles[..., 2] = _wrap(-parity * angles[..., 2])
    return angles


def from_turns(angles: ArrayLike, axes: str) -> Array:
    """The product of turns by angles (..., turns) about the axes that are named, such as "ZY"; the first is outermost.

    As `from_euler`, but of any number of turns, and possibly about the same axis twice in a row.
    """
    angles = np.asarray(angles, dtype=np.float64)
    if len(axes) == 3 and axes[1] not in (axes[0], axes[2]):
        return from_euler(angles, axes)
    if not axes or any(axis not in "XYZ" for axis in axes):
        raise PoiseError(f"The axes {axes!r} are unknown: name axes among X, Y and Z, in the order of the turns.")
    directions = [np.eye(3)["XYZ".index(axis)] for axis in axes]
    product = from_axis_angle(directions[0], angles[..., 0])
    for position, direction in enumerate(directions[1:], start=1):
        product = multiply(product, from_axis_angle(direction, angles[..., position]))
    return product


def second_euler(angles: ArrayLike, order: str) -> Array:
    """The other triple of angles (..., 3), up to whole turns, that gives the same rotation as `angles`."""
    i, _, k, _ = _euler_axes(order)
    angles = np.asarray(angles, dtype=np.float64)
    middle = -angles[..., 1] if i == k else math.pi - angles[..., 1]
    return np.stack([angles[..., 0] + math.pi, middle, angles[..., 2] + math.pi], axis=-1)


def continuous_euler(angles: ArrayLike, order: str) -> Array:
    """Angles (frames, ..., 3) of the same rotations, each triple the nearest one to that of the previous frame.

    The first frame is kept, and so are all others that are already nearest. Whether the triple changes between two
    frames does not depend on which of the two triples the first frame has, so all changes are computed at once.
    """
    angles = np.asarray(angles, dtype=np.float64)
    second = second_euler(angles, order)

    def distance(before: Array, after: Array) -> Array:
        step = after - before
        return np.asarray(np.abs(step - _TWO_PI * np.round(step / _TWO_PI)).sum(axis=-1))

    changes = distance(angles[:-1], second[1:]) < distance(angles[:-1], angles[1:])
    is_second = np.zeros(angles.shape[:-1], dtype=bool)
    np.logical_xor.accumulate(changes, axis=0, out=is_second[1:])
    chosen = np.where(is_second[..., None], second, angles)
    # Whole turns are counted as integers, so that rounding does not accumulate along the clip.
    chosen[1:] -= _TWO_PI * np.cumsum(np.round(np.diff(chosen, axis=0) / _TWO_PI), axis=0)
    return chosen


# ---------------------------------------------------------------------------------------------------------------------
# Swing and twist, directions
# ---------------------------------------------------------------------------------------------------------------------


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Array, Array]:
    """(swing, twist) with q = swing * twist: twist turns about `axis` (..., 3), swing about a perpendicular axis.

    The swing has w >= 0, so its angle is at most pi. Where it is pi the twist is not determined and is the identity.
    """
    q = np.asarray(q, dtype=np.float64)
    direction = _unit(np.asarray(axis, dtype=np.float64))
    w, along = _twist_plane(q, direction)
    norm = np.hypot(w, along)
    twist = np.empty((*along.shape, 4))
    twist[..., 0] = np.divide(w, norm, out=np.ones(norm.shape), where=norm > 0.0)
    twist[..., 1:] = np.divide(along, norm, out=np.zeros(norm.shape), where=norm > 0.0)[..., None] * direction
    return multiply(q, conjugate(twist)), twist


def twist_angle(q: ArrayLike, axis: ArrayLike) -> Array:
    """The angle in (-pi, pi] of the twist about `axis` (..., 3) that `swing_twist` splits off."""
    q = np.asarray(q, dtype=np.float64)
    w, along = _twist_plane(q, _unit(np.asarray(axis, dtype=np.float64)))
    angle = 2.0 * np.arctan2(np.copysign(1.0, w) * along, np.abs(w))
    return np.where(angle <= -math.pi, math.pi, angle)


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """The smallest rotation that turns the direction of a to that of b, vectors (..., 3) of any length.

    Opposite vectors give a half turn about some axis perpendicular to them, a zero vector gives the identity.
    """
    u = _unit(np.asarray(a, dtype=np.float64))
    v = _unit(np.asarray(b, dtype=np.float64))
    u, v = np.broadcast_arrays(u, v)
    cosine = _dot3(u, v)
    q = np.empty((*cosine.shape, 4))
    q[..., 0] = 1.0 + cosine
    q[..., 1:] = cross(u, v)
    wide = cosine < _NEARLY_OPPOSITE
    if np.any(wide):
        q[wide] = _between_nearly_opposite(u[wide], v[wide])
    return normalize(q)


def cross(a: Array, b: Array) -> Array:
    """The cross products (..., 3) of vectors; np.cross costs several times as much."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    first = y * bz - z * by
    product = np.empty((*first.shape, 3))
    product[..., 0] = first
    product[..., 1] = z * bx - x * bz
    product[..., 2] = x * by - y * bx
    return product


def lengths(vectors: Array) -> Array:
    """(...) the lengths of vectors (..., 3); np.linalg.norm costs several times as much along a short axis."""
    if vectors.size <= 3 * _FEW:
        return np.asarray(np.sqrt(_few_squares(vectors)))
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def dot(a: Array, b: Array) -> Array:
    """The dot products (...) of vectors (..., 3)."""
    return _dot3(a, b)


def unit(vectors: Array) -> Array:
    """The directions (..., 3) of vectors; a zero vector stays zero."""
    return _unit(vectors)


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """The angle in [0, pi] of the rotation from a to b, with full relative accuracy for tiny angles."""
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    difference, total = _norm4(a - b), _norm4(a + b)
    return np.asarray(4.0 * np.arctan2(np.minimum(difference, total), np.maximum(difference, total)))


# ---------------------------------------------------------------------------------------------------------------------
# Interpolation and means
# ---------------------------------------------------------------------------------------------------------------------


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """The rotation at the fraction t (...) of the shortest arc from a (t = 0) to b (t = 1), in the hemisphere of a."""
    a = np.asarray(a, dtype=np.float64)
    b = align(b, a)
    t = np.asarray(t, dtype=np.float64)
    arc = 2.0 * np.arctan2(_norm4(a - b), _norm4(a + b))
    t, arc = np.broadcast_arrays(t, arc)
    sine = np.sin(arc)
    curved = sine > 0.0
    from_a = np.divide(np.sin((1.0 - t) * arc), sine, out=np.array(1.0 - t), where=curved)
    from_b = np.divide(np.sin(t * arc), sine, out=np.array(t), where=curved)
    return np.asarray(a * from_a[..., None] + b * from_b[..., None])


def mean(q: ArrayLike, axis: int = 0, weights: ArrayLike | None = None) -> Array:
    """The rotation (..., 4), w >= 0, that minimises the weighted sum of squared angles to the rotations along `axis`.

    `axis` is one of the leading axes of q; `weights` has their shape or the length of that axis. The iteration starts
    at the eigenvector that minimises the chordal distances, which does not depend on the quaternions' signs, and
    continues in the tangent space.
    """
    q = np.asarray(q, dtype=np.float64)
    leading = q.shape[:-1]
    axis = axis % len(leading)
    if weights is None:
        shares = np.ones(leading)
    else:
        given = np.asarray(weights, dtype=np.float64)
        if given.ndim == 1 and len(leading) > 1:
            given = given.reshape([-1 if dimension == axis else 1 for dimension in range(len(leading))])
        shares = np.broadcast_to(given, leading)
    total = np.sum(shares, axis=axis, keepdims=True)
    if not np.all(total > 0.0):
        raise PoiseError("The mean of rotations needs at least one rotation and weights with a positive sum.")
    shares = np.moveaxis(shares / total, axis, 0)
    q = np.moveaxis(q, axis, 0)

    products = np.sum(shares[..., None, None] * q[..., :, None] * q[..., None, :], axis=0)
    center = np.linalg.eigh(products)[1][..., -1]
    for _ in range(_MEAN_ITERATIONS):
        step = np.sum(shares[..., None] * log(multiply(q, conjugate(center))), axis=0)
        center = normalize(multiply(exp(step), center))
        if not np.any(np.abs(step) > _ROUNDING):
            break
    return align(center, IDENTITY)


def random(rng: np.random.Generator, shape: int | tuple[int, ...] = ()) -> Array:
    """Uniformly distributed rotations (*shape, 4)."""
    shape = (shape,) if isinstance(shape, int) else shape
    return normalize(rng.standard_normal((*shape, 4)))


# ---------------------------------------------------------------------------------------------------------------------
# Helpers
# ---------------------------------------------------------------------------------------------------------------------


def scaled(vectors: Array, factors: Array, out: Array | None = None) -> Array:
    """Vectors (..., n) times factors (...): component by component, since NumPy is slow along a short last axis."""
    if out is None:
        out = np.empty((*factors.shape, vectors.shape[-1]))
    if factors.size <= _FEW:
        return np.multiply(vectors, factors[..., None], out=out)
    for component in range(vectors.shape[-1]):
        np.multiply(vectors[..., component], factors, out=out[..., component])
    return out


def _norm4(q: Array) -> Array:
    return np.asarray(np.sqrt(_few_squares(q) if q.size <= 4 * _FEW else _dot4(q, q)))


def _few_squares(vectors: Array) -> Array:
    """The squared lengths (...) of few vectors (..., n)."""
    return np.asarray((vectors[..., None, :] @ vectors[..., None])[..., 0, 0])


def _dot3(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2])


def _dot4(a: Array, b: Array) -> Array:
    return np.asarray(
        a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2] + a[..., 3] * b[..., 3],
    )


def _unit(v: Array) -> Array:
    """The direction of v; zero stays zero. Dividing by the largest component first keeps the squares in range."""
    size = np.abs(v)
    largest = np.maximum(np.maximum(size[..., 0], size[..., 1]), size[..., 2])
    known = largest > 0.0
    if not np.all(known):
        largest = np.where(known, largest, 1.0)
    scaled = np.asarray(v / largest[..., None])
    norm = lengths(scaled)
    return np.asarray(scaled / np.where(known, norm, 1.0)[..., None])


def _wrap(angle: Array) -> Array:
    """An angle in [-2 pi, 2 pi] brought into (-pi, pi]."""
    angle = np.where(angle > math.pi, angle - _TWO_PI, angle)
    return np.where(angle <= -math.pi, angle + _TWO_PI, angle)


def _polynomial(x: Array, coefficients: tuple[float, ...]) -> Array:
    """The polynomial with these coefficients from the constant upward."""
    if x.size <= _FEW:
        return np.asarray(x[..., None] ** np.arange(len(coefficients)) @ np.array(coefficients))
    value = np.full(x.shape, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value *= x
        value += coefficient
    return value


def _identity_and_cross_powers(v: Array, squared: Array, first: Array, second: Array) -> Array:
    """I + first K + second K K, where K u is the cross product of v and u; K K = v v^T - squared I."""
    if squared.size <= _FEW:
        crossing = (v @ _TO_CROSS).reshape(*v.shape, 3)
        powers = first[..., None, None] * crossing + second[..., None, None] * (crossing @ crossing)
        return np.asarray(powers + _UNTURNED)
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    diagonal = 1.0 - second * squared
    fx, fy, fz = first * x, first * y, first * z
    sx, sy, sz = second * x, second * y, second * z
    matrix = np.empty((*v.shape[:-1], 3, 3))
    matrix[..., 0, 0] = diagonal + sx * x
    matrix[..., 0, 1] = sx * y - fz
    matrix[..., 0, 2] = sx * z + fy
    matrix[..., 1, 0] = sx * y + fz
    matrix[..., 1, 1] = diagonal + sy * y
    matrix[..., 1, 2] = sy * z - fx
    matrix[..., 2, 0] = sx * z - fy
    matrix[..., 2, 1] = sy * z + fx
    matrix[..., 2, 2] = diagonal + sz * z
    return matrix


def _euler_axes(order: str) -> tuple[int, int, int, float]:
    """The indices of the three axes that `order` names, and whether the first two and the remaining axis are in the
    cyclic order of X, Y, Z (1.0) or against it (-1.0)."""
    if len(order) != 3 or any(letter not in "XYZ" for letter in order) or order[1] in (order[0], order[2]):
        raise PoiseError(
            f"The rotation order {order!r} is unknown: name three of the axes X, Y and Z, neighbours different.",
        )
    i, j, k = ("XYZ".index(letter) for letter in order)
    return i, j, k, 1.0 if (j - i) % 3 == 1 else -1.0


def _twist_plane(q: Array, direction: Array) -> tuple[Array, Array]:
    """w and the vector part along `direction`, or (±1, 0) where the swing is a half turn and both are only rounding."""
    along = _dot3(q[..., 1:], direction)
    w = np.broadcast_to(q[..., 0], along.shape)
    lost = np.hypot(w, along) <= _ROUNDING
    return np.where(lost, np.where(w < 0.0, -1.0, 1.0), w), np.where(lost, 0.0, along)


def _between_nearly_opposite(u: Array, v: Array) -> Array:
    """The unit quaternions from unit u to unit v (count, 3), accurate up to v = -u."""
    normal = cross(u, v)
    opposite = lengths(normal) <= _ROUNDING
    if np.any(opposite):
        least = np.argmin(np.abs(u[opposite]), axis=-1)
        normal[opposite] = cross(u[opposite], np.eye(3)[least])
    # The short cross product carries rounding along u, which a turn of nearly pi would double.
    normal = _unit(normal)
    normal -= _dot3(normal, u)[..., None] * u
    q = np.empty((*u.shape[:-1], 4))
    q[..., 0] = 0.5 * lengths(u + v)
    q[..., 1:] = (0.5 * lengths(u - v))[..., None] * _unit(normal)
    return q
