# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations by their axioms, over random batches and at the places where formulas break."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import PoiseError

from ..rounding import assert_equal_to_rounding

COUNT = 500
EPS = float(np.finfo(np.float64).eps)

TAIT_BRYAN = ["".join(order) for order in itertools.permutations("XYZ")]
PROPER = [a + b + a for a, b in itertools.permutations("XYZ", 2)]

CRITICAL_NORMS = [0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1e-4, 0.3, 1.0, np.pi - 1e-9, np.pi, 2 * np.pi - 1e-6]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


def directions(rng: np.random.Generator, count: int = COUNT) -> Array:
    vectors = rng.standard_normal((count, 3))
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def assert_same_rotation(a: Array, b: Array, tolerance: float = 8 * EPS, what: str = "the rotations differ") -> None:
    """q and -q are equal; the tolerance is on the components."""
    a, b = np.broadcast_arrays(a, b)
    worst = np.max(np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1)), initial=0.0)
    assert worst <= tolerance, f"{what}: by {worst:.3g}"


# ------------------------------------------------------------------------------------------------------------ the group


def test_few_are_computed_like_many(rng: np.random.Generator) -> None:
    """Up to a number, matrix products take the place of component arithmetic."""
    a, b = rotations.random(rng, (2, COUNT))
    v = rng.standard_normal((COUNT, 3))
    v[0], b[1] = 0.0, a[1]
    for function, arguments in (
        (rotations.multiply, (a, b)),
        (rotations.quotient, (a, b)),
        (rotations.rotate, (a, v)),
        (rotations.to_matrix, (a,)),
        (rotations.normalize, (3.0 * a,)),
        (rotations.exp, (v,)),
        (rotations.log, (a,)),
        (rotations.lengths, (v,)),
        (rotations.exp_jacobian, (v,)),
        (rotations.exp_jacobian_inverse, (v,)),
    ):
        many = function(*arguments)
        few = np.concatenate([function(*(each[i : i + 5] for each in arguments)) for i in range(0, COUNT, 5)])
        np.testing.assert_allclose(few, many, rtol=0.0, atol=32 * EPS, err_msg=function.__name__)
    assert not rotations.quotient(a[:5], -a[:5])[:, 1:].any()


def test_multiplication_is_associative_with_identity_and_inverse(rng: np.random.Generator) -> None:
    a, b, c = rotations.random(rng, (3, COUNT))
    left = rotations.multiply(rotations.multiply(a, b), c)
    right = rotations.multiply(a, rotations.multiply(b, c))
    np.testing.assert_allclose(left, right, atol=8 * EPS)
    np.testing.assert_array_equal(rotations.multiply(a, rotations.IDENTITY), a)
    np.testing.assert_array_equal(rotations.multiply(rotations.IDENTITY, a), a)
    for product in (rotations.multiply(a, rotations.conjugate(a)), rotations.multiply(rotations.conjugate(a), a)):
        np.testing.assert_allclose(product, np.broadcast_to(rotations.IDENTITY, (COUNT, 4)), atol=8 * EPS)
    inverse_of_product = rotations.conjugate(rotations.multiply(a, b))
    expected = rotations.multiply(rotations.conjugate(b), rotations.conjugate(a))
    np.testing.assert_allclose(inverse_of_product, expected, atol=8 * EPS)
    np.testing.assert_allclose(np.linalg.norm(left, axis=-1), 1.0, atol=8 * EPS)


def test_a_quotient_leads_from_one_rotation_to_another(rng: np.random.Generator) -> None:
    a, b = rotations.random(rng, (COUNT, 1)), rotations.random(rng, 3)
    np.testing.assert_allclose(
        rotations.multiply(rotations.quotient(a, b), b), np.broadcast_to(a, (COUNT, 3, 4)), atol=1e-14
    )
    np.testing.assert_array_equal(rotations.quotient(a, a)[..., 1:], 0.0, err_msg="the same is no turn at all")
    np.testing.assert_array_equal(rotations.quotient(a, -a)[..., 1:], 0.0)


def test_parts_are_another_way_to_write_quaternions(rng: np.random.Generator) -> None:
    a, b = rotations.random(rng, (COUNT, 3)), rotations.random(rng, (COUNT, 3))
    parts = rotations.to_parts(a)
    assert parts.shape == (4, COUNT, 3)
    np.testing.assert_array_equal(rotations.from_parts(parts), a)
    product = rotations.multiply_parts(parts, rotations.to_parts(b))
    np.testing.assert_allclose(rotations.from_parts(product), rotations.multiply(a, b), rtol=0.0, atol=4 * EPS)


def test_products_do_not_depend_on_where_they_lie_in_memory(rng: np.random.Generator) -> None:
    a, b = rotations.random(rng, (2, 31, 22))
    expected = rotations.multiply(a, b)
    spacers = []
    for _ in range(200):
        spacers.append(np.empty(int(rng.integers(1, 3000))))
        np.testing.assert_array_equal(rotations.multiply(a.copy(), b.copy()), expected)
    for strided in (np.asfortranarray(a), a.astype(np.float32).astype(np.float64)[::-1][::-1]):
        np.testing.assert_allclose(rotations.multiply(strided, b), expected, atol=1e-6)


