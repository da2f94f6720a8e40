# SPDX-License-Identifier: GPL-3.0-or-later
"""Direction constraints: an axis of a joint points in given directions at given times, as a gaze or a level tray."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError
from .base import three_numbers
from .effectors import DirectionEffector, Effector
from .paths import Knot, nearest_knots, path_through
from .sampling import active_frames
from .shape import ConstraintPoint, PathConstraint
from .source import Source


@dataclass(frozen=True, eq=False)
class DirectionConstraint(PathConstraint):
    """The local `axis` of a joint points along world directions, given as the `location` of its points.

    In the relative mode the angle to the axis in the source, and its side of the joint, stay as they are at a point
    while the source moves on.
    """

    axis: Any = (0.0, 1.0, 0.0)
    """(3,) in the joint's local frame, of any length but zero."""

    @property
    def label(self) -> str:
        return self.name or f"Direction of {self.joint}"

    def location(self, point: ConstraintPoint) -> Array:
        return unit_vector(self.label, "the direction of a point", point.location)

    def effector(self, source: Source) -> Effector:
        x, y, z = unit_vector(self.label, "the axis", self.axis)
        return DirectionEffector(int(self.resolved(source, self.joint).joint), (float(x), float(y), float(z)))

    def displacements(self, source: Source, effector: Effector, knots: list[Knot]) -> Array:
        assert isinstance(effector, DirectionEffector)
        values = source.values(effector)
        frames = active_frames(self.begin, self.end)
        if self.mode == "absolute":
            path = path_through(self.mode, values, self.begin, self.end, knots, frames, source.ease)
            lengths = np.linalg.norm(path, axis=1, keepdims=True)
            # Halfway between opposite directions the path has no direction: there the source's own is kept.
            unit = np.where(lengths > 1e-6, path / np.where(lengths > 1e-6, lengths, 1.0), values[frames])
            return unit - values[frames]
        turned = source.clip.world.rotations[:, effector.joint]
        axis = np.array(effector.axis)
        near = nearest_knots(knots, source.frames)
        wanted = np.stack([knot.location for knot in knots])[near]
        chart = -turns_across(axis, rotations.rotate(rotations.conjugate(turned), wanted))
        stops = [replace(knot, location=np.zeros(3)) for knot in knots]
        turns = path_through(self.mode, chart, self.begin, self.end, stops, frames, source.ease) - chart[frames]
        return rotations.rotate(turned[frames], rotations.rotate(rotations.exp(turns), axis)) - values[frames]


def unit_vector(label: str, what: str, given: Any) -> Array:
    """(3,) a vector that a user has given, with length 1; raises a `ConstraintError` where it has none."""
    vector = three_numbers(label, what, given)
    length = np.linalg.norm(vector)
    if not length > 0.0:
        raise ConstraintError(f"{label}: {what} has no length.")
    return np.asarray(vector / length)


def turns_across(axis: Array, directions: Array) -> Array:
    """(…, 3) the rotation vectors, at right angles to the unit vector `axis` (3,), that turn it to unit directions
    (…, 3)."""
    return rotations.log(rotations.between(np.broadcast_to(axis, directions.shape), directions))
