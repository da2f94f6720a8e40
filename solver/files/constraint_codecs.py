# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that stand in a file of constraints: numbers, times, places, joints, and what has a row for every frame.

Each has a codec, which writes it and reads it, turned and timed for the clip that it is read for. A wrong value is one
sentence that names its spot in the file.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np

from ..body.joints import BodyPoint
from ..body.skeleton import Skeleton, Up
from ..constraints import MovingObject
from ..core import rotations
from ..core.arrays import Array
from ..core.errors import ConstraintError, FileFormatError, PoiseError
from ..core.numbers import is_number
from ..core.splines import Spline

# From a file's numbers to a clip's ----------------------------------------------------------------------------------

_UPRIGHT = {
    "z": rotations.from_axis_angle((1.0, 0.0, 0.0), 0.5 * np.pi),
    "y": rotations.from_axis_angle((1.0, 0.0, 0.0), -0.5 * np.pi),
}
"""The turn that a world needs for this axis to be up, where it was the other one."""


@dataclass(frozen=True)
class Conversion:
    """How times and places of a file become those of a clip."""

    skeleton: Skeleton
    frames: int
    """Of the clip."""
    rate: float = 1.0
    """The clip's frames in one of the file's."""
    turned: Up | None = None
    """The clip's up axis, where the file has the other one."""
    frames_of_joints: Mapping[str, Array] = field(default_factory=dict)
    """(4,) for each joint whose own frame lies otherwise on the body: from the file's to the clip's."""

    def time(self, time: float) -> float:
        """A moment. The last frames of two clips of different rates seldom fall together: one of them is meant."""
        if self.rate == 1.0:
            return time
        last, converted = self.frames - 1, time * self.rate
        return float(last) if last < converted < last + 1 else converted

    def duration(self, duration: float) -> float:
        """A number of frames, or of units per frame where it is the inverse."""
        return duration if self.rate == 1.0 else duration * self.rate

    def places(self, vectors: Array) -> Array:
        """(…, 3) in the world."""
        if self.turned is None:
            return vectors
        x, y, z = np.moveaxis(vectors, -1, 0)
        # Adding zero makes a zero of a negative one, which would look odd in a file.
        return np.stack([x, -z + 0.0, y] if self.turned == "z" else [x, z, -y + 0.0], axis=-1)

    def rotations(self, quaternions: Array, joint: str = "") -> Array:
        """(…, 4) from an object's frame to the world, or from that of a joint."""
        frame = self.frames_of_joints.get(joint)
        if frame is not None:
            quaternions = rotations.multiply(quaternions, rotations.conjugate(frame))
        return quaternions if self.turned is None else rotations.multiply(_UPRIGHT[self.turned], quaternions)

    def in_joint(self, vectors: Array, joint: str) -> Array:
        """(…, 3) in the own frame of a joint; without one, as they are."""
        frame = self.frames_of_joints.get(joint)
        return vectors if frame is None else rotations.rotate(frame, vectors)

    def axes(self, letters: str) -> str:
        """Some of the letters x, y and z."""
        return letters if self.turned is None else letters.translate(str.maketrans("yz", "zy"))

    def moments(self, count: int) -> Array | None:
        """(frames of the clip,) where each lies among so many frames of the file; None if it is not the same time."""
        if self.rate == 1.0:
            return np.arange(float(count)) if count == self.frames else None
        if abs(count - 1 - (self.frames - 1) / self.rate) > max(1.0, 1.0 / self.rate):
            return None
        return np.clip(np.arange(self.frames) / self.rate, 0.0, count - 1.0)