def test_hamilton_products_of_the_units() -> None:
    one, i, j, k = np.eye(4)
    for a, b, product in [(i, j, k), (j, k, i), (k, i, j), (j, i, -k), (i, i, -one), (j, j, -one), (k, k, -one)]:
        np.testing.assert_array_equal(rotations.multiply(a, b), product)


def test_rotation_is_right_handed() -> None:
    quarter = rotations.from_axis_angle([0.0, 0.0, 3.0], np.pi / 2)
    np.testing.assert_allclose(rotations.rotate(quarter, [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0], atol=2 * EPS)


def test_rotate_acts_as_the_group_and_keeps_lengths_and_angles(rng: np.random.Generator) -> None:
    a, b = rotations.random(rng, (2, COUNT))
    u, v = rng.standard_normal((2, COUNT, 3))
    np.testing.assert_allclose(
        rotations.rotate(rotations.multiply(a, b), v), rotations.rotate(a, rotations.rotate(b, v)), atol=1e-14
    )
    turned_u, turned_v = rotations.rotate(a, u), rotations.rotate(a, v)
    np.testing.assert_allclose(np.sum(turned_u * turned_v, -1), np.sum(u * v, -1), atol=1e-14)
    np.testing.assert_allclose(rotations.rotate(a, np.cross(u, v)), np.cross(turned_u, turned_v), atol=3e-14)
    assert_equal_to_rounding(rotations.rotate(-a, v), turned_v)


def test_matrices_are_a_homomorphism(rng: np.random.Generator) -> None:
    a, b = rotations.random(rng, (2, COUNT))
    v = rng.standard_normal((COUNT, 3))
    matrix = rotations.to_matrix(a)
    product = rotations.to_matrix(rotations.multiply(a, b))
    np.testing.assert_allclose(product, matrix @ rotations.to_matrix(b), atol=2e-15)
    np.testing.assert_allclose((matrix @ v[..., None])[..., 0], rotations.rotate(a, v), atol=1e-14)
    np.testing.assert_allclose(matrix @ np.swapaxes(matrix, -1, -2) - np.eye(3), 0.0, atol=2e-15)
    np.testing.assert_allclose(np.linalg.det(matrix), 1.0, atol=2e-15)


def test_from_matrix_inverts_to_matrix_for_every_trace(rng: np.random.Generator) -> None:
    half_turns = np.concatenate([np.zeros((COUNT, 1)), directions(rng)], axis=-1)
    near_half_turns = rotations.normalize(half_turns + 1e-9 * rng.standard_normal((COUNT, 4)))
    units = np.eye(4)
    for q in (rotations.random(rng, COUNT), half_turns, near_half_turns, units):
        back = rotations.from_matrix(rotations.to_matrix(q))
        assert_same_rotation(back, q)
        assert np.all(back[..., 0] >= 0.0)


def test_normalize_keeps_direction_and_maps_zero_to_identity(rng: np.random.Generator) -> None:
    q = rotations.random(rng, COUNT)
    lengths = np.exp(rng.uniform(-20, 20, COUNT))
    np.testing.assert_allclose(rotations.normalize(q * lengths[:, None]), q, atol=4 * EPS)
    mixed = rotations.normalize(np.stack([np.zeros(4), 2 * q[0]]))
    np.testing.assert_array_equal(mixed[0], rotations.IDENTITY)
    np.testing.assert_allclose(mixed[1], q[0], atol=4 * EPS)


def test_align_chooses_the_hemisphere(rng: np.random.Generator) -> None:
    q, reference = rotations.random(rng, (2, COUNT))
    aligned = rotations.align(q, reference)
    assert np.all(np.sum(aligned * reference, -1) >= 0.0)
    np.testing.assert_array_equal(np.abs(aligned), np.abs(q))
    assert_same_rotation(aligned, q, 0.0)
    assert_equal_to_rounding(rotations.align(-q, reference), aligned)


# -------------------------------------------------------------------------------------------------- the exponential map


@pytest.mark.parametrize("norm", CRITICAL_NORMS)
def test_log_inverts_exp(rng: np.random.Generator, norm: float) -> None:
    v = norm * directions(rng)
    q = rotations.exp(v)
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1.0, atol=4 * EPS)
    shortest = rotations.log(q)
    assert np.all(np.linalg.norm(shortest, axis=-1) <= np.pi * (1 + 2 * EPS))
    assert_same_rotation(rotations.exp(shortest), q)
    if norm < np.pi:
        scale = max(norm, np.finfo(np.float64).tiny)
        np.testing.assert_allclose(shortest / scale, v / scale, rtol=1e-13, atol=1e-13)


def test_exp_inverts_log_for_either_sign(rng: np.random.Generator) -> None:
    q = rotations.random(rng, COUNT)
    np.testing.assert_allclose(rotations.exp(rotations.log(q)), np.where(q[:, :1] < 0, -q, q), atol=4 * EPS)
    assert_equal_to_rounding(rotations.log(-q), rotations.log(q))
    np.testing.assert_array_equal(rotations.log(-rotations.IDENTITY), np.zeros(3))


