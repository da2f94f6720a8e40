# SPDX-License-Identifier: GPL-3.0-or-later
"""The base of all tasks: priorities, weights, recruiting, and its helper functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.solver.body.motion import Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import TaskError, UnknownJointError
from poise.solver.tasks import (
    CenterOfMassTask,
    DirectionTask,
    DisplacedMassTask,
    HalfSpaceTask,
    OrientationTask,
    PoseTask,
    PositionTask,
    Task,
)
from poise.solver.tasks.base import GoalStep, axis_indices, shortened

from ..characters import person, random_skeleton, random_state

ZERO = (0.0, 0.0, 0.0)
MADE: dict[str, Callable[..., Task]] = {
    "position": lambda **given: PositionTask("LeftHand", ZERO, **given),
    "orientation": lambda **given: OrientationTask("LeftHand", (1.0, 0.0, 0.0, 0.0), **given),
    "direction": lambda **given: DirectionTask("LeftHand", (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), **given),
    "half-space": lambda **given: HalfSpaceTask("LeftHand", ZERO, (0.0, 1.0, 0.0), **given),
    "centre of mass": lambda **given: CenterOfMassTask(ZERO, **given),
    "pose": lambda **given: PoseTask(Pose.rest(person()), **given),
    "displaced mass": lambda **given: DisplacedMassTask(Pose.rest(person()), **given),
}
every_task = pytest.mark.parametrize("make", MADE.values(), ids=MADE.keys())
on_a_joint = pytest.mark.parametrize("make", list(MADE.values())[:4], ids=list(MADE)[:4])


def names(skeleton: Skeleton, task: Task) -> set[str]:
    return {skeleton.names[joint] for joint in np.flatnonzero(task.recruited(skeleton))}


@every_task
@pytest.mark.parametrize("priority", [True, 1.0, "high", None])
def test_a_priority_is_a_whole_number(make: Callable[..., Task], priority: object) -> None:
    with pytest.raises(TaskError, match="grip: the priority must be a whole number"):
        make(priority=priority, name="grip")


@every_task
def test_any_whole_number_is_a_priority(make: Callable[..., Task]) -> None:
    for priority in (-3, 0, 10**6, np.int64(4)):
        assert make(priority=priority).priority == priority


@every_task
@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_a_weight_is_finite_and_positive(make: Callable[..., Task], weight: float) -> None:
    with pytest.raises(TaskError, match="grip: the weight must be a positive number"):
        make(weight=weight, name="grip")


@every_task
@pytest.mark.parametrize("recruit", [-1, True, False, np.int64(-2)])
def test_a_recruiting_level_counts_from_zero(make: Callable[..., Task], recruit: int) -> None:
    with pytest.raises(TaskError, match="grip: the recruiting level must be 0"):
        make(recruit=recruit, name="grip")


@on_a_joint
def test_levels_recruit_from_the_joint_upward(make: Callable[..., Task]) -> None:
    skeleton = person()
    chain = ["LeftHand", "LeftForeArm", "LeftArm", "Chest", "Spine", "Hips"]
    for level in range(8):
        assert names(skeleton, make(recruit=level)) == set(chain[: level + 1])
    assert names(skeleton, make(recruit=np.int64(1))) == set(chain[:2])
    assert names(skeleton, make()) == set(chain)


@every_task
def test_an_explicit_set_recruits_just_that(make: Callable[..., Task]) -> None:
    skeleton = person()
    for given in (["LeftArm", 0], ("LeftArm", "Hips"), {"LeftArm", "Hips"}, np.array([0, skeleton.index("LeftArm")])):
        assert names(skeleton, make(recruit=given)) == {"LeftArm", "Hips"}
    assert not make(recruit=()).recruited(skeleton).any()


@every_task
def test_a_set_that_is_used_up_when_read_is_kept(make: Callable[..., Task]) -> None:
    skeleton = person()
    task = make(recruit=(name for name in ("LeftArm", "Hips")))
    assert names(skeleton, task) == names(skeleton, task) == {"LeftArm", "Hips"}


@every_task
def test_an_unknown_joint_among_the_recruited_is_found(make: Callable[..., Task]) -> None:
    with pytest.raises(UnknownJointError, match=r"'LeftArn'.*'LeftArm'"):
        make(recruit=["Hips", "LeftArn"]).check(person(), 1)


@on_a_joint
def test_a_joint_is_a_name_or_an_index(make: Callable[..., Task], rng: np.random.Generator) -> None:
    skeleton = person()
    state = random_state(rng, skeleton)
    by_name = make()
    by_index = make()
    object.__setattr__(by_index, "joint", skeleton.index("LeftHand"))
    np.testing.assert_array_equal(by_name.error(state), by_index.error(state))
    np.testing.assert_array_equal(by_name.influencing_joints(skeleton), by_index.influencing_joints(skeleton))


@every_task
def test_a_fitting_task_passes_its_check(make: Callable[..., Task]) -> None:
    for frames in (0, 1, 9):
        make().check(person(), frames)


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: PositionTask("Head", np.zeros((rows, 3)), name="given"),
        lambda rows: OrientationTask("Head", np.ones((rows, 4)), name="given"),
        lambda rows: DirectionTask("Head", (1.0, 0.0, 0.0), np.ones((rows, 3)), name="given"),
        lambda rows: HalfSpaceTask("Head", np.zeros((rows, 3)), (0.0, 1.0, 0.0), name="given"),
        lambda rows: CenterOfMassTask(np.zeros((rows, 3)), name="given"),
    ],
)
def test_targets_are_for_every_frame_or_for_all(make: Callable[[int], Task]) -> None:
    make(5).check(person(), 5)
    make(1).check(person(), 5)
    for rows in (2, 6, 0):
        with pytest.raises(TaskError, match=f"given: there are targets for {rows} frames, but the motion has 5"):
            make(rows).check(person(), 5)


@every_task
def test_labels_are_the_users_own_words_where_there_are_any(make: Callable[..., Task]) -> None:
    assert make(name="hold the cup").label == "hold the cup"
    assert make().label
    unnamed = [built().label for built in MADE.values()]
    assert len(set(unnamed)) == len(unnamed), "two kinds of task call themselves the same"


@every_task
def test_no_frames_at_all(make: Callable[..., Task], rng: np.random.Generator) -> None:
    skeleton = person()
    state, task = random_state(rng, skeleton, 0), make()
    error, jacobian = task.error(state), task.jacobian(state, skeleton.dofs)
    assert error.shape[0] == 0 and error.shape[1] == task.error(random_state(rng, skeleton, 1)).shape[1]
    assert jacobian.shape == (0, error.shape[1], skeleton.dofs.count)


@every_task
def test_a_batch_is_its_frames_one_by_one(make: Callable[..., Task], rng: np.random.Generator) -> None:
    skeleton = person()
    state, task = random_state(rng, skeleton, 5), make()
    for frame in range(5):
        alone = state.at(np.array([frame]))
        np.testing.assert_allclose(task.error(alone)[0], task.error(state)[frame], atol=1e-13)
        np.testing.assert_allclose(
            task.jacobian(alone, skeleton.dofs)[0], task.jacobian(state, skeleton.dofs)[frame], atol=1e-13
        )


@every_task
def test_what_is_idle_is_neither_moved_nor_asked_for(make: Callable[..., Task], rng: np.random.Generator) -> None:
    skeleton = person()
    state, task = random_state(rng, skeleton, 5), make()
    idle = task.null_rows(state)
    jacobian, goal = task.jacobian(state, skeleton.dofs), task.goal(state, GoalStep(0.2, 0.3))
    if task.is_objective:
        assert jacobian.shape[1] > skeleton.dofs.count, "it is minimized without its rows because there are many"
    elif idle is None:
        ranks = np.linalg.matrix_rank(jacobian, tol=1e-9 * np.abs(jacobian).max())
        assert (ranks == jacobian.shape[1]).all(), "rows that always depend on each other are solved the slow way"
    else:
        np.testing.assert_allclose(np.linalg.norm(idle, axis=1), 1.0, atol=1e-12)
        assert np.abs(np.einsum("fr,frc->fc", idle, jacobian)).max() < 1e-12 * np.abs(jacobian).max()
        assert np.abs(np.einsum("fr,fr->f", idle, goal)).max() < 1e-12


@every_task
def test_those_who_serve_own_all_columns_that_matter(make: Callable[..., Task], rng: np.random.Generator) -> None:
    skeleton = person()
    task = make()
    jacobian = task.jacobian(random_state(rng, skeleton, 3), skeleton.dofs)
    moving = np.unique(skeleton.dofs.owners[np.abs(jacobian).max(axis=(0, 1)) > 0.0])
    assert task.influencing_joints(skeleton)[moving].all()


@every_task
def test_the_quadratic_model_is_that_of_half_the_squared_error(
    make: Callable[..., Task], rng: np.random.Generator
) -> None:
    skeleton = person()
    state, task = random_state(rng, skeleton, 3), make()
    descent, curvature = task.quadratic_model(state, skeleton.dofs)
    jacobian, error = task.jacobian(state, skeleton.dofs), task.error(state)
    np.testing.assert_allclose(descent, np.einsum("frc,fr->fc", jacobian, error), atol=1e-10)
    np.testing.assert_allclose(curvature, np.einsum("frc,frd->fcd", jacobian, jacobian), atol=1e-10)


def test_shortened_keeps_directions_and_short_vectors(rng: np.random.Generator) -> None:
    vectors = rng.standard_normal((50, 4)) * rng.uniform(0.0, 2.0, (50, 1))
    vectors[7] = 0.0
    lengths = np.linalg.norm(vectors, axis=1)
    result = shortened(vectors, 1.3)
    np.testing.assert_array_equal(result[lengths < 1.3], vectors[lengths < 1.3])
    np.testing.assert_allclose(np.linalg.norm(result[lengths > 1.3], axis=1), 1.3, rtol=1e-14)
    np.testing.assert_allclose(np.einsum("fr,fr->f", result, vectors), lengths * np.minimum(lengths, 1.3), rtol=1e-12)


def test_axes_are_indices() -> None:
    assert axis_indices("any", "zx") == [2, 0]


def test_a_random_character_recruits_no_stranger(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng, 20)
    for joint in range(20):
        task = PositionTask(joint, ZERO, recruit=int(rng.integers(0, 6)))
        assert not (task.recruited(skeleton) & ~task.influencing_joints(skeleton)).any()
        assert task.recruited(skeleton)[joint]
