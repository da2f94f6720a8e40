# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints as plain dictionaries, and back; `constraint_files` says what they mean.

Each kind of constraint is a table from the keys of a file to the attributes of its class, with a codec for each. What
an attribute is by default comes from the class, so it stands there only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    DirectionConstraint,
    Footplant,
    OrientationConstraint,
    ShapeConstraint,
)
from ..constraints.paths import MODES
from ..core.errors import ConstraintError, FileFormatError, PoiseError
from .constraint_codecs import (
    AXES,
    BODY_POINT,
    DISPLACEMENT,
    DURATION,
    LOCAL_VECTOR,
    NUMBER,
    RECRUIT,
    REFERENCE,
    SWITCH,
    TIME,
    WHOLE,
    WORD,
    WORLD_ROTATION,
    WORLD_VECTOR,
    Codec,
    Conversion,
    Spot,
    checked_keys,
    choice,
    likely,
    list_of,
    shown,
)


@dataclass(frozen=True)
class Record:
    """A class whose objects are written as dictionaries."""

    made: type[Any]
    keys: Mapping[str, tuple[str, Codec]]
    """For each key, in the order in which they are written: the attribute and how it is written."""

    def _defaults(self) -> dict[str, Any]:
        return {field.name: field.default for field in dataclasses.fields(self.made)}

    def read(self, value: Any, spot: Spot, also_known: Iterable[str] = ()) -> Any:
        """The object that a dictionary describes."""
        if not isinstance(value, dict):
            spot.fail(f"must be a record in braces, not {shown(value)}")
        defaults = self._defaults()
        needed = [key for key, (attribute, _) in self.keys.items() if defaults[attribute] is dataclasses.MISSING]
        checked_keys(value, (*also_known, *self.keys), needed, spot)
        attributes = {}
        for key, (attribute, codec) in self.keys.items():
            if key in value and not (value[key] is None and defaults[attribute] is None):
                attributes[attribute] = codec.read(value[key], spot.at(key))
        return self.made(**attributes)

    def write(self, made: Any, spot: Spot) -> dict[str, Any]:
        """The dictionary that describes an object, without what is as it is by default."""
        defaults = self._defaults()
        written: dict[str, Any] = {}
        for key, (attribute, codec) in self.keys.items():
            value, default = getattr(made, attribute), defaults[attribute]
            if value is None:
                continue
            as_written = codec.write(value, spot.at(key))
            # A default in a joint's own frame would mean something else where that frame lies otherwise.
            has_default = default is not dataclasses.MISSING and default is not None and codec is not LOCAL_VECTOR
            if not has_default or as_written != codec.write(default, spot.at(key)):
                written[key] = as_written
        return written


def _points(location: str, codec: Codec) -> Codec:
    """A list of constraint points whose location has a name of its own."""
    keys = {
        location: ("location", codec),
        "begin": ("begin", TIME),
        "end": ("end", TIME),
        "tension": ("tension", NUMBER),
        "continuity": ("continuity", NUMBER),
        "bias": ("bias", NUMBER),
    }
    record = Record(ConstraintPoint, keys)
    return list_of(Codec(record.read, record.write))


def _same(**codecs: Codec) -> dict[str, tuple[str, Codec]]:
    """Keys that are called as their attributes."""
    return {key: (key, codec) for key, codec in codecs.items()}


_SHARED = _same(priority=WHOLE, weight=NUMBER, recruit=RECRUIT)


def _path(made: type[Constraint], points: Codec, **more: Codec) -> Record:
    of_all = _same(name=WORD, joint=BODY_POINT, begin=TIME, end=TIME, mode=choice(*MODES))
    return Record(made, of_all | _same(**more, points=points) | _SHARED)


KINDS: dict[str, Record] = {
    "shape": _path(ShapeConstraint, _points("location", WORLD_VECTOR), reference=REFERENCE),
    "orientation": _path(OrientationConstraint, _points("rotation", WORLD_ROTATION)),
    "direction": _path(DirectionConstraint, _points("direction", WORLD_VECTOR), axis=LOCAL_VECTOR),
    "footplant": Record(
        Footplant,
        _same(
            name=WORD,
            foot=choice("left", "right"),
            heel_strike=TIME,
            toe_strike=TIME,
            heel_off=TIME,
            toe_off=TIME,
            position=WORLD_VECTOR,
            heading=NUMBER,
            height=NUMBER,
            own_height=SWITCH,
            shift=WORLD_VECTOR,
            turn=NUMBER,
            ease_in=DURATION,
            ease_out=DURATION,
            ground_velocity=WORLD_VECTOR,
        )
        | _SHARED,
    ),
    "balance": Record(
        Balance,
        _same(name=WORD, points=list_of(BODY_POINT), displacement=DISPLACEMENT, begin=TIME, end=TIME, axes=AXES)
        | _SHARED,
    ),
}
"""What a file calls each kind of constraint."""

_ON_A_REFERENCE = _path(ShapeConstraint, _points("location", LOCAL_VECTOR), reference=REFERENCE)
"""Shape-constraints whose points lie in the frame of a joint or an object, which no turn of the world changes."""


def read_constraint(value: Any, number: int, file: str, conversion: Conversion) -> Constraint:
    """The constraint that a dictionary describes: the `number`th of a file, counted from 1."""
    spot = Spot(f"{file}: constraint {number}{_called(value)}", conversion)
    if not isinstance(value, dict):
        spot.fail(f"must be a record in braces, not {shown(value)}")
    if "kind" not in value:
        spot.fail(f'needs the key "kind": one of {", ".join(KINDS)}')
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        spot.fail(f"has an unknown kind {shown(kind)}; {likely(str(kind), KINDS)}")
    record = _ON_A_REFERENCE if kind == "shape" and value.get("reference") is not None else KINDS[kind]
    spot = replace(spot, joint=_frame_of_points(value))
    try:
        made: Constraint = record.read(value, spot, also_known=("kind",))
    except FileFormatError:
        raise
    except PoiseError as error:
        called = str(value.get("name"))
        raise FileFormatError(f"{spot.what}: {str(error).removeprefix(f'{called}: ')}") from None
    return made


def write_constraint(constraint: Constraint, number: int, conversion: Conversion) -> dict[str, Any]:
    """The dictionary that describes a constraint: the `number`th of its file, counted from 1."""
    for kind, record in KINDS.items():
        if isinstance(constraint, record.made):
            spot = Spot(f"Constraint {number} ({constraint.label})", conversion, error=ConstraintError)
            return {"kind": kind, **record.write(constraint, spot)}
    raise ConstraintError(
        f"Constraint {number} is {constraint!r}, which cannot be written: a file holds {', '.join(KINDS)} constraints."
    )


def _frame_of_points(value: Mapping[str, Any]) -> str:
    """The joint in whose own frame a written constraint's points and axis lie, or whose rotation they are."""
    joint = value.get("reference") if value["kind"] == "shape" else value.get("joint")
    if isinstance(joint, dict):
        joint = joint.get("name")
    return joint if isinstance(joint, str) else ""


def joints_in_their_frames(value: Mapping[str, Any]) -> set[str]:
    """The joints whose own frames give what a written constraint says its meaning."""
    held = value.get("points", []) if value["kind"] == "balance" else [value.get("joint")]
    offset = {point["name"] for point in held if isinstance(point, dict)}
    return offset | {_frame_of_points(value)} - {""}


def _called(value: Any) -> str:
    """What the user calls a constraint, in brackets."""
    name = value.get("name") if isinstance(value, dict) else None
    return f" ({shown(name)})" if isinstance(name, str) and name else ""
