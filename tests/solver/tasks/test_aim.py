# SPDX-License-Identifier: GPL-3.0-or-later
"""Aim: the shared Jacobian check on every character, and what its error means."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import TaskError, UnknownJointError
from poise.solver.posture.solve import solve_posture
from poise.solver.tasks import AimTask, DirectionTask, GoalStep, PoseTask, PositionTask
from poise.solver.tasks.aim import NEAREST

from ..characters import matrix, person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs

OFFSET = (0.1, -0.2, 0.3)


def test_jacobian_of_every_joint(character: Skeleton, rng: np.random.Generator) -> None:
    for joint in range(len(character)):
        state = random_state(rng, character, 2)
        place = 3.0 * character.size * rng.standard_normal((2, 3))
        assert_jacobian(AimTask(joint, rng.standard_normal(3), place, offset=OFFSET), state)


def test_jacobian_over_some_columns(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    task = AimTask(len(character) - 1, rng.standard_normal(3), 3.0 * character.size * rng.standard_normal((4, 3)))
    assert_jacobian(task, state, some_dofs(rng, state))


def test_jacobian_where_the_eye_is_at_the_place(rng: np.random.Generator) -> None:
    skeleton = person()
    state = random_state(rng, skeleton, 1)
    near = 0.5 * NEAREST * skeleton.size * np.array([0.6, 0.0, 0.8])
    assert_jacobian(AimTask("Head", (0, 0, 1), state.positions[0, skeleton.index("Head")] + near), state)


def test_error_is_the_chord_from_the_axis_to_the_direction_of_the_place(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    axis, place = rng.standard_normal(3), 4.0 * rng.standard_normal((4, 3))
    pointing = matrix(state.rotations[:, 5]) @ (axis / np.linalg.norm(axis))
    way = place - state.point(BodyPoint(5, OFFSET))
    error = AimTask(5, 7.0 * axis, place, offset=OFFSET).error(state)
    np.testing.assert_allclose(error, way / np.linalg.norm(way, axis=1, keepdims=True) - pointing, atol=1e-12)


def test_far_away_it_is_a_direction(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    axis, direction = rng.standard_normal(3), rng.standard_normal((4, 3))
    aim, toward = AimTask(5, axis, 1e9 * direction), DirectionTask(5, axis, direction)
    step, dofs = GoalStep(0.3, 0.3), state.skeleton.dofs
    np.testing.assert_allclose(aim.error(state), toward.error(state), atol=1e-7)
    np.testing.assert_allclose(aim.goal(state, step), toward.goal(state, step), atol=1e-7)
    np.testing.assert_allclose(aim.jacobian(state, dofs), toward.jacobian(state, dofs), atol=1e-7)


def test_the_row_without_effect_is_that_of_an_aim_that_is_met(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    axis = np.array([0.0, 0.6, 0.8])
    ahead = state.positions[:, 5] + 2.0 * (matrix(state.rotations[:, 5]) @ axis)
    task = AimTask(5, axis, ahead)
    np.testing.assert_allclose(task.error(state), 0.0, atol=1e-14)
    product = np.einsum("fr,frc->fc", task.null_rows(state), task.jacobian(state, state.skeleton.dofs))
    np.testing.assert_allclose(product, 0.0, atol=1e-13)


def test_it_aims_from_where_the_body_goes() -> None:
    skeleton = person()
    pose = Pose.rest(skeleton)
    rest = WorldState.of(skeleton, pose.motion)
    head, hips = skeleton.index("Head"), skeleton.index("Hips")
    place = rest.positions[0, head] + np.array([0.4, -0.3, 1.0])
    aside = rest.positions[0, hips] + np.array([0.5, 0.0, 0.0])
    tasks = [
        PositionTask(hips, aside, priority=2),
        AimTask(head, (0.0, 0.0, 1.0), place, priority=1, recruit=2),
        PoseTask(pose, priority=0),
    ]
    solved = solve_posture(skeleton, pose, tasks)
    state = WorldState.of(skeleton, solved.pose.motion)
    assert np.linalg.norm(state.positions[0, head] - rest.positions[0, head]) > 0.25, "the head is carried aside"
    way = place - state.positions[0, head]
    looking = matrix(state.rotations[:, head])[0] @ np.array([0.0, 0.0, 1.0])
    assert np.linalg.norm(np.cross(way / np.linalg.norm(way), looking)) < 1e-8 and way @ looking > 0.0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"axis": (0.0, 0.0, 0.0)}, "the axis has no length"),
        ({"axis": np.ones((2, 3))}, "the axis is fixed to the joint"),
        ({"place": (0.0, 1.0)}, "the place must be 3 numbers"),
        ({"place": (0.0, 1.0, np.nan)}, "the place is not finite"),
        ({"offset": (0.0, 1.0)}, "the offset must be 3 numbers"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(TaskError, match=sentence):
        AimTask(**{"joint": "head", "axis": (0, 0, 1), "place": (0, 0, 1), **wrong})  # type: ignore[arg-type]


def test_an_unknown_joint_and_other_frames_are_refused(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    with pytest.raises(UnknownJointError):
        AimTask("nose", (0, 0, 1), (0, 0, 1)).check(skeleton, 1)
    with pytest.raises(TaskError, match="targets for 3 frames"):
        AimTask(1, (0, 0, 1), np.ones((3, 3))).check(skeleton, 4)
