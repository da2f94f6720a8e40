# SPDX-License-Identifier: GPL-3.0-or-later
"""What a physical motion minimises, as weights of the sub-objectives of Popović 1999, section 3.9."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ...core.errors import ConstraintError
from ...core.numbers import is_number
from ..handles.handle import Handle


@dataclass(frozen=True)
class HandleObjective:
    """An objective of the user's own: a handle is near a target, or as small or as large as it can be."""

    handle: Handle
    weight: float = 1.0
    """Positive. Of a number without a target: positive makes it small, negative makes it large."""
    target: tuple[float, ...] | None = None
    """In the clip's units; None: the sum of its values over time is minimised."""
    begin: float | None = None
    end: float | None = None
    """Seconds in the source between which it counts; None: from the begin, to the end."""

    def __post_init__(self) -> None:
        if not isinstance(self.handle, Handle):
            raise ConstraintError(
                f"An objective is about a handle, such as PointHandle('left_ball'), not {self.handle!r}."
            )
        width, label = self.handle.width, self.handle.label
        if not is_number(self.weight) or (self.target is not None and self.weight <= 0.0):
            above = "" if self.target is None else "positive "
            raise ConstraintError(f"The weight of the {label} must be a finite {above}number, not {self.weight!r}.")
        if self.target is None and width != 1:
            raise ConstraintError(
                f"Give the {label} a target, or take one number of it, such as its length() or a dot() product."
            )
        if self.target is not None:
            # One number alone is a target of one number; objectives are keys, so a target is no list.
            numbers = tuple(np.atleast_1d(np.asarray(self.target, dtype=object)).tolist())
            if len(numbers) != width or not all(is_number(number) for number in numbers):
                many = "one finite number" if width == 1 else f"{width} finite numbers"
                raise ConstraintError(f"The target of the {label} must be {many}, not {self.target!r}.")
            object.__setattr__(self, "target", tuple(map(float, numbers)))
        for name in ("begin", "end"):
            value = getattr(self, name)
            if value is not None and not is_number(value):
                raise ConstraintError(f"The {name} of the objective of the {label} must be seconds, not {value!r}.")
        if self.begin is not None and self.end is not None and self.begin > self.end:
            raise ConstraintError(
                f"The objective of the {label} ends at {self.end:g} s, before it begins at {self.begin:g} s."
            )

    def in_units(self, length: float, time: float) -> HandleObjective:
        """The same objective measured in other units, given in the clip's and in seconds."""
        target = self.target
        if target is not None and self.handle.is_length:
            target = tuple(number / length for number in target)
        begin, end = (None if when is None else when / time for when in (self.begin, self.end))
        return replace(self, target=target, begin=begin, end=end)


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
    """Squared forces of the ground on each leg."""
    impact_smoothness: float = 1e-7
    """Squared second derivatives of the forces of the ground, within a stance."""
    friction: float = 0.0
    """The same along the ground alone: a slippery floor."""
    kinematic_smoothness: float = 0.0
    """Squared accelerations of all values but the centre of mass's."""
    own: tuple[HandleObjective, ...] = ()
    """Objectives of the user's own."""

    def __post_init__(self) -> None:
        for name in WEIGHTS:
            value = getattr(self, name)
            if not is_number(value) or value < 0.0:
                raise ConstraintError(
                    f"The weight {name} of an objective must be a finite number, 0 or more, not {value!r}."
                )
        own = tuple(self.own) if isinstance(self.own, (tuple, list)) else (self.own,)
        if not all(isinstance(objective, HandleObjective) for objective in own):
            raise ConstraintError(f"Objectives of your own are a list of HandleObjective, not {self.own!r}.")
        object.__setattr__(self, "own", own)

    @property
    def own_parameters(self) -> int:
        """How many parameters the user's own objectives have at an instant: of each its weight and its target."""
        return sum(1 + objective.handle.width for objective in self.own)

    def replace(self, **weights: object) -> Objectives:
        """A copy with other weights."""
        unknown = sorted(set(weights) - {*WEIGHTS, "own"})
        if unknown:
            raise ConstraintError(f"There is no objective {unknown[0]!r}; there are {', '.join(WEIGHTS)}.")
        return replace(self, **weights)  # type: ignore[arg-type]

    def in_units(self, length: float, time: float) -> Objectives:
        """The same with the user's own objectives measured in other units, given in the clip's and in seconds."""
        return replace(self, own=tuple(objective.in_units(length, time) for objective in self.own))


WEIGHTS = tuple(each.name for each in fields(Objectives) if each.name != "own")
"""The names of all weights."""
