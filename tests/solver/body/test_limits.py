# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits against sampled truth, finite differences and their own contract: inside, outside and on the edge."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from poise.solver.body.limits import CLAMP_TOLERANCE, BallLimit, HingeLimit, SwingCone, SwingPolygon
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, BoolArray
from poise.solver.core.errors import LimitError

from ..rounding import assert_equal_to_rounding

COUNT = 250
AXIS = np.array([0.36, -0.48, 0.8])
ACROSS = np.array([0.8, 0.6, 0.0])
"""Perpendicular to AXIS."""


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260102)


def toward(polar: float, azimuth: float) -> Array:
    """The direction at an angle from AXIS, at an azimuth about it from ACROSS."""
    side = rotations.rotate(rotations.from_axis_angle(AXIS, azimuth), ACROSS)
    return rotations.rotate(rotations.from_axis_angle(np.cross(AXIS, side), polar), AXIS)


def ring(polars: list[float], turn: float = 2 * math.pi) -> list[Array]:
    return [toward(polar, turn * number / len(polars)) for number, polar in enumerate(polars)]


HORSESHOE = ring([1.2] * 10, 5.5) + ring([0.6] * 10, 5.5)[::-1]
"""A band around AXIS with a gap: AXIS itself and the centre of its corners are outside."""

POLYGONS = {
    "triangle": (SwingPolygon(ring([0.5, 0.9, 0.7])), AXIS),
    "clockwise": (SwingPolygon(ring([0.5, 0.9, 0.7])[::-1]), AXIS),
    "star": (SwingPolygon(ring([1.1, 0.4] * 5)), AXIS),
    "horseshoe": (SwingPolygon(HORSESHOE), toward(0.9, 2.0)),
    "large": (SwingPolygon(ring([2.0, 2.3, 1.9, 2.5, 2.1]), inside=AXIS), AXIS),
    "large star": (SwingPolygon(ring([2.9, 1.4] * 4), inside=AXIS), AXIS),
    "collinear": (SwingPolygon([*ring([0.9, 0.9, 0.9]), toward(0.9, 0) + toward(0.9, 4 * math.pi / 3)]), AXIS),
    "hemisphere": (SwingPolygon(ring([math.pi / 2] * 4), inside=AXIS), AXIS),
}

CONES = [(0.5, 1.0), (1.0, 0.5), (0.7, 0.7), (0.05, 1.5), (3.0, 0.2), (3.1, 2.0), (1e-4, 0.3), (1e-6, 3.0)]

SWINGS: dict[str, SwingCone | SwingPolygon] = {
    **{f"cone {u} {v}": SwingCone(u, v, reference=ACROSS) for u, v in CONES},
    **{name: polygon for name, (polygon, _) in POLYGONS.items()},
}

BALLS: dict[str, BallLimit] = {
    "twist": BallLimit(AXIS, twist=(-0.4, 1.1)),
    "twist beyond pi": BallLimit(AXIS, twist=(2.0, 4.5)),
    "twist without zero": BallLimit(AXIS, twist=(0.5, 0.6)),
    "one twist": BallLimit(AXIS, twist=(0.3, 0.3)),
    **{f"swing {name}": BallLimit(AXIS, swing=swing) for name, swing in SWINGS.items()},
    **{f"both {name}": BallLimit(AXIS, twist=(-0.3, 0.9), swing=swing) for name, swing in SWINGS.items()},
}

every_ball = pytest.mark.parametrize("limit", BALLS.values(), ids=BALLS.keys())
with_swing = {name: limit for name, limit in BALLS.items() if limit.swing is not None}
every_ball_with_a_swing = pytest.mark.parametrize("limit", with_swing.values(), ids=with_swing.keys())


def rotations_to_try(rng: np.random.Generator, count: int = COUNT) -> Array:
    """Uniform rotations, small ones, and ones near the half swing."""
    axes = rng.standard_normal((count, 3))
    across = np.cross(AXIS, rng.standard_normal((count, 3)))
    half = rotations.from_axis_angle(across, np.pi - 10.0 ** rng.uniform(-3, 0, count))
    spin = rotations.from_axis_angle(AXIS, rng.uniform(-np.pi, np.pi, count))
    return np.concatenate([rotations.random(rng, count), rotations.exp(0.5 * axes), rotations.multiply(half, spin)])


