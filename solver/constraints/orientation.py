# SPDX-License-Identifier: GPL-3.0-or-later
"""Orientation constraints: a joint has given world rotations at given times."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core import rotations
from ..core.arrays import TINY, Array
from ..core.errors import ConstraintError
from .effectors import Effector, OrientationEffector
from .paths import Knot, nearest_knots, path_through
from .rotation_paths import rotation_path
from .sampling import active_frames
from .shape import ConstraintPoint, PathConstraint
from .source import Source


@dataclass(frozen=True, eq=False)
class OrientationConstraint(PathConstraint):
    """A joint has given world rotations; the `location` of its points is a quaternion (w, x, y, z)."""

    @property
    def label(self) -> str:
        return self.name or f"Orientation of {self.joint}"

    def location(self, point: ConstraintPoint) -> Array:
        try:
            quaternion = np.array(point.location, dtype=np.float64)
        except (TypeError, ValueError):
            raise ConstraintError(f"{self.label}: the rotation of a point must be four numbers.") from None
        if quaternion.shape != (4,) or not np.isfinite(quaternion).all() or not quaternion.any():
            raise ConstraintError(
                f"{self.label}: the rotation of a point must be a quaternion: four finite numbers, not all zero."
            )
        return rotations.normalize(quaternion)

    def effector(self, source: Source) -> Effector:
        return OrientationEffector(int(self.resolved(source, self.joint).joint))

    def displacements(self, source: Source, effector: Effector, knots: list[Knot]) -> Array:
        values = source.values(effector)
        frames = active_frames(self.begin, self.end)
        if self.mode == "absolute":
            return effector.displacement(values[frames], rotation_path(values, self.begin, self.end, knots, frames))
        chart = _relative_to_nearest_knot(values, knots)
        stops = [replace(knot, location=np.zeros(3)) for knot in knots]
        return path_through(self.mode, chart, self.begin, self.end, stops, frames, source.ease) - chart[frames]


def _relative_to_nearest_knot(values: Array, knots: list[Knot]) -> Array:
    """(frames, 3) rotation vectors from the knot that is nearest in time to the source (frames, 4).

    So the source may rotate by any number of turns: only its rotation relative to the nearest knot counts, which is
    seldom as large as half a turn.
    """
    belongs_to = nearest_knots(knots, len(values))
    chart = np.zeros((len(values), 3))
    near = np.zeros(3)
    for number, knot in enumerate(knots):
        vectors = rotations.log(rotations.multiply(values, rotations.conjugate(knot.location)))
        near = _nearest(vectors[round(knot.begin)], near)
        own = belongs_to == number
        chart[own] = _nearest(vectors[own], near)
    return chart


def _nearest(vectors: Array, near: Array) -> Array:
    """Rotation vectors (…, 3) of the same rotations, changed by full turns so as to be nearest to given ones."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    axis = vectors / np.maximum(angle, TINY)
    turns = np.round(((near * axis).sum(axis=-1, keepdims=True) - angle) / (2.0 * np.pi))
    return np.asarray(vectors + 2.0 * np.pi * turns * axis)
