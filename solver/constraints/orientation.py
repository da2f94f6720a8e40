# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint is turned in given ways at given times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..arrays import Array
from ..errors import ConstraintError
from .base import Knot, Source, active_frames
from .effectors import Effector, OrientationEffector
from .paths import way
from .shape import ConstraintPoint, PathConstraint


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
        # Rotations near each other are rotation vectors around their middle; a whole way of a joint seldom leaves the
        # half-turn around it in which these are unique, and `reparametrize` keeps it continuous if it does.
        values = source.values(effector)
        frames = active_frames(self.begin, self.end)
        middle = rotations.mean(np.stack([knot.location for knot in knots]))
        chart = _continuous(rotations.log(rotations.multiply(values, rotations.conjugate(middle))))
        vectors = []
        for knot in knots:
            vector = rotations.log(rotations.multiply(knot.location, rotations.conjugate(middle)))
            near = chart[round(knot.begin)]
            vectors.append(Knot(_nearest(vector, near), knot.begin, knot.end, knot.tension, knot.continuity, knot.bias))
        path = way(self.mode, chart, self.begin, self.end, vectors, frames, source.ease)
        targets = rotations.multiply(rotations.exp(path), middle)
        return effector.displacement(values[frames], targets)


def _nearest(vector: Array, near: Array) -> Array:
    """Of the rotation vectors (…, 3) of the same rotations, full turns apart, those nearest to given ones."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    axis = np.where(angle > 0.0, vector / np.where(angle > 0.0, angle, 1.0), 0.0)
    turns = np.round((np.einsum("...c,...c->...", near, axis)[..., None] - angle) / (2.0 * np.pi))
    return np.asarray(vector + 2.0 * np.pi * turns * axis)


def _continuous(vectors: Array) -> Array:
    """(frames, 3) rotation vectors with full turns added so that no frame jumps from the one before."""
    if not (np.linalg.norm(np.diff(vectors, axis=0), axis=1) > np.pi).any():
        return vectors
    smooth = vectors.copy()
    for frame in range(1, len(smooth)):
        smooth[frame] = _nearest(vectors[frame], smooth[frame - 1])
    return smooth
