# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of angles about the axes of joints become limits, which the motion keeps."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.axis_limits import with_axis_limits
from poise.solver.body.limits import BallLimit, HingeLimit
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.errors import LimitError

AXES = np.eye(3)


def chain(rng: np.random.Generator, kind: str = "ball", axis: int = 0) -> Skeleton:
    """A root and a joint along y of its own frame, whose rest rotation is anything."""
    return Skeleton(
        ("root", "joint"), [-1, 0], [[0, 0, 0], [0, 1, 0]], kinds=("free", kind), hinge_axes=[AXES[0], AXES[axis]],
        rest_rotations=rotations.random(rng, 2),
    )  # fmt: skip


def is_inside(skeleton: Skeleton, axis: np.ndarray, angle: float) -> bool:
    limit = skeleton.limits[1]
    bound = limit.bound_to(skeleton.hinge_axes[1]) if isinstance(limit, HingeLimit) else limit
    return bool((bound.excess(rotations.from_axis_angle(axis, angle)) <= 0.0).all())


@pytest.mark.parametrize("bone_axis", [0, 1, 2])
def test_a_ball_turns_about_each_axis_as_far_as_its_range(rng: np.random.Generator, bone_axis: int) -> None:
    ranges = [(-0.3, 0.7), (-0.5, 0.2), (-1.1, 1.6)]
    skeleton = with_axis_limits(chain(rng), {"joint": ranges}, bone_axis=bone_axis)
    for axis, (low, high) in zip(AXES, ranges, strict=True):
        for angle in (low, high):
            assert is_inside(skeleton, axis, 0.98 * angle) and not is_inside(skeleton, axis, 1.02 * angle)


def test_axes_without_a_range_are_free(rng: np.random.Generator) -> None:
    twist = with_axis_limits(chain(rng), {"joint": (None, (-0.2, 0.2), None)})
    limit = twist.limits[1]
    assert isinstance(limit, BallLimit) and limit.swing is None and limit.twist == pytest.approx((-0.2, 0.2))
    swing = with_axis_limits(chain(rng), {"joint": ((-0.2, 0.2), None, None)})
    limit = swing.limits[1]
    assert isinstance(limit, BallLimit) and limit.twist is None
    assert is_inside(swing, AXES[2], 2.9) and not is_inside(swing, AXES[0], 0.25)
    nothing = chain(rng)
    assert with_axis_limits(nothing, {"joint": (None, None, None)}) is nothing


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_hinge_has_the_range_about_its_axis(rng: np.random.Generator, axis: int) -> None:
    ranges = [(-0.1, 0.4), (-0.2, 0.5), (-0.3, 0.6)]
    skeleton = chain(rng, "hinge", axis)
    limit = with_axis_limits(skeleton, {"joint": ranges}).limits[1]
    assert isinstance(limit, HingeLimit) and (limit.low, limit.high) == pytest.approx(ranges[axis])
    opposite = skeleton.with_kinds({}, {"joint": -AXES[axis]})
    limit = with_axis_limits(opposite, {"joint": ranges}).limits[1]
    assert isinstance(limit, HingeLimit) and (-limit.high, -limit.low) == pytest.approx(ranges[axis])
    inclined = skeleton.with_kinds({}, {"joint": (1.0, 1.0, 0.0)})
    assert not with_axis_limits(inclined, {"joint": ranges}).limits


def test_a_motion_stays_inside(rng: np.random.Generator) -> None:
    for kind in ("ball", "hinge"):
        skeleton = chain(rng, kind)
        turns = rotations.exp(rng.uniform(-1.5, 1.5, (40, 1)) * AXES[0])
        if kind == "ball":
            turns = rotations.exp(rng.uniform(-1.2, 1.2, (40, 3)))
        local = np.tile(skeleton.rest_rotations, (40, 1, 1))
        local[:, 1] = rotations.multiply(local[:, 1], turns)
        motion = Motion(local, np.tile(skeleton.offsets, (40, 1, 1)))
        for ranges in ([(0.0, 0.0)] * 3, [(-0.1, 0.4), (-0.1, 0.0), (-0.3, 0.0)]):
            limit = with_axis_limits(skeleton, {"joint": ranges}, motion).limits[1]
            bound = limit.bound_to(skeleton.hinge_axes[1]) if isinstance(limit, HingeLimit) else limit
            assert bound.excess(turns).max() < 0.0


def test_joints_that_cannot_have_a_limit_have_none(rng: np.random.Generator) -> None:
    ranges = {"root": [(-0.1, 0.1)] * 3, "joint": [(-0.1, 0.1)] * 3}
    assert not with_axis_limits(chain(rng, "fixed"), ranges).limits
    with pytest.raises(LimitError, match="'joint' must contain 0"):
        with_axis_limits(chain(rng), {"joint": ((0.1, 0.2), None, None)})
