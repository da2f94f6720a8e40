# SPDX-License-Identifier: GPL-3.0-or-later
"""The one check that the Jacobian of every task must pass."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.kinematics import WorldState, integrate
from poise.solver.core.arrays import Array, IntArray
from poise.solver.tasks import Task

RELATIVE_TOLERANCE = 1e-6

Quantity = Callable[[WorldState, IntArray], Array]
"""(many, rows) of a state of many frames, each of which began as one of the original frames, (many,)."""

STEP = 1e-5
"""Radians, or sizes of the character. Central differences err by its square, rounding by 1e-16 divided by it."""


def central_differences(quantity: Quantity, state: WorldState, dofs: Dofs) -> Array:
    """(frames, rows, columns): how a quantity changes with each of the velocities of `dofs`."""
    steps = np.full(dofs.count, STEP)
    steps[dofs.translation_columns] *= state.skeleton.size
    # All columns of all frames, forward and back, in one batch.
    frames = np.tile(np.repeat(np.arange(state.frames), dofs.count), 2)
    forward = np.tile(np.diag(steps), (state.frames, 1))
    start = state.at(frames)
    moved = WorldState.of(state.skeleton, integrate(start, np.concatenate([forward, -forward]), dofs))
    ahead, behind = np.split(quantity(moved, frames), 2)
    slopes = (ahead - behind).reshape(state.frames, dofs.count, ahead.shape[1]) / (2.0 * steps[:, None])
    return slopes.swapaxes(1, 2)


def assert_same_derivatives(found: Array, expected: Array, least: float, what: str) -> None:
    """Fail unless (frames, rows, columns) agree relative to the largest entry of each frame, or to `least`."""
    assert found.shape == expected.shape, f"{what}: the shape is {found.shape} instead of {expected.shape}"
    assert np.isfinite(found).all(), f"{what} is not finite"
    largest = np.abs(expected).max(axis=(1, 2), initial=least)
    off = np.abs(found - expected) / largest[:, None, None]
    if off.max(initial=0.0) > RELATIVE_TOLERANCE:
        frame, row, column = np.unravel_index(np.argmax(off), off.shape)
        raise AssertionError(
            f"{what} is {found[frame, row, column]:.9g} instead of {expected[frame, row, column]:.9g} "
            f"at frame {frame}, row {row}, column {column}"
        )


def assert_jacobian(task: Task, state: WorldState, dofs: Dofs | None = None) -> None:
    """Fail unless the Jacobian of a task is minus the derivative of its error, over all or the given columns."""
    dofs = dofs or state.skeleton.dofs
    expected = -central_differences(lambda moved, frames: task.at(frames).error(moved), state, dofs)
    assert_same_derivatives(task.jacobian(state, dofs), expected, 1.0, f"the Jacobian of {task.label}")


def some_dofs(rng: np.random.Generator, state: WorldState) -> Dofs:
    """The columns of a random half of the joints."""
    return Dofs(state.skeleton.kinds, rng.random(len(state.skeleton)) < 0.5)
