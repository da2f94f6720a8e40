# SPDX-License-Identifier: GPL-3.0-or-later
"""A constraint that was detected in a motion."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.arrays import Array
from .settings import Kind


@dataclass(frozen=True, eq=False)
class Detected:
    """A constraint that a motion satisfies from frame `begin` to frame `end`, both included.

    Positions and directions are in the world or, where a reference was given, in the reference's frame.
    """

    kind: Kind
    begin: int
    end: int
    position: Array
    """(3,) the mean place of the body's origin (space), the point of the line nearest to it (line), or the point."""
    offset: Array
    """(3,) the point of the body that stays at `position`, in the body's own frame."""
    residual: float
    """The root mean square distance of that point from `position`, in the clip's units."""
    rotation: Array | None = None
    """(4,) the mean rotation of the body; of a space constraint only."""
    direction: Array | None = None
    """(3,) unit, along the line; of a line constraint only."""

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1
