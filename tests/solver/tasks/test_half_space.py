# SPDX-License-Identifier: GPL-3.0-or-later
"""Half-space: the shared Jacobian check on every character, and on which side it is active."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import TaskError, UnknownJointError
from poise.solver.tasks import HalfSpaceTask

from ..characters import matrix, person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, assert_same_derivatives, central_differences, some_dofs
from ..rounding import assert_equal_to_rounding


def test_jacobian_where_it_is_violated(character: Skeleton, rng: np.random.Generator) -> None:
    for joint in range(len(character)):
        state = random_state(rng, character, 2)
        normal, offset = rng.standard_normal(3), tuple(rng.standard_normal(3))
        # A plane through a point that lies far in front of wherever the joint is.
        plane = state.positions[:, joint] + 10.0 * character.size * normal / np.linalg.norm(normal)
        task = HalfSpaceTask(joint, plane, normal, offset=offset)
        assert (task.error(state) > 0.0).all()
        assert_jacobian(task, state)
        assert_jacobian(task, state, some_dofs(rng, state))


def test_jacobian_where_it_holds_is_that_of_the_depth(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character, 2)
    joint = len(character) - 1
    task = HalfSpaceTask(joint, state.positions[:, joint] - (0.0, 10.0, 0.0), (0.0, 1.0, 0.0))
    assert not task.error(state).any()
    expected = -central_differences(lambda moved, frames: task.at(frames).depth(moved), state, character.dofs)
    assert_same_derivatives(task.jacobian(state, character.dofs), expected, 1.0, "the Jacobian of the depth")


def test_error_is_the_depth_behind_the_plane_and_nothing_in_front(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 30)
    offset, normal, point = rng.standard_normal(3), np.array([1.0, -2.0, 2.0]), rng.standard_normal((30, 3))
    place = state.positions[:, 6] + matrix(state.rotations[:, 6]) @ offset
    behind = (point - place) @ (normal / 3.0)
    assert (behind > 0.0).any() and (behind < 0.0).any(), "the test needs frames on both sides"
    for length in (1.0, 1e-5, 1e5):
        task = HalfSpaceTask(6, point, length * normal, offset=tuple(offset))
        np.testing.assert_allclose(task.depth(state)[:, 0], behind, atol=1e-12)
        np.testing.assert_allclose(task.error(state)[:, 0], np.maximum(behind, 0.0), atol=1e-12)


def test_any_point_of_the_plane_means_the_same(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    normal = rng.standard_normal(3)
    along = np.cross(normal, rng.standard_normal(3))
    here, there = (HalfSpaceTask(3, np.full(3, 0.2) + shift * along, normal) for shift in (0.0, 7.0))
    np.testing.assert_allclose(here.depth(state), there.depth(state), atol=1e-12)


def test_a_task_for_some_frames(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    task = HalfSpaceTask(3, rng.standard_normal((4, 3)), (0.0, 1.0, 0.0))
    some = np.array([2, 0])
    assert_equal_to_rounding(task.at(some).depth(state.at(some)), task.depth(state)[some])


@pytest.mark.parametrize("normal", [(0.0, 0.0, 0.0), [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]])
def test_a_normal_that_points_nowhere_is_refused(normal: object) -> None:
    with pytest.raises(TaskError, match="Half-space for Toe: the normal must be three numbers"):
        HalfSpaceTask("Toe", (0.0, 0.0, 0.0), normal)


@pytest.mark.parametrize(
    ("point", "normal", "told"),
    [
        ((0.0, 0.0), (0.0, 1.0, 0.0), "point must be 3 numbers"),
        ((np.nan, 0.0, 0.0), (0.0, 1.0, 0.0), "point is not finite"),
        ((0.0, 0.0, 0.0), (0.0, np.inf, 0.0), "normal is not finite"),
        ((0.0, 0.0, 0.0), (0.0, 1.0), "normal must be 3 numbers"),
    ],
)
def test_planes_that_are_none_are_refused(point: object, normal: object, told: str) -> None:
    with pytest.raises(TaskError, match=f"floor: the {told}"):
        HalfSpaceTask("Toe", point, normal, name="floor")


def test_it_counts_as_an_inequality_and_the_others_do_not() -> None:
    assert HalfSpaceTask("Toe", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)).is_inequality


def test_an_unknown_joint_is_found_before_anything_is_solved() -> None:
    with pytest.raises(UnknownJointError, match=r"'LeftFooot'.*'LeftFoot'"):
        HalfSpaceTask("LeftFooot", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)).check(person(), 1)
