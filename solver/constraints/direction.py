# SPDX-License-Identifier: GPL-3.0-or-later
"""Direction constraints: an axis of a joint points in given directions at given times, as a gaze or a level tray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Array
from ..core.errors import ConstraintError
from .base import three_numbers
from .effectors import DirectionEffector, Effector
from .paths import Knot, path_through
from .sampling import active_frames
from .shape import ConstraintPoint, PathConstraint
from .source import Source


@dataclass(frozen=True, eq=False)
class DirectionConstraint(PathConstraint):
    """The local `axis` of a joint points along world directions, given as the `location` of its points."""

    axis: Any = (0.0, 1.0, 0.0)
    """(3,) in the joint's local frame, of any length but zero."""

    @property
    def label(self) -> str:
        return self.name or f"Direction of {self.joint}"

    def _unit(self, what: str, given: Any) -> Array:
        vector = three_numbers(self.label, what, given)
        length = np.linalg.norm(vector)
        if not length > 0.0:
            raise ConstraintError(f"{self.label}: {what} has no length.")
        return np.asarray(vector / length)

    def location(self, point: ConstraintPoint) -> Array:
        return self._unit("the direction of a point", point.location)

    def effector(self, source: Source) -> Effector:
        x, y, z = self._unit("the axis", self.axis)
        return DirectionEffector(int(self.resolved(source, self.joint).joint), (float(x), float(y), float(z)))

    def displacements(self, source: Source, effector: Effector, knots: list[Knot]) -> Array:
        values = source.values(effector)
        frames = active_frames(self.begin, self.end)
        path = path_through(self.mode, values, self.begin, self.end, knots, frames, source.ease)
        lengths = np.linalg.norm(path, axis=1, keepdims=True)
        # Halfway between opposite directions the path has no direction: there the source's own is kept.
        unit = np.where(lengths > 1e-6, path / np.where(lengths > 1e-6, lengths, 1.0), values[frames])
        return unit - values[frames]
