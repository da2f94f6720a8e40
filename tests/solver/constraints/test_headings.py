# SPDX-License-Identifier: GPL-3.0-or-later
"""Headings: angles about the up axis from where characters face, and back."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.constraints.headings import heading_direction, heading_of, horizontal_unit, turned_about


@pytest.mark.parametrize("up", [1, 2])
def test_a_heading_and_its_direction_are_the_same(up: int) -> None:
    for heading in np.linspace(-3.1, 3.1, 13):
        direction = heading_direction(heading, up)
        assert direction[up] == 0.0
        np.testing.assert_allclose(np.linalg.norm(direction), 1.0)
        np.testing.assert_allclose(heading_of(4.0 * direction + 7.0 * np.eye(3)[up], up), heading, atol=1e-12)


@pytest.mark.parametrize(("up", "ahead", "left"), [(1, (0, 0, 1), (1, 0, 0)), (2, (0, -1, 0), (1, 0, 0))])
def test_headings_count_to_the_left_from_where_characters_face(
    up: int, ahead: tuple[int, ...], left: tuple[int, ...]
) -> None:
    np.testing.assert_allclose(heading_direction(0.0, up), ahead, atol=1e-15)
    np.testing.assert_allclose(turned_about(heading_direction(0.0, up), 0.5 * np.pi, up), left, atol=1e-15)


@pytest.mark.parametrize("up", [1, 2])
def test_a_vertical_vector_faces_ahead(up: int) -> None:
    for vector in (np.eye(3)[up], np.zeros(3)):
        np.testing.assert_array_equal(horizontal_unit(vector, up), heading_direction(0.0, up))
        assert heading_of(vector, up) == 0.0


@pytest.mark.parametrize("up", [1, 2])
def test_a_horizontal_direction_has_no_height(up: int, rng: np.random.Generator) -> None:
    vector = rng.standard_normal(3)
    level = horizontal_unit(vector, up)
    assert level[up] == 0.0
    np.testing.assert_allclose(np.cross(level, vector)[[axis for axis in range(3) if axis == up]], 0.0, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(level), 1.0)
