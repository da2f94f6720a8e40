# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions, displacements of them and marks, for the tests of displacements, their filter and their accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array, BoolArray
from poise.solver.deformation.acceleration_baseline import DEFAULT_TOLERANCE, AccelerationBaseline
from poise.solver.deformation.displacement import Displacement

FRAMES, JOINTS = 120, 7
JOINT = 2
"""The joint that is displaced where only one is."""

SMALL = 1e-9


def moving(rng: np.random.Generator, frames: int = FRAMES, *, pace: float = 1.0) -> Motion:
    """A motion in which joint 0 wanders and every joint swings: at about a tenth of a radian a frame at most."""
    time = pace * np.arange(frames)[:, None, None]
    rates, phases = rng.uniform(0.1, 0.25, (JOINTS, 3)), rng.uniform(0.0, 6.0, (JOINTS, 3))
    swings = 0.3 * np.sin(rates * time + phases)
    moved = np.tile(rng.standard_normal((JOINTS, 3)), (frames, 1, 1))
    moved[:, 0] += np.sin(0.1 * time[:, :, 0] + rng.uniform(0.0, 6.0, 3))
    return Motion(rotations.multiply(rotations.exp(swings), rotations.random(rng, JOINTS)), moved)


def displaced(source: Motion, turns: Array, moves: Array | None = None) -> Motion:
    return Displacement(turns, np.zeros_like(turns) if moves is None else moves).applied(source)


def nothing(frames: int = FRAMES) -> Array:
    return np.zeros((frames, JOINTS, 3))


def marks(*frames: int, joint: int = JOINT, of: int = FRAMES) -> BoolArray:
    marked = np.zeros((of, JOINTS), dtype=bool)
    marked[list(frames), joint] = True
    return marked


def smooth_turns(rng: np.random.Generator, frames: int = FRAMES, *, pace: float = 1.0, size: float = 0.2) -> Array:
    """Turns that change as slowly as the source does, or more so."""
    time = pace * np.arange(frames)[:, None, None]
    return size * np.sin(0.05 * time + rng.uniform(0.0, 6.0, (JOINTS, 3)))


def jump(at: int, axis: Array, height: float, frames: int = FRAMES, joint: int = JOINT) -> Array:
    """Turns of one joint: none before frame `at`, all of it from there on."""
    turns = nothing(frames)
    turns[at:, joint] = height * axis / np.linalg.norm(axis)
    return turns


def turned_by(heading: Array, motion: Motion) -> Motion:
    """The whole scene turned: joint 0 is the root, all others are relative to their parents."""
    turned, moved = motion.rotations.copy(), motion.translations.copy()
    turned[:, 0] = rotations.multiply(heading, turned[:, 0])
    moved[:, 0] = rotations.rotate(heading, moved[:, 0])
    return Motion(turned, moved)


def angles(one: Motion, other: Motion) -> Array:
    return rotations.angle_between(one.rotations, other.rotations)


def assert_same_bits(one: Motion, other: Motion, where: Any = ...) -> None:
    assert one.rotations[where].tobytes() == other.rotations[where].tobytes()
    assert one.translations[where].tobytes() == other.translations[where].tobytes()


def roughness(source: Motion, result: Motion) -> Array:
    """(frames, joints) the acceleration of the displacement, as a multiple of the source's baseline."""
    return AccelerationBaseline(source).roughness(result)


def is_rough(source: Motion, result: Motion, tolerance: float = DEFAULT_TOLERANCE) -> BoolArray:
    """(frames, joints) where that is more than the tolerance."""
    return roughness(source, result) > tolerance
