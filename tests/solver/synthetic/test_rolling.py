# SPDX-License-Identifier: GPL-3.0-or-later
"""A foot that rolls: its swing clears the floor, and its plants lie a stride apart."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import synthetic
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.synthetic.puppet import MIRROR, Side, heel_to_ball
from poise.solver.synthetic.rolling import HEEL_OFF, TOE_OFF, TOE_STRIKE, RollingFoot

from .checks import sole_heights


def test_toes_clear_the_floor_and_bend_when_they_push_off() -> None:
    motion = synthetic.walk(fps=120.0)
    clip = motion.clip
    contact, following = motion.contacts[1], motion.contacts[3]
    swing = slice(contact.toe_off + 6, following.heel_strike - 6)
    heights = sole_heights(clip)[:3, swing]
    assert heights.min() > 0.004 * clip.skeleton.size
    toes = rotations.log(clip.motion.rotations[:, clip.skeleton.index("l_metatarsal")])
    assert np.rad2deg(toes[contact.toe_off, 0]) < -35.0


SKELETON = synthetic.human()
STRIDE = 1.4 * SKELETON.size * np.array([0.0, 0.0, 1.0])


def rolling_foot(side: Side = "l_") -> RollingFoot:
    """A foot that walks along z from the origin."""
    return RollingFoot(SKELETON, side, heel=np.zeros(3), stride=STRIDE, turned_out=0.1)


def heels(foot: RollingFoot, cycles: Array) -> Array:
    """(frames, 3) the heel's landmark, from the pose of the foot."""
    pose = foot.at(cycles)
    return pose.ball - rotations.rotate(pose.foot, heel_to_ball(SKELETON, foot.side))


def test_heel_and_ball_stand_on_their_plant_between_their_events() -> None:
    foot = rolling_foot()
    for number in range(3):
        heel, ball = foot.plant(number)
        on_heel = number + np.linspace(0.0, HEEL_OFF, 50)
        on_ball = number + np.linspace(TOE_STRIKE, TOE_OFF, 50)
        assert np.abs(heels(foot, on_heel) - heel).max() < 1e-12 * SKELETON.size
        assert np.abs(foot.at(on_ball).ball - ball).max() < 1e-12 * SKELETON.size
        assert np.allclose(heel, number * STRIDE)


def test_the_path_of_the_heel_has_no_corner() -> None:
    """A fine step makes every second difference small, also at the events; at a corner it would be a first one."""
    step = 1e-4
    path = heels(rolling_foot(), np.arange(0.0, 2.0, step))
    speed = np.linalg.norm(np.diff(path, axis=0), axis=1).max()
    change = np.linalg.norm(np.diff(path, 2, axis=0), axis=1).max()
    assert change < 0.01 * speed


def test_both_feet_turn_their_toes_outward() -> None:
    for side, mirror in MIRROR.items():
        heel, ball = rolling_foot(side).plant(0)
        straight = heel_to_ball(SKELETON, side)
        turn = np.arctan2(*(ball - heel)[[0, 2]]) - np.arctan2(*straight[[0, 2]])
        assert turn == pytest.approx(mirror * 0.1)