def exact_places() -> Array:
    """The rest, half turns about the axis and across it, and the opposite quaternions."""
    places = [rotations.IDENTITY, rotations.from_axis_angle(AXIS, np.pi), rotations.from_axis_angle(ACROSS, np.pi)]
    places.append(rotations.multiply(places[1], places[2]))
    return np.array([sign * place for sign in (1.0, -1.0) for place in places])


# ------------------------------------------------------------------------------------------------- excess against truth


def cone_truth(u: float, v: float, q: Array, samples: int = 5000) -> tuple[Array, BoolArray]:
    """Distances of the turned axis to a densely sampled boundary, and membership by the swing's rotation vector."""
    beside = np.cross(AXIS, ACROSS)
    t = np.linspace(0.0, 2 * np.pi, samples, endpoint=False)[:, None]
    boundary = rotations.rotate(rotations.exp(u * np.cos(t) * ACROSS + v * np.sin(t) * beside), AXIS)
    swing = rotations.log(rotations.swing_twist(q, AXIS)[0])
    inside = (swing @ ACROSS / u) ** 2 + (swing @ beside / v) ** 2 <= 1.0
    return distances(rotations.rotate(q, AXIS), boundary), inside


def distances(d: Array, boundary: Array) -> Array:
    """The smallest angle from each direction to a set of points."""
    nearest = boundary[np.argmax(d @ boundary.T, axis=-1)]
    return 2.0 * np.arctan2(np.linalg.norm(d - nearest, axis=-1), np.linalg.norm(d + nearest, axis=-1))


def polygon_boundary(polygon: SwingPolygon, samples: int = 500) -> Array:
    corners = np.array(polygon.directions)
    fraction = np.linspace(0.0, 1.0, samples, endpoint=False)[:, None, None]
    arcs = rotations.log(rotations.between(corners, np.roll(corners, -1, axis=0)))
    return rotations.rotate(rotations.exp(fraction * arcs), corners).reshape(-1, 3)


def polygon_contains(polygon: SwingPolygon, inside: Array, d: Array) -> BoolArray:
    """Whether the arc from a point that is inside to each direction crosses the boundary an even number of times."""
    crossings = np.zeros(len(d), dtype=int)
    corners = [np.array(corner) for corner in polygon.directions]
    for corner, following in zip(corners, corners[1:] + corners[:1], strict=True):
        meeting = np.cross(np.cross(inside, d), np.cross(corner, following))
        for point in (meeting, -meeting):
            on_path = np.sum(np.cross(inside, point) * np.cross(inside, d), -1) > 0
            on_path &= np.sum(np.cross(point, d) * np.cross(inside, d), -1) > 0
            on_arc = np.cross(corner, point) @ np.cross(corner, following) > 0
            on_arc &= np.cross(point, following) @ np.cross(corner, following) > 0
            crossings += on_path & on_arc
    return crossings % 2 == 0


@pytest.mark.parametrize(("u", "v"), CONES)
def test_cone_excess_is_the_signed_distance_to_the_elliptic_boundary(
    rng: np.random.Generator, u: float, v: float
) -> None:
    q = rotations_to_try(rng)
    excess = BallLimit(AXIS, swing=SwingCone(u, v, reference=ACROSS)).excess(q)[:, 0]
    distance, inside = cone_truth(u, v, q)
    assert np.array_equal(excess <= 0, inside), "a direction counts as inside that is outside, or the reverse"
    sampling = 2 * np.pi * max(u, v) / 5000
    np.testing.assert_array_less(np.abs(excess), distance + 1e-12)
    np.testing.assert_allclose(np.abs(excess), distance, atol=0.6 * sampling)


def test_circular_cone_excess_is_the_swing_angle_beyond_the_cone(rng: np.random.Generator) -> None:
    q = np.concatenate([rotations_to_try(rng), exact_places()])
    swing = rotations.swing_twist(q, AXIS)[0]
    for angle in (1e-3, 0.3, 1.5, 3.1):
        excess = BallLimit(AXIS, swing=SwingCone(angle, angle)).excess(q)[:, 0]
        np.testing.assert_allclose(excess, rotations.angle_between(swing, rotations.IDENTITY) - angle, atol=2e-14)