def test_exp_is_one_parameter_subgroup_along_each_axis(rng: np.random.Generator) -> None:
    axes = directions(rng)
    s, t = rng.uniform(-4, 4, (2, COUNT, 1))
    product = rotations.multiply(rotations.exp(s * axes), rotations.exp(t * axes))
    np.testing.assert_allclose(product, rotations.exp((s + t) * axes), atol=8 * EPS)
    np.testing.assert_allclose(rotations.from_axis_angle(7 * axes, t[:, 0]), rotations.exp(t * axes), atol=4 * EPS)


def test_log_is_equivariant_under_conjugation(rng: np.random.Generator) -> None:
    q, turn = rotations.random(rng, (2, COUNT))
    conjugated = rotations.multiply(rotations.multiply(turn, q), rotations.conjugate(turn))
    np.testing.assert_allclose(rotations.log(conjugated), rotations.rotate(turn, rotations.log(q)), atol=1e-13)


def left_jacobian(v: Array) -> Array:
    """(..., 3, 3) the integral of exp(s v) over s in [0, 1], as matrices, by Gauss-Legendre quadrature."""
    nodes, node_weights = np.polynomial.legendre.leggauss(40)
    along = rotations.to_matrix(rotations.exp((0.5 * (nodes + 1))[:, None, None] * v))
    return np.sum(0.5 * node_weights[:, None, None, None] * along, axis=0)


@pytest.mark.parametrize("norm", [0.0, 1e-300, 1e-8, 1e-3, 0.29999, 0.30001, 1.0, np.pi, 4.0, 6.0, 2 * np.pi - 1e-3])
def test_the_left_jacobian_agrees_with_finite_differences(rng: np.random.Generator, norm: float) -> None:
    """The truth to which the tests below compare the Jacobian and its inverse."""
    v = norm * directions(rng, 50)
    jacobian = left_jacobian(v)
    step = 1e-5
    for column in range(3):
        d = np.zeros(3)
        d[column] = step
        ahead = rotations.multiply(rotations.exp(v + d), rotations.conjugate(rotations.exp(v)))
        behind = rotations.multiply(rotations.exp(v - d), rotations.conjugate(rotations.exp(v)))
        difference = (rotations.log(ahead) - rotations.log(behind)) / (2 * step)
        np.testing.assert_allclose(jacobian[..., column], difference, atol=1e-9)


@pytest.mark.parametrize("norm", [0.0, 1e-300, 1e-8, 1e-3, 0.29999, 0.30001, 1.0, np.pi, 4.0, 6.0, 2 * np.pi])
def test_exp_jacobian_is_the_left_jacobian(rng: np.random.Generator, norm: float) -> None:
    v = norm * directions(rng)
    np.testing.assert_allclose(rotations.exp_jacobian(v), left_jacobian(v), atol=1e-13)


def test_exp_jacobian_inverse_does_not_jump_where_the_series_ends(rng: np.random.Generator) -> None:
    axes = directions(rng)
    below, above = np.nextafter(0.3, 0.0) * axes, np.nextafter(0.3, 1.0) * axes
    inverse = rotations.exp_jacobian_inverse
    np.testing.assert_allclose(inverse(below), inverse(above), atol=1e-15)


@pytest.mark.parametrize("norm", [0.0, 1e-300, 1e-8, 1e-3, 0.29999, 0.30001, 1.0, np.pi, 4.0, 6.0])
def test_exp_jacobian_inverse_is_the_inverse(rng: np.random.Generator, norm: float) -> None:
    v = norm * directions(rng)
    product = left_jacobian(v) @ rotations.exp_jacobian_inverse(v)
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(3), product.shape), atol=1e-13)


def test_exp_jacobian_inverse_near_a_full_turn(rng: np.random.Generator) -> None:
    """The inverse grows like 1 / (2 pi - |v|); it must keep its relative accuracy there."""
    gap = 1e-6
    v = (2 * np.pi - gap) * directions(rng)
    inverse = rotations.exp_jacobian_inverse(v)
    largest = np.linalg.norm(inverse, ord=2, axis=(-2, -1))
    np.testing.assert_allclose(largest, 2 * np.pi / gap, rtol=1e-6)
    # Along v it is 1; across v it scales by (|v| / 2) cot(|v| / 2) and turns by half of v.
    axes = v / np.linalg.norm(v, axis=-1, keepdims=True)
    across = np.eye(3) - axes[:, :, None] * axes[:, None]
    half_cross = 0.5 * np.cross(v[:, None], np.eye(3)).swapaxes(1, 2)
    expected = np.eye(3) - across - (np.pi - gap / 2) / np.tan(gap / 2) * across - half_cross
    np.testing.assert_allclose(inverse, expected, atol=1e-8 * 2 * np.pi / gap)


