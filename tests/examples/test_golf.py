# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up golf swing: the hands' grip, their way, the turn of the trunk."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.golf import golf_swing
from poise.solver.body.skeleton import Up
from poise.solver.core import rotations

STILL = 1e-9
"""The largest distance between the hands' grip and its truth, in sizes of the character."""


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("fps", [22.0, 30.0])
def test_the_hands_stay_together_on_the_club(up: Up, fps: float) -> None:
    motion = golf_swing(up=up, fps=fps, heading=0.7)
    clip = motion.clip
    left, right = clip.orientation("l_wrist"), clip.orientation("r_wrist")
    apart = rotations.rotate(rotations.conjugate(left), clip.position("r_wrist") - clip.position("l_wrist"))
    assert np.abs(apart - motion.grip).max() < STILL * clip.skeleton.size
    assert 0.05 < np.linalg.norm(motion.grip) / clip.skeleton.size < 0.2
    assert rotations.angle_between(left, right).max() < 1e-7


def test_a_golf_swing_goes_back_down_and_through() -> None:
    motion = golf_swing()
    clip, size = motion.clip, motion.clip.skeleton.size
    assert clip.frames == 66
    hands = clip.position("l_wrist")
    top, impact = int(hands[: motion.impact_frame, 1].argmax()), motion.impact_frame
    assert hands[top, 0] < -0.3 * size, "back is to the player's right"
    assert hands[-1, 0] > 0.3 * size, "through is to the left"
    assert min(hands[top, 1], hands[-1, 1]) > hands[impact, 1] + 0.3 * size
    assert np.linalg.norm(hands[impact] - hands[0]) < 0.15 * size, "the ball is hit where it was addressed"
    assert impact - top < 0.5 * top, "down is quicker than back"


def test_a_golfer_turns_the_trunk() -> None:
    clip = golf_swing().clip
    across = clip.position("l_shoulder") - clip.position("r_shoulder")
    turn = np.rad2deg(np.arctan2(-across[:, 2], across[:, 0]))
    assert turn.min() < -50.0
    assert turn.max() > 50.0
    hips = clip.position("l_hip") - clip.position("r_hip")
    turn_of_hips = np.rad2deg(np.arctan2(-hips[:, 2], hips[:, 0]))
    assert np.abs(turn_of_hips).max() < np.abs(turn).max()
