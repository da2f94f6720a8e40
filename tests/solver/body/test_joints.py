# SPDX-License-Identifier: GPL-3.0-or-later
"""Points and loads: invalid input, and positions of points."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint, JointKind, Load
from poise.solver.core.errors import SkeletonError


def test_kinds_are_the_words_that_users_write() -> None:
    assert [JointKind(word) for word in ("free", "ball", "hinge", "fixed")] == list(JointKind)
    assert JointKind.HINGE == "hinge"


def test_points_compare_by_value_whatever_their_offset_was_given_as() -> None:
    first = BodyPoint("Hand", np.array([1.0, 2.0, 3.0]))  # type: ignore[arg-type]
    second = BodyPoint("Hand", (1, 2, 3))
    assert first == second and hash(first) == hash(second)
    assert all(type(value) is float for value in first.offset)
    np.testing.assert_array_equal(first.local, [1.0, 2.0, 3.0])


def test_a_point_without_an_offset_is_the_joint_itself() -> None:
    np.testing.assert_array_equal(BodyPoint(3).local, np.zeros(3))


def test_changing_the_array_of_a_point_does_not_change_the_point() -> None:
    point = BodyPoint("Hand", (1.0, 2.0, 3.0))
    point.local[:] = 0.0
    np.testing.assert_array_equal(point.local, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("offset", [(1.0, 2.0), 3.0, (np.nan, 0.0, 0.0), (0.0, np.inf, 0.0), np.zeros((1, 3))])
def test_an_offset_is_three_finite_numbers(offset: object) -> None:
    with pytest.raises(SkeletonError, match=r"point on joint 'Hand' must be three finite numbers"):
        BodyPoint("Hand", offset)  # type: ignore[arg-type]


@pytest.mark.parametrize("mass", [-1e-9, np.nan, np.inf])
def test_a_load_is_finite_and_not_negative(mass: float) -> None:
    with pytest.raises(SkeletonError, match=r"mass carried by joint 'Hand'"):
        Load(BodyPoint("Hand"), mass)


def test_a_load_may_weigh_nothing() -> None:
    assert Load(BodyPoint("Hand"), 0.0).mass == 0.0


def test_a_point_is_placed_by_the_transform_of_its_joint() -> None:
    quarter_turns = np.array([[1.0, 0.0, 0.0, 0.0], [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]])
    positions = np.array([[9.0, 9.0, 9.0], [1.0, 2.0, 3.0]])
    np.testing.assert_allclose(BodyPoint(1, (1.0, 0.0, 0.5)).place(quarter_turns, positions), [1.0, 3.0, 3.5])
    np.testing.assert_array_equal(BodyPoint(0).place(quarter_turns, positions), positions[0])