def test_cone_turns_by_u_about_its_reference_and_by_v_about_the_other() -> None:
    limit = BallLimit(AXIS, swing=SwingCone(0.4, 1.2, reference=ACROSS + 0.5 * AXIS))
    for axis, angle in ((ACROSS, 0.4), (np.cross(AXIS, ACROSS), 1.2)):
        for sign in (1, -1):
            at_the_limit = rotations.from_axis_angle(axis, sign * angle)
            np.testing.assert_allclose(limit.excess(at_the_limit), 0.0, atol=1e-15)


def test_cone_without_reference_uses_x_then_y() -> None:
    for axis, reference in (([0, 1, 0], [1, 0, 0]), ([0, 0.3, -1], [1, 0, 0]), ([-1, 0, 0], [0, 1, 0])):
        frame = SwingCone(0.5, 1.0).frame(axis)
        np.testing.assert_array_equal(frame, SwingCone(0.5, 1.0, reference).frame(axis))
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-15)
        assert np.linalg.det(frame) > 0
    np.testing.assert_array_equal(SwingCone(0.5, 1.0).frame([0, 1, 0])[0], [1, 0, 0])
    np.testing.assert_array_equal(SwingCone(0.5, 1.0).frame([1, 0, 0])[0], [0, 1, 0])


@pytest.mark.parametrize("name", POLYGONS)
def test_polygon_excess_is_the_signed_distance_to_its_arcs(rng: np.random.Generator, name: str) -> None:
    polygon, inside_point = POLYGONS[name]
    q = rotations_to_try(rng)
    d = rotations.rotate(q, AXIS)
    excess = BallLimit(AXIS, swing=polygon).excess(q)[:, 0]
    inside = polygon_contains(polygon, inside_point, d)
    assert 0 < np.count_nonzero(inside) < len(q), "the sample says nothing"
    assert np.array_equal(excess <= 0, inside), "a direction counts as inside that is outside, or the reverse"
    distance = distances(d, polygon_boundary(polygon))
    np.testing.assert_array_less(np.abs(excess), distance + 1e-12)
    np.testing.assert_allclose(np.abs(excess), distance, atol=0.6 * np.pi / 500)


