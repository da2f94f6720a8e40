# SPDX-License-Identifier: GPL-3.0-or-later
"""Masked tasks: Jacobians are derivatives of their errors, and inactive rows are zero."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.skeleton import Skeleton
from poise.solver.core.errors import TaskError
from poise.solver.tasks import HalfSpaceTask, MaskedTask, OrientationTask, PositionTask
from poise.solver.tasks.masked import across

from ..characters import random_skeleton, random_state
from ..jacobian_check import assert_jacobian
from ..rounding import assert_equal_to_rounding


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_jacobian_where_some_frames_are_switched_off(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character, 4)
    position = PositionTask(len(character) - 1, rng.standard_normal((4, 3)))
    assert_jacobian(MaskedTask(position, np.array([True, False, True, False])), state)


def test_what_is_switched_off_asks_for_nothing(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    task = PositionTask(5, rng.standard_normal((4, 3)), priority=3, weight=2.0, name="reach")
    active = np.array([True, False, False, True])
    masked = MaskedTask(task, active)
    assert_equal_to_rounding(masked.error(state)[active], task.error(state)[active])
    assert not masked.error(state)[~active].any()
    assert not masked.jacobian(state, skeleton.dofs)[~active].any()
    assert (masked.priority, masked.weight, masked.label, masked.effector) == (3, 2.0, "reach", 5)
    some = np.array([3, 1])
    assert_equal_to_rounding(masked.at(some).error(state.at(some)), masked.error(state)[some])


def test_nothing_is_left_along_the_axis(rng: np.random.Generator) -> None:
    axis, vectors = unit(rng.standard_normal((4, 3))), rng.standard_normal((4, 3))
    left = np.einsum("frk,fk->fr", across(axis), vectors)
    along = np.einsum("fr,fr->f", vectors, axis)
    np.testing.assert_allclose(
        np.einsum("fr,fr->f", left, left), np.einsum("fr,fr->f", vectors, vectors) - along**2, atol=1e-12
    )
    assert not left[:, 2].any(), "the last row should be empty, so that the rows stay independent"
    np.testing.assert_array_equal(across(np.zeros((4, 3))), np.tile(np.eye(3), (4, 1, 1)))


def test_the_kind_of_error_stays_that_of_the_task(rng: np.random.Generator) -> None:
    assert MaskedTask(OrientationTask(0, (1.0, 0.0, 0.0, 0.0)), np.ones(2, dtype=bool)).is_angular
    assert not MaskedTask(PositionTask(0, np.zeros(3)), np.ones(2, dtype=bool)).is_angular


def test_bad_masks() -> None:
    floor = HalfSpaceTask(0, np.zeros(3), (0.0, 1.0, 0.0), name="floor")
    with pytest.raises(TaskError, match="floor: an inequality"):
        MaskedTask(floor, np.ones(2, dtype=bool))
    with pytest.raises(TaskError, match="hand: give one value for each frame"):
        MaskedTask(PositionTask(0, np.zeros(3), name="hand"), np.ones((2, 2), dtype=bool))
    masked = MaskedTask(PositionTask(0, np.zeros(3), name="hand"), np.ones(2, dtype=bool))
    with pytest.raises(TaskError, match="hand: it is switched for 2 frames, but the motion has 5"):
        masked.check(Skeleton(("a",), [-1], [[0.0, 0.0, 0.0]]), 5)
