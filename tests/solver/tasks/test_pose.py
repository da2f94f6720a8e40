# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose attraction: the shared Jacobian check on every character, and that following its velocity leads to the pose."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.joints import JointKind
from poise.solver.body.kinematics import WorldState, integrate
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.errors import MotionError, TaskError, UnknownJointError
from poise.solver.tasks import GoalStep, PoseTask

from ..characters import HINGE, matrix, person, random_motion, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs
from ..rounding import assert_equal_to_rounding


def test_jacobian(character: Skeleton, rng: np.random.Generator) -> None:
    for translations in (True, False):
        task = PoseTask(random_motion(rng, character, 3), translations=translations)
        assert_jacobian(task, random_state(rng, character, 3))


def test_jacobian_over_some_columns_and_of_some_joints(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character, 3)
    recruited = np.flatnonzero(rng.random(len(character)) < 0.6).tolist()
    task = PoseTask(random_motion(rng, character, 1).pose(0), recruit=recruited)
    assert_jacobian(task, state, some_dofs(rng, state))


def test_error_at_the_reference_is_zero(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    np.testing.assert_allclose(PoseTask(state.motion).error(state), 0.0, atol=1e-14)


def test_one_whole_step_of_the_attraction_leads_to_the_pose(character: Skeleton, rng: np.random.Generator) -> None:
    reference = random_motion(rng, character, 4)
    state = random_state(rng, character, 4)
    # Whatever a hinge or a fixed joint cannot do by itself is as in the reference already.
    stuck = np.array([kind in (JointKind.HINGE, JointKind.FIXED) for kind in character.kinds])
    still = np.array([kind is not JointKind.FREE for kind in character.kinds])
    bend = rotations.from_axis_angle(character.hinge_axes, rng.uniform(-3.0, 3.0, (4, len(character))))
    bend = np.where(np.array([kind is HINGE for kind in character.kinds])[:, None], bend, rotations.IDENTITY)
    turned = np.where(stuck[:, None], rotations.multiply(reference.rotations, bend), state.motion.rotations)
    moved = np.where(still[:, None], reference.translations, state.motion.translations)
    state = WorldState.of(character, Motion(turned, moved))

    task = PoseTask(reference)
    assert task.attracted_columns(character, character.dofs).all()
    velocity = task.attraction(state, character.dofs)
    reached = integrate(state, velocity, character.dofs)
    np.testing.assert_allclose(matrix(reached.rotations), matrix(reference.rotations), atol=1e-12)
    np.testing.assert_allclose(reached.translations, reference.translations, atol=1e-12)


def test_attraction_solves_what_error_and_jacobian_say(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    # Newton's first step toward a near reference; at a far one the Jacobian of the logarithm makes the two differ.
    near = integrate(state, 1e-6 * rng.standard_normal((4, skeleton.dofs.count)), skeleton.dofs)
    task = PoseTask(near)
    velocity = task.attraction(state, skeleton.dofs)
    step = np.linalg.solve(task.jacobian(state, skeleton.dofs), task.error(state)[:, :, None])[:, :, 0]
    np.testing.assert_allclose(velocity, step, rtol=0.0, atol=1e-11)


def test_attraction_speaks_only_of_those_it_recruits(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state, dofs = random_state(rng, skeleton), skeleton.dofs
    recruited = [0, 2, 5, 7]
    task = PoseTask(random_motion(rng, skeleton, 1), recruit=recruited)
    velocity, speaks = task.attraction(state, dofs), task.attracted_columns(skeleton, dofs)
    np.testing.assert_array_equal(speaks, np.isin(dofs.owners, recruited))
    assert not velocity[:, ~speaks].any() and velocity[:, speaks].all()


def test_attraction_without_translations_leaves_places_alone(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state, dofs = random_state(rng, skeleton), skeleton.dofs
    task = PoseTask(random_motion(rng, skeleton), translations=False)
    velocity, speaks = task.attraction(state, dofs), task.attracted_columns(skeleton, dofs)
    assert not speaks[dofs.translation_columns].any() and not velocity[:, dofs.translation_columns].any()
    assert speaks[dofs.rotation_columns].all() and speaks[dofs.hinge_columns].all()


def test_places_count_in_sizes_of_the_character(rng: np.random.Generator) -> None:
    small, large = person(), person().scaled(100.0)
    here, there = random_motion(rng, small), random_motion(rng, small)
    error = PoseTask(there).error(WorldState.of(small, here))
    enlarged = [Motion(motion.rotations, 100.0 * motion.translations) for motion in (here, there)]
    np.testing.assert_allclose(PoseTask(enlarged[1]).error(WorldState.of(large, enlarged[0])), error, atol=1e-12)


def test_a_goal_is_no_further_than_the_step_times_the_number_of_rows(rng: np.random.Generator) -> None:
    skeleton = person()
    state = random_state(rng, skeleton)
    task = PoseTask(random_motion(rng, skeleton, 4))
    goal, error = task.goal(state, GoalStep(1.0, 0.1)), task.error(state)
    longest = 0.1 * np.sqrt(error.shape[1])
    np.testing.assert_allclose(np.linalg.norm(goal, axis=1), longest, rtol=1e-12)
    np.testing.assert_allclose(goal, error * (longest / np.linalg.norm(error, axis=1))[:, None], rtol=1e-12)


def test_a_task_for_some_frames(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    some = np.array([2, 0])
    task = PoseTask(random_motion(rng, skeleton, 4))
    assert_equal_to_rounding(task.at(some).error(state.at(some)), task.error(state)[some])
    one = PoseTask(Pose.rest(skeleton))
    assert one.at(some) is one


def test_fixed_joints_are_not_recruited(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    recruited = PoseTask(Pose.rest(skeleton)).recruited(skeleton)
    np.testing.assert_array_equal(recruited, [kind is not JointKind.FIXED for kind in skeleton.kinds])


def test_a_reference_of_another_length_is_refused(rng: np.random.Generator) -> None:
    skeleton = person()
    with pytest.raises(TaskError, match="rest: the reference has 3 frames, but the motion has 5"):
        PoseTask(random_motion(rng, skeleton, 3), name="rest").check(skeleton, 5)
    PoseTask(random_motion(rng, skeleton, 5)).check(skeleton, 5)
    PoseTask(random_motion(rng, skeleton, 1)).check(skeleton, 5)


def test_a_reference_for_another_character_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(MotionError, match=r"shape \(frames, 17, 4\)"):
        PoseTask(random_motion(rng, random_skeleton(rng), 1)).check(person(), 1)


def test_a_reference_that_is_not_finite_is_refused(rng: np.random.Generator) -> None:
    skeleton = person()
    reference = random_motion(rng, skeleton, 2)
    reference.rotations[1, skeleton.index("Neck"), 2] = np.nan
    with pytest.raises(MotionError, match="'Neck' at frame 1"):
        PoseTask(reference).check(skeleton, 2)


def test_recruiting_needs_joints_that_are_there() -> None:
    skeleton = person()
    with pytest.raises(UnknownJointError, match="'Tail'"):
        PoseTask(Pose.rest(skeleton), recruit=["Tail"]).check(skeleton, 1)
    with pytest.raises(TaskError, match="Pose has no joint to count"):
        PoseTask(Pose.rest(skeleton), recruit=1).check(skeleton, 1)
