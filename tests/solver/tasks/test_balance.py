# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance: the shared Jacobian check on every character, and what its error means."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.errors import TaskError, UnknownJointError
from poise.solver.tasks import BalanceTask
from poise.solver.tasks.balance import balance_vector

from ..characters import matrix, person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs
from ..rounding import assert_equal_to_rounding


def some_points(rng: np.random.Generator, skeleton: Skeleton) -> list[str | int | BodyPoint]:
    last = len(skeleton) - 1
    return [last, skeleton.names[last // 2], BodyPoint(skeleton.names[0], tuple(rng.standard_normal(3)))]


@pytest.mark.parametrize("axes", [None, "x", "zy", "xyz"])
def test_jacobian(character: Skeleton, rng: np.random.Generator, axes: str | None) -> None:
    state = random_state(rng, character, 3)
    task = BalanceTask(some_points(rng, character), rng.standard_normal((3, 3)), axes=axes)
    assert_jacobian(task, state)
    assert_jacobian(task, state, some_dofs(rng, state))


def test_error_leads_from_where_the_centre_is_over_the_points(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    for up, horizontal in (("y", [0, 2]), ("z", [0, 1])):
        state = random_state(rng, skeleton.replace(up=up))
        offset, target = rng.standard_normal(3), rng.standard_normal((4, 3))
        points = ["part 5", BodyPoint("part 7", tuple(offset)), 2]
        seventh = state.positions[:, 7] + matrix(state.rotations[:, 7]) @ offset
        over = state.center_of_mass() - (state.positions[:, 5] + seventh + state.positions[:, 2]) / 3.0
        missing = target - over
        np.testing.assert_allclose(BalanceTask(points, target).error(state), missing[:, horizontal], atol=1e-12)
        np.testing.assert_allclose(BalanceTask(points, target, axes="yx").error(state), missing[:, [1, 0]], atol=1e-12)
        resolved = [state.skeleton.resolve(point) for point in points]
        np.testing.assert_allclose(balance_vector(state, resolved), over, atol=1e-12)


def test_it_holds_wherever_the_body_is_carried(rng: np.random.Generator) -> None:
    """A shift moves both ends of the vector; a turn turns it."""
    skeleton = person()
    state = random_state(rng, skeleton)
    points = [skeleton.resolve(name) for name in ("LeftFoot", "RightFoot")]
    turn, shift = rotations.random(rng), rng.standard_normal(3)
    turned, moved = state.motion.rotations.copy(), state.motion.translations.copy()
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    moved[:, 0] = rotations.rotate(turn, moved[:, 0]) + shift
    carried = WorldState.of(skeleton, Motion(turned, moved))
    np.testing.assert_allclose(
        balance_vector(carried, points), rotations.rotate(turn, balance_vector(state, points)), atol=1e-12
    )


def test_the_same_points_twice_weigh_twice(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    resolve = state.skeleton.resolve
    heavy = balance_vector(state, [resolve(3), resolve(3), resolve(6)])
    expected = state.center_of_mass() - (2.0 * state.positions[:, 3] + state.positions[:, 6]) / 3.0
    np.testing.assert_allclose(heavy, expected, atol=1e-12)


def test_a_task_for_some_frames(rng: np.random.Generator) -> None:
    state, some = random_state(rng, random_skeleton(rng)), np.array([3, 1, 3])
    task = BalanceTask([4], rng.standard_normal((4, 3)), priority=7, name="poise")
    assert_equal_to_rounding(task.at(some).error(state.at(some)), task.error(state)[some])
    assert task.at(some).label == "poise"


def test_everyone_serves_and_who_is_recruited_may_be_chosen() -> None:
    skeleton = person()
    task = BalanceTask(["LeftFoot"], (0.0, 0.0, 0.0))
    assert task.influencing_joints(skeleton).all() and task.recruited(skeleton).all()
    legs = BalanceTask(["LeftFoot"], (0.0, 0.0, 0.0), recruit=["LeftUpLeg", "LeftLeg"]).recruited(skeleton)
    assert [skeleton.names[joint] for joint in np.flatnonzero(legs)] == ["LeftUpLeg", "LeftLeg"]
    with pytest.raises(TaskError, match="Balance has no joint to count"):
        BalanceTask(["LeftFoot"], (0.0, 0.0, 0.0), recruit=2).check(skeleton, 1)


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(TaskError, match="Balance: balance needs at least one point"):
        BalanceTask([], (0.0, 0.0, 0.0))
    for target in ((1.0, 2.0), np.zeros((2, 2)), 1.0):
        with pytest.raises(TaskError, match="Balance: the target must be 3 numbers"):
            BalanceTask(["LeftFoot"], target)
    with pytest.raises(TaskError, match="poise: the target is not finite"):
        BalanceTask(["LeftFoot"], (np.nan, 0.0, 0.0), name="poise")
    for axes in ("", "xx", "q"):
        with pytest.raises(TaskError, match="Balance: axes"):
            BalanceTask(["LeftFoot"], (0.0, 0.0, 0.0), axes=axes)
    with pytest.raises(UnknownJointError, match="LeftFot"):
        BalanceTask(["LeftFot"], (0.0, 0.0, 0.0)).check(person(), 1)
    with pytest.raises(TaskError, match="there are targets for 3 frames, but the motion has 5"):
        BalanceTask(["LeftFoot"], np.zeros((3, 3))).check(person(), 5)
