# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving objects outside the character, as references of constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError


@dataclass(frozen=True, eq=False)
class MovingObject:
    """An object with a transform for every frame of the clip: a door, a ball, a carried tray."""

    positions: Array
    """(frames, 3) in the world, or (3,) for an object at rest."""
    rotations: Array
    """(frames, 4) in the world, or (4,)."""

    def checked(self, label: str, frames: int) -> MovingObject:
        """The object with unit rotations and one transform for each frame; errors name the constraint by `label`."""
        arrays = []
        for what, given, width in (("positions", self.positions, 3), ("rotations", self.rotations, 4)):
            try:
                array = np.array(given, dtype=np.float64)
            except (TypeError, ValueError):
                raise ConstraintError(f"{label}: the {what} of its moving reference must be numbers.") from None
            if array.ndim == 1:
                array = np.tile(array, (frames, 1))
            if array.shape != (frames, width):
                raise ConstraintError(
                    f"{label}: the {what} of its moving reference must have the shape ({frames}, {width}), not "
                    f"{array.shape}."
                )
            if not np.isfinite(array).all():
                raise ConstraintError(f"{label}: the {what} of its moving reference are not all finite.")
            arrays.append(array)
        if not np.linalg.norm(arrays[1], axis=-1).all():
            raise ConstraintError(f"{label}: a rotation of its moving reference is a zero quaternion.")
        return MovingObject(arrays[0], rotations.normalize(arrays[1]))

    def seen_from(self, places: Array) -> Array:
        """(frames, 3) world positions in the object's frame."""
        return rotations.rotate(rotations.conjugate(self.rotations), places - self.positions)

    def in_world(self, places: Array) -> Array:
        """(frames, 3) places (frames, 3), or one (3,), in the object's frame as world positions."""
        return np.asarray(self.positions + rotations.rotate(self.rotations, places))

    def part(self, begin: int, end: int) -> MovingObject:
        """The object from frame `begin` to frame `end`, which is not included."""
        return MovingObject(self.positions[begin:end], self.rotations[begin:end])

    def is_like(self, other: MovingObject) -> bool:
        """Whether another object has the same transforms."""
        return self is other or all(
            np.array_equal(one, another)
            for one, another in ((self.positions, other.positions), (self.rotations, other.rotations))
        )
