# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks: what a constraint, compiled on a source, requires of one effector in each frame of its activity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Array, IntArray
from .effectors import Effector

if TYPE_CHECKING:
    from .base import Constraint


@dataclass(frozen=True, eq=False)
class Track:
    """The displacements that one constraint requires of one effector, over the frames of its activity."""

    constraint: Constraint
    effector: Effector
    begin: int
    """The first active frame."""
    displacement: Array
    """(active frames, 3) from the source's values to the targets."""
    hold_intervals: tuple[tuple[float, float], ...]
    """First and last times, in frames, of the intervals in which the target is exactly what the user asked for; between
    them it is interpolated."""
    leads: Array | None = None
    """(active frames,) 1.0 where this track ranks above the other one of its constraint, else 0.0; None: always 1.0."""

    @property
    def end(self) -> int:
        """The last active frame."""
        return self.begin + len(self.displacement) - 1

    @property
    def frames(self) -> IntArray:
        """(active frames,)"""
        return np.arange(self.begin, self.end + 1)

    def part(self, first: int, last: int) -> Array:
        """(frames, 3) the displacements from one active frame to another, both included."""
        return self.displacement[first - self.begin : last + 1 - self.begin]