def test_exp_jacobian_inverse_is_the_derivative_of_log(rng: np.random.Generator) -> None:
    q = rotations.random(rng, COUNT)
    q = q[np.linalg.norm(rotations.log(q), axis=-1) < 3.0]
    inverse = rotations.exp_jacobian_inverse(rotations.log(q))
    step = 1e-5
    for column in range(3):
        w = np.zeros(3)
        w[column] = step
        ahead, behind = (rotations.log(rotations.multiply(rotations.exp(sign * w), q)) for sign in (1, -1))
        np.testing.assert_allclose(inverse[..., column], (ahead - behind) / (2 * step), atol=1e-8)


# --------------------------------------------------------------------------------------------------------- Euler angles


@pytest.mark.parametrize("order", TAIT_BRYAN + PROPER)
def test_euler_round_trip(rng: np.random.Generator, order: str) -> None:
    q = rotations.random(rng, COUNT)
    angles = rotations.to_euler(q, order)
    assert_same_rotation(rotations.from_euler(angles, order), q)
    assert np.all(np.abs(angles[:, [0, 2]]) <= np.pi)
    if order in PROPER:
        assert np.all((angles[:, 1] >= 0) & (angles[:, 1] <= np.pi))
        inside = rng.uniform([-np.pi, 0.1, -np.pi], [np.pi, np.pi - 0.1, np.pi], (COUNT, 3))
    else:
        assert np.all(np.abs(angles[:, 1]) <= np.pi / 2)
        inside = rng.uniform([-np.pi, -1.47, -np.pi], [np.pi, 1.47, np.pi], (COUNT, 3))
    np.testing.assert_allclose(rotations.to_euler(rotations.from_euler(inside, order), order), inside, atol=3e-14)
    np.testing.assert_allclose(rotations.to_euler(-q, order), angles, atol=1e-13)


@pytest.mark.parametrize("order", TAIT_BRYAN + PROPER)
@pytest.mark.parametrize("distance", [0.0, 1e-16, 1e-12, 1e-9, 1e-6])
def test_euler_round_trip_in_and_near_gimbal_lock(rng: np.random.Generator, order: str, distance: float) -> None:
    locks = (0.0, np.pi) if order in PROPER else (-np.pi / 2, np.pi / 2)
    for lock in locks:
        angles = rng.uniform(-np.pi, np.pi, (COUNT, 3))
        angles[:, 1] = lock + distance * rng.choice([-1.0, 1.0], COUNT)
        q = rotations.from_euler(angles, order)
        found = rotations.to_euler(q, order)
        what = f"{order}, {distance} from its lock at {lock:.3f}"
        assert_same_rotation(rotations.from_euler(found, order), q, 6e-15, what)
        if distance == 0.0:
            np.testing.assert_allclose(found[:, 2], 0.0, atol=0.0, err_msg="the third angle is free in the lock")


@pytest.mark.parametrize("order", TAIT_BRYAN + PROPER)
def test_euler_half_turns_are_positive(order: str) -> None:
    """-pi and pi are the same angle; the range says that pi is the one."""
    for outer in itertools.product((-np.pi, 0.0, np.pi), repeat=2):
        for q in (
            rotations.from_euler([outer[0], 0.7, outer[1]], order),
            -rotations.from_euler([0.0, 0.7, np.pi], order),
        ):
            angles = rotations.to_euler(np.where(np.abs(q) < EPS, 0.0, q), order)
            assert angles[0] > -np.pi and angles[2] > -np.pi


def test_euler_order_reads_from_the_outside_in(rng: np.random.Generator) -> None:
    axes = {"X": [1, 0, 0], "Y": [0, 1, 0], "Z": [0, 0, 1]}
    angles = rng.uniform(-np.pi, np.pi, (COUNT, 3))
    for order in TAIT_BRYAN + PROPER:
        outer, middle, inner = (rotations.from_axis_angle(axes[axis], angles[:, at]) for at, axis in enumerate(order))
        expected = rotations.multiply(outer, rotations.multiply(middle, inner))
        np.testing.assert_allclose(rotations.from_euler(angles, order), expected, atol=4 * EPS)


@pytest.mark.parametrize("order", ["", "XY", "XXY", "XYY", "XYW", "zyx", "XYZX"])
def test_unknown_euler_orders_are_refused(order: str) -> None:
    with pytest.raises(PoiseError, match="rotation order"):
        rotations.from_euler(np.zeros(3), order)
    with pytest.raises(PoiseError, match="rotation order"):
        rotations.to_euler(rotations.IDENTITY, order)


@pytest.mark.parametrize("axes", ["X", "Z", "YX", "ZZ", "ZYX", "XYX", "XXY", "ZYXZ", "XYZZYX"])
def test_turns_are_multiplied_from_the_outside_in(rng: np.random.Generator, axes: str) -> None:
    angles = rng.uniform(-2.0 * np.pi, 2.0 * np.pi, (COUNT, len(axes)))
    expected = np.tile(rotations.IDENTITY, (COUNT, 1))
    for at, axis in enumerate(axes):
        turn = rotations.exp(angles[:, at, None] * np.eye(3)["XYZ".index(axis)])
        expected = rotations.multiply(expected, turn)
    assert_same_rotation(rotations.from_turns(angles, axes), expected)


