# SPDX-License-Identifier: GPL-3.0-or-later
"""The feasibility correction: nearly met tasks are met by the least change; other frames come back unchanged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.body.limits import HingeLimit
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.posture.feasibility import correct_postures, is_correctable, moving_joints
from poise.solver.posture.solve import solve_postures
from poise.solver.synthetic import human, walk
from poise.solver.tasks import BalanceTask, HalfSpaceTask, MaskedTask, PoseTask, PositionTask, Task


@pytest.fixture(scope="module")
def body() -> Skeleton:
    return human()


@pytest.fixture(scope="module")
def steps(body: Skeleton) -> Motion:
    return walk(body, steps=2).clip.motion


def feet(body: Skeleton, motion: Motion, shift: np.ndarray) -> list[Task]:
    """Both balls of the feet moved from where they are by (frames, 3), the balance kept."""
    world = WorldState.of(body, motion)
    marks = [body.landmarks.left_toe, body.landmarks.right_toe]
    tasks: list[Task] = [PositionTask(joint, world.positions[:, joint] + shift) for joint in marks]
    offset = world.center_of_mass() - world.positions[:, marks].mean(axis=1)
    return [*tasks, BalanceTask(marks, offset)]


def test_small_errors_vanish(body: Skeleton, steps: Motion, rng: np.random.Generator) -> None:
    shift = 0.02 * body.size * rng.standard_normal((steps.frames, 3))
    corrected = correct_postures(body, steps, feet(body, steps, shift), 1e-9)
    worst = max(float(np.abs(error).max()) for error in corrected.errors)
    assert worst < 1e-8 * body.size, f"still {worst / body.size:.1e} of the size missing"


def test_the_change_is_about_the_least(body: Skeleton, steps: Motion, rng: np.random.Generator) -> None:
    """As the solver finds it that is attracted to the start, and moves the same joints."""
    shift = 0.01 * body.size * rng.standard_normal((steps.frames, 3))
    *points, balance = feet(body, steps, shift)
    corrected = correct_postures(body, steps, [*points, balance])
    moving = np.flatnonzero(moving_joints(body, [*points, balance])).tolist()
    solved = solve_postures(
        body, steps, [*points, replace(balance, recruit=moving), PoseTask(steps, priority=0, recruit=moving)]
    )

    def change(motion: Motion) -> float:
        turns = rotations.log(rotations.multiply(motion.rotations, rotations.conjugate(steps.rotations)))
        moves = (motion.translations - steps.translations) / body.size
        return float(np.sqrt((turns**2).sum() + (moves**2).sum()))

    assert change(corrected.world.motion) < 1.01 * change(solved.motion)


def test_only_limbs_that_stand_move(body: Skeleton, steps: Motion) -> None:
    """Balance would have the arms swing for a tremor of the feet."""
    tasks = feet(body, steps, np.full((steps.frames, 3), 0.01 * body.size))
    corrected = correct_postures(body, steps, tasks).world.motion
    legs = body.tree.ancestry[[body.landmarks.left_toe, body.landmarks.right_toe]].any(axis=0)
    np.testing.assert_array_equal(corrected.rotations[:, ~legs], steps.rotations[:, ~legs])
    assert not np.array_equal(corrected.rotations[:, legs], steps.rotations[:, legs])


def test_all_joints_move_where_only_the_balance_is_missing(body: Skeleton, steps: Motion) -> None:
    balance = feet(body, steps, np.zeros((steps.frames, 3)))[-1]
    assert moving_joints(body, [balance]).all()
    kept = PositionTask(body.landmarks.left_toe, np.zeros(3), recruit=1)
    assert moving_joints(body, [kept, balance]).all(), (
        "without the root a foot and the balance may contradict each other"
    )


def test_frames_that_are_far_off_come_back_as_they_were(body: Skeleton, steps: Motion) -> None:
    shift = np.zeros((steps.frames, 3))
    shift[4] = 3.0 * body.size
    corrected = correct_postures(body, steps, feet(body, steps, shift))
    np.testing.assert_array_equal(corrected.world.motion.rotations[4], steps.rotations[4])
    np.testing.assert_array_equal(corrected.world.motion.translations[4], steps.translations[4])
    assert np.abs(corrected.errors[0][4]).max() > body.size, "what is missing should be told"
    assert np.abs(np.delete(corrected.errors[0], 4, axis=0)).max() < 1e-6 * body.size


def test_frames_where_nothing_is_missing_stay(body: Skeleton, steps: Motion) -> None:
    corrected = correct_postures(body, steps, feet(body, steps, np.zeros((steps.frames, 3))))
    np.testing.assert_array_equal(corrected.world.motion.rotations, steps.rotations)


def test_masked_rows_count_only_where_they_are_active(body: Skeleton, steps: Motion) -> None:
    shift = np.full((steps.frames, 3), 0.01 * body.size)
    first, second, balance = feet(body, steps, shift)
    active = np.arange(steps.frames) % 2 == 0
    corrected = correct_postures(body, steps, [first, MaskedTask(second, active), balance])
    world = WorldState.of(body, corrected.world.motion)
    missing = np.linalg.norm(second.error(world), axis=1)
    assert missing[active].max() < 1e-6 * body.size
    assert missing[~active].min() > 1e-4 * body.size, "the task is not active there"


def test_what_can_be_corrected(body: Skeleton, steps: Motion) -> None:
    tasks = feet(body, steps, np.zeros((steps.frames, 3)))
    assert is_correctable(body, tasks)
    assert not is_correctable(body, [*tasks, PoseTask(steps)]), "a pose is no target to be met"
    floor = HalfSpaceTask(0, np.zeros(3), (0.0, 1.0, 0.0))
    assert not is_correctable(body, [*tasks, floor]), "an inequality is met in many ways"
    assert not is_correctable(body, [PositionTask("l_wrist", np.zeros(3), recruit=2)]), (
        "it may not move all that serves it"
    )
    knees = body.with_kinds({"l_knee": "hinge"}, {"l_knee": (1.0, 0.0, 0.0)})
    limited = knees.with_limits({"l_knee": HingeLimit(0.0, 2.0)})
    assert not is_correctable(limited, tasks), "a limit might be crossed"
