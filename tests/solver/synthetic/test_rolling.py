# SPDX-License-Identifier: GPL-3.0-or-later
"""A foot that rolls: its swing clears the floor, and its plants lie a stride apart."""

from __future__ import annotations

import numpy as np

from poise.solver import synthetic
from poise.solver.core import rotations

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
