# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure: one measured number and its bound, if it has one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Direction = Literal["at most", "at least"]


@dataclass(frozen=True)
class Figure:
    """One line of the report."""

    name: str
    value: float | None
    """None if it could not be measured; the note says why."""
    unit: str
    bound: float | None = None
    direction: Direction = "at most"
    """On which side of the bound the value must be."""
    note: str = ""
    """Versions, settings and the origin of the data."""

    @property
    def holds(self) -> bool | None:
        """Whether the bound is kept, None where there is no bound. A value that is missing or not finite keeps none."""
        if self.bound is None:
            return None
        if self.value is None or not math.isfinite(self.value):
            return False
        return self.value <= self.bound if self.direction == "at most" else self.value >= self.bound
