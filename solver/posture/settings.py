# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the posture solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.errors import TaskError
from ..core.numbers import is_number


@dataclass(frozen=True)
class SolveSettings:
    """How a posture is solved."""

    iterations: int = 200
    """The largest number of steps of a frame."""
    tolerance: float = 1e-7
    """A frame has converged when a step changes no level's error by more than this share of the character's size
    (or radians) and no joint by more than a hundred times that."""
    feasibility_tolerance: float = 1e-10
    """Sizes of the character, or radians: the largest error that is left of levels which can be met."""
    goal_length: float = 0.25
    """The distance of intermediate goals, in sizes of the character."""
    goal_angle: float = 0.6
    """The angle of intermediate goals, in radians."""
    largest_turn: float = 0.6
    """The largest rotation of any joint in one step, in radians."""
    restarts: bool = True
    """Whether a frame is solved again where a level is not met, to see whether lower levels are the cause. That takes
    twice the time: where a posture follows a target that moves, the next solve can do it."""
    thorough_restarts: bool = True
    """Whether that is done for one level after the other, also where no limit, no inequality and no choice of joints
    restricts a step. Otherwise it is done once, and only where one of these does: postures over targets that leave the
    reach then follow each other without a jump, as a clip and a drag need it."""

    def __post_init__(self) -> None:
        if not isinstance(self.iterations, (int, np.integer)) or self.iterations < 0:
            raise TaskError(f"The number of iterations must be a whole number, 0 or more, not {self.iterations!r}.")
        for name in ("tolerance", "feasibility_tolerance", "goal_length", "goal_angle", "largest_turn"):
            if not is_number(getattr(self, name)) or not getattr(self, name) > 0.0:
                raise TaskError(f"The setting {name} must be a finite, positive number.")
