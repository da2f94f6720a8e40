# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds that several solves share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

Clock = Callable[[], float]
"""Returns seconds since any fixed instant; it never goes back."""


@dataclass(frozen=True)
class TimeBudget:
    """So many seconds from when it is made on, by one clock for all that they are spent on."""

    seconds: float
    clock: Clock = time.monotonic
    begun: float = field(init=False)
    """The clock's time at which it was made."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "begun", self.clock())

    @property
    def left(self) -> float:
        """The seconds that are left, 0 or more."""
        return max(0.0, self.seconds - (self.clock() - self.begun))

    @property
    def is_spent(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0.0
