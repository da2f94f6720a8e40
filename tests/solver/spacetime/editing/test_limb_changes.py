# SPDX-License-Identifier: GPL-3.0-or-later
"""Other lengths and masses of limbs."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import PoiseError, synthetic
from poise.solver.spacetime import BIPED, LimbEdit
from poise.solver.spacetime.characters.simplification import simplified
from poise.solver.spacetime.editing.limb_changes import clip_with_limb, with_limb


def test_a_shin_is_shortened_with_its_foot_and_its_mass() -> None:
    character = simplified(synthetic.walk(steps=2).clip, BIPED)
    shorter = with_limb(character, LimbEdit("right_knee", 0.8, 1.5))
    body = character.joint_of["right_knee"][-1]
    assert np.allclose(shorter.points["right_ball"].offset, 0.8 * np.array(character.points["right_ball"].offset))
    assert shorter.points["left_ball"] == character.points["left_ball"]
    assert np.isclose(shorter.masses[body], 1.2 * character.masses[body])
    assert np.allclose(shorter.inertias[body], 1.2 * 0.64 * character.inertias[body])
    others = np.arange(len(character)) != body
    assert np.array_equal(shorter.masses[others], character.masses[others])


def test_a_thigh_carries_its_shin_along() -> None:
    character = simplified(synthetic.walk(steps=2).clip, BIPED)
    longer = with_limb(character, LimbEdit("left_hip", 1.1))
    knee = character.joint_of["left_knee"][0]
    assert np.allclose(longer.dofs[knee].offset, 1.1 * np.array(character.dofs[knee].offset))


def test_the_full_character_has_the_same_limb() -> None:
    clip = synthetic.walk(steps=2).clip
    shorter = clip_with_limb(clip, LimbEdit("right_knee", 0.8, 1.0))
    marks = clip.skeleton.landmarks
    knee, ankle = marks.right_knee, marks.right_ankle
    assert knee is not None and ankle is not None
    before = np.linalg.norm(clip.position(ankle) - clip.position(knee), axis=1)
    after = np.linalg.norm(shorter.position(ankle) - shorter.position(knee), axis=1)
    assert np.allclose(after, 0.8 * before)
    assert np.isclose(shorter.skeleton.masses[knee], 0.8 * clip.skeleton.masses[knee])
    assert np.array_equal(shorter.motion.rotations, clip.motion.rotations)


def test_an_unknown_joint_is_refused() -> None:
    with pytest.raises(PoiseError, match="tail"):
        with_limb(simplified(synthetic.walk(steps=2).clip, BIPED), LimbEdit("tail"))
