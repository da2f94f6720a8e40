# SPDX-License-Identifier: GPL-3.0-or-later
"""The locations of plants, and the targets that they give to the ends of limbs (Kovar 2004, 3.2.2 and 3.2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...constraints import Ground
from ...core.arrays import Array, BoolArray
from ...core.rotations import between, conjugate, lengths, multiply, rotate, scaled, unit
from ..limbs import Limb
from ..plants import PlantedPoint, mean_orientation
from .observing import LimbState


class Target(NamedTuple):
    """The target of a limb's end."""

    position: Array
    """(frames, 3)"""
    rotation: Array
    """(frames, 4) from the orientation in the source to the wanted one, in the world."""


# Locations of plants -------------------------------------------------------------------------------------------------


def locating_order(plants: Sequence[PlantedPoint], limbs: Sequence[Limb]) -> list[int]:
    """The order in which plants are located: by their begin; of equal begins, given locations first, then by limb."""
    ranks = {(limb.name, point): rank for limb in limbs for rank, point in enumerate(limb.points)}
    return sorted(
        range(len(plants)),
        key=lambda number: (
            plants[number].begin,
            plants[number].location is None,
            plants[number].limb,
            ranks[plants[number].limb, plants[number].point],
        ),
    )


def location_of_single_point(points: Array, height: float | None, up: int) -> Array:
    """(3,) the location of a point whose neighbour on the same extremity is not planted: the mean of its positions
    (n, 3), at a height if one is given."""
    location = points.mean(axis=0)
    if height is not None:
        location[up] = height
    return np.asarray(location)


def location_next_to(
    other: Array, points: Array, other_points: Array, orientations: Array, height: float | None, up: int
) -> Array:
    """(3,) the location of a point whose neighbour on the same extremity is planted at `other` (3,).

    `points` and `other_points` (n, 3) are the positions of both, and `orientations` (n, 4) those of the extremity, in
    the frames over which means are taken. The location is other + mean(R) mean(R⁻¹ (point - other point)) with R the
    orientations: the mean offset between both on the body, in the mean orientation. For a given height it is rotated
    about the other one by the smallest angle.
    """
    offset = rotate(conjugate(orientations), points - other_points).mean(axis=0)
    away = rotate(mean_orientation(orientations), offset)
    if height is not None:
        away = raised(away, height - float(other[up]), up)
    return np.asarray(other + away)


def raised(vectors: Array, height: Array | float, up: int) -> Array:
    """Vectors (..., 3) rotated by the smallest angle to a component `height` (...) along the up axis, or the nearest.

    A vector that is vertical stays vertical.
    """
    size = lengths(vectors)
    rise = np.clip(height, -size, size)
    level = vectors.copy()
    level[..., up] = 0.0
    found = scaled(unit(level), np.sqrt(np.maximum(size * size - rise * rise, 0.0)))
    found[..., up] = rise
    return found


# Targets of the ends of limbs ----------------------------------------------------------------------------------------


def rotation_of_two(limb: LimbState, locations: tuple[Array, Array]) -> Array:
    """(frames, 4) the smallest rotation of the line through both points to that of their locations (equation 3.3)."""
    return between(limb.points[1] - limb.points[0], locations[1] - locations[0])


def target_at(limb: LimbState, rotation: Array, is_first: BoolArray, locations: tuple[Array, Array]) -> Target:
    """The target with a rotation of the extremity and one point, the first or the second, on its location (3.4)."""
    point, location = _chosen(is_first, *limb.points), _chosen(is_first, *locations)
    return Target(location - rotate(rotation, point - limb.end), rotation)


def target_above(
    limb: LimbState,
    rotation: Array,
    is_first: BoolArray,
    locations: tuple[Array, Array],
    ground: Ground,
    clearances: tuple[float, float],
    up: int,
) -> Target:
    """`target_at` one point with the other point above the ground: rotated about the location as little as possible."""
    location = _chosen(is_first, *locations)
    away = rotate(rotation, _chosen(is_first, *reversed(limb.points)) - _chosen(is_first, *limb.points))
    clearance = np.where(is_first, clearances[1], clearances[0])
    lowest = ground.lowest_allowed(location + away, up) + clearance - location[:, up]
    below = np.flatnonzero(away[:, up] < lowest)
    if below.size:
        lift = between(away[below], raised(away[below], lowest[below], up))
        rotation = rotation.copy()
        rotation[below] = multiply(lift, rotation[below])
    return target_at(limb, rotation, is_first, locations)


def _chosen(is_first: BoolArray, first: Array, second: Array) -> Array:
    return np.where(is_first[:, None], first, second)