@pytest.mark.parametrize("axes", ["", "W", "zy", "XYW"])
def test_turns_about_unknown_axes_are_refused(axes: str) -> None:
    with pytest.raises(PoiseError, match="unknown"):
        rotations.from_turns(np.zeros(len(axes)), axes)


@pytest.mark.parametrize("order", TAIT_BRYAN + PROPER)
def test_each_rotation_has_two_triples_of_angles(rng: np.random.Generator, order: str) -> None:
    angles = rng.uniform(-np.pi, np.pi, (COUNT, 3))
    second = rotations.second_euler(angles, order)
    assert_same_rotation(rotations.from_euler(second, order), rotations.from_euler(angles, order))
    assert (np.abs(np.cos(second[:, 0]) - np.cos(angles[:, 0])) > 1e-9).all(), "the second triple is the first"
    once_more = np.exp(1j * rotations.second_euler(second, order))
    np.testing.assert_allclose(once_more, np.exp(1j * angles), atol=1e-14)


def wandering(rng: np.random.Generator, frames: int) -> Array:
    """(frames, 2, 4) two joints that turn over and over, through every place where computed angles leap."""
    turned = [rotations.random(rng, 2)]
    for _ in range(frames - 1):
        step = rng.normal((0.1, 0.05, 0.1), 0.2, (2, 3))
        turned.append(rotations.multiply(rotations.exp(step), turned[-1]))
    return rotations.normalize(np.array(turned))


@pytest.mark.parametrize("order", TAIT_BRYAN + PROPER)
def test_continuous_angles_are_as_near_to_the_frame_before_as_can_be(rng: np.random.Generator, order: str) -> None:
    turned = wandering(rng, 300)
    computed = rotations.to_euler(turned, order)
    found = rotations.continuous_euler(computed, order)
    assert_same_rotation(rotations.from_euler(found, order), turned, 1e-13)
    assert np.array_equal(found[0], computed[0])
    steps = np.abs(np.diff(found, axis=0))
    assert steps.max() <= np.pi < np.abs(np.diff(computed, axis=0)).max()
    for other in (found, rotations.second_euler(found, order)):
        apart = other[1:] - found[:-1]
        nearest = np.abs(apart - 2.0 * np.pi * np.round(apart / (2.0 * np.pi))).sum(axis=-1)
        assert (steps.sum(axis=-1) <= nearest + 1e-12).all()
    assert np.array_equal(rotations.continuous_euler(found, order), found), "angles that are near already have changed"


def test_continuous_quaternions_change_nothing_but_signs(rng: np.random.Generator) -> None:
    turned = wandering(rng, 200)
    flipped = turned * rng.choice([-1.0, 1.0], (200, 2, 1))
    found = rotations.continuous(flipped)
    assert np.array_equal(np.abs(found), np.abs(turned))
    assert np.array_equal(found[0], flipped[0])
    assert (np.sum(found[1:] * found[:-1], axis=-1) > 0.0).all()
    assert np.array_equal(rotations.continuous(found[:1]), found[:1])


# --------------------------------------------------------------------------------------------- swing, twist, directions


def half_swings(rng: np.random.Generator, axes: Array) -> Array:
    """Half turns about axes perpendicular to `axes`: the twist is not determined there."""
    across = np.cross(axes, directions(rng, len(axes)))
    return np.concatenate([np.zeros((len(axes), 1)), across / np.linalg.norm(across, axis=-1, keepdims=True)], axis=-1)


def test_swing_and_twist_recompose_about_perpendicular_and_parallel_axes(rng: np.random.Generator) -> None:
    axes = directions(rng)
    half = half_swings(rng, axes)
    batches = [
        rotations.random(rng, COUNT),
        half,
        rotations.normalize(half + 1e-9 * rng.standard_normal((COUNT, 4))),
        rotations.normalize(half + 1e-15 * rng.standard_normal((COUNT, 4))),
        np.broadcast_to(rotations.IDENTITY, (COUNT, 4)),
        rotations.exp(1e-9 * directions(rng)),
        rotations.from_axis_angle(axes, rng.uniform(-np.pi, np.pi, COUNT)),
    ]
    for number, q in enumerate(batches):
        swing, twist = rotations.swing_twist(q, 3.0 * axes)
        what = f"batch {number}"
        np.testing.assert_allclose(rotations.multiply(swing, twist), q, atol=8 * EPS, err_msg=what)
        np.testing.assert_allclose(np.linalg.norm(twist, axis=-1), 1.0, atol=4 * EPS, err_msg=what)
        np.testing.assert_allclose(np.sum(swing[:, 1:] * axes, -1), 0.0, atol=16 * EPS, err_msg=what)
        np.testing.assert_allclose(np.cross(twist[:, 1:], axes), 0.0, atol=4 * EPS, err_msg=what)
        assert np.all(swing[:, 0] >= -4 * EPS), what
        np.testing.assert_allclose(rotations.rotate(twist, axes), axes, atol=1e-14, err_msg=what)
        angle = rotations.twist_angle(q, 3.0 * axes)
        assert np.all((angle > -np.pi) & (angle <= np.pi)), what
        assert_same_rotation(rotations.from_axis_angle(axes, angle), twist, what=what)


