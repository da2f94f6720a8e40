# SPDX-License-Identifier: GPL-3.0-or-later
"""Angular momentum: of a rigid rotation, of a rod by hand, unchanged by translation, and of a clip."""

from __future__ import annotations

import numpy as np
import pytest

from poise import solver
from poise.solver import synthetic
from poise.solver.body.angular_momentum import angular_momentum, angular_momentum_of
from poise.solver.body.kinematics import WorldState
from poise.solver.body.mass_matrix import whole_inertia
from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array


def posed(rng: np.random.Generator) -> Motion:
    """One random posture of the human."""
    skeleton = synthetic.human()
    local = rotations.exp(0.4 * rng.standard_normal((1, len(skeleton), 3)))
    return Motion.from_root(skeleton, local, rng.standard_normal((1, 3)))


def rotated(motion: Motion, vector: Array, shift: Array) -> WorldState:
    """The posture turned about the origin and displaced as a whole."""
    skeleton = synthetic.human()
    turn = rotations.exp(vector)
    local, places = motion.rotations.copy(), motion.translations.copy()
    local[:, 0] = rotations.multiply(turn, local[:, 0])
    places[:, 0] = rotations.rotate(turn, places[:, 0]) + shift
    return WorldState.of(skeleton, Motion(local, places))


def test_a_rigid_rotation_has_the_inertia_times_the_angular_velocity(rng: np.random.Generator) -> None:
    motion, velocity, seconds = posed(rng), rng.standard_normal(3), 1e-5
    before = rotated(motion, -0.5 * seconds * velocity, np.zeros(3))
    after = rotated(motion, 0.5 * seconds * velocity, np.array([3.0, -2.0, 1.0]) * seconds)
    expected = whole_inertia(rotated(motion, np.zeros(3), np.zeros(3)))[0] @ velocity
    assert np.allclose(angular_momentum(before, after, seconds)[0], expected, rtol=1e-6, atol=1e-8)


def test_a_translation_has_none(rng: np.random.Generator) -> None:
    motion = posed(rng)
    before, after = (rotated(motion, np.zeros(3), shift * np.ones(3)) for shift in (0.0, 0.01))
    assert np.abs(angular_momentum(before, after, 0.01)).max() < 1e-9


def test_halving_the_time_quarters_the_error(rng: np.random.Generator) -> None:
    """Of an arm that swings: the differences are central."""
    skeleton = synthetic.human()
    shoulder = skeleton.index("l_shoulder")

    def at(time: float) -> WorldState:
        local = np.tile(rotations.IDENTITY, (1, len(skeleton), 1))
        local[0, shoulder] = rotations.exp(np.array([2.0 * np.sin(3.0 * time + 0.4), 0.0, 0.0]))
        return WorldState.of(skeleton, Motion.from_root(skeleton, local, skeleton.offsets[:1]))

    exact = angular_momentum(at(-1e-4), at(1e-4), 2e-4)
    errors = [np.linalg.norm(angular_momentum(at(-h), at(h), 2.0 * h) - exact) for h in (0.04, 0.02)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_a_clip_has_one_for_each_inner_frame() -> None:
    skeleton = synthetic.human()
    clip = synthetic.walk(skeleton, fps=120.0).clip
    found = angular_momentum_of(clip)
    assert found.shape == (clip.frames - 2, 3)
    turned = solver.Clip(skeleton, synthetic.walk(skeleton, fps=120.0, heading=1.0).clip.motion, 120.0)
    turn = rotations.exp(np.array([0.0, 1.0, 0.0]))
    assert np.allclose(angular_momentum_of(turned), rotations.rotate(turn, found), atol=1e-9)
