# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up human's joint limits are the ranges of movement of the book that `anatomy` names."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from poise import solver
from poise.examples.kick import kick
from poise.solver import synthetic
from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.core import rotations

from .checks import SIDES, UPS, Make, standing


@cache
def limited_human(up: Up) -> Skeleton:
    return synthetic.human(up, limits=True)


INTO_REACH = [
    ("hip", (-1, 0, 0), 120),  # the knee rises
    ("hip", (1, 0, 0), 30),
    ("hip", (0, 0, 1), 45),  # the leg goes out
    ("hip", (0, 0, -1), 30),
    ("knee", (1, 0, 0), 135),
    ("elbow", (-1, 0, 0), 150),
    ("shoulder", (-1, 0, 0), 150),
    ("shoulder", (1, 0, 0), 60),
    ("shoulder", (0, 0, 1), 150),
    ("shoulder", (0, 0, -1), 40),
    ("shoulder", (0, -1, 0), 70),  # the thumb turns in
    ("shoulder", (0, 1, 0), 90),
    ("talocrural", (-1, 0, 0), 20),  # the toes rise
    ("talocrural", (1, 0, 0), 50),
    ("subtalar", (0, 0, 1), 15),  # the sole turns out
    ("subtalar", (0, 0, -1), 35),
    ("metatarsal", (-1, 0, 0), 70),
    ("sternoclavicular", (0, 0, 1), 30),  # a shrug
    ("wrist", (0, 0, -1), 80),  # the palm comes to the forearm
]


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("joint", "axis", "degrees"), INTO_REACH)
def test_joints_end_where_the_book_says(
    up: Up, side: str, joint: str, axis: tuple[int, int, int], degrees: float
) -> None:
    skeleton = limited_human(up)
    x, y, z = np.array(axis) * (1.0, SIDES[side], SIDES[side])  # an axis is mirrored as a turn, not as an arrow
    world_axis = np.array([x, y, z] if up == "y" else [x, -z, y], dtype=float)
    limit = skeleton.limits[skeleton.index(side + joint)]
    for turned, inside in ((degrees - 0.1, True), (degrees + 0.1, False)):
        excess = limit.excess(rotations.from_axis_angle(world_axis, np.deg2rad(turned)))
        assert bool((excess <= 0.0).all()) == inside, f"{turned} degrees exceed by {np.rad2deg(excess)}"


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("hinges", [False, True])
def test_every_joint_but_the_root_is_limited_and_stands_inside(up: Up, hinges: bool) -> None:
    skeleton = synthetic.human(up, hinges=hinges, limits=True)
    assert set(skeleton.limits) == set(range(1, len(skeleton)))
    for joint, limit in skeleton.limits.items():
        if isinstance(limit, solver.HingeLimit):
            assert limit.low == 0.0 < limit.high
        else:
            assert (limit.excess(rotations.IDENTITY) < 0.0).all(), skeleton.names[joint]


def test_a_reach_within_limits_keeps_them() -> None:
    skeleton = synthetic.human(hinges=True, limits=True)
    tasks = [
        solver.PositionTask("l_wrist", (0.3, 0.2, 0.5), priority=2),
        solver.PositionTask("l_talocrural", standing(skeleton).position("l_talocrural")[0], priority=3),
        solver.PositionTask("r_talocrural", standing(skeleton).position("r_talocrural")[0], priority=3),
        solver.PoseTask(solver.Pose.rest(skeleton), priority=1),
    ]
    # The reach is done by then; how the pose attraction settles among the limits is for the solver's own tests.
    solved = solver.solve_posture(skeleton, solver.Pose.rest(skeleton), tasks, iterations=40)
    for joint, limit in skeleton.limits.items():
        relative = solved.pose.rotations[joint]
        axis = skeleton.hinge_axes[joint]
        bound = limit.bound_to(axis) if isinstance(limit, solver.HingeLimit) else limit
        excess = bound.excess(relative)
        assert (excess < 1e-8).all(), f"{skeleton.names[joint]} is beyond its limit by {excess.max()} radians"
    assert max(np.abs(error).max() for error in solved.errors[:3]) < 1e-6 * skeleton.size


@pytest.mark.parametrize("make", [synthetic.walk, kick])
def test_joints_stay_within_anatomical_ranges(make: Make) -> None:
    clip = make().clip
    limited = synthetic.human(limits=True)
    for joint, limit in limited.limits.items():
        assert isinstance(limit, solver.BallLimit)
        excess = limit.excess(clip.motion.rotations[:, joint])
        assert (excess <= 0.0).all(), f"{limited.names[joint]} by {np.rad2deg(excess.max()):.1f} degrees"
