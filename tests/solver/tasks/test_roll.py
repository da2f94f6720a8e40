# SPDX-License-Identifier: GPL-3.0-or-later
"""Roll: the shared Jacobian check on every character, and what its error means."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import TaskError, UnknownJointError
from poise.solver.tasks import RollTask
from poise.solver.tasks.roll import rolls, wrapped

from ..characters import matrix, person, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs


def turned(state: WorldState, turns: Array) -> WorldState:
    """The state with the root turned in the world by rotations (frames, 4)."""
    local = state.motion.rotations.copy()
    local[:, 0] = rotations.multiply(turns, local[:, 0])
    return WorldState.of(state.skeleton, Motion(local, state.motion.translations))


def test_jacobian_of_every_joint(character: Skeleton, rng: np.random.Generator) -> None:
    for joint in range(len(character)):
        task = RollTask(joint, rng.standard_normal(3), rng.uniform(-1.0, 1.0, 1))
        state = random_state(rng, character, 2)
        pointing = rotations.rotate(state.rotations[:, joint], np.asarray(task.axis))
        if (np.abs(pointing[:, character.up_axis]) < 0.95).all():
            assert_jacobian(task, state)


def test_jacobian_over_some_columns(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    level = np.eye(3)[(character.up_axis + 1) % 3] + 0.3 * rng.standard_normal(3)
    axis = rotations.rotate(rotations.conjugate(state.rotations[0, -1]), level)
    chosen = state.at(np.array([0]))
    assert_jacobian(RollTask(len(character) - 1, axis, [0.2]), chosen, some_dofs(rng, chosen))


def test_a_turn_about_the_axis_is_the_roll(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 50)
    axis, angles = rotations.unit(rng.standard_normal(3)), rng.uniform(-2.0, 2.0, (50, 1))
    about = rotations.rotate(state.rotations[:, 0], axis)
    task = RollTask(0, axis, rolls(state, 0, axis))
    after = turned(state, rotations.exp(angles * about))
    np.testing.assert_allclose(wrapped(task.error(after) + angles), 0.0, atol=1e-9)


def test_heading_and_slope_of_the_axis_do_not_count(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 50)
    axis, up = rotations.unit(rng.standard_normal(3)), np.eye(3)[state.skeleton.up_axis]
    task = RollTask(0, axis, rolls(state, 0, axis))
    headed = turned(state, rotations.exp(rng.uniform(-3.0, 3.0, (50, 1)) * up))
    np.testing.assert_allclose(task.error(headed), 0.0, atol=1e-9)
    level = rotations.unit(
        rotations.cross(rotations.rotate(headed.rotations[:, 0], axis), np.broadcast_to(up, (50, 3)))
    )
    steepness = np.arcsin(rotations.rotate(headed.rotations[:, 0], axis) @ up)
    to_slope = rng.uniform(-1.2, 1.2, 50) - steepness
    sloping = turned(headed, rotations.exp(to_slope[:, None] * level))
    np.testing.assert_allclose(task.error(sloping), 0.0, atol=1e-9)


def test_errors_go_the_short_way_round(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    now = rolls(state, 3, np.array([1.0, 0.0, 0.0]))
    for turns in (-2, 0, 5):
        error = RollTask(3, (2.0, 0.0, 0.0), now + 0.3 + 2.0 * np.pi * turns).error(state)
        np.testing.assert_allclose(error, 0.3, atol=1e-9)


def test_an_upright_axis_gives_no_large_rows(rng: np.random.Generator) -> None:
    skeleton = person()
    state = random_state(rng, skeleton, 3)
    axis = rotations.rotate(rotations.conjugate(state.rotations[0, 0]), np.eye(3)[skeleton.up_axis] + 1e-9)
    task = RollTask(0, axis, [0.1])
    assert np.isfinite(task.error(state)).all()
    spin = task.jacobian(state, skeleton.dofs)[:, :, skeleton.dofs.rotation_columns]
    assert np.abs(spin).max() <= 10.0 + 1e-9
    assert (
        np.abs(matrix(state.rotations[:1, 0]) @ (axis / np.linalg.norm(axis)) - np.eye(3)[skeleton.up_axis]).max()
        < 1e-8
    )


def test_what_it_refuses() -> None:
    with pytest.raises(TaskError, match="axis"):
        RollTask(0, (0.0, 0.0, 0.0), [0.0])
    with pytest.raises(TaskError, match="axis"):
        RollTask(0, np.ones((2, 3)), [0.0])
    with pytest.raises(TaskError, match="roll"):
        RollTask(0, (1.0, 0.0, 0.0), [0.0, 1.0])
    with pytest.raises(TaskError, match="not finite"):
        RollTask(0, (1.0, 0.0, 0.0), [np.nan])
    with pytest.raises(UnknownJointError):
        RollTask("nowhere", (1.0, 0.0, 0.0), [0.0]).check(person(), 1)


def test_it_has_a_name() -> None:
    assert RollTask("l_ankle", (1.0, 0.0, 0.0), [0.0]).label == "Roll of l_ankle"
    assert RollTask("l_ankle", (1.0, 0.0, 0.0), [0.0], name="left sole").label == "left sole"
