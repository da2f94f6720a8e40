# SPDX-License-Identifier: GPL-3.0-or-later
"""The pelvis: it turns about its joint, carries the limbs, and nothing that hangs on it changes its orientation."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver import Clip
from poise.solver.body.motion import Motion
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.cleanup.planting.observing import Observer, turned_arm
from poise.solver.cleanup.planting.pelvis import Pelvis
from poise.solver.core import rotations
from poise.solver.synthetic import human
from poise.solver.synthetic.chains import chain

from ..gaits import gait


@pytest.fixture
def clip() -> Clip:
    return gait("walk", fps=30.0).clip


def turned(clip: Clip, turn: np.ndarray) -> tuple[Pelvis, Clip]:
    pelvis = Pelvis(clip.skeleton)
    result = Motion(clip.motion.rotations.copy(), clip.motion.translations.copy())
    pelvis.turn(clip.motion, turn, result)
    return pelvis, clip.with_motion(result)


def test_what_hangs_on_the_pelvis_keeps_its_orientation(clip: Clip, rng: np.random.Generator) -> None:
    turn = 0.1 * rng.standard_normal((clip.frames, 3))
    pelvis, result = turned(clip, turn)
    assert pelvis.joint is not None
    before, after = clip.world.rotations, result.world.rotations
    wanted = rotations.multiply(rotations.exp(turn), before[:, pelvis.joint])
    assert rotations.angle_between(after[:, pelvis.joint], wanted).max() < 1e-7
    inside = {pelvis.joint, *(int(clip.skeleton.parents[joint]) for joint in pelvis.hanging)}
    others = [joint for joint in range(len(clip.skeleton)) if joint not in inside]
    assert rotations.angle_between(after[:, others], before[:, others]).max() < 1e-7


def test_it_carries_limbs_on_their_arms(clip: Clip, rng: np.random.Generator) -> None:
    turn = 0.1 * rng.standard_normal((clip.frames, 3))
    _, result = turned(clip, turn)
    limbs = limbs_of(clip.skeleton)
    observer = Observer(clip.skeleton, limbs)
    for limb, before, after in zip(limbs, observer.states(clip.motion), observer.states(result.motion), strict=True):
        shift = turned_arm(before, turn)
        assert np.abs(shift).max() > 1e-4 or "arm" in limb.name
        for part in ("ball", "hinge", "end"):
            assert np.allclose(getattr(after, part) - getattr(before, part), shift, atol=1e-12), (limb.name, part)


def test_frames_without_a_turn_stay_bit_for_bit(clip: Clip) -> None:
    turn = np.zeros((clip.frames, 3))
    turn[5] = 0.1
    _, result = turned(clip, turn)
    others = np.arange(clip.frames) != 5
    assert np.array_equal(result.motion.rotations[others], clip.motion.rotations[others])
    assert not np.array_equal(result.motion.rotations[5], clip.motion.rotations[5])


def test_a_body_without_two_hips_has_no_pelvis() -> None:
    assert Pelvis(human()).joint is not None
    skeleton = chain(4)
    pelvis = Pelvis(skeleton)
    assert pelvis.joint is None
    motion = Motion(np.tile(skeleton.rest_rotations, (3, 1, 1)), np.tile(skeleton.offsets, (3, 1, 1)))
    result = Motion(motion.rotations.copy(), motion.translations.copy())
    pelvis.turn(motion, np.ones((3, 3)), result)
    assert np.array_equal(result.rotations, motion.rotations)
