# SPDX-License-Identifier: GPL-3.0-or-later
"""What a physical motion minimises, as weights of the sub-objectives of Popović 1999, section 3.9."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..core.errors import ConstraintError
from ..core.numbers import is_number
from .handles import Handle


@dataclass(frozen=True)
class HandleObjective:
    """An objective of the user's own: a handle is near a target, or as small or as large as it can be."""

    handle: Handle
    weight: float = 1.0
    """Positive. Of a scalar without a target: positive makes it small, negative makes it large."""
    target: tuple[float, ...] | None = None
    """In the clip's units; None: the sum of its values over time is minimised."""
    begin: float | None = None
    end: float | None = None
    """Seconds in the source between which it counts; None: from the begin, to the end."""

    def __post_init__(self) -> None:
        if self.target is not None and len(self.target) != self.handle.width:
            raise ConstraintError(f"The target of {self.handle.label} has {self.handle.width} numbers.")
        if self.target is None and self.handle.width != 1:
            raise ConstraintError(
                f"Give {self.handle.label} a target, or take one number of it, such as its dot product."
            )


@dataclass(frozen=True)
class Objectives:
    """Weights; lengths count in sizes of the character, forces in body weights, time in √(size / gravity)."""

    deviation: float = 1.0
    """Squared distances of handles from those of the source."""
    muscle_smoothness: float = 1e-6
    """Squared second derivatives of the muscles' rest values."""
    jerk: float = 1e-8
    """Squared third derivatives of all values but the centre of mass's: it keeps values from ringing between points."""
    power: float = 0.0
    """Squared torques of muscles."""
    balance: float = 0.0
    """Squared horizontal distance of the centre of mass from the middle of the places that it stands on."""
    impact: float = 0.0
    """Squared forces of the ground."""
    impact_smoothness: float = 1e-7
    """Squared second derivatives of the forces of the ground, within a stance."""
    friction: float = 0.0
    """Squared forces along the ground: a slippery floor."""
    kinematic_smoothness: float = 0.0
    """Squared accelerations of all values but the centre of mass's."""
    own: tuple[HandleObjective, ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        for name in WEIGHTS:
            value = getattr(self, name)
            if not is_number(value) or value < 0.0:
                raise ConstraintError(
                    f"The weight {name} of an objective must be a finite number, 0 or more: {value!r}."
                )

    @property
    def own_parameters(self) -> int:
        """How many parameters the user's own objectives have at an instant: of each its weight and its target."""
        return sum(1 + objective.handle.width for objective in self.own)

    def replace(self, **weights: object) -> Objectives:
        """A copy with other weights."""
        unknown = set(weights) - {*WEIGHTS, "own"}
        if unknown:
            raise ConstraintError(f"There is no objective {sorted(unknown)[0]!r}; there are {', '.join(WEIGHTS)}.")
        return replace(self, **weights)  # type: ignore[arg-type]


WEIGHTS = (
    "deviation",
    "muscle_smoothness",
    "jerk",
    "power",
    "balance",
    "impact",
    "impact_smoothness",
    "friction",
    "kinematic_smoothness",
)
"""The names of all weights."""
