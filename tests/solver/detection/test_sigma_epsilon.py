# SPDX-License-Identifier: GPL-3.0-or-later
"""The sigma-epsilon space, against a singular value decomposition, and in closed cases."""

from __future__ import annotations

import numpy as np

from poise.examples.detection.tracks import eased, turning, unit
from poise.solver import MovingObject
from poise.solver.core import rotations
from poise.solver.detection.displacements import Displacements, global_displacements, local_displacements
from poise.solver.detection.sigma_epsilon import sigma_epsilon

from ..rounding import assert_equal_to_rounding


def test_it_agrees_with_the_decomposition(rng: np.random.Generator) -> None:
    found = Displacements(rotations.random(rng, 200), rng.standard_normal((200, 3)))
    points = sigma_epsilon(found)
    A = rotations.to_matrix(found.rotations) - np.eye(3)
    U, sigma, Vt = np.linalg.svd(A)
    np.testing.assert_allclose(sigma[:, 0], points.sigma, atol=1e-12)
    np.testing.assert_allclose(sigma[:, 1], points.sigma, atol=1e-12)
    np.testing.assert_allclose(sigma[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.abs((Vt[:, 2] * points.axis).sum(axis=1)), 1.0, atol=1e-12)

    inverse = np.where(np.arange(3) < 2, 1.0 / np.maximum(sigma, 1e-6), 0.0)
    in_range = np.einsum("nji,nj->ni", U, found.translations)
    nearest_point = -np.einsum("nji,nj->ni", Vt, inverse * in_range)
    np.testing.assert_allclose(points.nearest_point, nearest_point, atol=1e-8)
    residual = np.linalg.norm(np.einsum("nij,nj->ni", A, nearest_point) + found.translations, axis=1)
    np.testing.assert_allclose(points.line_residual, residual, atol=1e-8)
    np.testing.assert_allclose(points.space_residual, np.linalg.norm(found.translations, axis=1), atol=1e-14)


def test_both_signs_of_a_quaternion_are_one_turn(rng: np.random.Generator) -> None:
    found = Displacements(rotations.random(rng, 50), rng.standard_normal((50, 3)))
    one, other = sigma_epsilon(found), sigma_epsilon(Displacements(-found.rotations, found.translations))
    assert_equal_to_rounding(one.nearest_point, other.nearest_point)
    assert_equal_to_rounding(one.line_residual, other.line_residual)


def test_a_turn_about_a_line_leaves_that_line(rng: np.random.Generator) -> None:
    for _ in range(20):
        axis, center = unit(rng.standard_normal(3)), 3.0 * rng.standard_normal(3)
        turns = rotations.from_axis_angle(axis, eased(0.0, rng.uniform(0.2, 3.0), 30))
        body = turning(center, turns, rng.standard_normal(3), rotations.random(rng))
        points = sigma_epsilon(local_displacements(body))
        assert points.line_residual.max() < 1e-12
        places, directions = points.lines(body)
        np.testing.assert_allclose(np.abs(directions @ axis), 1.0, atol=1e-9)
        off = places - center
        assert np.linalg.norm(off - (off @ axis)[:, None] * axis, axis=1).max() < 1e-9


def test_a_turn_about_a_point_has_lines_through_it(rng: np.random.Generator) -> None:
    center = np.array([1.0, -2.0, 0.5])
    turns = rotations.exp(np.cumsum(0.05 * rng.standard_normal((30, 3)), axis=0))
    body = turning(center, turns, (0.0, 0.0, 0.0), rotations.random(rng))
    places, directions = sigma_epsilon(local_displacements(body)).lines(body)
    off = places - center
    along = (off * directions).sum(axis=1)[:, None] * directions
    assert np.linalg.norm(off - along, axis=1).max() < 1e-9


def test_a_screw_moves_along_its_axis(rng: np.random.Generator) -> None:
    axis = unit(rng.standard_normal(3))
    turns = rotations.from_axis_angle(axis, np.linspace(0.0, 1.0, 11))
    body = turning((0.0, 0.0, 0.0), turns, (0.0, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0))
    climbing = MovingObject(body.positions + np.linspace(0.0, 0.7, 11)[:, None] * axis, body.rotations)
    np.testing.assert_allclose(sigma_epsilon(local_displacements(climbing)).line_residual, 0.07, atol=1e-12)
    np.testing.assert_allclose(sigma_epsilon(local_displacements(climbing)).sigma, 2.0 * np.sin(0.05), atol=1e-12)


def test_where_nothing_turns_there_is_no_axis() -> None:
    still = np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
    points = sigma_epsilon(Displacements(still, np.tile([0.3, 0.0, 0.4], (4, 1))))
    np.testing.assert_array_equal(points.axis, 0.0)
    np.testing.assert_array_equal(points.nearest_point, 0.0)
    np.testing.assert_allclose(points.line_residual, 0.5)
    assert (points.sigma == 0.0).all()


def test_global_lines_are_in_the_world_already(rng: np.random.Generator) -> None:
    axis, center = unit(rng.standard_normal(3)), rng.standard_normal(3)
    turns = rotations.from_axis_angle(axis, np.linspace(0.0, 1.0, 11))
    body = turning(center, turns, rng.standard_normal(3), rotations.random(rng))
    points = sigma_epsilon(global_displacements(body))
    off = points.nearest_point - center
    assert np.linalg.norm(off - (off @ axis)[:, None] * axis, axis=1).max() < 1e-9
