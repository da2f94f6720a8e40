# SPDX-License-Identifier: GPL-3.0-or-later
"""Units in which a character of any size is the same: its size, its mass, and √(size / gravity)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ...core.arrays import Array, ArrayLike
from ..handles.handle import Handle


@dataclass(frozen=True)
class Units:
    """The units of a character, in those of its clip. A force of 1 is its weight."""

    length: float
    mass: float
    gravity: float
    """The acceleration of the earth's gravity, in the clip's lengths a second squared."""

    @property
    def time(self) -> float:
        """Seconds: about 0.3 for a human."""
        return sqrt(self.length / self.gravity)

    @property
    def force(self) -> float:
        """The weight of the character."""
        return self.mass * self.gravity

    def of_handles(self, handles: tuple[Handle, ...]) -> Array:
        """(values of all handles,) the unit of each value."""
        return np.concatenate([np.full(each.width, self.length if each.is_length else 1.0) for each in handles])

    def lengths(self, values: ArrayLike) -> Array:
        """Lengths of the clip in these units."""
        return np.asarray(values, dtype=np.float64) / self.length
