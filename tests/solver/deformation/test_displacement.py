# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement of a result from its source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.motion import Motion
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError
from poise.solver.deformation.displacement import Displacement, displacement

FRAMES, JOINTS = 120, 7
JOINT = 2
"""The joint that is displaced where only one is."""


def moving(rng: np.random.Generator) -> Motion:
    """A motion in which joint 0 wanders and every joint swings: at about a tenth of a radian a frame at most."""
    time = np.arange(FRAMES)[:, None, None]
    rates, phases = rng.uniform(0.1, 0.25, (JOINTS, 3)), rng.uniform(0.0, 6.0, (JOINTS, 3))
    swings = 0.3 * np.sin(rates * time + phases)
    moved = np.tile(rng.standard_normal((JOINTS, 3)), (FRAMES, 1, 1))
    moved[:, 0] += np.sin(0.1 * time[:, :, 0] + rng.uniform(0.0, 6.0, 3))
    return Motion(rotations.multiply(rotations.exp(swings), rotations.random(rng, JOINTS)), moved)


def displaced(source: Motion, turns: Array, moves: Array | None = None) -> Motion:
    return Displacement(turns, np.zeros_like(turns) if moves is None else moves).applied(source)


def smooth_turns(rng: np.random.Generator) -> Array:
    """Turns that change as slowly as the source does, or more so."""
    return 0.2 * np.sin(0.05 * np.arange(FRAMES)[:, None, None] + rng.uniform(0.0, 6.0, (JOINTS, 3)))


def jump(at: int, axis: Array, height: float) -> Array:
    """Turns of one joint: none before frame `at`, all of it from there on."""
    turns = np.zeros((FRAMES, JOINTS, 3))
    turns[at:, JOINT] = height * axis / np.linalg.norm(axis)
    return turns


def angles(one: Motion, other: Motion) -> Array:
    return rotations.angle_between(one.rotations, other.rotations)


def assert_same_bits(one: Motion, other: Motion, where: Any = ...) -> None:
    assert one.rotations[where].tobytes() == other.rotations[where].tobytes()
    assert one.translations[where].tobytes() == other.translations[where].tobytes()


def test_a_displacement_leads_from_the_source_to_the_result(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = Motion(rotations.random(rng, (FRAMES, JOINTS)), rng.standard_normal((FRAMES, JOINTS, 3)))
    found = displacement(source, result)
    assert (np.linalg.norm(found.rotation_vectors, axis=-1) <= np.pi + 1e-12).all()
    again = found.applied(source)
    assert angles(again, result).max() < 1e-14
    np.testing.assert_allclose(again.translations, result.translations, atol=1e-14)


def test_turns_are_in_the_frame_of_the_parent(rng: np.random.Generator) -> None:
    source = moving(rng)
    turns, moves = smooth_turns(rng), rng.standard_normal((FRAMES, JOINTS, 3))
    found = displacement(source, displaced(source, turns, moves))
    np.testing.assert_allclose(found.rotation_vectors, turns, atol=1e-14)
    np.testing.assert_allclose(found.translations, moves, atol=1e-14)


def test_no_displacement_gives_the_source_bit_for_bit(rng: np.random.Generator) -> None:
    source = moving(rng)
    source.rotations[0, 0] = [1.0, -0.0, 0.0, -0.0]
    source.translations[0, 0] = -0.0
    none = displacement(source, Motion(source.rotations.copy(), source.translations.copy()))
    assert not none.rotation_vectors.any() and not none.translations.any()
    assert_same_bits(none.applied(source), source)
    # And where only one joint is displaced, all others are as they were.
    other = displaced(source, jump(40, rng.standard_normal(3), 0.5))
    assert_same_bits(other, source, np.s_[:40])
    assert_same_bits(other, source, np.s_[:, np.arange(JOINTS) != JOINT])


def test_the_signs_of_quaternions_do_not_matter(rng: np.random.Generator) -> None:
    source = moving(rng)
    result = displaced(source, smooth_turns(rng) + jump(60, rng.standard_normal(3), 0.4))
    signs = rng.choice([-1.0, 1.0], (2, FRAMES, JOINTS, 1))
    source_signed = Motion(signs[0] * source.rotations, source.translations)
    result_signed = Motion(signs[1] * result.rotations, result.translations)
    np.testing.assert_allclose(
        displacement(source_signed, result_signed).rotation_vectors,
        displacement(source, result).rotation_vectors,
        atol=1e-15,
    )
    assert not displacement(source, Motion(-source.rotations, source.translations)).rotation_vectors.any()


def test_motions_of_other_shapes_are_refused(rng: np.random.Generator) -> None:
    source = moving(rng)
    shorter = Motion(source.rotations[1:], source.translations[1:])
    with pytest.raises(MotionError, match=r"the rotations have the shapes \(120, 7, 4\) and \(119, 7, 4\)"):
        displacement(source, shorter)
    with pytest.raises(MotionError, match="the translations have the shapes"):
        displacement(source, Motion(source.rotations, source.translations[1:]))
