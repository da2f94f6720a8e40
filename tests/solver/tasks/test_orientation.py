# SPDX-License-Identifier: GPL-3.0-or-later
"""Orientation: the shared Jacobian check on every character, and what its error means."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState, integrate
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.errors import TaskError, UnknownJointError
from poise.solver.tasks import GoalStep, OrientationTask

from ..characters import matrix, person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs


def test_jacobian_of_every_joint(character: Skeleton, rng: np.random.Generator) -> None:
    for joint in range(len(character)):
        assert_jacobian(OrientationTask(joint, rotations.random(rng)), random_state(rng, character, 2))


def test_jacobian_over_some_columns(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    task = OrientationTask(len(character) - 1, rotations.random(rng, 4))
    assert_jacobian(task, state, some_dofs(rng, state))


def test_jacobian_at_the_target_and_close_to_it(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    for distance in (0.0, 1e-9, 1e-4, 0.1, 3.0):
        turn = rotations.exp(distance * rotations.rotate(rotations.random(rng, 4), [1.0, 0.0, 0.0]))
        target = rotations.multiply(turn, state.rotations[:, 7])
        assert_jacobian(OrientationTask(7, target), state)


def test_turning_by_the_error_leads_to_the_target(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    target = rotations.random(rng, 4)
    task = OrientationTask(0, target)
    velocity = np.zeros((4, skeleton.dofs.count))
    owners = np.flatnonzero(skeleton.dofs.rotating == 0)[0]
    first = skeleton.dofs.rotation_columns.start + 3 * owners
    velocity[:, first : first + 3] = task.error(state)
    turned = WorldState.of(skeleton, integrate(state, velocity, skeleton.dofs))
    np.testing.assert_allclose(matrix(turned.rotations[:, 0]), matrix(target), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(task.error(turned), 0.0, atol=1e-12)


def test_the_error_is_the_shorter_way_whatever_the_sign(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 200)
    target = rotations.random(rng, 200)
    error = OrientationTask(6, target).error(state)
    assert np.linalg.norm(error, axis=1).max() <= np.pi + 1e-12
    np.testing.assert_allclose(OrientationTask(6, -target).error(state), error, atol=1e-12)


def test_a_target_of_any_length_means_its_direction(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    target = rotations.random(rng, 4)
    expected = OrientationTask(3, target).error(state)
    np.testing.assert_allclose(OrientationTask(3, 1e3 * target).error(state), expected, atol=1e-12)
    np.testing.assert_allclose(OrientationTask(3, 1e-3 * target).error(state), expected, atol=1e-12)


def test_a_far_goal_is_brought_near_along_the_same_turn(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 40)
    task = OrientationTask(4, rotations.random(rng, 40))
    error, goal = task.error(state), task.goal(state, GoalStep(length=1e-9, angle=1.5))
    angles = np.linalg.norm(error, axis=1)
    assert (angles < 1.5).any() and (angles > 1.5).any(), "the test needs both near and far goals"
    np.testing.assert_allclose(goal, error * np.minimum(1.0, 1.5 / angles)[:, None], rtol=1e-14)


def test_a_task_for_some_frames(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    task = OrientationTask(3, rotations.random(rng, 4))
    some = np.array([2, 0])
    np.testing.assert_allclose(task.at(some).error(state.at(some)), task.error(state)[some], atol=1e-14)


@pytest.mark.parametrize("target", [(1.0, 0.0, 0.0), np.zeros((2, 3)), 1.0])
def test_a_target_of_the_wrong_shape_is_refused(target: object) -> None:
    with pytest.raises(TaskError, match=r"Orientation of Head.*target rotation must be 4 numbers"):
        OrientationTask("Head", target)


@pytest.mark.parametrize("target", [(0.0, 0.0, 0.0, 0.0), [(1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)]])
def test_a_zero_target_is_refused(target: object) -> None:
    with pytest.raises(TaskError, match=r"Orientation of Head.*zero quaternion"):
        OrientationTask("Head", target)


def test_a_target_that_is_not_finite_is_refused() -> None:
    with pytest.raises(TaskError, match=r"Orientation of Head.*not finite"):
        OrientationTask("Head", (np.nan, 0.0, 0.0, 1.0))


def test_an_unknown_joint_is_found_before_anything_is_solved() -> None:
    with pytest.raises(UnknownJointError, match="'head of state'"):
        OrientationTask("head of state", (1.0, 0.0, 0.0, 0.0)).check(person(), 1)
