# SPDX-License-Identifier: GPL-3.0-or-later
"""Direction: the shared Jacobian check on every character, and what its error means."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import TaskError, UnknownJointError
from poise.solver.tasks import DirectionTask, GoalStep

from ..characters import matrix, person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs


def angle_between(first: Array, second: Array) -> Array:
    """(frames,) radians between directions (frames, 3)."""
    across = np.linalg.norm(np.cross(first, second), axis=1)
    return np.arctan2(across, np.einsum("fk,fk->f", first, second))


def test_jacobian_of_every_joint(character: Skeleton, rng: np.random.Generator) -> None:
    for joint in range(len(character)):
        task = DirectionTask(joint, rng.standard_normal(3), rng.standard_normal(3))
        assert_jacobian(task, random_state(rng, character, 2))


def test_jacobian_over_some_columns(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    task = DirectionTask(len(character) - 1, rng.standard_normal(3), rng.standard_normal((4, 3)))
    assert_jacobian(task, state, some_dofs(rng, state))


def test_error_is_the_chord_between_unit_directions(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    axis, direction = rng.standard_normal(3), rng.standard_normal((4, 3))
    pointing = matrix(state.rotations[:, 5]) @ (axis / np.linalg.norm(axis))
    wanted = direction / np.linalg.norm(direction, axis=1, keepdims=True)
    for length in (1.0, 1e-6, 1e6):
        error = DirectionTask(5, length * axis, direction / length).error(state)
        np.testing.assert_allclose(error, wanted - pointing, atol=1e-12)


def test_the_spin_about_the_axis_is_free(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    task = DirectionTask(0, (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    dofs = state.skeleton.dofs
    about = matrix(state.rotations[:, 0]) @ np.array([0.0, 0.0, 1.0])
    spin = np.zeros((4, dofs.count))
    first = dofs.rotation_columns.start + 3 * int(np.flatnonzero(dofs.rotating == 0)[0])
    spin[:, first : first + 3] = about
    np.testing.assert_allclose(np.einsum("frc,fc->fr", task.jacobian(state, dofs), spin), 0.0, atol=1e-14)


def test_a_goal_leads_along_the_great_circle(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 60)
    axis, direction = np.array([0.0, 0.6, 0.8]), rng.standard_normal((60, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    pointing = matrix(state.rotations[:, 4]) @ axis
    angles = angle_between(pointing, direction)
    goal = DirectionTask(4, axis, direction).goal(state, GoalStep(1e-9, 0.7))
    assert (angles < 0.7).any() and (angles > 0.7).any(), "the test needs both near and far goals"
    np.testing.assert_allclose(np.linalg.norm(goal, axis=1), np.minimum(angles, 0.7), atol=1e-12)
    np.testing.assert_allclose(np.einsum("fk,fk->f", goal, pointing), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.einsum("fk,fk->f", goal, np.cross(pointing, direction)), 0.0, atol=1e-12)
    assert (np.einsum("fk,fk->f", goal, direction) > 0.0).all()


def test_turning_by_the_goal_of_a_near_direction_points_there(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 20)
    axis, direction = np.array([0.0, 0.6, 0.8]), rng.standard_normal((20, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    pointing = matrix(state.rotations[:, 4]) @ axis
    goal = DirectionTask(4, axis, direction).goal(state, GoalStep(1e-9, 10.0))
    turned = rotations.rotate(rotations.exp(np.cross(pointing, goal)), pointing)
    np.testing.assert_allclose(turned, direction, atol=1e-12)


def test_an_opposite_direction_still_has_a_way_to_it(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 20)
    pointing = rotations.rotate(state.rotations[:, 2], [1.0, 0.0, 0.0])
    goal = DirectionTask(2, (1.0, 0.0, 0.0), -pointing).goal(state, GoalStep(1e-9, 0.5))
    np.testing.assert_allclose(np.linalg.norm(goal, axis=1), 0.5, rtol=1e-9)
    np.testing.assert_allclose(np.einsum("fk,fk->f", goal, pointing), 0.0, atol=1e-12)


def test_a_task_for_some_frames(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    task = DirectionTask(3, (1.0, 2.0, 2.0), rng.standard_normal((4, 3)))
    some = np.array([2, 0])
    np.testing.assert_allclose(task.at(some).error(state.at(some)), task.error(state)[some], atol=1e-14)


@pytest.mark.parametrize("field", ["axis", "direction"])
@pytest.mark.parametrize(
    ("value", "told"),
    [
        ((0.0, 0.0, 0.0), "has no length"),
        ((1.0, 0.0), "must be 3 numbers"),
        ((np.nan, 0.0, 1.0), "is not finite"),
        (("a", "b", "c"), "must be numbers"),
    ],
)
def test_a_direction_that_points_nowhere_is_refused(field: str, value: object, told: str) -> None:
    given = {"axis": (1.0, 0.0, 0.0), "direction": (0.0, 1.0, 0.0), field: value}
    with pytest.raises(TaskError, match=f"Direction of Head: the {field} {told}"):
        DirectionTask("Head", **given)


def test_one_zero_direction_among_the_frames_is_refused() -> None:
    with pytest.raises(TaskError, match="Direction of Head: the direction has no length"):
        DirectionTask("Head", (1.0, 0.0, 0.0), [(0.0, 1.0, 0.0), (0.0, 0.0, 0.0)])


def test_the_axis_is_one_for_all_frames() -> None:
    with pytest.raises(TaskError, match=r"Direction of Head.*three numbers"):
        DirectionTask("Head", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], (0.0, 1.0, 0.0))


def test_an_unknown_joint_is_found_before_anything_is_solved() -> None:
    with pytest.raises(UnknownJointError, match="'Haed'"):
        DirectionTask("Haed", (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)).check(person(), 1)
