# SPDX-License-Identifier: GPL-3.0-or-later
"""The heights of footplants above a given ground, and the estimate of a ground from footplants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ..body.clip import Clip
from ..core.arrays import Array
from ..core.errors import ConstraintError
from .footplant import Footplant
from .ground import NEAR, Ground
from .source import Source

PLANAR_SHARE = 2.0 / 3.0
"""The least share of all soles near a plane that is the ground: the others may stand on objects."""

LEAST_SPREAD = 0.5
"""Sizes of the character: the least standard deviation of the soles along a direction for its slope to be estimated."""

SLOPE_ROUNDS = 3
"""How often a slope is estimated: the steeper it is, the farther the soles are below heels and balls, by how much the
estimate before says."""

TRIPLES = 400
"""The number of random triples of soles that are tried as planes."""


def ground_gaps(clip: Clip, plants: Iterable[Footplant], ground: Ground) -> Array:
    """(plants,) the heights of plants above the ground, if the ground did not move them, in the clip's units.

    Negative below it, NaN where there is no ground. Of heel and ball the one counts that is nearer to the ground: the
    other may hang over an edge. A plant that is moved counts at its new horizontal position and its old height.
    """
    source, up = Source(clip), clip.skeleton.up_axis
    gaps = []
    for plant in plants:
        shift = np.array(plant.shift, dtype=np.float64)
        shift[up] = 0.0
        alone = replace(plant, own_height=True, height=None, shift=tuple(shift.tolist()))
        stands, clearances = alone.stand(source), alone.clearances(source)
        places, above = np.array(list(stands.values())), np.array([clearances[part] for part in stands])
        apart = places[:, up] - ground.heights(places, up, above)
        gaps.append(np.nan if np.isnan(apart).all() else float(apart[np.nanargmin(np.abs(apart))]))
    return np.array(gaps)


def estimate_ground(clip: Clip, plants: Sequence[Footplant]) -> Ground:
    """The plane that most soles stand on: a level one where enough of them do, else one with a slope.

    Raises a `ConstraintError` where the soles do not stand in a plane, as on stairs. A slope is estimated only along
    directions in which the soles are spread.
    """
    if not plants:
        raise ConstraintError("The ground cannot be estimated without footplants: find or add some first.")
    (places, clearances), up = _stands(clip, plants), clip.skeleton.up_axis
    near = NEAR * clip.skeleton.size
    across = [axis for axis in range(3) if axis != up]
    level, heights = places[:, across], places[:, up] - clearances
    flat = _most_common(heights, near)
    if np.mean(np.abs(heights - flat) <= near) >= PLANAR_SHARE:
        return Ground(flat)
    center = level.mean(axis=0)
    slope, height = np.zeros(2), 0.0
    for _ in range(SLOPE_ROUNDS):
        heights = places[:, up] - clearances * np.hypot(1.0, np.linalg.norm(slope))
        slope, height = _sloped(level - center, heights, near, LEAST_SPREAD * clip.skeleton.size)
    off = np.abs(height + (level - center) @ slope - heights)
    if np.mean(off <= near) < PLANAR_SHARE:
        raise ConstraintError(
            "The feet do not stand in one plane, so no ground can be estimated: leave the ground off, so that each "
            "plant keeps its own height, or choose the objects that they stand on."
        )
    point, normal = np.zeros(3), np.zeros(3)
    point[across], point[up] = center, height
    normal[across], normal[up] = -slope, 1.0
    return Ground.plane(point, normal)


def _stands(clip: Clip, plants: Iterable[Footplant]) -> tuple[Array, Array]:
    """(n, 3) the places of planted heels and balls, if the plants are not moved, and (n,) their clearances."""
    source = Source(clip)
    places: list[Array] = []
    clearances: list[float] = []
    for plant in plants:
        alone = replace(plant, own_height=True, height=None, shift=(0.0, 0.0, 0.0), position=None)
        places += alone.stand(source).values()
        clearances += alone.clearances(source).values()
    return np.array(places), np.array(clearances)


def _most_common(heights: Array, near: float) -> float:
    """The mean of the largest set of heights (n,) that lie within twice `near` of each other."""
    ordered = np.sort(heights)
    counts = np.searchsorted(ordered, ordered + 2.0 * near, side="right") - np.arange(len(ordered))
    first = int(np.argmax(counts))
    return float(ordered[first : first + counts[first]].mean())


def _sloped(level: Array, heights: Array, near: float, spread: float) -> tuple[Array, float]:
    """Slope (2,) and height at the origin of the plane near most soles, with horizontal positions `level` (n, 2) and
    `heights` (n,)."""
    _, spreads, axes = np.linalg.svd(level, full_matrices=False)
    used = axes[spreads / np.sqrt(len(level)) > spread]
    design = np.column_stack([level @ used.T, np.ones(len(level))])
    drawn = np.random.default_rng(0)
    count = design.shape[1]
    best = np.ones(len(level), dtype=bool)
    most = -1
    for _ in range(TRIPLES if len(level) > count else 1):
        chosen = drawn.choice(len(level), size=min(count, len(level)), replace=False)
        fitted = np.linalg.lstsq(design[chosen], heights[chosen], rcond=None)[0]
        close = np.abs(design @ fitted - heights) <= near
        if int(close.sum()) > most:
            best, most = close, int(close.sum())
    fitted = np.linalg.lstsq(design[best], heights[best], rcond=None)[0]
    return np.asarray(used.T @ fitted[:-1]), float(fitted[-1])
