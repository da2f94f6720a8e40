# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be changed about a fitted motion (Popović 1999, section 5.1), as data that can be written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from ...core.errors import ConstraintError
from ...core.numbers import is_number
from ..handles.handle import handle_from_dict
from ..problem.objectives import WEIGHTS, HandleObjective, Objectives
from ..record_fields import record_fields

Triple = tuple[float, float, float]

NOWHERE: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class FootprintEdit:
    """Another place, heading or time for a stance."""

    stance: int
    """Its index in `Fit.stances`."""
    shift: Triple = NOWHERE
    """Added to its place, in the clip's units; up raises it."""
    turn: float = 0.0
    """Radians about the vertical."""
    earlier_strike: float = 0.0
    """Seconds by which it begins earlier; negative: later."""
    later_release: float = 0.0
    """Seconds by which it ends later; negative: earlier."""

    def __post_init__(self) -> None:
        if not isinstance(self.stance, (int, np.integer)) or isinstance(self.stance, bool) or self.stance < 0:
            raise ConstraintError(f"The stance of a footprint is its index, 0 or more, not {self.stance!r}.")
        _check_triple("The shift of a footprint", self.shift)
        for name in ("turn", "earlier_strike", "later_release"):
            value = getattr(self, name)
            if not is_number(value):
                raise ConstraintError(f"The {name} of footprint {self.stance} must be a finite number, not {value!r}.")


@dataclass(frozen=True)
class LimbEdit:
    """Another length or mass of the body below a joint of the simplified character."""

    joint: str
    """Its name in the recipe, such as "right_knee" for the shin."""
    length: float = 1.0
    """A factor."""
    mass: float = 1.0
    """A factor."""

    def __post_init__(self) -> None:
        _check_joint("limb", self.joint)
        if not (is_number(self.length) and self.length > 0.0 and is_number(self.mass) and self.mass > 0.0):
            raise ConstraintError(f"Length and mass of {self.joint!r} are factors, positive numbers.")


@dataclass(frozen=True)
class LockedJoint:
    """A joint that cannot move, as in a cast."""

    joint: str
    degrees: tuple[float, ...] | None = None
    """The constant values; None: their means in the fitted motion. Of translations: sizes of the character."""

    def __post_init__(self) -> None:
        _check_joint("locked joint", self.joint)
        if self.degrees is not None and not (
            isinstance(self.degrees, (tuple, list)) and all(map(is_number, self.degrees))
        ):
            raise ConstraintError(
                f"The degrees of {self.joint!r} are a list of finite numbers, or None, not {self.degrees!r}."
            )


@dataclass(frozen=True)
class Obstacle:
    """A hump on the ground that the feet must clear."""

    place: Triple
    """The middle of its foot, in the clip's units."""
    height: float
    """Above the place."""
    radius: float
    """It falls to a third of its height at this distance."""

    def __post_init__(self) -> None:
        _check_triple("The place of an obstacle", self.place)
        if not (is_number(self.height) and is_number(self.radius) and self.radius > 0.0):
            raise ConstraintError("An obstacle has a height, and a radius above 0.")


