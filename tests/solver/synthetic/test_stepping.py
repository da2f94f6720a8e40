# SPDX-License-Identifier: GPL-3.0-or-later
"""The geometry of a stepping foot: flat, turned outward, pitched about its ball."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.body.skeleton import Up
from poise.solver.core import rotations
from poise.solver.synthetic.puppet import MIRROR, Side, heel_to_ball
from poise.solver.synthetic.stepping import SteppingFoot

from .checks import UPS, in_drawing_axes


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("side", MIRROR)
def test_toes_point_outward_and_heels_rise_about_the_ball(up: Up, side: Side) -> None:
    skeleton = synthetic.human(up)
    foot = SteppingFoot(skeleton, side, 0.2)
    straight = in_drawing_axes(skeleton, heel_to_ball(skeleton, side))
    sole = in_drawing_axes(skeleton, foot.sole)
    turn = np.arctan2(sole[0], sole[2]) - np.arctan2(straight[0], straight[2])
    assert turn == pytest.approx(MIRROR[side] * 0.2)
    pitched = in_drawing_axes(skeleton, foot.from_heel(np.array([0.0, 0.5])))
    assert np.allclose(pitched[0], sole)
    assert pitched[1, 1] < sole[1] - 0.05, "from the raised heel the way to the ball leads down"
    assert np.linalg.norm(pitched[1]) == pytest.approx(np.linalg.norm(sole))


def test_a_pose_has_the_ball_and_the_two_pitches() -> None:
    skeleton = synthetic.human()
    foot = SteppingFoot(skeleton, "l_", 0.1)
    ball = np.array([[0.1, 0.2, 0.3], [0.0, 0.5, 1.0]])
    pose = foot.pose(ball, np.array([0.0, 0.7]), np.array([0.0, -0.2]))
    assert np.array_equal(pose.ball, ball)
    for turned, angles in ((pose.foot, (0.0, 0.7)), (pose.toes, (0.0, -0.2))):
        expected = rotations.multiply(rotations.from_axis_angle(foot.axis, np.array(angles)), foot.yaw)
        assert np.allclose(turned, expected)
    assert np.allclose(rotations.rotate(pose.foot[1], heel_to_ball(skeleton, "l_")), foot.from_heel(np.array([0.7]))[0])