@pytest.mark.parametrize("name", POLYGONS)
def test_polygon_signs_hold_close_to_the_boundary_and_its_corners(rng: np.random.Generator, name: str) -> None:
    """Points at a known small distance on either side of the arcs; and all around the corners the sign is right."""
    polygon, inside_point = POLYGONS[name]
    corners = np.array(polygon.directions)
    following = np.roll(corners, -1, axis=0)
    normals = np.cross(corners, following)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    for fraction, offset in itertools.product((0.3, 0.5, 0.9), (1e-3, 1e-6, 1e-9, 1e-12)):
        foot = rotations.rotate(rotations.exp(fraction * rotations.log(rotations.between(corners, following))), corners)
        sides = [rotations.rotate(rotations.exp(turn * np.cross(foot, normals)), foot) for turn in (offset, -offset)]
        excesses = np.array([polygon.boundary(AXIS).nearest(side).excess for side in sides])
        np.testing.assert_allclose(np.abs(excesses), offset, rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(np.sign(excesses[0]), -np.sign(excesses[1]))
        assert len(set(np.sign(excesses[0]))) == 1, "the inside is not on the same side of all arcs"
    for radius in (1e-2, 1e-5):
        around = corners[:, None] + radius * rng.standard_normal((len(corners), 50, 3))
        around = (around / np.linalg.norm(around, axis=-1, keepdims=True)).reshape(-1, 3)
        inside = polygon_contains(polygon, inside_point, around)
        np.testing.assert_array_equal(polygon.boundary(AXIS).nearest(around).excess <= 0, inside)


def test_polygon_order_does_not_matter_and_inside_chooses_the_side(rng: np.random.Generator) -> None:
    corners = ring([0.5, 0.9, 0.7, 1.1])
    q = rotations_to_try(rng)
    small = BallLimit(AXIS, swing=SwingPolygon(corners)).excess(q)
    np.testing.assert_allclose(BallLimit(AXIS, swing=SwingPolygon(corners[::-1])).excess(q), small, atol=1e-14)
    np.testing.assert_allclose(BallLimit(AXIS, swing=SwingPolygon(corners, inside=AXIS)).excess(q), small, atol=1e-14)
    outer = BallLimit(AXIS, swing=SwingPolygon(corners, inside=-AXIS)).excess(q)
    np.testing.assert_allclose(outer, -small, atol=1e-14)


def test_polygon_seen_from_the_pole_of_its_arcs() -> None:
    """All points of the boundary are equally far: whichever is taken, the distance is a quarter turn."""
    equator = SwingPolygon([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], inside=[0, 0, 1])
    excess, gradients = BallLimit([0, 0, 1], swing=equator).evaluate([rotations.IDENTITY, [0, 1, 0, 0]])
    np.testing.assert_allclose(excess, [[-math.pi / 2], [math.pi / 2]], rtol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(gradients, axis=-1), 1.0, rtol=1e-15)


def test_twist_and_hinge_excess_measure_the_angle_about_the_axis(rng: np.random.Generator) -> None:
    angle = rng.uniform(-np.pi, np.pi, COUNT)
    q = rotations.from_axis_angle(AXIS, angle)
    excess = HingeLimit(-0.5, 1.5).bound_to(AXIS).excess(q)
    middle = 0.5
    unwrapped = middle + np.angle(np.exp(1j * (angle - middle)))
    np.testing.assert_allclose(excess, np.stack([-0.5 - unwrapped, unwrapped - 1.5], -1), atol=1e-14)
    np.testing.assert_allclose(HingeLimit(-0.5, 1.5).bound_to(3 * AXIS).excess(-q), excess, atol=1e-14)
    swung = rotations.multiply(rotations.from_axis_angle(np.cross(AXIS, rng.standard_normal((COUNT, 3))), 2.0), q)
    np.testing.assert_allclose(BallLimit(AXIS, twist=(-0.5, 1.5)).excess(swung), excess, atol=1e-13)


def test_a_range_may_reach_beyond_pi() -> None:
    hinge = HingeLimit(math.radians(100), math.radians(230))
    for degrees, inside in (
        (90, False),
        (101, True),
        (179, True),
        (180, True),
        (-179, True),
        (-131, True),
        (-129, False),
    ):
        q = rotations.from_axis_angle(AXIS, math.radians(degrees))
        assert bool(np.all(hinge.bound_to(AXIS).excess(q) <= 0)) is inside, f"{degrees} degrees"
    everything = HingeLimit(-math.pi, math.pi)
    assert np.all(everything.bound_to(AXIS).excess(rotations.from_axis_angle(AXIS, np.linspace(-4, 4, 99))) <= 0)


# -------------------------------------------------------------------------------------------------------- gradients


@every_ball
def test_gradients_are_the_derivatives_of_the_excess(rng: np.random.Generator, limit: BallLimit) -> None:
    """By central differences; kinks, such as midway between two sides, show in second differences and are left out."""
    q = rotations_to_try(rng)
    swing = rotations.angle_between(rotations.swing_twist(q, AXIS)[0], rotations.IDENTITY)
    q = q[swing < np.pi - 0.02]
    step = 1e-6
    excess, gradients = limit.evaluate(q)
    assert gradients.shape == (len(q), limit.count, 3)
    smooth = np.ones(excess.shape, dtype=bool)
    difference = np.empty(gradients.shape)
    for column, w in enumerate(step * np.eye(3)):
        ahead, behind = (limit.excess(rotations.multiply(rotations.exp(sign * w), q)) for sign in (1, -1))
        difference[..., column] = (ahead - behind) / (2 * step)
        smooth &= np.abs(ahead - 2 * excess + behind) < 1e-4 * step * np.sum(gradients**2, axis=-1)
    assert np.mean(smooth) > 0.98
    np.testing.assert_allclose(gradients[smooth], difference[smooth], atol=2e-5, rtol=2e-5)


@every_ball_with_a_swing
def test_gradients_of_a_swing_have_unit_length_and_do_not_twist_directions(
    rng: np.random.Generator, limit: BallLimit
) -> None:
    q = np.concatenate([rotations_to_try(rng), exact_places()])
    gradient = limit.evaluate(q)[1][:, -1]
    np.testing.assert_allclose(np.linalg.norm(gradient, axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.sum(gradient * rotations.rotate(q, AXIS), -1), 0.0, atol=1e-9)


def test_twist_gradient_has_its_closed_form(rng: np.random.Generator) -> None:
    q = rotations.random(rng, COUNT)
    d = rotations.rotate(q, AXIS)
    expected = (AXIS + d) / (1 + d @ AXIS)[:, None]
    low, high = np.moveaxis(BallLimit(AXIS, twist=(-0.5, 0.5)).evaluate(q)[1], 1, 0)
    np.testing.assert_allclose(high, expected, rtol=1e-9, atol=1e-9)
    assert_equal_to_rounding(low, -high)


def test_a_hinges_gradients_are_its_axis(rng: np.random.Generator) -> None:
    q = rotations.from_axis_angle(AXIS, rng.uniform(-np.pi, np.pi, COUNT))
    gradients = HingeLimit(-0.5, 2.0).bound_to(AXIS).evaluate(q)[1]
    np.testing.assert_allclose(gradients, np.broadcast_to([-AXIS, AXIS], (COUNT, 2, 3)), atol=1e-14)


@every_ball
def test_excess_is_continuous_along_paths_out_of_the_limit(rng: np.random.Generator, limit: BallLimit) -> None:
    """From the inside to the outside the excess never jumps: a swing's by no more than the way, a twist's until it is
    opposite to its range."""
    start = limit.clamp(rotations.random(rng, 20))
    w = rng.standard_normal((20, 3))
    way = np.linspace(0.0, 1.0, 801)[:, None, None] * w
    path = rotations.multiply(rotations.exp(way), start)
    excess = limit.excess(path)
    change = np.abs(np.diff(excess, axis=0))
    step = np.linalg.norm(w, axis=-1) / 800
    if limit.swing is not None:
        assert np.all(change[..., -1] <= step * (1 + 1e-9) + 1e-14)
    if limit.twist is not None:
        swing = rotations.angle_between(rotations.swing_twist(path, AXIS)[0], rotations.IDENTITY)
        rate = 1.0 / np.cos(0.5 * np.minimum(np.maximum(swing[1:], swing[:-1]) + step, np.pi - 1e-9))
        half_free = np.pi - 0.5 * (limit.twist[1] - limit.twist[0])
        opposite = np.any(excess[..., :2] > half_free - 0.1, axis=-1)
        regular = (rate < 10) & ~opposite[1:] & ~opposite[:-1]
        assert np.mean(regular) > 0.3
        assert np.all(change[regular][:, :2] <= (1.01 * rate * step)[regular][:, None] + 1e-14)


@every_ball
def test_nothing_is_undefined_at_the_pole_the_antipode_and_around_them(
    rng: np.random.Generator, limit: BallLimit
) -> None:
    tiny = rotations.exp(10.0 ** rng.uniform(-320, -3, (200, 1)) * rng.standard_normal((200, 3)))
    for place in exact_places():
        q = np.concatenate([[place], rotations.multiply(tiny, place), rotations.multiply(place, tiny)])
        for values in (*limit.evaluate(q), limit.clamp(q)):
            assert np.all(np.isfinite(values))


def test_twist_at_the_half_swing_breaks_no_limit() -> None:
    half = rotations.from_axis_angle(ACROSS, np.pi)
    excess, gradients = BallLimit(AXIS, twist=(0.5, 0.6)).evaluate(half)
    np.testing.assert_allclose(excess, -0.05)
    np.testing.assert_array_equal(gradients, 0.0)


# ----------------------------------------------------------------------------------------------------------- clamping


@every_ball
def test_clamp_brings_inside_and_is_idempotent(rng: np.random.Generator, limit: BallLimit) -> None:
    q = np.concatenate([rotations_to_try(rng), exact_places(), near_half_swings(rng)])
    clamped = limit.clamp(q)
    np.testing.assert_allclose(np.linalg.norm(clamped, axis=-1), 1.0, atol=4e-15)
    assert np.max(limit.excess(clamped)) <= 1e-9
    np.testing.assert_array_equal(limit.clamp(clamped), clamped)
    inside = np.all(limit.excess(q) <= CLAMP_TOLERANCE, axis=-1)
    np.testing.assert_array_equal(clamped[inside], q[inside])
    assert not np.any(np.all(clamped[~inside] == q[~inside], axis=-1))
    assert np.all(np.sum(clamped * q, -1) >= 0.0), "the quaternion changed its hemisphere"


def near_half_swings(rng: np.random.Generator) -> Array:
    """Where the twist fades out: swings within 1e-12 to 1e-2 of a half turn, with any twist."""
    across = np.cross(AXIS, rng.standard_normal((COUNT, 3)))
    swing = rotations.from_axis_angle(across, np.pi - 10.0 ** rng.uniform(-12, -2, COUNT))
    return rotations.multiply(swing, rotations.from_axis_angle(AXIS, rng.uniform(-np.pi, np.pi, COUNT)))


@every_ball_with_a_swing
def test_clamp_moves_the_bone_by_its_excess_and_no_further(rng: np.random.Generator, limit: BallLimit) -> None:
    q = rotations_to_try(rng)
    before, after = rotations.rotate(q, AXIS), rotations.rotate(limit.clamp(q), AXIS)
    moved = 2.0 * np.arctan2(np.linalg.norm(before - after, axis=-1), np.linalg.norm(before + after, axis=-1))
    np.testing.assert_allclose(moved, np.maximum(limit.excess(q)[:, -1], 0.0), atol=2e-9)


def test_clamp_brings_the_exact_antipode_inside() -> None:
    limit = BallLimit([0, 0, 1], swing=SwingCone(0.5, 1.0))
    half_turn = np.array([0.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(rotations.rotate(half_turn, limit.axis), [0, 0, -1])
    np.testing.assert_allclose(limit.excess(half_turn), math.pi - 1.0, rtol=1e-15)
    np.testing.assert_allclose(limit.excess(limit.clamp(half_turn)), 0.0, atol=1e-15)


def test_clamp_changes_only_what_is_outside(rng: np.random.Generator) -> None:
    limit = BallLimit(AXIS, twist=(-0.3, 0.9), swing=SwingCone(0.6, 1.0))
    q = rotations.random(rng, 4000)
    clamped = limit.clamp(q)
    excess = limit.excess(q)
    twist_outside = np.any(excess[:, :2] > 0, axis=-1)
    swing_outside = excess[:, 2] > 0
    assert min(np.count_nonzero(twist_outside & ~swing_outside), np.count_nonzero(swing_outside & ~twist_outside)) > 20
    kept = rotations.rotate(clamped, AXIS) - rotations.rotate(q, AXIS)
    np.testing.assert_allclose(kept[~swing_outside], 0.0, atol=2e-15)
    twist_change = rotations.twist_angle(clamped, AXIS) - rotations.twist_angle(q, AXIS)
    np.testing.assert_allclose(twist_change[~twist_outside], 0.0, atol=1e-12)
    at_an_end = np.min(np.abs(rotations.twist_angle(clamped, AXIS)[:, None] - [-0.3, 0.9]), axis=-1)
    np.testing.assert_allclose(at_an_end[twist_outside], 0.0, atol=1e-12)


@every_ball
def test_clamp_is_as_near_as_it_says(rng: np.random.Generator, limit: BallLimit) -> None:
    """Where one boundary is passed by little, no allowed rotation nearby is nearer by more than cos(swing / 2)."""
    on_the_edge = limit.clamp(rotations.random(rng, 2000))
    q = rotations.multiply(rotations.exp(3e-3 * rng.standard_normal((2000, 3))), on_the_edge)
    swing = rotations.angle_between(rotations.swing_twist(q, AXIS)[0], rotations.IDENTITY)
    q = q[(np.sum(limit.excess(q) > 1e-4, axis=-1) == 1) & (swing < 2.5)][:60]
    assert len(q) > 10
    moved = rotations.angle_between(limit.clamp(q), q)
    others = rotations.multiply(rotations.exp(3e-3 * rng.standard_normal((150, 1, 3))), q)
    nearest = rotations.angle_between(limit.clamp(others), q).min(axis=0)
    swing = rotations.angle_between(rotations.swing_twist(q, AXIS)[0], rotations.IDENTITY)
    assert np.all(moved * np.cos(0.5 * swing) <= 1.02 * nearest)


def test_clamp_to_a_circular_cone_or_a_twist_moves_by_the_excess(rng: np.random.Generator) -> None:
    q = rotations.random(rng, COUNT)
    for limit in (BallLimit(AXIS, swing=SwingCone(0.6, 0.6)), BallLimit(AXIS, twist=(-0.4, 1.1))):
        moved = rotations.angle_between(limit.clamp(q), q)
        np.testing.assert_allclose(moved, np.maximum(limit.excess(q).max(axis=-1), 0.0), atol=1e-9)


def test_hinge_clamp_is_the_nearest_angle(rng: np.random.Generator) -> None:
    hinge = HingeLimit(-0.2, 2.4)
    angle = rng.uniform(-np.pi, np.pi, COUNT)
    q = rotations.from_axis_angle(AXIS, angle)
    clamped = hinge.bound_to(AXIS).clamp(q)
    candidates = rotations.from_axis_angle(AXIS, np.linspace(-0.2, 2.4, 3001)[:, None])
    nearest = rotations.angle_between(candidates, q).min(axis=0)
    np.testing.assert_allclose(rotations.angle_between(clamped, q), nearest, atol=1e-3)
    inside = (angle >= -0.2) & (angle <= 2.4)
    np.testing.assert_array_equal(clamped[inside], q[inside])
    np.testing.assert_array_equal(hinge.bound_to(AXIS).clamp(clamped), clamped)
    np.testing.assert_allclose(np.cross(clamped[:, 1:], AXIS), 0.0, atol=1e-15)


# ------------------------------------------------------------------------------------------- symmetry, shapes, errors


def turned(limit: BallLimit, turn: Array) -> BallLimit:
    swing: SwingCone | SwingPolygon | None = limit.swing
    if isinstance(swing, SwingCone):
        swing = SwingCone(swing.u, swing.v, reference=rotations.rotate(turn, swing.reference))
    elif isinstance(swing, SwingPolygon):
        inside = None if swing.inside is None else rotations.rotate(turn, swing.inside)
        swing = SwingPolygon(rotations.rotate(turn, swing.directions), inside=inside)
    return BallLimit(rotations.rotate(turn, limit.axis), twist=limit.twist, swing=swing)


@every_ball
def test_limits_turn_with_their_frame(rng: np.random.Generator, limit: BallLimit) -> None:
    q = rotations.random(rng, COUNT)
    turn = rotations.random(rng)
    other = turned(limit, turn)
    conjugated = rotations.multiply(rotations.multiply(turn, q), rotations.conjugate(turn))
    excess, gradients = limit.evaluate(q)
    other_excess, other_gradients = other.evaluate(conjugated)
    np.testing.assert_allclose(other_excess, excess, atol=1e-11)
    np.testing.assert_allclose(other_gradients, rotations.rotate(turn, gradients), atol=1e-6)
    back = rotations.multiply(rotations.multiply(rotations.conjugate(turn), other.clamp(conjugated)), turn)
    np.testing.assert_allclose(rotations.angle_between(back, limit.clamp(q)), 0.0, atol=1e-6)


@every_ball
def test_leading_axes_singles_and_empty_batches(rng: np.random.Generator, limit: BallLimit) -> None:
    q = rotations.random(rng, (4, 3))
    q.setflags(write=False)
    excess, gradients = limit.evaluate(q)
    clamped = limit.clamp(q)
    assert (
        excess.shape == (4, 3, limit.count) and gradients.shape == (4, 3, limit.count, 3) and clamped.shape == q.shape
    )
    assert not np.shares_memory(clamped, q)
    other_layout = np.asfortranarray(q)
    np.testing.assert_allclose(limit.clamp(other_layout), clamped, atol=1e-8)
    np.testing.assert_allclose(limit.excess(other_layout), excess, atol=1e-14)
    np.testing.assert_allclose(limit.excess(q[1, 2]), excess[1, 2], atol=1e-14)
    np.testing.assert_allclose(limit.evaluate(q[1, 2])[1], gradients[1, 2], atol=1e-8)
    np.testing.assert_allclose(limit.clamp(q[1, 2]), clamped[1, 2], atol=1e-8)
    for shape in ((0,), (0, 3), (3, 0)):
        empty = np.empty((*shape, 4))
        assert limit.excess(empty).shape == (*shape, limit.count)
        assert limit.evaluate(empty)[1].shape == (*shape, limit.count, 3)
        assert limit.clamp(empty).shape == (*shape, 4)


def test_limits_are_values() -> None:
    for make in (
        lambda: HingeLimit(-1, 2),
        lambda: BallLimit([0, 2, 0], (-1, 1), SwingCone(0.5, 1.0, np.array([1.0, 0, 0]))),
        lambda: BallLimit(np.array([0.0, 1, 0]), swing=SwingPolygon(ring([0.5, 0.6, 0.7]), inside=AXIS)),
    ):
        assert make() == make() and hash(make()) == hash(make())
    assert HingeLimit(-1, 2) != HingeLimit(-1, 3)
    assert BallLimit([0, 1, 0], swing=SwingCone(0.5, 1.0)) != BallLimit([0, 1, 0], swing=SwingCone(0.5, 1.1))


NAN = float("nan")

BAD = {
    "low end": lambda: HingeLimit(1.0, -1.0),
    "not finite": lambda: HingeLimit(NAN, 1.0),
    "wider than a full turn": lambda: HingeLimit(-4.0, 4.0),
    "twist range is empty": lambda: BallLimit(AXIS, twist=(1.0, 0.0)),
    "twist range from 0.0 to inf": lambda: BallLimit(AXIS, twist=(0.0, float("inf"))),
    "needs a twist range, a swing": lambda: BallLimit(AXIS),
    "bone axis is zero": lambda: BallLimit([0, 0, 0], twist=(0, 1)),
    "bone axis must be three finite": lambda: BallLimit([0, NAN, 0], twist=(0, 1)),
    "bone axis must be three": lambda: BallLimit([0, 1], twist=(0, 1)),
    "angle u": lambda: SwingCone(0.0, 1.0),
    "angle v": lambda: SwingCone(1.0, math.pi),
    "angle u is nan": lambda: SwingCone(NAN, 1.0),
    "angle u is 1e-200": lambda: SwingCone(1e-200, 1.0),
    "reference is zero": lambda: SwingCone(1.0, 1.0, [0, 0, 0]),
    "lies along the bone": lambda: BallLimit(AXIS, swing=SwingCone(1.0, 1.0, -2 * AXIS)),
    "at least three corners": lambda: SwingPolygon(ring([1.0, 1.0])),
    "of three numbers": lambda: SwingPolygon(np.zeros((5, 2))),
    "corner 1 is zero": lambda: SwingPolygon([AXIS, np.zeros(3), ACROSS]),
    "corner 2 must be three finite": lambda: SwingPolygon([AXIS, ACROSS, [NAN, 0, 0]]),
    "corners 3 and 0 are the same": lambda: SwingPolygon([*ring([1.0, 1.0, 1.0]), 2 * toward(1.0, 0.0)]),
    "corners 0 and 1 are opposite": lambda: SwingPolygon([AXIS, -AXIS, ACROSS]),
    "touches itself": lambda: SwingPolygon([toward(0.5, 0), toward(1.0, 0), toward(0.7, 0)]),
    "corner 3 lies on": lambda: SwingPolygon([*ring([0.9, 0.9, 0.9]), toward(0.9, 0) + toward(0.9, 2 * math.pi / 3)]),
    "crosses itself": lambda: SwingPolygon([toward(0.8, azimuth) for azimuth in (0.0, 3.0, 1.5, 4.5)]),
    "halves the sphere": lambda: SwingPolygon(ring([math.pi / 2] * 4)),
    "inside point lies on its boundary": lambda: SwingPolygon(ring([1.0] * 3), inside=toward(1.0, 0.0)),
    "inside point is zero": lambda: SwingPolygon(ring([1.0] * 3), inside=np.zeros(3)),
}


@pytest.mark.parametrize("message", BAD)
def test_limits_that_no_joint_can_obey_are_refused(message: str) -> None:
    with pytest.raises(LimitError, match=message):
        BAD[message]()


def test_random_simple_polygons_are_accepted_and_crossed_ones_refused(rng: np.random.Generator) -> None:
    """Star-shaped corners in order are simple; swapping two opposite ones makes arcs cross."""
    for _ in range(50):
        count = int(rng.integers(6, 12))
        polars = rng.uniform(0.5, 1.0, count)
        corners = [toward(polar, 2 * np.pi * number / count) for number, polar in enumerate(polars)]
        polygon = SwingPolygon(corners)
        assert BallLimit(AXIS, swing=polygon).excess(rotations.IDENTITY)[0] < 0
        corners[1], corners[4] = corners[4], corners[1]
        with pytest.raises(LimitError, match="crosses itself"):
            SwingPolygon(corners)
