# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods that the solver is compared with reach their targets, and do what their formulas say."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.examples.comparison_methods import (
    LevelRows,
    Method,
    damped_least_squares,
    iterate,
    iterate_posture,
    transpose,
)
from poise.solver import synthetic

FRAMES, COLUMNS = 6, 24


@pytest.fixture
def levels() -> list[LevelRows]:
    rng = np.random.default_rng(5)
    return [LevelRows(rng.standard_normal((FRAMES, m, COLUMNS)), rng.standard_normal((FRAMES, m))) for m in (3, 2)]


def linear_error(levels: list[LevelRows], step: np.ndarray) -> np.ndarray:
    """(frames,) the sum of squares that a step leaves."""
    left = [level.residual - np.einsum("frc,fc->fr", level.jacobian, step) for level in levels]
    return np.square(np.concatenate(left, axis=1)).sum(axis=1)


def test_the_transpose_takes_the_gain_that_reduces_the_linear_error_most(levels: list[LevelRows]) -> None:
    best = transpose()(levels)
    assert (linear_error(levels, best) < linear_error(levels, np.zeros_like(best))).all()
    for factor in (0.9, 1.1):
        assert (linear_error(levels, best) <= linear_error(levels, factor * best)).all()
    assert np.allclose(transpose(0.5)(levels), 0.5 * transpose(1.0)(levels))


@pytest.mark.parametrize("damping", [0.3, 3.0])
def test_a_damped_level_never_moves_those_above_it(levels: list[LevelRows], damping: float) -> None:
    method = damped_least_squares(1.0, damping)
    first = levels[0].jacobian
    above, both = method(levels[:1]), method(levels)
    assert np.abs(both - above).max() > 1e-3
    assert np.abs(np.einsum("frc,fc->fr", first, both - above)).max() < 1e-12


def test_without_damping_every_level_is_met_and_the_integration_step_is_a_share(levels: list[LevelRows]) -> None:
    whole = damped_least_squares(1.0, 0.0)(levels)
    assert linear_error(levels, whole).max() < 1e-20
    assert np.allclose(damped_least_squares(0.5, 0.0)(levels), 0.5 * whole)


@pytest.mark.parametrize(
    "method",
    [transpose(), damped_least_squares(1.0, 0.1), damped_least_squares(0.5, 0.0)],
    ids=["transpose", "fixed step and damping", "half steps"],
)
def test_each_method_reaches_a_target(method: Method) -> None:
    skeleton = synthetic.chain(20, 1.0)
    pose = synthetic.bent(skeleton, 0.05)
    tip = skeleton.tips[0]
    task = solver.PositionTask(tip.joint, [0.3, 0.4, 0.2], offset=tip.offset)
    result = iterate_posture(skeleton, pose, [task], method, solver.SolveSettings(iterations=400))
    assert np.linalg.norm(result.errors[0]) < 1e-3
    assert result.history.shape == (result.iterations + 1, 1)
    assert result.history[-1, 0] == pytest.approx(np.linalg.norm(result.errors[0]))


def test_a_frame_that_is_at_rest_does_not_change_the_others() -> None:
    skeleton = synthetic.chain(6, 1.0)
    start, tip = synthetic.bent(skeleton, 0.4), skeleton.tips[0]
    targets = np.array([[0.3, 0.4, 0.2], [-0.6, 0.1, 0.5]])
    settings = solver.SolveSettings(iterations=60)

    def solved(some: np.ndarray) -> solver.Postures:
        task = solver.PositionTask(tip.joint, some, offset=tip.offset)
        motion = solver.Motion.from_poses([start] * len(some))
        return iterate(skeleton, motion, [task], damped_least_squares(1.0, 0.1), settings)

    both, alone = solved(targets), solved(targets[1:])
    assert both.converged.all() and both.iterations[0] != both.iterations[1]
    assert both.iterations[1] == alone.iterations[0]
    assert np.allclose(both.motion.rotations[1], alone.motion.rotations[0], atol=1e-12)
