# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints as dictionaries, and back; `constraint_files` documents the format.

Each kind of constraint has a table from the keys of a file to the attributes of its class, with a codec for each.
Defaults are those of the class.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..body.skeleton import Skeleton
from ..constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    DirectionConstraint,
    Footplant,
    Handplant,
    HeldPose,
    LookAtConstraint,
    OrientationConstraint,
    ShapeConstraint,
)
from ..constraints.balance import SUPPORTS
from ..constraints.held_pose import SPACES
from ..constraints.paths import MODES
from ..core.errors import ConstraintError, FileFormatError, PoiseError
from .constraint_codecs import (
    AXES,
    BODY_POINT,
    DISPLACEMENT,
    DURATION,
    JOINT_ROTATIONS,
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
    choice,
    list_of,
)
from .conversion import Conversion
from .json_location import JsonLocation, check_keys, quoted, suggestion


@dataclass(frozen=True)
class RecordFormat:
    """How objects of one class are written as dictionaries."""

    record_type: type[Any]
    keys: Mapping[str, tuple[str, Codec]]
    """Attribute and codec of each key, in the order in which keys are written."""

    def _defaults(self) -> dict[str, Any]:
        return {field.name: field.default for field in dataclasses.fields(self.record_type)}

    def read(self, value: Any, where: JsonLocation, also_known: Iterable[str] = ()) -> Any:
        """The object that a dictionary describes."""
        if not isinstance(value, dict):
            where.fail(f"must be a record in braces, not {quoted(value)}")
        defaults = self._defaults()
        needed = [key for key, (attribute, _) in self.keys.items() if defaults[attribute] is dataclasses.MISSING]
        check_keys(value, (*also_known, *self.keys), needed, where)
        attributes = {}
        for key, (attribute, codec) in self.keys.items():
            if key in value and not (value[key] is None and defaults[attribute] is None):
                attributes[attribute] = codec.read(value[key], where.at(key))
        return self.record_type(**attributes)

    def write(self, value: Any, where: JsonLocation) -> dict[str, Any]:
        """The dictionary that describes an object, without attributes that have their default."""
        defaults = self._defaults()
        written: dict[str, Any] = {}
        for key, (attribute, codec) in self.keys.items():
            held, default = getattr(value, attribute), defaults[attribute]
            if held is None:
                continue
            as_written = codec.write(held, where.at(key))
            # A default vector in a joint's local frame is written: where the file is read, that frame may differ.
            has_default = default is not dataclasses.MISSING and default is not None and codec is not LOCAL_VECTOR
            if not has_default or as_written != codec.write(default, where.at(key)):
                written[key] = as_written
        return written


def _points(location: str, codec: Codec) -> Codec:
    """A codec for constraint points whose location has the key `location`."""
    keys = {
        location: ("location", codec),
        "begin": ("begin", TIME),
        "end": ("end", TIME),
        "tension": ("tension", NUMBER),
        "continuity": ("continuity", NUMBER),
        "bias": ("bias", NUMBER),
    }
    record = RecordFormat(ConstraintPoint, keys)
    return list_of(Codec(record.read, record.write))


def _same(**codecs: Codec) -> dict[str, tuple[str, Codec]]:
    """Keys with the names of their attributes."""
    return {key: (key, codec) for key, codec in codecs.items()}


_SHARED = _same(priority=WHOLE, weight=NUMBER, recruit=RECRUIT, exact=SWITCH)


def _path_format(type_: type[Constraint], points: Codec, **more: Codec) -> RecordFormat:
    shared = _same(name=WORD, joint=BODY_POINT, begin=TIME, end=TIME, mode=choice(*MODES))
    return RecordFormat(type_, shared | _same(**more, points=points) | _SHARED)


def _displacement_codec() -> Codec:
    """A codec for the displacement of a balance: keyed points, or whatever `DISPLACEMENT` takes."""
    points = _points("location", WORLD_VECTOR)

    def read(value: Any, where: JsonLocation) -> Any:
        keyed = isinstance(value, list) and bool(value) and isinstance(value[0], dict)
        return (points if keyed else DISPLACEMENT).read(value, where)

    def write(value: Any, where: JsonLocation) -> Any:
        keyed = isinstance(value, tuple) and bool(value) and isinstance(value[0], ConstraintPoint)
        return (points if keyed else DISPLACEMENT).write(value, where)

    return Codec(read, write)


def _handplant_format(vector: Codec) -> RecordFormat:
    """The format of handplants whose position and shift have a codec."""
    keys = _same(name=WORD, hand=choice("left", "right"), begin=TIME, end=TIME, reference=REFERENCE)
    keys |= _same(position=vector, shift=vector, turn=NUMBER, ease_in=DURATION, ease_out=DURATION)
    return RecordFormat(Handplant, keys | _SHARED)


@dataclass(frozen=True)
class ConstraintEntry:
    """A constraint of a file, with what only the add-on knows about it."""

    constraint: Constraint | HeldPose
    blender: Mapping[str, Any] = field(default_factory=dict)
    """Values that JSON can hold, by name. The solver neither reads nor checks them."""


