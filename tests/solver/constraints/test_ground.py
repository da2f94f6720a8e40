# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under places."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.constraints import Ground
from poise.solver.errors import ConstraintError


def test_a_plane_is_as_high_everywhere(rng: np.random.Generator) -> None:
    places = rng.standard_normal((5, 3))
    np.testing.assert_array_equal(Ground().heights(places, 1), np.zeros(5))
    for up in (1, 2):
        np.testing.assert_array_equal(Ground(-3.5).heights(places, up), np.full(5, -3.5))


def test_a_function_is_asked_for_the_horizontal_coordinates(rng: np.random.Generator) -> None:
    places = rng.standard_normal((5, 3))
    ground = Ground(lambda first, second: 10.0 * first + second)
    np.testing.assert_array_equal(ground.heights(places, 1), 10.0 * places[:, 0] + places[:, 2])
    np.testing.assert_array_equal(ground.heights(places, 2), 10.0 * places[:, 0] + places[:, 1])


def test_a_function_may_give_one_number_for_all(rng: np.random.Generator) -> None:
    ground = Ground(lambda first, second: 2)  # type: ignore[arg-type, return-value]
    np.testing.assert_array_equal(ground.heights(rng.standard_normal((4, 3)), 1), np.full(4, 2.0))


@pytest.mark.parametrize("height", [np.nan, np.inf, None, "floor", (1.0, 2.0)])
def test_a_height_that_is_none_is_refused(height: object) -> None:
    with pytest.raises(ConstraintError, match="ground's height must be a finite number or a function"):
        Ground(height)  # type: ignore[arg-type]


def test_a_hole_in_the_ground_is_an_error_that_says_where() -> None:
    hole = Ground(lambda x, z: np.where(x > 1.0, np.nan, 0.0))
    assert not hole.heights(np.zeros((2, 3)), 1).any()
    with pytest.raises(ConstraintError, match=r"no finite height at \(2, 7\)"):
        hole.heights(np.array([[0.0, 5.0, 0.0], [2.0, 5.0, 7.0]]), 1)


@pytest.mark.parametrize("given", [np.zeros(7), "deep", [[1.0], [2.0]]])
def test_a_function_that_does_not_give_heights_is_refused(given: object) -> None:
    ground = Ground(lambda x, z: given)  # type: ignore[arg-type, return-value]
    with pytest.raises(ConstraintError, match="one number for each place"):
        ground.heights(np.zeros((2, 3)), 1)
