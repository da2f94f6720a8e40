# SPDX-License-Identifier: GPL-3.0-or-later
"""Position: the shared Jacobian check on every character, and what its error means."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import PoiseError, TaskError, UnknownJointError
from poise.solver.tasks import GoalStep, PositionTask

from ..characters import hinge_chain, matrix, person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs
from ..rounding import assert_equal_to_rounding


def test_jacobian_of_every_joint(character: Skeleton, rng: np.random.Generator) -> None:
    for joint in range(len(character)):
        offset = tuple(rng.standard_normal(3)) if joint % 2 else (0.0, 0.0, 0.0)
        assert_jacobian(PositionTask(joint, rng.standard_normal(3), offset=offset), random_state(rng, character, 2))


def test_jacobian_over_some_columns_and_along_some_axes(character: Skeleton, rng: np.random.Generator) -> None:
    for axes in ("x", "zy", "xyz", "yzx"):
        state = random_state(rng, character)
        task = PositionTask(len(character) - 1, rng.standard_normal((4, 3)), axes=axes)
        assert_jacobian(task, state, some_dofs(rng, state))


def test_error_leads_from_the_point_to_the_target(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    target, offset = rng.standard_normal((4, 3)), rng.standard_normal(3)
    place = state.positions[:, 5] + matrix(state.rotations[:, 5]) @ offset
    error = PositionTask("part 5", target, offset=tuple(offset)).error(state)
    np.testing.assert_allclose(error, target - place, rtol=0.0, atol=1e-12)
    shuffled = PositionTask("part 5", target, offset=tuple(offset), axes="zx").error(state)
    assert_equal_to_rounding(shuffled, error[:, [2, 0]])


def test_frames_share_a_target_or_have_their_own(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    targets = rng.standard_normal((4, 3))
    together = PositionTask(3, targets).error(state)
    for frame in range(4):
        alone = state.at(np.array([frame]))
        assert_equal_to_rounding(PositionTask(3, targets[frame]).error(alone)[0], together[frame])
        assert_equal_to_rounding(PositionTask(3, targets[frame : frame + 1]).error(alone)[0], together[frame])


def test_a_task_for_some_frames(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    task = PositionTask(3, rng.standard_normal((4, 3)), priority=7, weight=2.0, recruit=1, name="reach", axes="xy")
    some = np.array([3, 1, 3])
    chosen = task.at(some)
    assert_equal_to_rounding(chosen.error(state.at(some)), task.error(state)[some])
    assert (chosen.priority, chosen.weight, chosen.recruit, chosen.label) == (7, 2.0, 1, "reach")
    shared = PositionTask(3, (1.0, 2.0, 3.0))
    assert shared.at(some) is shared
    assert PositionTask(3, [(1.0, 2.0, 3.0)]).at(some).error(state.at(some)).shape == (3, 3)


def test_a_far_goal_is_brought_near_and_a_near_one_left(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 40)
    task = PositionTask(4, 2.0 * rng.standard_normal((40, 3)))
    error, goal = task.error(state), task.goal(state, GoalStep(length=1.5, angle=0.1))
    lengths = np.linalg.norm(error, axis=1)
    assert (lengths < 1.5).any() and (lengths > 1.5).any(), "the test needs both near and far goals"
    np.testing.assert_array_equal(goal[lengths < 1.5], error[lengths < 1.5])
    far = lengths > 1.5
    np.testing.assert_allclose(goal[far], error[far] * (1.5 / lengths[far])[:, None], rtol=1e-14)


def test_a_goal_already_reached_is_zero_and_not_nan() -> None:
    skeleton = person()
    state = WorldState.of(skeleton, Pose.rest(skeleton).motion)
    task = PositionTask("LeftHand", state.positions[0, skeleton.index("LeftHand")])
    np.testing.assert_array_equal(task.goal(state, GoalStep(1.0, 1.0)), np.zeros((1, 3)))


def test_a_joint_that_nothing_moves_has_a_jacobian_of_zeros(rng: np.random.Generator) -> None:
    state = random_state(rng, hinge_chain())
    assert not PositionTask("base", (1.0, 2.0, 3.0)).jacobian(state, state.skeleton.dofs).any()


def test_those_who_serve_are_the_joint_and_its_ancestors() -> None:
    skeleton = person()
    serving = PositionTask("LeftForeArm", (0.0, 0.0, 0.0)).influencing_joints(skeleton)
    assert [skeleton.names[joint] for joint in np.flatnonzero(serving)] == [
        "Hips",
        "Spine",
        "Chest",
        "LeftArm",
        "LeftForeArm",
    ]


@pytest.mark.parametrize(
    "target", [(1.0, 2.0), (1.0, 2.0, 3.0, 4.0), 5.0, np.zeros((2, 2, 3)), [], [(1, 2, 3), (1, 2)]]
)
def test_a_target_of_the_wrong_shape_is_refused(target: object) -> None:
    with pytest.raises(TaskError, match=r"Position of Hand.*target"):
        PositionTask("Hand", target)


@pytest.mark.parametrize("target", [(np.nan, 0.0, 0.0), (np.inf, 0.0, 0.0), [(0.0, 0.0, 0.0), (0.0, np.nan, 0.0)]])
def test_a_target_that_is_not_finite_is_refused(target: object) -> None:
    with pytest.raises(TaskError, match=r"Position of Hand.*target is not finite"):
        PositionTask("Hand", target)


def test_a_target_that_is_no_number_is_refused() -> None:
    with pytest.raises(TaskError, match=r"left reach.*must be numbers"):
        PositionTask("Hand", ("a", "b", "c"), name="left reach")


@pytest.mark.parametrize("axes", ["", "w", "xx", "XYZ", "x z", "xyzx"])
def test_axes_are_letters_each_once(axes: str) -> None:
    with pytest.raises(TaskError, match="Position of Hand: axes"):
        PositionTask("Hand", (0.0, 0.0, 0.0), axes=axes)


def test_an_unknown_joint_is_found_before_anything_is_solved() -> None:
    with pytest.raises(UnknownJointError, match=r"'LeftHnad'.*Did you mean 'LeftHand'"):
        PositionTask("LeftHnad", (0.0, 0.0, 0.0)).check(person(), 1)


def test_an_offset_that_is_no_point_is_refused() -> None:
    for offset in ((0.0, 1.0), (np.nan, 0.0, 0.0), np.zeros((2, 3))):
        with pytest.raises(TaskError, match="Hips: the offset"):
            PositionTask("Hips", (0.0, 0.0, 0.0), offset=offset)  # type: ignore[arg-type]


@pytest.mark.parametrize("recruit", ["r_elbow", 1.5])
def test_recruiting_takes_a_level_or_a_list_of_joints_only(recruit: object) -> None:
    with pytest.raises(TaskError, match="recruit a number of joints or a list"):
        PositionTask("Hips", (0.0, 0.0, 0.0), recruit=recruit)  # type: ignore[arg-type]


def test_an_unknown_effector_is_found_whatever_is_recruited() -> None:
    with pytest.raises(PoiseError, match="missing"):
        PositionTask("missing", (0.0, 0.0, 0.0), recruit=["hips"]).check(person(), 1)


def test_targets_cannot_be_changed_behind_the_task(rng: np.random.Generator) -> None:
    given = rng.standard_normal((4, 3))
    task = PositionTask("Hand", given)
    kept = np.array(task.target)
    given[:] = 0.0
    np.testing.assert_array_equal(task.target, kept)
    with pytest.raises(ValueError, match="read-only"):
        task.target[0] = 1.0  # type: ignore[index]
