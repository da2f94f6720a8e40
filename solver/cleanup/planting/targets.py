# SPDX-License-Identifier: GPL-3.0-or-later
"""Where plants stand, and where that puts hand or foot (document 000, 3.2.2 and 3.2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...constraints import Ground
from ...core import rotations
from ...core.arrays import Array
from ..components import (
    Number,
    Quaternion,
    Truth,
    Vector,
    between,
    choose,
    clamped,
    length,
    minus,
    multiply,
    plus,
    root,
    rotate,
    times,
    unit,
)
from ..limbs import Limb
from ..plants import PlantedPoint, mean_orientation, mean_place
from .observing import LimbState


class Target(NamedTuple):
    """Where the end of a limb should be, and the world rotation by which it should be turned from the source."""

    place: Vector
    turn: Quaternion


# Where plants stand --------------------------------------------------------------------------------------------------


def locating_order(plants: Sequence[PlantedPoint], limbs: Sequence[Limb]) -> list[int]:
    """The order in which plants are located: as they begin; at once, given places first, then as the limb has them."""
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


def place_alone(points: Array, floor: float | None, up: int) -> Array:
    """(3,) where a point stands that was at `points` (n, 3): on the average, on the floor where there is one."""
    place = mean_place(points)
    if floor is not None:
        place[up] = floor
    return place


def place_beside(other: Array, points: Array, others: Array, turned: Array, floor: float | None, up: int) -> Array:
    """(3,) where a point stands whose neighbour, on the same hand or foot, stands at `other` (3,).

    Given are both in the frames of which the mean is taken, (n, 3) each, and the orientations of hand or foot (n, 4).
    It lies as far from the other as it is on the body, where the mean orientation leads; on a floor, turned about the
    other by the smallest turn.
    """
    offset = mean_place(rotations.rotate(rotations.conjugate(turned), points - others))
    away = rotations.rotate(mean_orientation(turned), offset)
    if floor is not None:
        away = np.array(raised(tuple(away.tolist()), floor - float(other[up]), up))
    return np.asarray(other + away)


def raised(vector: Vector, height: Number, up: int) -> Vector:
    """A vector turned by the smallest turn so that its component along the up axis is `height`, as far as that goes."""
    size = length(vector)
    rise = clamped(height, -size, size)
    level = unit(tuple(0.0 * vector[axis] if axis == up else vector[axis] for axis in range(3)))
    out = times(root(size * size - rise * rise), level)
    return tuple(rise if axis == up else out[axis] for axis in range(3))


def ground_height(ground: Ground, place: Vector, up: int) -> Number:
    """How high the ground is under a place; minus infinity where there is none."""
    if ground.level is not None:
        return ground.level
    if isinstance(place[0], np.ndarray):
        return ground.lowest_allowed(np.stack(place, axis=-1), up)
    return float(ground.lowest_allowed(np.array([place]), up)[0])


# Where that puts hand or foot ----------------------------------------------------------------------------------------


def turn_of_two(limb: LimbState, places: tuple[Vector, Vector]) -> Quaternion:
    """The smallest turn of hand or foot that lays the line through its two points along that of their places (3.3)."""
    return between(minus(limb.points[1], limb.points[0]), minus(places[1], places[0]))


def held(limb: LimbState, turn: Quaternion, is_first: Truth, places: tuple[Vector, Vector]) -> Target:
    """Hand or foot, turned, with its first point or its second at its place (3.4)."""
    point, place = choose(is_first, *limb.points), choose(is_first, *places)
    return Target(minus(place, rotate(turn, minus(point, limb.end))), turn)


def held_above(
    limb: LimbState,
    turn: Quaternion,
    is_first: Truth,
    places: tuple[Vector, Vector],
    ground: Ground | None,
    clearances: tuple[float, float],
    up: int,
) -> Target:
    """`held` by one point, with the other one above the ground: turned about the place by as little as that takes."""
    if ground is not None:
        place = choose(is_first, *places)
        away = minus(choose(is_first, *reversed(limb.points)), choose(is_first, *limb.points))
        away = rotate(turn, away)
        (clearance,) = choose(is_first, (clearances[1],), (clearances[0],))
        lowest = ground_height(ground, plus(place, away), up) + clearance - place[up]
        is_below = away[up] < lowest
        lifted = multiply(between(away, raised(away, lowest, up)), turn)
        turn = choose(is_below, lifted, turn)
    return held(limb, turn, is_first, places)
