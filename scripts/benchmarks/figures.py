# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure: one measured number, and the bound that it must keep if there is one."""

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
    """None where there is nothing to measure; the note then says why."""
    unit: str
    bound: float | None = None
    direction: Direction = "at most"
    """Which side of the bound is the good one."""
    note: str = ""
    """What a reader must know to judge it: versions, settings, where the data come from."""

    @property
    def holds(self) -> bool | None:
        """Whether the bound is kept, None where there is no bound. A value that is missing or not finite keeps none."""
        if self.bound is None:
            return None
        if self.value is None or not math.isfinite(self.value):
            return False
        return self.value <= self.bound if self.direction == "at most" else self.value >= self.bound