def test_twist_of_a_half_swing_is_the_identity(rng: np.random.Generator) -> None:
    axes = directions(rng)
    _, twist = rotations.swing_twist(half_swings(rng, axes), axes)
    np.testing.assert_array_equal(twist, np.broadcast_to(rotations.IDENTITY, (COUNT, 4)))
    np.testing.assert_array_equal(rotations.twist_angle(half_swings(rng, axes), axes), np.zeros(COUNT))


def test_twist_angle_adds_up_about_its_axis(rng: np.random.Generator) -> None:
    axes = directions(rng)
    q = rotations.random(rng, COUNT)
    more = rng.uniform(-np.pi, np.pi, COUNT)
    turned = rotations.multiply(q, rotations.from_axis_angle(axes, more))
    change = rotations.twist_angle(turned, axes) - rotations.twist_angle(q, axes) - more
    np.testing.assert_allclose(np.sin(0.5 * change), 0.0, atol=1e-13)
    assert rotations.twist_angle([0.0, 0.0, 0.0, -1.0], [0.0, 0.0, 1.0]) == np.pi
    assert rotations.twist_angle([-0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0]) == np.pi


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, 1e-8, 1.0, 2.6, *(np.pi - np.array([1e-3, 1e-8, 1e-12, 0.0]))])
def test_between_is_the_smallest_rotation_between_directions(rng: np.random.Generator, angle: float) -> None:
    a = directions(rng)
    across = half_swings(rng, a)[:, 1:]
    b = rotations.rotate(rotations.from_axis_angle(across, angle), a)
    lengths = np.exp(rng.uniform(-200, 200, (2, COUNT, 1)))
    q = rotations.between(lengths[0] * a, lengths[1] * b)
    np.testing.assert_allclose(np.linalg.norm(q, axis=-1), 1.0, atol=4 * EPS)
    np.testing.assert_allclose(rotations.rotate(q, a), b, atol=1e-14)
    np.testing.assert_allclose(rotations.angle_between(q, rotations.IDENTITY), angle, atol=1e-14)
    np.testing.assert_allclose(np.sum(q[:, 1:] * a, -1), 0.0, atol=2e-15, err_msg="the axis is not perpendicular")


def test_between_exact_opposites_and_zero_vectors() -> None:
    for axis in [*np.eye(3), np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0)]:
        q = rotations.between(axis, -2.0 * axis)
        np.testing.assert_allclose(rotations.rotate(q, axis), -axis, atol=4 * EPS)
        assert abs(q[0]) < 2 * EPS
    for a, b in [(np.zeros(3), [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], np.zeros(3)), (np.zeros(3), np.zeros(3))]:
        np.testing.assert_array_equal(rotations.between(a, b), rotations.IDENTITY)
    np.testing.assert_array_equal(rotations.from_axis_angle(np.zeros(3), 1.0), rotations.IDENTITY)


@pytest.mark.parametrize("angle", [0.0, 1e-150, 1e-15, 1e-12, 1e-8, 1e-3, 1.0, np.pi - 1e-8, np.pi])
def test_angle_between_is_accurate_and_ignores_signs(rng: np.random.Generator, angle: float) -> None:
    """Beside the identity a small rotation is held exactly; elsewhere the quaternions' own rounding sets the floor."""
    small = rotations.exp(angle * directions(rng))
    np.testing.assert_allclose(rotations.angle_between(rotations.IDENTITY, small), angle, rtol=1e-14)
    q = rotations.random(rng, COUNT)
    moved = rotations.multiply(small, q)
    np.testing.assert_allclose(rotations.angle_between(q, moved), angle, atol=1e-14)
    assert_equal_to_rounding(rotations.angle_between(q, -moved), rotations.angle_between(q, moved))
    np.testing.assert_array_equal(rotations.angle_between(q, q), np.zeros(COUNT))


# ---------------------------------------------------------------------------------------------------- between rotations


def test_slerp_reaches_its_ends_at_constant_speed(rng: np.random.Generator) -> None:
    a, b = rotations.random(rng, (2, COUNT))
    fractions = np.linspace(0.0, 1.0, 9)[:, None]
    path = rotations.slerp(a, b, fractions)
    np.testing.assert_array_equal(path[0], a)
    assert_same_rotation(path[-1], b, 0.0)
    np.testing.assert_allclose(np.linalg.norm(path, axis=-1), 1.0, atol=8 * EPS)
    steps = rotations.angle_between(path[1:], path[:-1])
    np.testing.assert_allclose(steps, np.broadcast_to(rotations.angle_between(a, b) / 8, steps.shape), atol=4e-15)
    np.testing.assert_allclose(rotations.slerp(a, -b, fractions), path, atol=4 * EPS)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-15, 1e-9, 3.0, np.pi])
