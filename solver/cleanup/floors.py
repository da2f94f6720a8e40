# SPDX-License-Identifier: GPL-3.0-or-later
"""The floors that planted points stand on: planes of any slope."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..constraints import Ground, Plane
from ..core.arrays import Array
from .plants import PlantedPoint


class Floor(NamedTuple):
    """A plane in which a planted point lies: its clearance above what it stands on."""

    normal: Array
    """(3,) of unit length."""
    offset: float
    """normal · x of its points x."""

    def above(self, place: Array) -> float:
        """How far it is above a place (3,), along its normal; negative below."""
        return float(self.offset - self.normal @ place)

    def nearest(self, place: Array) -> Array:
        """(3,) its point that is nearest to a place (3,)."""
        return np.asarray(place + self.above(place) * self.normal)


def floor_of(plant: PlantedPoint, place: Array, clearance: float, ground: Ground | None, up: int) -> Floor | None:
    """The floor of a plant whose point has a clearance and is at a place (3,) on the average.

    That of the ground where the plant names no other; None where there is none, where the plant keeps its own height,
    and on an object that moves.
    """
    if plant.floor == "own" or plant.reference is not None:
        return None
    if isinstance(plant.floor, Plane):
        normal = plant.floor.unit_normal
        return Floor(normal, float(normal @ plant.floor.point) + clearance)
    if plant.floor is not None and plant.floor != "ground":
        return Floor(np.eye(3)[up], float(plant.floor) + clearance)
    height = np.nan if ground is None else float(ground.heights(place[None], up, clearance)[0])
    if ground is None or np.isnan(height):
        return None
    normal = ground.normals(place[None], up)[0]
    return Floor(normal, float(normal @ np.where(np.arange(3) == up, height, place)))
