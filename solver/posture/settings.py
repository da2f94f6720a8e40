# SPDX-License-Identifier: GPL-3.0-or-later
"""How a posture is solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.errors import TaskError
from ..core.numbers import is_number


@dataclass(frozen=True)
class SolveSettings:
    """How a posture is solved."""

    iterations: int = 200
    """The most steps a frame may take."""
    tolerance: float = 1e-7
    """A frame has converged when a step changes no level's error by more than this share of the character's size
    (or radians) and no joint by more than a hundred times that."""
    restored: float = 1e-10
    """Sizes of the character, or radians, to which levels that can be met are met in the end."""
    sketched: float = 0.0
    """Radians, or sizes of the character, from rest: a batch of which all frames are that near is left so. All or none
    of them, lest neighbouring frames differ by it."""
    goal_length: float = 0.25
    """How far away intermediate goals lie, in sizes of the character."""
    goal_angle: float = 0.6
    """How far away intermediate goals lie, in radians."""
    largest_turn: float = 0.6
    """The most that any joint turns in one step, in radians."""

    def __post_init__(self) -> None:
        if not isinstance(self.iterations, (int, np.integer)) or self.iterations < 0:
            raise TaskError(f"The number of iterations must be a whole number, 0 or more, not {self.iterations!r}.")
        for name in ("tolerance", "restored", "goal_length", "goal_angle", "largest_turn"):
            if not is_number(getattr(self, name)) or not getattr(self, name) > 0.0:
                raise TaskError(f"The setting {name} must be a finite, positive number.")
        if not is_number(self.sketched) or self.sketched < 0.0:
            raise TaskError("The setting sketched must be a finite number that is not negative.")
