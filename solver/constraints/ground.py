# SPDX-License-Identifier: GPL-3.0-or-later
"""What the feet stand on: a level plane of any height, or a height for every place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import ConstraintError
from ..settings import is_number

HeightFunction = Callable[[Array, Array], Array]
"""Heights (n,) at horizontal coordinates (n,), (n,): x and z where y is up, x and y where z is up."""


@dataclass(frozen=True)
class Ground:
    """Heights along the up axis, in the clip's own units."""

    height: float | HeightFunction = 0.0
    """One number for a level plane, or a function of two horizontal coordinates that takes and gives arrays (n,)."""

    def __post_init__(self) -> None:
        if not callable(self.height) and not is_number(self.height):
            raise ConstraintError(f"The ground's height must be a finite number or a function, not {self.height!r}.")

    def heights(self, places: Array, up_axis: int) -> Array:
        """(n,) heights of the ground under world positions (n, 3)."""
        if not callable(self.height):
            return np.full(len(places), float(self.height))
        across = [axis for axis in range(3) if axis != up_axis]
        given = self.height(places[:, across[0]], places[:, across[1]])
        try:
            heights = np.broadcast_to(np.asarray(given, dtype=np.float64), (len(places),))
        except (TypeError, ValueError):
            raise ConstraintError("The ground's height function must give one number for each place.") from None
        if not np.isfinite(heights).all():
            first, second = places[np.flatnonzero(~np.isfinite(heights))[0], across]
            raise ConstraintError(f"The ground has no finite height at ({first:g}, {second:g}).")
        return heights