KINDS: dict[str, RecordFormat] = {
    "shape": _path_format(ShapeConstraint, _points("location", WORLD_VECTOR), reference=REFERENCE),
    "orientation": _path_format(OrientationConstraint, _points("rotation", WORLD_ROTATION)),
    "direction": _path_format(DirectionConstraint, _points("direction", WORLD_VECTOR), axis=LOCAL_VECTOR),
    "look_at": _path_format(LookAtConstraint, _points("location", WORLD_VECTOR), axis=LOCAL_VECTOR),
    "footplant": RecordFormat(
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
            contact=list_of(TIME),
        )
        | _SHARED,
    ),
    "handplant": _handplant_format(WORLD_VECTOR),
    "balance": RecordFormat(
        Balance,
        _same(
            name=WORD,
            points=list_of(BODY_POINT),
            support=choice(*SUPPORTS),
            displacement=_displacement_codec(),
            begin=TIME,
            end=TIME,
            axes=AXES,
        )
        | _SHARED,
    ),
    "pose": RecordFormat(
        HeldPose,
        _same(
            name=WORD,
            begin=TIME,
            end=TIME,
            space=choice(*SPACES),
            rotations=JOINT_ROTATIONS,
            ease_in=DURATION,
            ease_out=DURATION,
        )
        | _SHARED,
    ),
}
"""The format of each kind of constraint, by its name in files."""

_ON_A_REFERENCE = {
    "shape": _path_format(ShapeConstraint, _points("location", LOCAL_VECTOR), reference=REFERENCE),
    "handplant": _handplant_format(LOCAL_VECTOR),
}
"""The formats of constraints whose places lie in the local frame of a joint or an object, not in the world."""


def read_constraint(value: Any, number: int, file: str, conversion: Conversion) -> ConstraintEntry:
    """The constraint that a dictionary describes: the `number`th of a file, counted from 1."""
    where = JsonLocation(f"{file}: constraint {number}{_called(value)}", conversion)
    if not isinstance(value, dict):
        where.fail(f"must be a record in braces, not {quoted(value)}")
    if "kind" not in value:
        where.fail(f'needs the key "kind": one of {", ".join(KINDS)}')
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        where.fail(f"has an unknown kind {quoted(kind)}; {suggestion(str(kind), KINDS)}")
    record = KINDS[kind] if value.get("reference") is None else _ON_A_REFERENCE.get(kind, KINDS[kind])
    where = replace(where, joint=_frame_of_points(value))
    blender = value.get("blender", {})
    if not isinstance(blender, dict):
        where.at("blender").fail(f"must be a record in braces, not {quoted(blender)}")
    try:
        constraint = record.read(value, where, also_known=("kind", "blender"))
        if isinstance(constraint, HeldPose):
            constraint = _in_frames_of_clip(constraint, conversion)
    except FileFormatError:
        raise
    except PoiseError as error:
        called = str(value.get("name"))
        raise FileFormatError(f"{where.what}: {str(error).removeprefix(f'{called}: ')}") from None
    return ConstraintEntry(constraint, blender)


def _in_frames_of_clip(pose: HeldPose, conversion: Conversion) -> HeldPose:
    """A held pose as it was read, with its rotations converted to the frames of the clip's joints."""
    convert = conversion.local_rotation if pose.space == "local" else conversion.rotations
    return replace(pose, rotations={joint: convert(given, str(joint)) for joint, given in pose.rotations.items()})


def write_constraint(
    written: Constraint | HeldPose | ConstraintEntry, number: int, conversion: Conversion
) -> dict[str, Any]:
    """The dictionary that describes a constraint: the `number`th of its file, counted from 1."""
    entry = written if isinstance(written, ConstraintEntry) else ConstraintEntry(written)
    constraint = entry.constraint
    for kind, record in KINDS.items():
        if isinstance(constraint, record.record_type):
            where = JsonLocation(f"Constraint {number} ({constraint.label})", conversion, error=ConstraintError)
            more = {"blender": dict(entry.blender)} if entry.blender else {}
            return {"kind": kind, **record.write(constraint, where), **more}
    raise ConstraintError(
        f"Constraint {number} is {constraint!r}, which cannot be written: a file holds {', '.join(KINDS)} constraints."
    )


def _frame_of_points(value: Mapping[str, Any]) -> str:
    """The joint whose local frame points and axis of a written constraint refer to; empty for none."""
    joint = value.get("reference") if value["kind"] == "shape" else value.get("joint")
    if isinstance(joint, dict):
        joint = joint.get("name")
    return joint if isinstance(joint, str) else ""


def joints_with_local_values(value: Mapping[str, Any], skeleton: Skeleton) -> set[str]:
    """The joints whose local frames a written constraint refers to."""
    if value["kind"] == "pose":
        joints = [skeleton.index(each["joint"]) for each in value["rotations"]]
        above = [int(skeleton.parents[joint]) for joint in joints if skeleton.parents[joint] >= 0]
        return {skeleton.names[joint] for joint in (*joints, *above)}
    points = value.get("points", []) if value["kind"] == "balance" else [value.get("joint")]
    offset = {point["name"] for point in points if isinstance(point, dict)}
    return offset | {_frame_of_points(value)} - {""}


def _called(value: Any) -> str:
    """The name of a written constraint in parentheses, or nothing."""
    name = value.get("name") if isinstance(value, dict) else None
    return f" ({quoted(name)})" if isinstance(name, str) and name else ""
