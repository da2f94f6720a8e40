# SPDX-License-Identifier: GPL-3.0-or-later
"""The made-up kick: its height, its way, its stance foot."""

from __future__ import annotations

import numpy as np
import pytest

from poise.examples.kick import kick


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
def test_a_kick_reaches_hip_height_when_it_says(fps: float) -> None:
    motion = kick(fps=fps)
    clip = motion.clip
    ankle, hip = (clip.position(joint)[:, 1] for joint in ("l_talocrural", "l_hip"))
    assert abs(int(ankle.argmax()) - motion.kick_frame) <= 0.01 * fps + 0.5
    assert ankle[motion.kick_frame] == pytest.approx(hip[motion.kick_frame], abs=0.05 * clip.skeleton.size)


def test_a_kick_swings_back_first_and_ends_as_it_began() -> None:
    motion = kick()
    clip = motion.clip
    ankle = (clip.position("l_talocrural") - clip.position("l_hip"))[:, 2] / clip.skeleton.size
    back = int(ankle.argmin())
    assert ankle[back] < -0.3
    assert motion.contacts[1].toe_off < back < motion.kick_frame < motion.contacts[2].heel_strike
    assert ankle[motion.kick_frame] > 0.7
    assert np.allclose(clip.world.positions[-1], clip.world.positions[0], atol=1e-12)


def test_a_kicker_stands_on_the_right_foot_and_is_balanced() -> None:
    motion = kick()
    clip, marks = motion.clip, motion.clip.skeleton.landmarks
    right, left, landed = motion.contacts
    assert [contact.foot for contact in motion.contacts] == ["right", "left", "left"]
    assert (right.heel_strike, right.toe_off) == (0, clip.frames - 1)
    alone = slice(left.toe_off + 4, landed.heel_strike - 8)
    center = clip.center_of_mass()[alone]
    foot = 0.5 * (clip.position(marks.require("right_heel")) + clip.position(marks.require("right_toe")))[alone]
    assert np.abs((center - foot)[:, [0, 2]]).max() < 0.07 * clip.skeleton.size
