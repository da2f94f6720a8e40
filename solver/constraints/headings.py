# SPDX-License-Identifier: GPL-3.0-or-later
"""Headings: directions in the horizontal plane as angles about the up axis, see `Footplant.heading`."""

from __future__ import annotations

import numpy as np

from ..core import rotations
from ..core.arrays import Array


def horizontal_unit(vector: Array, up: int) -> Array:
    """(3,) the horizontal direction of a vector; heading 0 where it has none."""
    level = vector.copy()
    level[up] = 0.0
    length = np.linalg.norm(level)
    return level / length if length > 0.0 else heading_direction(0.0, up)


def heading_direction(heading: float, up: int) -> Array:
    """(3,) the horizontal unit vector of a heading, see `Footplant.heading`."""
    ahead = np.array([0.0, 0.0, 1.0]) if up == 1 else np.array([0.0, -1.0, 0.0])
    return turned_about(ahead, heading, up)


def heading_of(vector: Array, up: int) -> float:
    """The heading in radians of a vector (3,), see `Footplant.heading`; 0 where it is vertical."""
    ahead = heading_direction(0.0, up)
    return float(np.arctan2(vector @ rotations.cross(np.eye(3)[up], ahead), vector @ ahead))


def turned_about(vector: Array, angle: float, up: int) -> Array:
    """(3,) a vector rotated by radians about the up axis."""
    return rotations.rotate(rotations.exp(angle * np.eye(3)[up]), vector)
