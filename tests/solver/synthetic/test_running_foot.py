# SPDX-License-Identifier: GPL-3.0-or-later
"""A foot that runs: still on its plants, clear of the floor between them, without corners."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.synthetic.puppet import heel_to_ball
from poise.solver.synthetic.running_foot import RunningFoot

SKELETON = synthetic.human()
STRIDE = 2.0 * SKELETON.size * np.array([0.0, 0.0, 1.0])


def running_foot(toe_off: float = 0.34) -> RunningFoot:
    """A left foot that runs along z."""
    return RunningFoot(SKELETON, "l_", 0.1, ball=np.array([0.1, 0.015, 0.2]), stride=STRIDE, toe_off=toe_off)


def heels(foot: RunningFoot, cycles: Array) -> Array:
    pose = foot.at(cycles)
    return pose.ball - rotations.rotate(pose.foot, heel_to_ball(SKELETON, foot.side))


@pytest.mark.parametrize("toe_off", [0.2, 0.34, 0.45])
def test_ball_and_heel_stand_on_their_plants_and_leave_them(toe_off: float) -> None:
    foot = running_foot(toe_off)
    for number in (-1, 0, 2):
        heel, ball = foot.plant(number)
        on_ball, on_heel = (number + np.linspace(0.0, end, 30) for end in (toe_off, foot.heel_off))
        assert np.abs(foot.at(on_ball).ball - ball).max() < 1e-12
        assert np.abs(heels(foot, on_heel) - heel).max() < 1e-12
        assert np.allclose(ball, foot.ball + number * STRIDE)
        beyond = np.array([number - 0.05, number + toe_off + 0.05])
        assert np.abs(foot.at(beyond).ball - ball).max(axis=1).min() > 1e-3
    assert foot.heel_off < toe_off


def test_the_swing_clears_the_floor_and_the_heel_rises_behind() -> None:
    cycles = np.linspace(0.36, 0.99, 200)
    foot = running_foot()
    pose, heel = foot.at(cycles), heels(foot, cycles)
    tips = pose.ball + rotations.rotate(pose.toes, np.array(SKELETON.landmarks.require("left_toe_tip").offset))
    assert min(heel[:, 1].min(), tips[:, 1].min()) > 0.0
    assert heel[:, 1].max() > 0.35 * SKELETON.size
    ahead = pose.ball[:, 2]
    assert (np.maximum.accumulate(ahead) - ahead).max() < 1e-3 * SKELETON.size, "a swinging foot hardly goes back"


def test_its_path_has_no_corner() -> None:
    step = 1e-4
    path = heels(running_foot(), np.arange(-0.1, 1.2, step))
    speed = np.linalg.norm(np.diff(path, axis=0), axis=1).max()
    assert np.linalg.norm(np.diff(path, 2, axis=0), axis=1).max() < 0.01 * speed