def test_slerp_is_the_geodesic(rng: np.random.Generator, angle: float) -> None:
    a = rotations.random(rng, COUNT)
    v = angle * directions(rng)
    b = rotations.multiply(rotations.exp(v), a)
    t = rng.uniform(-0.5, 1.5, COUNT)
    for end in (b, -b):
        expected = rotations.multiply(rotations.exp(t[:, None] * v), a)
        if angle == np.pi:
            other_way = rotations.multiply(rotations.exp(-t[:, None] * v), a)
            found = rotations.slerp(a, end, t)
            nearest = np.minimum(rotations.angle_between(found, expected), rotations.angle_between(found, other_way))
            np.testing.assert_allclose(nearest, 0.0, atol=1e-14)
        else:
            assert_same_rotation(rotations.slerp(a, end, t), expected, 2e-15 if angle < 1 else 1e-14)


def spread(rng: np.random.Generator, angle: float) -> Array:
    """(7, COUNT, 4): seven rotations within `angle` of a common one, for each of COUNT."""
    aside = angle * rng.uniform(0, 1, (7, COUNT, 1)) * directions(rng, 7 * COUNT).reshape(7, COUNT, 3)
    return rotations.multiply(rotations.exp(aside), rotations.random(rng, COUNT))


def test_mean_is_equivariant_and_ignores_signs(rng: np.random.Generator) -> None:
    q = spread(rng, 0.8)
    weights = rng.uniform(0.1, 1.0, 7)
    left, right = rotations.random(rng, (2, COUNT))
    center = rotations.mean(q, weights=weights)
    turned = rotations.mean(rotations.multiply(rotations.multiply(left, q), right), weights=weights)
    assert_same_rotation(turned, rotations.multiply(rotations.multiply(left, center), right), 4e-14)
    signs = rng.choice([-1.0, 1.0], (7, COUNT, 1))
    assert_same_rotation(rotations.mean(signs * q, weights=weights), center, 4e-14)
    assert np.all(center[:, 0] >= 0.0)


def test_mean_balances_the_weighted_rotations_around_it(rng: np.random.Generator) -> None:
    q = spread(rng, 0.8)
    weights = rng.uniform(0.1, 1.0, (7, COUNT))
    center = rotations.mean(q, weights=weights)
    pull = np.sum(weights[..., None] * rotations.log(rotations.multiply(q, rotations.conjugate(center))), axis=0)
    np.testing.assert_allclose(pull, 0.0, atol=1e-13)


def test_mean_of_one_of_two_and_along_any_axis(rng: np.random.Generator) -> None:
    a, b = rotations.random(rng, (2, COUNT))
    assert_same_rotation(rotations.mean(a[None]), a, 1e-14)
    assert_same_rotation(rotations.mean(np.stack([a, b])), rotations.slerp(a, b, 0.5), 1e-12)
    assert_same_rotation(rotations.mean(np.stack([a, b]), weights=[3.0, 1.0]), rotations.slerp(a, b, 0.25), 1e-12)
    q = spread(rng, 0.5)
    assert_same_rotation(rotations.mean(np.swapaxes(q, 0, 1), axis=1), rotations.mean(q), 1e-14)
    assert_same_rotation(rotations.mean(np.swapaxes(q, 0, 1), axis=-1), rotations.mean(q), 1e-14)
    with pytest.raises(PoiseError, match="at least one rotation"):
        rotations.mean(np.zeros((0, 4)))
    with pytest.raises(PoiseError, match="positive sum"):
        rotations.mean(q, weights=np.zeros(7))


def test_random_rotations_are_uniform(rng: np.random.Generator) -> None:
    """Uniform rotations turn any vector to a uniform direction: its mean vanishes and its second moment is I / 3."""
    q = rotations.random(rng, (100, 200))
    assert q.shape == (100, 200, 4)
    assert rotations.random(rng).shape == (4,)
    turned = rotations.rotate(q, [0.0, 0.6, 0.8]).reshape(-1, 3)
    np.testing.assert_allclose(turned.mean(0), 0.0, atol=0.02)
    np.testing.assert_allclose(turned.T @ turned / len(turned), np.eye(3) / 3, atol=0.02)
    angle = np.linalg.norm(rotations.log(q), axis=-1)
    np.testing.assert_allclose(angle.mean(), np.pi / 2 + 2 / np.pi, atol=0.02)


# --------------------------------------------------------------------------------------- shapes shared by all functions


Q, V, SCALAR = 4, 3, 0

Function = Callable[..., Array]
Kinds = tuple[int, ...]

FUNCTIONS: list[tuple[str, Function, Kinds, Kinds]] = [
    ("normalize", rotations.normalize, (Q,), (4,)),
    ("multiply", rotations.multiply, (Q, Q), (4,)),
    ("conjugate", rotations.conjugate, (Q,), (4,)),
    ("rotate", rotations.rotate, (Q, V), (3,)),
    ("exp", rotations.exp, (V,), (4,)),
    ("log", rotations.log, (Q,), (3,)),
    ("exp_jacobian_inverse", rotations.exp_jacobian_inverse, (V,), (3, 3)),
    ("to_matrix", rotations.to_matrix, (Q,), (3, 3)),
    ("from_matrix", lambda q: rotations.from_matrix(rotations.to_matrix(q)), (Q,), (4,)),
    ("from_axis_angle", rotations.from_axis_angle, (V, SCALAR), (4,)),
    ("from_euler", lambda angles: rotations.from_euler(angles, "ZXY"), (V,), (4,)),
    ("to_euler", lambda q: rotations.to_euler(q, "YXZ"), (Q,), (3,)),
    ("swing", lambda q, axis: rotations.swing_twist(q, axis)[0], (Q, V), (4,)),
    ("twist", lambda q, axis: rotations.swing_twist(q, axis)[1], (Q, V), (4,)),
    ("twist_angle", rotations.twist_angle, (Q, V), ()),
    ("between", rotations.between, (V, V), (4,)),
    ("angle_between", rotations.angle_between, (Q, Q), ()),
    ("align", rotations.align, (Q, Q), (4,)),
    ("slerp", rotations.slerp, (Q, Q, SCALAR), (4,)),
]


