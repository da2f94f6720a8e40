# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of what is allowed thinned keys take from constraints and plants, so that baking adds keys where it is more.

They keep within the tolerance of the thinning, and below what can be seen: what holds in the solve holds as baked.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ... import solver
from ..bridge import Strain
from ..bridge.arrays import Array

CAREFUL = 0.95
"""The share of what is allowed that keys may take; the rest is for rounding."""


def allowed_error(tolerance: float) -> float:
    """The error that thinning with a tolerance may add to a constraint, in sizes of the character or radians."""
    return min(tolerance, solver.VISIBLE_ERROR)


def of_constraints(deformation: solver.Deformation, residuals: Iterable[solver.Residual], tolerance: float) -> Strain:
    """The strain on constraints, given their residuals in the result; of one that is missed by what is added to it."""
    allowed = allowed_error(tolerance)
    limits = [np.where(each.relative > allowed, each.relative, 0.0) + CAREFUL * allowed for each in residuals]

    def strain(clip: solver.Clip) -> Array:
        found = np.zeros((clip.frames, len(clip.skeleton)))
        for now, limit in zip(deformation.residuals_in(clip), limits, strict=True):
            at = np.ix_(now.frames, now.joints)
            found[at] = np.maximum(found[at], (now.relative / limit)[:, None])
        return found

    return strain


def of_plants(cleaned: solver.Cleaned, tolerance: float) -> Strain:
    """The strain on the points of plants: how far they are from where the cleaned clip has them."""
    skeleton = cleaned.clip.skeleton
    allowed = CAREFUL * allowed_error(tolerance) * skeleton.size

    def strain(clip: solver.Clip) -> Array:
        found = np.zeros((clip.frames, len(skeleton)))
        for plant, apart in zip(cleaned.plants, plant_shifts(cleaned, clip), strict=True):
            point = _point_of(plant, skeleton)
            if point is not None:
                at = slice(plant.begin, plant.end + 1), list(skeleton.tree.chain(int(skeleton.resolve(point).joint)))
                found[at] = np.maximum(found[at], (apart / allowed)[:, None])
        return found

    return strain


def plant_shifts(cleaned: solver.Cleaned, clip: solver.Clip) -> list[Array]:
    """For each plant (its frames,): how far a clip has its point from where the cleaned clip has it, in its units."""
    shifts = []
    for plant in cleaned.plants:
        point, shift = _point_of(plant, clip.skeleton), np.zeros((clip.frames, 3))
        if point is not None:
            shift = clip.position(point) - cleaned.clip.position(point)
        shifts.append(np.asarray(np.linalg.norm(shift[plant.begin : plant.end + 1], axis=-1)))
    return shifts


def _point_of(plant: solver.PlantedPoint, skeleton: solver.Skeleton) -> int | solver.BodyPoint | None:
    """The landmark that is the point of a plant, such as the left heel."""
    point: int | solver.BodyPoint | None = getattr(skeleton.landmarks, f"{plant.limb.split()[0]}_{plant.point}", None)
    return point
