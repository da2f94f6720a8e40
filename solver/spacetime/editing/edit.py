# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be changed about a fitted motion (Popović 1999, section 5.1), as data that can be written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from ...core.errors import ConstraintError
from ...core.numbers import LARGEST_NUMBER, is_number
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
        if isinstance(self.stance, bool) or not isinstance(self.stance, (int, np.integer)) or self.stance < 0:
            raise ConstraintError(f"The stance of a footprint is its number, counted from 0, not {self.stance!r}.")
        object.__setattr__(self, "shift", _triple(self.shift, "The shift of a footprint"))
        for name in ("turn", "earlier_strike", "later_release"):
            _check_number(getattr(self, name), f"The {name} of a footprint")


@dataclass(frozen=True)
class LimbEdit:
    """Another length or mass of the body below a joint of the simplified character."""

    joint: str
    """Its name in the recipe: of the biped "right_knee" is the shin, "right_shoulder" the whole arm. Feet keep their
    size."""
    length: float = 1.0
    """A factor."""
    mass: float = 1.0
    """A factor."""

    def __post_init__(self) -> None:
        _check_joint(self.joint, "An edited limb")
        for name in ("length", "mass"):
            _check_number(getattr(self, name), f"The {name} of the limb below {self.joint!r}", above=0.0)


@dataclass(frozen=True)
class LockedJoint:
    """A joint that cannot move, as in a cast."""

    joint: str
    degrees: tuple[float, ...] | None = None
    """The constant values; None: their means in the fitted motion. Of translations: sizes of the character."""

    def __post_init__(self) -> None:
        _check_joint(self.joint, "A locked joint")
        if self.degrees is not None:
            object.__setattr__(self, "degrees", _numbers(self.degrees, f"The degrees of the locked {self.joint!r}"))


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
        object.__setattr__(self, "place", _triple(self.place, "The place of an obstacle"))
        _check_number(self.height, "The height of an obstacle")
        _check_number(self.radius, "The radius of an obstacle", above=0.0)


_PARTS: dict[str, type] = {
    "footprints": FootprintEdit,
    "limbs": LimbEdit,
    "locked": LockedJoint,
    "obstacles": Obstacle,
    "own_objectives": HandleObjective,
}


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
            _check_number(getattr(self, name), f"The {name} of an edit", least=0.0)
        if self.duration is not None:
            _check_number(self.duration, "The duration of an edit, if it is not None,", above=0.0)
        _check_number(self.flight, "The flight of an edit", above=0.0)
        _check_number(self.turn, "The turn of an edit, in radians,")
        for name in ("free_end", "keep_heading"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ConstraintError(f"The {name} of an edit must be True or False, not {getattr(self, name)!r}.")
        for name, kind in _PARTS.items():
            parts = getattr(self, name)
            if not isinstance(parts, (tuple, list)) or not all(isinstance(part, kind) for part in parts):
                raise ConstraintError(f"The {name} of an edit must be a list of {kind.__name__}, not {parts!r}.")
            object.__setattr__(self, name, tuple(parts))
        if not isinstance(self.objectives, Mapping):
            raise ConstraintError(f"The objectives of an edit must be weights by name, not {self.objectives!r}.")
        for name, weight in self.objectives.items():
            if name not in WEIGHTS:
                raise ConstraintError(f"There is no objective {name!r}; there are {', '.join(WEIGHTS)}.")
            _check_number(weight, f"The weight {name} of an edit", least=0.0)

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


def edit_from_dict(data: object) -> Edit:
    """The edit that `Edit.as_dict` has written, or a user; ConstraintError says what is wrong with it."""
    given = record_fields("edit", data, Edit, ConstraintError)
    for name, kind in _PARTS.items():
        if name not in given:
            continue
        if not isinstance(given[name], (list, tuple)):
            raise ConstraintError(f"The {name} of an edit must be a list of {kind.__name__}, not {given[name]!r}.")
        parts = [_with_tuples(record_fields(f"part of {name}", part, kind, ConstraintError)) for part in given[name]]
        if name == "own_objectives":
            parts = [{**part, "handle": handle_from_dict(part["handle"])} for part in parts]
        given[name] = tuple(kind(**part) for part in parts)
    return Edit(**given)


def _check_number(value: object, what: str, least: float | None = None, above: float | None = None) -> None:
    """Raise unless a value is a number, of at least `least` or above `above`."""
    is_good = is_number(value) and abs(float(value)) <= LARGEST_NUMBER  # type: ignore[arg-type]
    if is_good and (least is None or value >= least) and (above is None or value > above):  # type: ignore[operator]
        return
    bound = "" if least is None else f", {least:g} or more"
    bound = bound if above is None else f" above {above:g}"
    raise ConstraintError(f"{what} must be a finite number{bound}, not {value!r}.")


def _check_joint(joint: object, what: str) -> None:
    if not isinstance(joint, str):
        raise ConstraintError(f"{what} has the name of a joint, such as 'left_knee', not {joint!r}.")


def _numbers(values: object, what: str) -> tuple[float, ...]:
    """The values as numbers; an error unless they are a list of finite numbers."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, (tuple, list)):
        raise ConstraintError(f"{what} must be a list of numbers, not {values!r}.")
    for value in values:
        _check_number(value, what)
    return tuple(map(float, values))


def _triple(values: object, what: str) -> Triple:
    numbers = _numbers(values, what)
    if len(numbers) != 3:
        raise ConstraintError(f"{what} must be three numbers, not {values!r}.")
    x, y, z = numbers
    return x, y, z


def _with_tuples(part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in part.items()}


def _scaled(vector: Triple, share: float) -> Triple:
    x, y, z = (float(value) for value in share * np.asarray(vector, dtype=np.float64))
    return x, y, z
