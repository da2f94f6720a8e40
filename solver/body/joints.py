# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of joints, points fixed to joints, and loads carried at such points."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from ..core.errors import SkeletonError

SIDES = ("left", "right")
"""The sides of a body, as they begin the names of landmarks."""


class JointKind(StrEnum):
    """How a joint moves relative to its parent; the value is the word that users write."""

    FREE = "free"
    """Three translations and three rotations: the root of a character."""
    BALL = "ball"
    """Three rotations."""
    HINGE = "hinge"
    """One rotation about the skeleton's hinge axis of that joint."""
    FIXED = "fixed"
    """None: it keeps whatever local transform the motion gives it."""


@dataclass(frozen=True)
class BodyPoint:
    """A point that moves with a joint.

    `joint` is a name or an index; `offset` is in that joint's local frame, in the skeleton's own units.
    """

    joint: str | int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        offset = np.asarray(self.offset, dtype=np.float64)
        if offset.shape != (3,) or not np.isfinite(offset).all():
            raise SkeletonError(f"The offset of a point on joint {self.joint!r} must be three finite numbers.")
        object.__setattr__(self, "offset", tuple(float(value) for value in offset))

    @property
    def local(self) -> Array:
        """The offset as an array, (3,)."""
        return np.array(self.offset)

    def place(self, world_rotations: Array, world_positions: Array) -> Array:
        """(3,) the world position of the point, given world rotations (joints, 4) and positions (joints, 3).

        `joint` must be an index.
        """
        joint = int(self.joint)
        return np.asarray(world_positions[joint] + rotations.rotate(world_rotations[joint], self.local))


@dataclass(frozen=True)
class Load:
    """A mass carried at a point of a joint: an umbrella in a hand, a rucksack on a spine.

    `mass` is in the unit of the skeleton's total mass (kilograms unless the user decided otherwise).
    """

    point: BodyPoint
    mass: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.mass) and self.mass >= 0.0):
            raise SkeletonError(
                f"The mass carried by joint {self.point.joint!r} must be a finite number that is not negative."
            )