@dataclass(frozen=True)
class Spot:
    """A place in a file, for sentences about what stands there."""

    what: str
    """The file and the constraint."""
    conversion: Conversion
    path: tuple[str | int, ...] = ()
    """Keys and numbers of items, from the outside."""
    joint: str = ""
    """In whose frame local vectors lie, and from whose frame rotations lead to the world."""
    error: type[PoiseError] = FileFormatError

    def at(self, step: str | int) -> Spot:
        """A key, or an item counted from 1, inside."""
        return replace(self, path=(*self.path, step))

    def fail(self, wrong: str) -> NoReturn:
        """Say what is wrong with what stands here: the end of a sentence that begins with its key."""
        raise self.error(f"{self.what}: {self._place or 'it'} {wrong}{'' if wrong.endswith('?') else '.'}")

    def quote(self, error: PoiseError) -> NoReturn:
        """Say what someone else found wrong with what stands here."""
        raise self.error(f"{self.what}: {self._place}: {error}" if self.path else f"{self.what}: {error}") from None

    @property
    def _place(self) -> str:
        steps = [f"item {step}" if isinstance(step, int) else f'"{step}"' for step in reversed(self.path)]
        return " of ".join(steps)


def shown(value: object) -> str:
    """A value of a file as a sentence quotes it, cut short."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


LONGEST_QUOTE = 40
"""Letters of a value that a sentence quotes: enough to find it again."""


def likely(word: str, words: Iterable[str]) -> str:
    """The rest of a sentence about an unknown word: which known one is meant, or which there are."""
    known = list(words)
    near = difflib.get_close_matches(word, known, n=1)
    return f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"


def checked_keys(record: Mapping[str, Any], known: Iterable[str], needed: Iterable[str], spot: Spot) -> None:
    """Fail where a record has a key that means nothing, or lacks one that it needs."""
    words = list(known)
    for key in record:
        if key not in words:
            spot.fail(f'has an unknown key "{key}"; {likely(key, words)}')
    for key in needed:
        if key not in record:
            spot.fail(f'needs the key "{key}"')


# Codecs -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Codec:
    """Both directions of one kind of value. Reading is strict: everything but what it expects fails at its spot."""

    read: Callable[[Any, Spot], Any]
    write: Callable[[Any, Spot], Any]


def _read_number(value: Any, spot: Spot) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        spot.fail(f"must be a number, not {shown(value)}")
    # An integer of hundreds of digits is finite, and still no number to compute with.
    if not is_number(value) if isinstance(value, float) else abs(value) > MOST_WHOLE:
        spot.fail("must be a finite number")
    return value


MOST_WHOLE = 2**53
"""Whole numbers up to here are exact as floating-point numbers; no frame or priority is larger."""


def _write_number(value: Any, spot: Spot) -> float:
    if isinstance(value, (int, np.integer)):
        return int(value)
    if not is_number(value):
        spot.fail(f"is {value!r}, which is not a finite number and cannot be written")
    return float(value)


def _read_whole(value: Any, spot: Spot) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        spot.fail(f"must be a whole number, not {shown(value)}")
    return int(_read_number(value, spot))


def _read_word(value: Any, spot: Spot) -> str:
    if not isinstance(value, str):
        spot.fail(f"must be a word in quotes, not {shown(value)}")
    return value


def _read_switch(value: Any, spot: Spot) -> bool:
    if not isinstance(value, bool):
        spot.fail(f"must be true or false, not {shown(value)}")
    return bool(value)


def choice(*choices: str) -> Codec:
    """One of some words."""

    def read(value: Any, spot: Spot) -> str:
        if value not in choices:
            spot.fail(f"must be one of {', '.join(map(shown, choices))}, not {shown(value)}")
        return str(value)

    return Codec(read, lambda value, spot: str(value))


def _is_row(value: Any, width: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == width
        and all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in value)
    )


_IN_WORDS = {3: "three numbers", 4: "four numbers"}


def _read_row(value: Any, spot: Spot, width: int) -> Array:
    if not _is_row(value, width):
        spot.fail(f"must be {_IN_WORDS[width]} in brackets, not {shown(value)}")
    return np.array([float(_read_number(number, spot)) for number in value])


def _read_rows(value: Any, spot: Spot, width: int) -> Array:
    """(width,) or (rows, width)"""
    if isinstance(value, list) and value and isinstance(value[0], list):
        return np.array([_read_row(row, spot.at(number), width) for number, row in enumerate(value, start=1)])
    if not _is_row(value, width):
        spot.fail(f"must be {_IN_WORDS[width]} in brackets, or a list of such for each frame, not {shown(value)}")
    return _read_row(value, spot, width)


def _write_array(value: Any, spot: Spot) -> list[Any]:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        spot.fail(f"is {value!r}, which are no numbers and cannot be written")
    if not np.isfinite(array).all():
        spot.fail("is not finite and cannot be written")
    numbers: list[Any] = array.tolist()
    return numbers


def _rotation(quaternions: Array, spot: Spot) -> Array:
    """The same (…, 4), if each is a rotation."""
    if not np.abs(quaternions).max(axis=-1).all():
        spot.fail("has a quaternion of zeros, which is no rotation")
    return quaternions


def _tuple(array: Array) -> tuple[float, ...]:
    return tuple(array.tolist())


NUMBER = Codec(_read_number, _write_number)
WHOLE = Codec(_read_whole, _write_number)
SWITCH = Codec(_read_switch, lambda value, spot: bool(value))
WORD = Codec(_read_word, lambda value, spot: str(value))
TIME = Codec(lambda value, spot: spot.conversion.time(_read_number(value, spot)), _write_number)
DURATION = Codec(lambda value, spot: spot.conversion.duration(_read_number(value, spot)), _write_number)
LOCAL_VECTOR = Codec(
    lambda value, spot: _tuple(spot.conversion.in_joint(_read_row(value, spot, 3), spot.joint)),
    _write_array,
)
WORLD_VECTOR = Codec(
    lambda value, spot: _tuple(spot.conversion.places(_read_row(value, spot, 3))),
    _write_array,
)
WORLD_ROTATION = Codec(
    lambda value, spot: _tuple(spot.conversion.rotations(_rotation(_read_row(value, spot, 4), spot), spot.joint)),
    _write_array,
)
AXES = Codec(lambda value, spot: spot.conversion.axes(_read_word(value, spot)), lambda value, spot: str(value))


def _read_joint(value: Any, spot: Spot) -> str:
    if not isinstance(value, str):
        spot.fail(f"must be the name of a joint in quotes, not {shown(value)}")
    try:
        spot.conversion.skeleton.index(value)
    except PoiseError as error:
        spot.quote(error)
    return value


def _write_joint(value: Any, spot: Spot) -> str:
    skeleton = spot.conversion.skeleton
    try:
        return skeleton.names[skeleton.index(value)]
    except PoiseError as error:
        spot.quote(error)


JOINT = Codec(_read_joint, _write_joint)


def _read_body_point(value: Any, spot: Spot) -> str | BodyPoint:
    if not isinstance(value, dict):
        return _read_joint(value, spot)
    checked_keys(value, ("name", "offset"), ("name",), spot)
    name = _read_joint(value["name"], spot.at("name"))
    offset = _read_row(value.get("offset", [0, 0, 0]), spot.at("offset"), 3)
    x, y, z = spot.conversion.in_joint(offset, name).tolist()
    return BodyPoint(name, (x, y, z)) if x or y or z else name


def _write_body_point(value: Any, spot: Spot) -> Any:
    if not isinstance(value, BodyPoint):
        return _write_joint(value, spot)
    name = _write_joint(value.joint, spot)
    return {"name": name, "offset": list(value.offset)} if any(value.offset) else name


BODY_POINT = Codec(_read_body_point, _write_body_point)


def list_of(codec: Codec) -> Codec:
    """Any number of the same."""

    def read(value: Any, spot: Spot) -> tuple[Any, ...]:
        if not isinstance(value, list):
            spot.fail(f"must be a list in brackets, not {shown(value)}")
        return tuple(codec.read(item, spot.at(number)) for number, item in enumerate(value, start=1))

    def write(value: Any, spot: Spot) -> list[Any]:
        return [codec.write(item, spot.at(number)) for number, item in enumerate(value, start=1)]

    return Codec(read, write)


def _read_recruit(value: Any, spot: Spot) -> int | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_read_joint(name, spot.at(number)) for number, name in enumerate(value, start=1))
    if isinstance(value, bool) or not isinstance(value, int):
        spot.fail(f"must be a number of joints or a list of their names, not {shown(value)}")
    return _read_whole(value, spot)


def _write_recruit(value: Any, spot: Spot) -> int | list[Any]:
    if isinstance(value, (int, np.integer)):
        return int(value)
    return [_write_joint(joint, spot.at(number)) for number, joint in enumerate(value, start=1)]


RECRUIT = Codec(_read_recruit, _write_recruit)


# What has a value for every frame -----------------------------------------------------------------------------------


def _moments(count: int, spot: Spot) -> Array:
    found = spot.conversion.moments(count)
    if found is None:
        spot.fail(f"has {count} rows, which do not last as long as the clip with its {spot.conversion.frames} frames")
    return found


def _resampled(values: Array, spot: Spot) -> Array:
    """(clip's frames, width) of vectors (file's frames, width)."""
    if values.ndim == 1:
        return values
    moments = _moments(len(values), spot)
    if spot.conversion.rate == 1.0:
        return values
    frames = np.arange(len(values))
    return np.stack([np.interp(moments, frames, column) for column in values.T], axis=-1)


def _resampled_rotations(values: Array, spot: Spot) -> Array:
    """(clip's frames, 4) of quaternions (file's frames, 4), on the shortest arcs."""
    if values.ndim == 1:
        return values
    moments = _moments(len(values), spot)
    if spot.conversion.rate == 1.0:
        return values
    unit = rotations.normalize(values)
    before = np.minimum(np.floor(moments).astype(np.intp), len(values) - 1)
    after = np.minimum(before + 1, len(values) - 1)
    return rotations.slerp(unit[before], unit[after], moments - before)


def _read_reference(value: Any, spot: Spot) -> str | MovingObject:
    if not isinstance(value, dict):
        return _read_joint(value, spot)
    checked_keys(value, ("positions", "rotations"), ("positions", "rotations"), spot)
    placed, turned = spot.at("positions"), spot.at("rotations")
    positions = spot.conversion.places(_read_rows(value["positions"], placed, 3))
    quaternions = _rotation(_read_rows(value["rotations"], turned, 4), turned)
    return MovingObject(
        _resampled(positions, placed), spot.conversion.rotations(_resampled_rotations(quaternions, turned))
    )


def _write_reference(value: Any, spot: Spot) -> Any:
    if not isinstance(value, MovingObject):
        return _write_joint(value, spot)
    return {
        "positions": _write_array(value.positions, spot.at("positions")),
        "rotations": _write_array(value.rotations, spot.at("rotations")),
    }


REFERENCE = Codec(_read_reference, _write_reference)

_SPLINE_KEYS = ("times", "values", "tension", "continuity", "bias", "incoming", "outgoing")


def _read_displacement(value: Any, spot: Spot) -> Array | Spline:
    if not isinstance(value, dict):
        return _resampled(spot.conversion.places(_read_rows(value, spot, 3)), spot)
    checked_keys(value, _SPLINE_KEYS, ("times", "values"), spot)

    def vectors(key: str) -> Array:
        rows = spot.conversion.places(_read_rows(value[key], spot.at(key), 3))
        if rows.shape != (len(times), 3):
            spot.at(key).fail(f"must have a row of three numbers for each of the {len(times)} times")
        return rows

    numbers = list_of(NUMBER)
    times = numbers.read(value["times"], spot.at("times"))
    shape = {
        key: (numbers if isinstance(value[key], list) else NUMBER).read(value[key], spot.at(key))
        for key in ("tension", "continuity", "bias")
        if key in value
    }
    try:
        spline = Spline(np.array([spot.conversion.duration(time) for time in times]), vectors("values"), **shape)
    except ConstraintError as error:
        spot.quote(error)
    for key in ("incoming", "outgoing"):
        if key in value:
            # A velocity: so many units in a frame. Velocities that no tension gives are told by these keys alone.
            object.__setattr__(spline, key, vectors(key) / spot.conversion.rate)
    return spline


def _write_displacement(value: Any, spot: Spot) -> Any:
    if not isinstance(value, Spline):
        return _write_array(value, spot)
    plain = Spline(value.times, value.values)
    written = {"times": value.times.tolist(), "values": value.values.tolist()}
    for key in ("incoming", "outgoing"):
        if not np.array_equal(getattr(value, key), getattr(plain, key)):
            written[key] = getattr(value, key).tolist()
    return written


DISPLACEMENT = Codec(_read_displacement, _write_displacement)