def arguments(rng: np.random.Generator, kinds: tuple[int, ...], shapes: list[tuple[int, ...]]) -> list[Array]:
    made: dict[int, Callable[[tuple[int, ...]], Array]] = {
        Q: lambda shape: rotations.random(rng, shape),
        V: lambda shape: rng.standard_normal((*shape, 3)),
        SCALAR: lambda shape: np.asarray(rng.uniform(size=shape)),
    }
    return [made[kind](shape) for kind, shape in zip(kinds, shapes, strict=True)]


@pytest.mark.parametrize(
    ("function", "kinds", "tail"), [entry[1:] for entry in FUNCTIONS], ids=[entry[0] for entry in FUNCTIONS]
)
class TestEveryFunction:
    def test_single_empty_and_leading_axes_agree(
        self, rng: np.random.Generator, function: Function, kinds: Kinds, tail: Kinds
    ) -> None:
        batch = arguments(rng, kinds, [(5, 3)] * len(kinds))
        whole = function(*batch)
        assert whole.shape == (5, 3, *tail) and whole.dtype == np.float64
        one = np.asarray(function(*(argument[2, 1] for argument in batch)))
        assert one.shape == tail
        np.testing.assert_allclose(one, whole[2, 1], rtol=0, atol=4 * EPS)
        assert np.asarray(function(*(argument[:0] for argument in batch))).shape == (0, 3, *tail)
        assert np.asarray(function(*(argument[0, :0] for argument in batch))).shape == (0, *tail)

    def test_arguments_broadcast(self, rng: np.random.Generator, function: Function, kinds: Kinds, tail: Kinds) -> None:
        shapes = [(5, 1), (3,), ()][: len(kinds)]
        given = arguments(rng, kinds, shapes)
        leading = np.broadcast_shapes(*shapes)
        spread_out = [
            np.broadcast_to(argument, leading if kind == SCALAR else (*leading, kind))
            for argument, kind in zip(given, kinds, strict=True)
        ]
        np.testing.assert_allclose(function(*given), function(*spread_out), rtol=0, atol=4 * EPS)

    def test_input_is_never_modified_nor_returned(
        self, rng: np.random.Generator, function: Function, kinds: Kinds, tail: Kinds
    ) -> None:
        given = arguments(rng, kinds, [(6,)] * len(kinds))
        before = [argument.copy() for argument in given]
        for argument in given:
            argument.setflags(write=False)
        result = function(*given)
        for argument, copy in zip(given, before, strict=True):
            np.testing.assert_array_equal(argument, copy)
            assert not np.shares_memory(np.asarray(result), argument)

    def test_lists_and_integers_are_taken(
        self, rng: np.random.Generator, function: Function, kinds: Kinds, tail: Kinds
    ) -> None:
        plain = {Q: [0, 1, 0, 0], V: [0, 0, 2], SCALAR: 1}
        result = np.asarray(function(*(plain[kind] for kind in kinds)))
        assert result.dtype == np.float64 and np.all(np.isfinite(result))


def test_identity_cannot_be_overwritten() -> None:
    with pytest.raises(ValueError, match="read-only"):
        rotations.IDENTITY[0] = 2.0


def test_dot_products_and_unit_vectors_are_those_of_numpy(rng: np.random.Generator) -> None:
    u, v = rng.standard_normal((2, COUNT, 3))
    np.testing.assert_allclose(rotations.dot(u, v), np.sum(u * v, axis=-1), atol=1e-15)
    np.testing.assert_allclose(rotations.unit(u), u / np.linalg.norm(u, axis=-1, keepdims=True), atol=1e-15)
    assert not rotations.unit(np.zeros((2, 3))).any()


def test_the_twist_angle_is_that_of_the_nearest_rotation_about_the_axis(rng: np.random.Generator) -> None:
    # Kovar 2004, equation 3.11, lacks a factor of two: the rotation about n nearest to (w, v) is by 2 atan2(n·v, w).
    q, axes = rotations.random(rng, 40), rotations.unit(rng.standard_normal((40, 3)))
    best = rotations.from_axis_angle(axes, rotations.twist_angle(q, axes))
    for turn, axis, found in zip(q, axes, best, strict=True):
        tried = rotations.from_axis_angle(axis, np.linspace(-np.pi, np.pi, 721))
        assert rotations.angle_between(found, turn) <= rotations.angle_between(tried, turn).min() + 1e-9
