# SPDX-License-Identifier: GPL-3.0-or-later
"""The locations of plants, and the targets that they give to the ends of limbs (Kovar 2004, 3.2.2 and 3.2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...constraints import Ground
from ...core.arrays import Array, BoolArray
from ...core.rotations import between, conjugate, cross, dot, exp, lengths, multiply, rotate, scaled, unit
from ..floors import Floor
from ..limbs import Limb
from ..plants import PlantedPoint, mean_orientation
from .observing import LimbState

STEADY = 1e-3
"""What a small rotation of a hand or a foot costs, in squared lengths of its parts: where all its points lie on one
line, nothing else keeps it from rotating about that."""


class Target(NamedTuple):
    """The target of a limb's end."""

    position: Array
    """(frames, 3)"""
    rotation: Array
    """(frames, 4) from the orientation in the source to the wanted one, in the world."""


# Locations of plants -------------------------------------------------------------------------------------------------


def locating_order(plants: Sequence[PlantedPoint], limbs: Sequence[Limb]) -> list[int]:
    """The order in which plants are located: by their begin; of equal begins, given locations first, then by limb."""
    ranks = {(limb.name, point): rank for limb in limbs for point, rank in limb.columns.items()}
    return sorted(
        range(len(plants)),
        key=lambda number: (
            plants[number].begin,
            plants[number].location is None,
            plants[number].limb,
            ranks[plants[number].limb, plants[number].point],
        ),
    )


def location_of_single_point(points: Array, floor: Floor | None) -> Array:
    """(3,) the location of a point whose neighbour on the same extremity is not planted: the mean of its positions
    (n, 3), on a floor if one is given."""
    location = points.mean(axis=0)
    return np.asarray(location if floor is None else floor.nearest(location))


def location_next_to(
    other: Array, points: Array, other_points: Array, orientations: Array, floor: Floor | None
) -> Array:
    """(3,) the location of a point whose neighbour on the same extremity is planted at `other` (3,).

    `points` and `other_points` (n, 3) are the positions of both, and `orientations` (n, 4) those of the extremity, in
    the frames over which means are taken. The location is other + mean(R) mean(R⁻¹ (point - other point)) with R the
    orientations: the mean offset between both on the body, in the mean orientation. For a given floor it is rotated
    about the other one by the smallest angle.
    """
    offset = rotate(conjugate(orientations), points - other_points).mean(axis=0)
    away = rotate(mean_orientation(orientations), offset)
    if floor is not None:
        away = raised(away, floor.above(other), floor.normal)
    return np.asarray(other + away)


def raised(vectors: Array, height: Array | float, normal: Array) -> Array:
    """Vectors (..., 3) rotated by the smallest angle to a component `height` (...) along a unit normal, (..., 3) or
    (3,), or the nearest.

    A vector along the normal stays so.
    """
    size = lengths(vectors)
    rise = np.clip(height, -size, size)
    normal = np.broadcast_to(normal, vectors.shape)
    level = vectors - scaled(normal, dot(vectors, normal))
    along = scaled(unit(level), np.sqrt(np.maximum(size * size - rise * rise, 0.0)))
    return np.asarray(along + scaled(normal, rise))


# Targets of the ends of limbs ----------------------------------------------------------------------------------------


def held_orientation(orientation: Array, line: Array, wanted: Array, up: int) -> Array:
    """(4,) the orientation of an extremity that lies with both points planted, near a mean orientation (4,).

    In that orientation the line through both points is `line` (3,), and it shall be `wanted` (3,). The extremity turns
    about the vertical, and then in the vertical plane of the line: so a foot that is turned or raised does not bank.
    """
    level, wanted_level = (np.where(np.arange(3) == up, 0.0, each) for each in (line, wanted))
    turn = between(level, wanted_level)
    return multiply(multiply(between(rotate(turn, line), wanted), turn), orientation)


def near_paths(limb: LimbState, target: Target, is_first: BoolArray, end_path: Array, other_path: Array) -> Target:
    """The target with the end and the point that is not planted nearest to paths (frames, 3).

    The extremity rotates about its planted point, the first or the second, by the angle that is best if it is small:
    ω minimises Σ |ω × arm - error|² over both, and a little of |ω|².
    """
    point, other = _chosen(is_first, *limb.points), _chosen(is_first, *reversed(limb.points))
    location = target.position + rotate(target.rotation, point - limb.end)
    arms = [rotate(target.rotation, each - point) for each in (limb.end, other)]
    paths = end_path, other_path
    moments = np.sum([cross(arm, path - location - arm) for arm, path in zip(arms, paths, strict=True)], axis=0)
    squares = np.sum([dot(arm, arm) for arm in arms], axis=0)
    # Arms of no length, of a limb with one point at its end, have no moments either.
    resistance = np.where(squares > 0.0, (1.0 + STEADY) * squares, 1.0)
    inertia = resistance[:, None, None] * np.eye(3) - np.sum(
        [arm[:, :, None] * arm[:, None, :] for arm in arms], axis=0
    )
    rotation = multiply(exp(np.linalg.solve(inertia, moments[:, :, None])[:, :, 0]), target.rotation)
    return Target(location + rotate(rotation, limb.end - point), rotation)


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
    place = location + away
    gap = ground.lowest_allowed(place, up, clearance) - place[:, up]
    below = np.flatnonzero(gap > 0.0)
    if below.size:
        normal, deep = ground.normals(place[below], up), away[below]
        lift = between(deep, raised(deep, dot(deep, normal) + normal[:, up] * gap[below], normal))
        rotation = rotation.copy()
        rotation[below] = multiply(lift, rotation[below])
    return target_at(limb, rotation, is_first, locations)


def _chosen(is_first: BoolArray, first: Array, second: Array) -> Array:
    return np.where(is_first[:, None], first, second)