@dataclass(frozen=True)
class Edit:
    """All changes at once; the default changes nothing."""

    gravity: float = 1.0
    """A factor of the earth's gravity: 0.165 is the moon's."""
    duration: float | None = 1.0
    """The factor by which all time is stretched; None: the optimiser chooses it."""
    flight: float = 1.0
    """The factor by which the times without any contact are stretched besides: longer leaps with the same stances."""
    footprints: tuple[FootprintEdit, ...] = ()
    limbs: tuple[LimbEdit, ...] = ()
    locked: tuple[LockedJoint, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    turn: float = 0.0
    """Radians by which the body has turned about the vertical at the end, beyond the source's heading."""
    free_end: bool = False
    """Whether the last pose is not held: a landing that may tumble."""
    keep_heading: bool = False
    """Whether the body keeps facing as in the source all the time."""
    objectives: Mapping[str, float] = field(default_factory=dict)
    """Weights of sub-objectives by name (see `Objectives`) instead of those of the fit."""
    own_objectives: tuple[HandleObjective, ...] = ()
    """Objectives of the user's own, in addition."""
    deviation: float = 1.0
    """The weight of staying near the fitted motion, as a share of that of the fit: the less it is, the more muscles and
    contacts alone decide. Below 1 the fitted motion itself may no longer be the best one."""

    def __post_init__(self) -> None:
        for name in ("gravity", "deviation"):
            value = getattr(self, name)
            if not is_number(value) or value < 0.0:
                raise ConstraintError(f"The {name} of an edit must be a finite number, 0 or more, not {value!r}.")
        if self.duration is not None and (not is_number(self.duration) or self.duration <= 0.0):
            raise ConstraintError(f"The duration of an edit is a positive factor, or None, not {self.duration!r}.")
        if not is_number(self.flight) or self.flight <= 0.0:
            raise ConstraintError(f"The flight of an edit is a positive factor, not {self.flight!r}.")
        if not is_number(self.turn):
            raise ConstraintError(f"The turn of an edit is a number of radians, not {self.turn!r}.")
        for name in ("free_end", "keep_heading"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ConstraintError(f"The {name} of an edit is true or false, not {value!r}.")
        self._check_objectives()
        for name, kind in _PARTS.items():
            parts = getattr(self, name)
            if not isinstance(parts, (tuple, list)) or not all(isinstance(part, kind) for part in parts):
                raise ConstraintError(f"The {name} of an edit are a list of {kind.__name__}, not {parts!r}.")

    def _check_objectives(self) -> None:
        if not isinstance(self.objectives, Mapping):
            raise ConstraintError(f"The objectives of an edit are weights by name, not {self.objectives!r}.")
        for name, weight in self.objectives.items():
            if name not in WEIGHTS:
                raise ConstraintError(f"There is no objective {name!r}; there are {', '.join(WEIGHTS)}.")
            if not is_number(weight) or weight < 0.0:
                raise ConstraintError(
                    f"The weight {name} of an objective must be a finite number, 0 or more, not {weight!r}."
                )

    def objective_weights(self, base: Objectives, fitted: float) -> Objectives:
        """The weights of the fit, of which `fitted` is that of the deviation, with those of the edit."""
        own = (*base.own, *self.own_objectives)
        return base.replace(**{**self.objectives, "deviation": self.deviation * fitted, "own": own})

    @property
    def changes_nothing(self) -> bool:
        """Whether the fitted motion is the result."""
        return replace(self, deviation=Edit.deviation) == Edit()

    def part(self, share: float) -> Edit:
        """The edit with only a share of each change, between 0 and 1; locks and obstacles grow with it."""
        return replace(
            self,
            gravity=float(self.gravity**share) if self.gravity > 0.0 else 1.0 - share,
            duration=None if self.duration is None else float(self.duration**share),
            flight=float(self.flight**share),
            footprints=tuple(
                FootprintEdit(
                    each.stance,
                    _scaled(each.shift, share),
                    share * each.turn,
                    share * each.earlier_strike,
                    share * each.later_release,
                )
                for each in self.footprints
            ),
            limbs=tuple(LimbEdit(each.joint, each.length**share, each.mass**share) for each in self.limbs),
            obstacles=tuple(replace(each, height=share * each.height) for each in self.obstacles),
            turn=share * self.turn,
        )

    def as_dict(self) -> dict[str, Any]:
        """The edit as data for JSON; what has its default is left out."""
        found: dict[str, Any] = {}
        default = Edit()
        for each in fields(self):
            value = getattr(self, each.name)
            if value == getattr(default, each.name):
                continue
            if each.name == "own_objectives":
                value = [{**asdict(own), "handle": own.handle.as_dict()} for own in value]
            elif isinstance(value, tuple):
                value = [asdict(part) for part in value]
            elif isinstance(value, Mapping):
                value = dict(value)
            found[each.name] = value
        return found


_PARTS: dict[str, type] = {
    "footprints": FootprintEdit,
    "limbs": LimbEdit,
    "locked": LockedJoint,
    "obstacles": Obstacle,
    "own_objectives": HandleObjective,
}


def edit_from_dict(data: object) -> Edit:
    """The edit that `Edit.as_dict` has written, or a user; a PoiseError says what is wrong with it."""
    given = record_fields("edit", data, Edit, ConstraintError)
    for name, kind in _PARTS.items():
        if name not in given:
            continue
        if not isinstance(given[name], (list, tuple)):
            raise ConstraintError(f"The {name} of an edit are a list, not {given[name]!r}.")
        parts = [_with_tuples(record_fields(f"part of {name}", part, kind, ConstraintError)) for part in given[name]]
        if name == "own_objectives":
            parts = [{**part, "handle": handle_from_dict(part["handle"])} for part in parts]
        given[name] = tuple(kind(**part) for part in parts)
    return Edit(**given)


def _with_tuples(part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in part.items()}


def _check_triple(what: str, value: object) -> None:
    if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != 3 or not all(map(is_number, value)):
        raise ConstraintError(f"{what} must be three finite numbers, not {value!r}.")


def _check_joint(what: str, name: object) -> None:
    if not isinstance(name, str) or not name:
        raise ConstraintError(f'A {what} names a joint, such as "left_knee", not {name!r}.')


def _scaled(vector: Triple, share: float) -> Triple:
    x, y, z = (float(value) for value in share * np.asarray(vector, dtype=np.float64))
    return x, y, z
