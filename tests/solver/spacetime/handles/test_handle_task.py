# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles as tasks: the shared Jacobian check on every character, and solves."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import LandmarkError, TaskError
from poise.solver.posture.composite_bodies import CompositeBodies
from poise.solver.posture.solve import solve_posture
from poise.solver.spacetime.handles.full_body import FullBody
from poise.solver.spacetime.handles.handle import (
    AxisHandle,
    CenterOfMassHandle,
    DirectionHandle,
    DistanceHandle,
    PointHandle,
)
from poise.solver.spacetime.handles.handle_task import HandleTask
from poise.solver.synthetic import human
from poise.solver.tasks import GoalStep, PositionTask

from ...characters import hinge_chain, person, random_state
from ...jacobian_check import assert_jacobian, some_dofs
from .some_handles import handles_of


def test_jacobian(character: Skeleton, rng: np.random.Generator) -> None:
    if len(character) < 3:
        pytest.skip("a direction from the centre of mass to the only joint has no length")
    state = random_state(rng, character, 3)
    for handle in handles_of(character):
        task = HandleTask(handle, rng.standard_normal((3, handle.width)))
        assert_jacobian(task, state)
        assert_jacobian(task, state, some_dofs(rng, state))


def test_only_influencing_joints_have_columns(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character, 3)
    for handle in handles_of(character):
        task = HandleTask(handle, np.ones(handle.width))
        moved = np.abs(task.jacobian(state, character.dofs)).max(axis=(0, 1))
        others = ~character.dofs.spread(task.influencing_joints(character))
        assert not moved[others].any(), handle.label


def test_a_direction_has_a_row_that_no_joint_moves(rng: np.random.Generator) -> None:
    state = random_state(rng, person())
    task = HandleTask(DirectionHandle("LeftHand", "RightHand"), (0.0, 0.0, 2.0))
    null = task.null_rows(state)
    assert null is not None and task.is_special and task.is_angular
    np.testing.assert_allclose(null[:, None] @ task.jacobian(state, person().dofs), 0.0, atol=1e-12)
    assert HandleTask(PointHandle("LeftHand"), np.zeros(3)).null_rows(state) is None
    assert not HandleTask(PointHandle("LeftHand"), np.zeros(3)).is_special


def test_goals_are_near_and_on_the_way(rng: np.random.Generator) -> None:
    state = random_state(rng, person())
    step = GoalStep(0.1, 0.2)
    far = HandleTask(CenterOfMassHandle(), (9.0, 9.0, 9.0)).goal(state, step)
    np.testing.assert_allclose(np.linalg.norm(far, axis=1), 0.1)
    handle = AxisHandle("LeftHand", "up")
    pointing = handle.value(FullBody(state))
    around = HandleTask(handle, -pointing).goal(state, step)
    np.testing.assert_allclose(np.linalg.norm(around, axis=1), 0.2, atol=1e-9)
    np.testing.assert_allclose(np.einsum("fk,fk->f", around, pointing), 0.0, atol=1e-9)


def test_a_solve_gives_handles_their_values() -> None:
    skeleton = human()
    rest = Pose.rest(skeleton)
    body = FullBody(WorldState.of(skeleton, rest.motion))
    arm, trunk = CenterOfMassHandle("left_shoulder"), AxisHandle("spine", "up")
    apart = DistanceHandle("left_ball", "right_ball")
    size = skeleton.size
    tasks = [
        HandleTask(arm, arm.value(body)[0] + np.array([0.0, 0.05, 0.08]) * size, priority=2),
        HandleTask(trunk, (0.1, 1.0, 0.2), priority=3),
        HandleTask(apart, apart.value(body)[0] + 0.2 * size, priority=4),
    ]
    solved = solve_posture(skeleton, rest, tasks)
    assert solved.converged
    after = FullBody(WorldState.of(skeleton, solved.pose.motion))
    for task in tasks:
        np.testing.assert_allclose(task.handle.value(after)[0], task.target, atol=1e-7 * size, err_msg=task.label)


def test_values_are_the_same_where_joints_that_do_not_move_are_merged(rng: np.random.Generator) -> None:
    """As `deform` does: only observed joints, moving ones and their ancestors keep their own transforms."""
    skeleton = human()
    before, after = (random_state(rng, skeleton, 2) for _ in range(2))
    moving = skeleton.mask(skeleton.tree.chain(skeleton.landmarks.spine[0]))
    turned, moved = before.motion.rotations.copy(), before.motion.translations.copy()
    turned[:, moving], moved[:, moving] = after.motion.rotations[:, moving], after.motion.translations[:, moving]
    motion = Motion(turned, moved)
    for handle in (*handles_of(skeleton), CenterOfMassHandle("left_shoulder"), CenterOfMassHandle("spine")):
        task = HandleTask(handle, np.ones(handle.width))
        merged = CompositeBodies.of(before, moving | task.observed_joints(skeleton)).world(motion)
        expected = task.value(WorldState.of(skeleton, motion))
        np.testing.assert_allclose(task.value(merged), expected, atol=1e-12, err_msg=task.label)


def test_a_subtree_centre_as_a_lower_level_does_not_move_the_upper_one() -> None:
    skeleton = human()
    rest = Pose.rest(skeleton)
    world = WorldState.of(skeleton, rest.motion)
    hand = skeleton.landmarks.left_wrist
    target = world.positions[0, hand] + np.array([0.1, 0.1, 0.3])
    arm = CenterOfMassHandle("left_shoulder")
    tasks = [PositionTask(hand, target, priority=5), HandleTask(arm, arm.value(FullBody(world))[0], priority=1)]
    solved = solve_posture(skeleton, rest, tasks)
    assert np.linalg.norm(solved.errors[0]) < 1e-6 * skeleton.size


def test_wrong_targets_are_refused() -> None:
    with pytest.raises(TaskError, match="Centre of mass of the left arm: the target must be 3 numbers"):
        HandleTask(CenterOfMassHandle("left_shoulder"), (1.0, 2.0))
    with pytest.raises(TaskError, match="so it is no direction"):
        HandleTask(AxisHandle("hips", "up"), (0.0, 0.0, 0.0))
    with pytest.raises(TaskError, match="needs a handle, not 'left_ball'"):
        HandleTask("left_ball", np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(LandmarkError, match="left ball"):
        HandleTask(PointHandle("left_ball"), np.zeros(3)).check(hinge_chain(), 1)
