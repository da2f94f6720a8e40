# SPDX-License-Identifier: GPL-3.0-or-later
"""Stick figures at other frames."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.addon.overlay.ghosts import TIPS, frames_around, frames_listed, ghost_picture, sticks_of
from poise.solver import synthetic

WHITE = (1.0, 1.0, 1.0, 1.0)


@pytest.fixture(scope="module")
def clip() -> solver.Clip:
    return synthetic.walk(steps=4, fps=30.0).clip


def test_sticks_connect_each_joint_with_its_parent_and_reach_the_tips(clip: solver.Clip) -> None:
    sticks = sticks_of(clip)[20]
    joints = len(clip.skeleton)
    assert len(sticks) == joints - 1 + len(TIPS)
    wrist = clip.skeleton.index("l_wrist")
    ends = [clip.position(int(clip.skeleton.parents[wrist]))[20], clip.position(wrist)[20]]
    np.testing.assert_allclose(sticks[wrist - 1], ends, atol=1e-6)
    np.testing.assert_allclose(sticks[joints - 1, 1], clip.position(clip.skeleton.landmarks.head_top)[20], atol=1e-6)


def test_frames_around_the_current_one_leave_it_out() -> None:
    assert frames_around(10.0, 2, 5) == [0.0, 5.0, 15.0, 20.0] and frames_around(10.0, 0, 5) == [10.0]


def test_listed_frames_are_the_numbers_of_a_text() -> None:
    assert frames_listed("1, 20,35 and -4.5") == [1.0, 20.0, 35.0, -4.5] and frames_listed("none") == []


def test_ghosts_fade_with_their_distance(clip: solver.Clip) -> None:
    picture = ghost_picture(sticks_of(clip), (10, 15, 30), 14, WHITE)
    alphas = picture.vertices["thin"].colors[:, 3].reshape(3, -1)
    assert (np.ptp(alphas, axis=1) == 0.0).all() and alphas[1, 0] > alphas[0, 0] > alphas[2, 0]
    np.testing.assert_allclose(picture.vertices["thin"].places.reshape(3, -1, 2, 3)[2], sticks_of(clip)[30])


def test_without_frames_there_are_no_ghosts(clip: solver.Clip) -> None:
    assert ghost_picture(sticks_of(clip), (), 14, WHITE).is_empty
