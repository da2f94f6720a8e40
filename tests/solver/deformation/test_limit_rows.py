# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of limits: their derivatives against finite differences, and their errors."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.body.limits import BallLimit, HingeLimit, SwingCone
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.deformation.columns import Columns
from poise.solver.deformation.limit_rows import Limits


@pytest.fixture
def limited() -> Skeleton:
    """A free root, a ball with a twist and a cone, a hinge, and a ball without limits."""
    return Skeleton(
        names=("root", "ball", "hinge", "free"),
        parents=[-1, 0, 1, 2],
        offsets=[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        kinds=("free", "ball", "hinge", "ball"),
        limits={1: BallLimit((0, 1, 0), twist=(-0.3, 0.3), swing=SwingCone(0.4, 0.6)), 2: HingeLimit(-0.2, 0.5)},
    )


def random_motion(skeleton: Skeleton, rng: np.random.Generator, frames: int = 5) -> Motion:
    """A motion whose joints are beyond some of their limits and within others."""
    turns = rng.standard_normal((frames, len(skeleton), 3)) * 0.6
    bends = rng.uniform(-1.0, 1.0, frames)
    turned = rotations.exp(turns)
    turned[:, 2] = rotations.from_axis_angle(skeleton.hinge_axes[2], bends)
    return Motion(turned, np.tile(skeleton.offsets, (frames, 1, 1)))


def test_derivatives_are_those_of_the_excess(limited: Skeleton, rng: np.random.Generator) -> None:
    columns, motion = Columns(limited, np.ones(4, dtype=bool)), random_motion(limited, rng)
    limits = Limits(columns)
    excess = limits.excess(motion)
    passed = excess > 0.0
    rows = limits.rows(WorldState.of(limited, motion), passed, np.ones((5, columns.count), dtype=bool))
    assert passed.any() and rows.jacobian.shape[1] == passed.sum(axis=1).max()
    errors = rows.errors(excess)
    for frame in range(motion.frames):
        count = int(passed[frame].sum())
        np.testing.assert_allclose(errors[frame, :count], -excess[frame, passed[frame]])
        assert not errors[frame, count:].any() and not rows.jacobian[frame, count:].any()

    def moved(column: int, by: float) -> Array:
        step = np.zeros((motion.frames, columns.count))
        step[:, column] = by
        return limits.excess(columns.displaced(motion, step))

    for column in range(columns.count):
        slope = (moved(column, 1e-6) - moved(column, -1e-6)) / 2e-6
        for frame in range(motion.frames):
            own = rows.jacobian[frame, : int(passed[frame].sum()), column]
            np.testing.assert_allclose(own, slope[frame, passed[frame]], atol=1e-6)


def test_joints_inside_of_their_limits_have_no_error(limited: Skeleton, rng: np.random.Generator) -> None:
    columns, motion = Columns(limited, np.ones(4, dtype=bool)), random_motion(limited, rng)
    limits = Limits(columns)
    everywhere = np.ones_like(limits.excess(motion), dtype=bool)
    movable = np.zeros((5, columns.count), dtype=bool)
    rows = limits.rows(WorldState.of(limited, motion), everywhere, movable)
    assert not rows.jacobian.any()
    assert not rows.errors(np.full(everywhere.shape, -0.1)).any()
    np.testing.assert_allclose(rows.errors(np.full(everywhere.shape, 0.1)), -0.1)


def test_without_limits_there_are_no_rows() -> None:
    free = Skeleton(names=("root",), parents=[-1], offsets=[[0.0, 0.0, 0.0]])
    columns = Columns(free, np.ones(1, dtype=bool))
    motion = Motion(np.tile(rotations.IDENTITY, (3, 1, 1)), np.zeros((3, 1, 3)))
    limits = Limits(columns)
    assert limits.excess(motion).shape == (3, 0)
    none, movable = np.zeros((3, 0), dtype=bool), np.ones((3, 6), dtype=bool)
    assert limits.rows(WorldState.of(free, motion), none, movable).jacobian.shape == (3, 0, 6)


def test_rows_of_some_frames_are_those_of_all_frames_there(limited: Skeleton, rng: np.random.Generator) -> None:
    columns, motion = Columns(limited, np.ones(4, dtype=bool)), random_motion(limited, rng)
    limits = Limits(columns)
    excess = limits.excess(motion)
    rows = limits.rows(WorldState.of(limited, motion), excess > 0.0, np.ones((5, columns.count), dtype=bool))
    some = np.array([1, 3])
    np.testing.assert_array_equal(rows.at(some).jacobian, rows.jacobian[some])
    np.testing.assert_array_equal(rows.at(some).errors(excess[some]), rows.errors(excess)[some])
