# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite bodies: moving joints and the centre of mass are where full forward kinematics puts them."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.posture.composite_bodies import CompositeBodies
from poise.solver.synthetic import human, walk


@pytest.fixture(scope="module")
def body() -> Skeleton:
    return human()


@pytest.fixture(scope="module")
def steps(body: Skeleton) -> Motion:
    return walk(body, steps=1).clip.motion


def moved(motion: Motion, joints: np.ndarray, rng: np.random.Generator) -> Motion:
    """The motion with some joints turned and shifted at random."""
    turned, shifted = motion.rotations.copy(), motion.translations.copy()
    turns = rotations.exp(0.5 * rng.standard_normal((motion.frames, len(joints), 3)))
    turned[:, joints] = rotations.normalize(rotations.multiply(turns, turned[:, joints]))
    shifted[:, joints] += 0.1 * rng.standard_normal((motion.frames, len(joints), 3))
    return Motion(turned, shifted)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.7, 1.0])
def test_leading_joints_and_the_centre_of_mass_are_right(
    body: Skeleton, steps: Motion, share: float, rng: np.random.Generator
) -> None:
    moving = rng.random(len(body)) < share
    above = body.tree.ancestry[moving].any(axis=0) | (np.arange(len(body)) == 0)
    bodies = CompositeBodies.of(WorldState.of(body, steps), moving)
    motion = moved(steps, np.flatnonzero(above), rng)
    expected, state = WorldState.of(body, motion), bodies.world(motion)
    np.testing.assert_allclose(state.positions[:, above], expected.positions[:, above], atol=1e-13)
    np.testing.assert_allclose(state.rotations[:, above], expected.rotations[:, above], atol=1e-13)
    np.testing.assert_allclose(state.center_of_mass(), expected.center_of_mass(), atol=1e-12)


def test_some_frames_are_as_in_the_whole(body: Skeleton, steps: Motion, rng: np.random.Generator) -> None:
    moving = body.tree.carriers(body.index(body.landmarks.left_toe))
    bodies, some = CompositeBodies.of(WorldState.of(body, steps), moving), np.array([3, 5])
    motion = moved(steps, np.flatnonzero(moving), rng)
    whole, part = bodies.world(motion), bodies.at(some).world(motion.at(some))
    np.testing.assert_allclose(part.center_of_mass(), whole.center_of_mass()[some], atol=1e-13)
