# SPDX-License-Identifier: GPL-3.0-or-later
"""The smooth displacement of the root: within every sphere of its frame, smooth, and no larger than needed."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.cleanup.planting.smooth_reach import smooth_displacement
from poise.solver.cleanup.planting.spheres import Sphere
from poise.solver.core.arrays import Array

FRAMES = 200


def trembling_spheres(rng: np.random.Generator, count: int) -> list[Sphere]:
    """Spheres of a size whose centres are about a size away, in directions that change slowly, and come and go."""
    spheres = []
    for number in range(count):
        angle = 0.4 * np.sin(np.arange(FRAMES) / 25.0 + number)
        down = np.stack([np.sin(angle), -np.cos(angle), np.zeros(FRAMES)], axis=1)
        center = down * (1.01 + 0.01 * rng.standard_normal((FRAMES, 1)))
        active = (np.arange(FRAMES) + 30 * number) % 70 < 50
        spheres.append(Sphere(center, np.full(FRAMES, 1.0), active))
    return spheres


def excess(found: Array, spheres: list[Sphere]) -> float:
    """How far a displacement is outside any sphere."""
    return max(
        float(np.where(each.is_active, np.linalg.norm(found - each.center, axis=1) - each.radius, 0.0).max())
        for each in spheres
    )


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_displacement_lies_in_all_spheres_and_is_smooth(rng: np.random.Generator, count: int) -> None:
    spheres = trembling_spheres(rng, count)
    wanted = np.zeros((FRAMES, 3))
    assert excess(wanted, spheres) > 0.02
    found = smooth_displacement(wanted, spheres, 20)
    assert excess(found, spheres) < 1e-3
    largest = np.abs(found).max()
    assert largest < 0.15
    assert np.abs(np.diff(found, 2, axis=0)).max() < 0.05 * largest, "though spheres tremble and come and go"


def test_displacements_in_opposite_directions_do_not_cancel() -> None:
    """Two limbs that need the root in turn, one to the left and one to the right, within one window."""
    centers = np.zeros((2, FRAMES, 3))
    centers[0], centers[1] = (-0.8, -0.7, 0.0), (0.8, -0.7, 0.0)
    active = np.zeros((2, FRAMES), dtype=bool)
    active[0, 90:95], active[1, 105:110] = True, True
    spheres = [Sphere(center, np.full(FRAMES, 1.0), on) for center, on in zip(centers, active, strict=True)]
    found = smooth_displacement(np.zeros((FRAMES, 3)), spheres, 12)
    assert excess(found, spheres) < 1e-12


def test_a_wanted_displacement_within_all_spheres_is_kept(rng: np.random.Generator) -> None:
    spheres = [each._replace(radius=each.radius + 0.5) for each in trembling_spheres(rng, 2)]
    wanted = 0.01 * rng.standard_normal((FRAMES, 3))
    assert smooth_displacement(wanted, spheres, 20) is wanted


def test_a_displacement_depends_on_the_frames_of_its_window(rng: np.random.Generator) -> None:
    center = np.tile([0.0, -0.9, 0.0], (FRAMES, 1))
    center[100, 1] = -1.2
    sphere = Sphere(center, np.ones(FRAMES), np.ones(FRAMES, dtype=bool))
    moved = np.flatnonzero(smooth_displacement(np.zeros((FRAMES, 3)), [sphere], 21).any(axis=1))
    assert moved.min() >= 100 - 21 and moved.max() <= 100 + 21 and len(moved) > 30


def test_between_spheres_far_apart_it_is_as_far_from_both() -> None:
    sides = [np.tile([sign * 2.0, 0.0, 0.0], (FRAMES, 1)) for sign in (1.0, -1.0)]
    spheres = [Sphere(side, np.ones(FRAMES), np.ones(FRAMES, dtype=bool)) for side in sides]
    found = smooth_displacement(np.full((FRAMES, 3), 0.3), spheres, 10)
    assert np.abs(found[:, 0]).max() < 0.1
