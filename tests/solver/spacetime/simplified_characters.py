# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified characters to test with: those of the recipes, and random ones."""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.character import ROOT_DOFS, DegreeOfFreedom, MassPart, Place, SimplifiedCharacter
from poise.solver.spacetime.characters.recipe import RECIPES
from poise.solver.spacetime.characters.simplification import simplified
from poise.solver.synthetic import walk

ROOT_AXES = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
"""Of heading, roll and pitch where y is up."""

BODY_AXES = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
"""Left, up and forward."""


@cache
def of_recipe(recipe: str) -> SimplifiedCharacter:
    """The synthetic human, simplified by a recipe, in units of its own."""
    clip = walk(steps=2).clip
    character = simplified(clip, RECIPES[recipe])
    return character.in_units(clip.skeleton.size, clip.skeleton.mass_unit)


def root_dofs() -> list[DegreeOfFreedom]:
    """The centre of mass, then heading, roll and pitch."""
    nowhere = (0.0, 0.0, 0.0)
    found = [
        DegreeOfFreedom(f"centre of mass {name}", "translation", -1, axis, nowhere)
        for name, axis in zip("xyz", ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), strict=True)
    ]
    for parent, name, axis in zip((-1, 3, 4), ("heading", "roll", "pitch"), ROOT_AXES, strict=True):
        found.append(DegreeOfFreedom(name, "rotation", parent, axis, nowhere))
    return found


def character_of(
    dofs: list[DegreeOfFreedom],
    masses: Array,
    centers: Array,
    inertias: Array,
    points: dict[str, Place] | None = None,
    regions: dict[str, tuple[MassPart, ...]] | None = None,
) -> SimplifiedCharacter:
    """A character whose size is 1; masses (bodies,), centers (bodies, 3) and inertias (bodies, 3, 3) are those of the
    bodies of all degrees of freedom."""
    return SimplifiedCharacter(
        tuple(dofs), masses, centers, inertias, points or {}, regions or {}, {}, BODY_AXES, 1.0, {}
    )


def random_character(rng: np.random.Generator, joints: int) -> SimplifiedCharacter:
    """A tree of rotations and translations with axes, offsets, masses and inertias of any direction; a part of the
    bodies has no mass. The whole mass is 1."""
    dofs = root_dofs()
    for index in range(ROOT_DOFS, ROOT_DOFS + joints):
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        dofs.append(
            DegreeOfFreedom(
                f"joint {index}",
                "rotation" if rng.random() < 0.7 else "translation",
                int(rng.integers(ROOT_DOFS - 1, index)),
                _triple(axis),
                _triple(0.3 * rng.standard_normal(3)),
            )
        )
    count = len(dofs)
    masses = rng.uniform(0.1, 1.0, count) * (rng.random(count) < 0.8)
    masses[: ROOT_DOFS - 1] = 0.0
    masses[ROOT_DOFS - 1] = 0.5
    masses /= masses.sum()
    roots = 0.15 * rng.standard_normal((count, 3, 3)) * np.sqrt(masses)[:, None, None]
    inertias = roots @ roots.swapaxes(-1, -2)
    # No rigid body has a moment of inertia larger than the sum of the other two.
    inertias = np.trace(inertias, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertias
    centers = 0.2 * rng.standard_normal((count, 3))
    heavy = [int(index) for index in np.flatnonzero(masses)]
    points = {f"point {body}": Place(body, _triple(0.4 * rng.standard_normal(3))) for body in range(3, count)}
    regions = {"some": tuple(MassPart(body, float(masses[body]), _triple(centers[body])) for body in heavy[::2])}
    return character_of(dofs, masses, centers, inertias, points, regions)


def random_states(
    rng: np.random.Generator, character: SimplifiedCharacter, instants: int
) -> tuple[Array, Array, Array]:
    """Values, velocities and accelerations, each (instants, dofs)."""
    values, velocities, accelerations = rng.standard_normal((3, instants, len(character)))
    return values, 2.0 * velocities, 5.0 * accelerations


def _triple(vector: Array) -> tuple[float, float, float]:
    x, y, z = map(float, vector)
    return x, y, z
