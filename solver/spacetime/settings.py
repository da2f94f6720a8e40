# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the physical method."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..core.errors import ConstraintError
from ..core.numbers import is_number
from .problem.objectives import Objectives


@dataclass(frozen=True)
class PhysicsSettings:
    """How a motion is fitted and edited. The defaults were chosen on the CMU clips 09_01 and 13_11."""

    gravity: float | None = None
    """The acceleration of the earth's gravity, in the clip's lengths a second squared; None: that of a character of its
    size, see `earth_gravity`."""
    rate: float = 50.0
    """Points a second at which the equations of motion hold."""
    friction: float = 1.0
    """The largest force along the ground, as a share of that into it."""
    objectives: Objectives = field(default_factory=Objectives)
    stages: tuple[float, ...] = (10.0, 1.0)
    """Weights of the deviation from the source, one solve after the other; the fit ends with the last stage that stays
    within `nearness`."""
    nearness: float = 0.05
    """The largest root mean square of a handle's distance from the source, in sizes of the character."""
    iterations: int = 300
    """The most of one solve."""
    seconds: float = 600.0
    """The longest that one solve of a fit takes."""
    edit_seconds: float | None = None
    """The longest that all solves of an edit take together; None: 20 seconds, or three times what the fit took where
    that is more, as for long clips and on slow or busy machines."""

    def __post_init__(self) -> None:
        for name in ("rate", "friction", "nearness", "seconds", "edit_seconds"):
            value = getattr(self, name)
            if name == "edit_seconds" and value is None:
                continue
            if not is_number(value) or value <= 0.0:
                raise ConstraintError(f"The setting {name} must be a finite, positive number, not {value!r}.")
        if self.gravity is not None and (not is_number(self.gravity) or self.gravity <= 0.0):
            raise ConstraintError(f"The earth's gravity must be a finite, positive number, not {self.gravity!r}.")
        if not is_number(self.iterations) or self.iterations != int(self.iterations) or self.iterations < 1:
            raise ConstraintError(f"The setting iterations must be a whole number, 1 or more, not {self.iterations!r}.")
        if not isinstance(self.objectives, Objectives):
            raise ConstraintError(f"The setting objectives must be Objectives, not {self.objectives!r}.")
        stages = tuple(self.stages) if isinstance(self.stages, (tuple, list)) else (self.stages,)
        if not stages or not all(is_number(stage) and stage >= 0.0 for stage in stages):
            raise ConstraintError(
                f"The setting stages must be one weight or more, each a finite number, 0 or more, not {self.stages!r}."
            )
        object.__setattr__(self, "stages", stages)
