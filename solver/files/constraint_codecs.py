# SPDX-License-Identifier: GPL-3.0-or-later
"""Codecs for the values of a constraint file: numbers, times, vectors, rotations, joints, and arrays of frames.

A codec writes a value as JSON, and reads it converted to the times and axes of the clip that it is read for. A wrong
value raises one error that names its location in the file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..body.joints import BodyPoint
from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError, PoiseError
from ..core.numbers import LARGEST_NUMBER, is_number
from ..core.splines import Spline
from .json_location import JsonLocation, check_keys, quoted


@dataclass(frozen=True)
class Codec:
    """Reads and writes one kind of value. Reading fails at any value of another kind."""

    read: Callable[[Any, JsonLocation], Any]
    write: Callable[[Any, JsonLocation], Any]


def _read_number(value: Any, where: JsonLocation) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        where.fail(f"must be a number, not {quoted(value)}")
    # Python's integers have no limit, but they become floating-point numbers here.
    if not is_number(value) if isinstance(value, float) else abs(value) > LARGEST_INTEGER:
        where.fail("must be a finite number")
    if abs(value) > LARGEST_NUMBER:
        where.fail(f"must be a number up to {LARGEST_NUMBER:g}, not {quoted(value)}")
    return value


LARGEST_INTEGER = 2**53
"""The largest integer up to which all integers are exact as floating-point numbers."""


def _converted(value: Any, convert: Callable[[float], float], where: JsonLocation) -> float:
    """A number of frames of the file as `convert` gives it in frames of the clip."""
    frames = convert(_read_number(value, where))
    if not abs(frames) <= LARGEST_NUMBER:
        where.fail(f'is {quoted(value)}, which at the "fps" of the file is no frame of any motion')
    return frames


def _write_number(value: Any, where: JsonLocation) -> float:
    if isinstance(value, (int, np.integer)):
        return int(value)
    if not is_number(value) or abs(value) > LARGEST_NUMBER:
        where.fail(f"is {value!r}, which is not a finite number up to {LARGEST_NUMBER:g} and cannot be written")
    return float(value)


def _read_whole(value: Any, where: JsonLocation) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        where.fail(f"must be a whole number, not {quoted(value)}")
    return int(_read_number(value, where))


def _read_word(value: Any, where: JsonLocation) -> str:
    if not isinstance(value, str):
        where.fail(f"must be a word in quotes, not {quoted(value)}")
    return value


def _read_switch(value: Any, where: JsonLocation) -> bool:
    if not isinstance(value, bool):
        where.fail(f"must be true or false, not {quoted(value)}")
    return bool(value)


def choice(*choices: str) -> Codec:
    """A codec for one of these words."""

    def read(value: Any, where: JsonLocation) -> str:
        if value not in choices:
            where.fail(f"must be one of {', '.join(map(quoted, choices))}, not {quoted(value)}")
        return str(value)

    return Codec(read, lambda value, where: str(value))


def _is_row(value: Any, width: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == width
        and all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in value)
    )


_NUMBER_WORDS = {3: "three numbers", 4: "four numbers"}


def _read_row(value: Any, where: JsonLocation, width: int) -> Array:
    if not _is_row(value, width):
        where.fail(f"must be {_NUMBER_WORDS[width]} in brackets, not {quoted(value)}")
    return np.array([float(_read_number(number, where)) for number in value])


def _read_rows(value: Any, where: JsonLocation, width: int) -> Array:
    """(width,) or (rows, width)"""
    if isinstance(value, list) and value and isinstance(value[0], list):
        return np.array([_read_row(row, where.at(number), width) for number, row in enumerate(value, start=1)])
    if not _is_row(value, width):
        where.fail(f"must be {_NUMBER_WORDS[width]} in brackets, or a list of such for each frame, not {quoted(value)}")
    return _read_row(value, where, width)


def _write_array(value: Any, where: JsonLocation) -> list[Any]:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        where.fail(f"is {value!r}, which cannot be written as numbers")
    if not (np.abs(array) <= LARGEST_NUMBER).all():
        where.fail(f"is not finite, or above {LARGEST_NUMBER:g}, and cannot be written")
    numbers: list[Any] = array.tolist()
    return numbers


def _checked_rotations(quaternions: Array, where: JsonLocation) -> Array:
    """Return the quaternions (…, 4), or fail where one is zero, or so small that its square is."""
    if (np.abs(quaternions).max(axis=-1) < 1.0 / LARGEST_NUMBER).any():
        where.fail("has a quaternion of zeros, which is no rotation")
    return quaternions


def _read_rotation(value: Any, where: JsonLocation) -> Array:
    return _checked_rotations(_read_row(value, where, 4), where)


def _tuple(array: Array) -> tuple[float, ...]:
    return tuple(array.tolist())


NUMBER = Codec(_read_number, _write_number)
WHOLE = Codec(_read_whole, _write_number)
SWITCH = Codec(_read_switch, lambda value, where: bool(value))
WORD = Codec(_read_word, lambda value, where: str(value))
TIME = Codec(lambda value, where: _converted(value, where.conversion.time, where), _write_number)
DURATION = Codec(lambda value, where: _converted(value, where.conversion.duration, where), _write_number)
LOCAL_VECTOR = Codec(
    lambda value, where: _tuple(where.conversion.local_vectors(_read_row(value, where, 3), where.joint)),
    _write_array,
)
WORLD_VECTOR = Codec(
    lambda value, where: _tuple(where.conversion.positions(_read_row(value, where, 3))),
    _write_array,
)
WORLD_ROTATION = Codec(
    lambda value, where: _tuple(
        where.conversion.rotations(_checked_rotations(_read_row(value, where, 4), where), where.joint)
    ),
    _write_array,
)
AXES = Codec(lambda value, where: where.conversion.axes(_read_word(value, where)), lambda value, where: str(value))


def _read_joint(value: Any, where: JsonLocation) -> str:
    if not isinstance(value, str):
        where.fail(f"must be the name of a joint in quotes, not {quoted(value)}")
    try:
        where.conversion.skeleton.index(value)
    except PoiseError as error:
        where.quote(error)
    return value


def _write_joint(value: Any, where: JsonLocation) -> str:
    skeleton = where.conversion.skeleton
    try:
        return skeleton.names[skeleton.index(value)]
    except PoiseError as error:
        where.quote(error)


JOINT = Codec(_read_joint, _write_joint)


def _read_body_point(value: Any, where: JsonLocation) -> str | BodyPoint:
    if not isinstance(value, dict):
        return _read_joint(value, where)
    check_keys(value, ("name", "offset"), ("name",), where)
    name = _read_joint(value["name"], where.at("name"))
    offset = _read_row(value.get("offset", [0, 0, 0]), where.at("offset"), 3)
    x, y, z = where.conversion.local_vectors(offset, name).tolist()
    return BodyPoint(name, (x, y, z)) if x or y or z else name


def _write_body_point(value: Any, where: JsonLocation) -> Any:
    if not isinstance(value, BodyPoint):
        return _write_joint(value, where)
    name = _write_joint(value.joint, where)
    return {"name": name, "offset": list(value.offset)} if any(value.offset) else name


BODY_POINT = Codec(_read_body_point, _write_body_point)


def _read_joint_rotations(value: Any, where: JsonLocation) -> dict[str, Array]:
    """Quaternions (4,) by joint, as they are in the file."""
    if not isinstance(value, list):
        where.fail(f"must be a list in brackets, not {quoted(value)}")
    found: dict[str, Array] = {}
    for number, item in enumerate(value, start=1):
        here = where.at(number)
        if not isinstance(item, dict):
            here.fail(f"must be a record in braces, not {quoted(item)}")
        check_keys(item, ("joint", "rotation"), ("joint", "rotation"), here)
        name = _read_joint(item["joint"], here.at("joint"))
        if name in found:
            here.fail(f"is a second rotation of joint {quoted(name)}; remove one")
        found[name] = _read_rotation(item["rotation"], here.at("rotation"))
    return found


def _write_joint_rotations(value: Any, where: JsonLocation) -> list[Any]:
    return [
        {"joint": _write_joint(joint, where), "rotation": _write_array(rotation, where.at(number))}
        for number, (joint, rotation) in enumerate(value.items(), start=1)
    ]


JOINT_ROTATIONS = Codec(_read_joint_rotations, _write_joint_rotations)


def list_of(codec: Codec) -> Codec:
    """A codec for lists of values of `codec`."""

    def read(value: Any, where: JsonLocation) -> tuple[Any, ...]:
        if not isinstance(value, list):
            where.fail(f"must be a list in brackets, not {quoted(value)}")
        return tuple(codec.read(item, where.at(number)) for number, item in enumerate(value, start=1))

    def write(value: Any, where: JsonLocation) -> list[Any]:
        return [codec.write(item, where.at(number)) for number, item in enumerate(value, start=1)]

    return Codec(read, write)


def _read_recruit(value: Any, where: JsonLocation) -> int | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_read_joint(name, where.at(number)) for number, name in enumerate(value, start=1))
    if isinstance(value, bool) or not isinstance(value, int):
        where.fail(f"must be a number of joints or a list of their names, not {quoted(value)}")
    return _read_whole(value, where)


def _write_recruit(value: Any, where: JsonLocation) -> int | list[Any]:
    if isinstance(value, (int, np.integer)):
        return int(value)
    return [_write_joint(joint, where.at(number)) for number, joint in enumerate(value, start=1)]


RECRUIT = Codec(_read_recruit, _write_recruit)


# Arrays with a row for every frame ----------------------------------------------------------------------------------


def _sample_times(count: int, where: JsonLocation) -> Array:
    found = where.conversion.sample_times(count)
    if found is None:
        where.fail(f"has {count} rows, which do not last as long as the clip with its {where.conversion.frames} frames")
    return found


def _resampled(values: Array, where: JsonLocation) -> Array:
    """Vectors (file's frames, width) interpolated linearly at the clip's frames: (clip's frames, width)."""
    if values.ndim == 1:
        return values
    times = _sample_times(len(values), where)
    if where.conversion.rate == 1.0:
        return values
    frames = np.arange(len(values))
    return np.stack([np.interp(times, frames, column) for column in values.T], axis=-1)


def _resampled_rotations(values: Array, where: JsonLocation) -> Array:
    """Quaternions (file's frames, 4) interpolated at the clip's frames along shortest arcs: (clip's frames, 4)."""
    if values.ndim == 1:
        return values
    times = _sample_times(len(values), where)
    if where.conversion.rate == 1.0:
        return values
    unit = rotations.normalize(values)
    before = np.minimum(np.floor(times).astype(np.intp), len(values) - 1)
    after = np.minimum(before + 1, len(values) - 1)
    return rotations.slerp(unit[before], unit[after], times - before)


def _read_reference(value: Any, where: JsonLocation) -> str | MovingObject:
    if not isinstance(value, dict):
        return _read_joint(value, where)
    check_keys(value, ("positions", "rotations"), ("positions", "rotations"), where)
    of_positions, of_rotations = where.at("positions"), where.at("rotations")
    positions = where.conversion.positions(_read_rows(value["positions"], of_positions, 3))
    quaternions = _checked_rotations(_read_rows(value["rotations"], of_rotations, 4), of_rotations)
    return MovingObject(
        _resampled(positions, of_positions), where.conversion.rotations(_resampled_rotations(quaternions, of_rotations))
    )


def _write_reference(value: Any, where: JsonLocation) -> Any:
    if not isinstance(value, MovingObject):
        return _write_joint(value, where)
    return {
        "positions": _write_array(value.positions, where.at("positions")),
        "rotations": _write_array(value.rotations, where.at("rotations")),
    }


REFERENCE = Codec(_read_reference, _write_reference)

_SPLINE_KEYS = ("times", "values", "tension", "continuity", "bias", "incoming", "outgoing")


def _read_displacement(value: Any, where: JsonLocation) -> Array | Spline:
    if not isinstance(value, dict):
        return _resampled(where.conversion.positions(_read_rows(value, where, 3)), where)
    check_keys(value, _SPLINE_KEYS, ("times", "values"), where)

    def vectors(key: str) -> Array:
        rows = where.conversion.positions(_read_rows(value[key], where.at(key), 3))
        if rows.shape != (len(times), 3):
            where.at(key).fail(f"must have a row of three numbers for each of the {len(times)} times")
        return rows

    numbers = list_of(NUMBER)
    times = list_of(DURATION).read(value["times"], where.at("times"))
    shape = {
        key: (numbers if isinstance(value[key], list) else NUMBER).read(value[key], where.at(key))
        for key in ("tension", "continuity", "bias")
        if key in value
    }
    try:
        spline = Spline(np.array(times), vectors("values"), **shape)
    except ConstraintError as error:
        where.quote(error)
    for key in ("incoming", "outgoing"):
        if key in value:
            # Velocities in units a frame. These keys override the velocities that tension, continuity and bias give.
            object.__setattr__(spline, key, vectors(key) / where.conversion.rate)
    return spline


def _write_displacement(value: Any, where: JsonLocation) -> Any:
    if not isinstance(value, Spline):
        return _write_array(value, where)
    plain = Spline(value.times, value.values)
    written = {"times": value.times.tolist(), "values": value.values.tolist()}
    for key in ("incoming", "outgoing"):
        if not np.array_equal(getattr(value, key), getattr(plain, key)):
            written[key] = getattr(value, key).tolist()
    return written


DISPLACEMENT = Codec(_read_displacement, _write_displacement)
