# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia against closed cases and against sums over many points, and what no body can have."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.inertia import (
    Radii,
    between_centers,
    checked_inertia,
    inertia_of,
    rod_spread,
    second_moments_of,
    segment_spread,
)
from poise.solver.core.errors import SkeletonError


def test_a_rod_has_a_twelfth_of_its_squared_length_across_it_and_nothing_along_it() -> None:
    inertia = inertia_of(3.0 * rod_spread(np.array([0.0, 2.0, 0.0])))
    np.testing.assert_allclose(inertia, np.diag([1.0, 0.0, 1.0]), atol=1e-15)


def test_inertia_is_what_many_points_have(rng: np.random.Generator) -> None:
    points, masses = rng.standard_normal((50, 3)), rng.uniform(0.1, 2.0, 50)
    second_moments = np.einsum("p,pk,pl->kl", masses, points, points)
    expected = sum(
        mass * (point @ point * np.eye(3) - np.outer(point, point)) for mass, point in zip(masses, points, strict=True)
    )
    np.testing.assert_allclose(inertia_of(second_moments), expected, rtol=1e-12)
    np.testing.assert_allclose(second_moments_of(expected), second_moments, rtol=1e-12, atol=1e-12)


def test_two_halves_of_a_rod_are_the_rod() -> None:
    way = np.array([0.3, -1.0, 0.5])
    halves = 2.0 * 0.5 * rod_spread(way / 2.0) + between_centers(0.5, 0.5, way / 2.0)
    np.testing.assert_allclose(halves, rod_spread(way), rtol=1e-12)


def test_a_mass_that_is_nothing_adds_nothing() -> None:
    np.testing.assert_array_equal(between_centers(0.0, 0.0, np.ones(3)), np.zeros((3, 3)))
    np.testing.assert_array_equal(between_centers(5.0, 0.0, np.ones(3)), np.zeros((3, 3)))


# Radii of gyration ---------------------------------------------------------------------------------------------------

RADII = Radii(30.0, 25.0, 12.0)


def moment(spread: np.ndarray, axis: np.ndarray) -> float:
    return float(axis @ inertia_of(spread) @ axis)


def test_a_segment_has_its_radii_about_its_own_axes(rng: np.random.Generator) -> None:
    along, forward, _ = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    # The direction given is only made perpendicular to the segment.
    tilted = forward + 0.4 * along
    spread = segment_spread(RADII, 2.0 * along, tilted / np.linalg.norm(tilted))
    for axis, percent in ((forward, 30.0), (np.cross(along, forward), 25.0), (along, 12.0)):
        assert moment(spread, axis) == pytest.approx((2.0 * percent / 100.0) ** 2, rel=1e-12)
    exchanged = segment_spread(RADII.swapped, 2.0 * along, forward)
    assert moment(exchanged, forward) == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize("normal", [None, np.array([0.0, 1.0, 0.0])])
def test_a_segment_whose_sides_are_unknown_is_round(normal: np.ndarray | None) -> None:
    spread = segment_spread(RADII, np.array([0.0, 2.0, 0.0]), normal)
    across = 0.5 * (0.6**2 + 0.5**2)
    np.testing.assert_allclose(inertia_of(spread), np.diag([across, 0.24**2, across]), rtol=1e-12, atol=1e-15)


def test_a_segment_without_a_length_is_a_point() -> None:
    np.testing.assert_array_equal(segment_spread(RADII, np.zeros(3), None), np.zeros((3, 3)))


# What no body can have -----------------------------------------------------------------------------------------------


def test_three_moments_are_a_diagonal() -> None:
    np.testing.assert_array_equal(checked_inertia((3.0, 4.0, 5.0), "thigh"), np.diag([3.0, 4.0, 5.0]))


def test_flat_bodies_and_rods_are_accepted_in_any_axes(rng: np.random.Generator) -> None:
    for spreads in ([1.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]):
        turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        inertia = inertia_of(turn @ np.diag(spreads) @ turn.T)
        np.testing.assert_allclose(checked_inertia(inertia, "hat"), inertia, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("inertia", "told"),
    [
        ("heavy", r"inertia of joint 'thigh' must be numbers"),
        ((1.0, 2.0), r"must be a 3 by 3 matrix or three moments, not shape \(2,\)"),
        ((1.0, np.nan, 1.0), r"inertia of joint 'thigh' is not finite"),
        ([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], r"must be a symmetric matrix"),
        ((1.0, 1.0, -0.1), r"has a negative moment \(-0.1\)"),
        ((1.0, 1.0, 2.1), r"No body has the inertia of joint 'thigh': its largest moment \(2.1\).*other two \(2\)"),
        ([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 0.5]], r"No body has .*\(1.9\).*\(0.6\)"),
    ],
)
def test_the_inertia_of_no_body_is_refused(inertia: object, told: str) -> None:
    with pytest.raises(SkeletonError, match=told):
        checked_inertia(inertia, "thigh")  # type: ignore[arg-type]
