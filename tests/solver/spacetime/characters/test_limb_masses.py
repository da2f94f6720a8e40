# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole limbs as mass points and as rods."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.inertia import second_moments_of
from poise.solver.body.mass_matrix import whole_inertia
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.limb_masses import LimbMass, RodMass, limb_mass, rod_mass

from ...characters import random_skeleton, random_state

DOWN = np.array([0.0, -1.0, 0.0])


def test_all_joints_together_have_the_mass_and_inertia_of_the_whole_body(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    unturned = np.tile(rotations.IDENTITY, (state.frames, 1))
    whole = limb_mass(state, range(len(skeleton)), unturned)
    assert whole.mass == pytest.approx(skeleton.masses.sum())
    np.testing.assert_allclose(whole.centers, state.center_of_mass(), atol=1e-12)
    np.testing.assert_allclose(whole.inertia, whole_inertia(state).mean(axis=0), atol=1e-10)


def test_moments_are_seen_from_the_body(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    frames = rotations.random(rng, state.frames)
    turns = rotations.to_matrix(frames)
    seen = limb_mass(state, [3, 7, 9], frames)
    world = limb_mass(state, [9, 3, 7], np.tile(rotations.IDENTITY, (state.frames, 1)))
    np.testing.assert_allclose(turns @ seen.second_moments @ turns.swapaxes(1, 2), world.second_moments, atol=1e-12)
    np.testing.assert_allclose(seen.centers, world.centers, atol=1e-12)


def test_a_limb_without_mass_is_nothing(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng).replace(total_mass=0.0, set_masses={}, loads=()))
    nothing = limb_mass(state, [1, 2], np.tile(rotations.IDENTITY, (state.frames, 1)))
    assert nothing.mass == 0.0 and np.isfinite(nothing.centers).all() and not nothing.inertia.any()
    rod = rod_mass(nothing, np.tile(0.4 * DOWN, (state.frames, 1)), np.full(state.frames, 1.0), DOWN)
    assert np.isfinite([rod.share, *rod.upper, *rod.lower]).all() and not rod.inertia.any()


def random_limb(rng: np.random.Generator, frames: int = 30, mass: float = 20.0) -> LimbMass:
    roots = rng.standard_normal((frames, 3, 3)) * 0.3
    return LimbMass(mass, rng.standard_normal((frames, 3)), mass * roots @ roots.swapaxes(1, 2))


def moments_of(rod: RodMass, mass: float, lengths: Array) -> Array:
    """(3, 3) the mean second moments that a rod has about its centre."""
    apart = lengths + (rod.lower - rod.upper) @ DOWN
    along = rod.share * (1.0 - rod.share) * mass * np.mean(apart**2)
    return np.asarray(second_moments_of(rod.inertia) + along * np.outer(DOWN, DOWN))


def test_a_rod_keeps_the_mean_second_moments_of_its_limb(rng: np.random.Generator) -> None:
    for _ in range(10):
        limb = random_limb(rng)
        lengths = rng.uniform(0.8, 1.1, 30)
        rod = rod_mass(limb, np.outer(0.42 * lengths, DOWN), lengths, DOWN)
        np.testing.assert_allclose(
            moments_of(rod, limb.mass, lengths), limb.second_moments.mean(axis=0), atol=1e-10 * limb.mass
        )
        # What is left is that of a body, and has nothing along the rod that the rod could have.
        left = np.linalg.eigvalsh(second_moments_of(rod.inertia))
        assert left[0] == pytest.approx(0.0, abs=1e-9 * limb.mass) and left[1] > 0.0


def test_the_centre_of_a_rod_is_where_that_of_its_limb_is_on_average(rng: np.random.Generator) -> None:
    limb, lengths = random_limb(rng), rng.uniform(0.6, 1.1, 30)
    beside = np.array([0.02, 0.0, 0.05])
    away = 0.1 * rng.standard_normal((30, 3)) * [1.0, 0.0, 1.0]
    arms = np.outer(0.42 * lengths, DOWN) + beside + away - away.mean(axis=0)
    rod = rod_mass(limb, arms, lengths, DOWN)
    assert rod.share == pytest.approx(0.42)
    lower = np.outer(lengths, DOWN) + rod.lower
    centers = (1.0 - rod.share) * rod.upper + rod.share * lower
    np.testing.assert_allclose(centers, np.outer(0.42 * lengths, DOWN) + beside, atol=1e-12)


def test_a_uniform_rod_becomes_two_halves() -> None:
    lengths = np.full(5, 1.2)
    uniform = 12.0 * 1.2**2 / 12.0 * np.outer(DOWN, DOWN)
    limb = LimbMass(12.0, np.zeros((5, 3)), np.tile(uniform, (5, 1, 1)))
    rod = rod_mass(limb, np.outer(lengths / 2.0, DOWN), lengths, DOWN)
    # Two masses that are √(1/3) of the length apart have the inertia of a uniform rod.
    assert rod.share == pytest.approx(0.5)
    np.testing.assert_allclose(rod.upper, -rod.lower, atol=1e-12)
    np.testing.assert_allclose(1.2 * DOWN - 2.0 * rod.upper, 1.2 / np.sqrt(3.0) * DOWN, atol=1e-12)
    np.testing.assert_allclose(rod.inertia, 0.0, atol=1e-12)


def test_a_rod_that_stretches_more_than_its_limb_is_wide_has_nothing_else_along_it(rng: np.random.Generator) -> None:
    limb, lengths = random_limb(rng), rng.uniform(0.0, 9.0, 30)
    rod = rod_mass(limb, np.outer(0.5 * lengths, DOWN), lengths, DOWN)
    assert (rod.upper - rod.lower) @ DOWN == pytest.approx(lengths.mean())
    assert np.linalg.eigvalsh(second_moments_of(rod.inertia))[0] > -1e-9 * limb.mass
