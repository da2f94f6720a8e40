# SPDX-License-Identifier: GPL-3.0-or-later
"""The pivot of a body over many frames."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.detection.bodies import off_line
from poise.examples.detection.tracks import eased, noisy, turning, unit
from poise.solver import MovingObject
from poise.solver.core import rotations
from poise.solver.detection.pivots import Pivot, pivot


def fitted(body: MovingObject, about_line: bool, begin: int = 0, end: int | None = None) -> Pivot:
    """The pivot of the frames from `begin` up to `end`, which is not one of them."""
    chosen = slice(begin, end)
    return pivot(rotations.to_matrix(body.rotations[chosen]), body.positions[chosen], about_line=about_line)


def test_about_a_point_it_is_the_point(rng: np.random.Generator) -> None:
    for _ in range(20):
        center = 2.0 * rng.standard_normal(3)
        turns = rotations.exp(np.cumsum(0.1 * rng.standard_normal((40, 3)), axis=0))
        body = turning(center, turns, rng.standard_normal(3), rotations.random(rng))
        found = fitted(body, False, 3, 37)
        np.testing.assert_allclose(found.position, center, atol=1e-9)
        where = body.positions + rotations.rotate(body.rotations, found.offset)
        np.testing.assert_allclose(where, np.tile(center, (40, 1)), atol=1e-9)
        assert found.residual < 1e-12 and len(found.distances) == 34


@pytest.mark.parametrize("about_line", [True, False])
def test_about_a_line_it_is_its_point_nearest_to_the_origin(rng: np.random.Generator, about_line: bool) -> None:
    for _ in range(20):
        axis, center, start = unit(rng.standard_normal(3)), 2.0 * rng.standard_normal(3), rng.standard_normal(3)
        turns = rotations.from_axis_angle(axis, eased(0.0, 1.0, 40))
        found = fitted(turning(center, turns, start, rotations.random(rng)), about_line)
        nearest = center + ((start - center) @ axis) * axis
        np.testing.assert_allclose(found.position, nearest, atol=1e-6)
        assert abs(found.direction @ axis) > 1.0 - 1e-9
        assert found.tilts.max() < 1e-6 and found.distances.max() < 1e-6


def test_noise_moves_it_little(rng: np.random.Generator) -> None:
    axis, center = unit([0.1, 1.0, -0.2]), np.array([0.8, 0.1, 0.3])
    turns = rotations.from_axis_angle(axis, eased(0.0, 1.2, 40))
    clean = turning(center, turns, (0.0, 0.0, 0.0), rotations.random(rng))
    for _ in range(10):
        found = fitted(noisy(clean, rng, 3e-3, 3e-3), True)
        assert np.rad2deg(np.arccos(min(abs(found.direction @ axis), 1.0))) < 1.0
        assert off_line(found.position, center, axis) < 0.01
        assert abs((found.position - clean.positions[0]) @ axis) < 0.01, "not along the line, where noise would decide"
        assert 2e-3 < found.residual < 1e-2


def test_outliers_do_not_count(rng: np.random.Generator) -> None:
    center = np.array([0.3, 1.0, -0.5])
    turns = rotations.exp(np.cumsum(0.1 * rng.standard_normal((40, 3)), axis=0))
    clean = noisy(turning(center, turns, (0.0, 0.0, 0.0), rotations.random(rng)), rng, 1e-4, 1e-4)
    places = clean.positions.copy()
    places[[5, 17, 30]] += rng.standard_normal((3, 3))
    found = fitted(MovingObject(places, clean.rotations), False)
    assert np.linalg.norm(found.position - center) < 1e-3
    assert found.distances[[5, 17, 30]].min() > 0.1


def test_the_pivot_of_a_body_without_rotation_is_its_origin() -> None:
    body = MovingObject(np.tile([1.0, 2.0, 3.0], (5, 1)), np.tile([1.0, 0.0, 0.0, 0.0], (5, 1)))
    found = fitted(body, False)
    np.testing.assert_array_equal(found.position, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(found.offset, 0.0)
