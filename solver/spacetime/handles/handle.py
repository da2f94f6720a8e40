# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles: functions of a body that a full character and its simplified model have in common (Popović 1999, section
4.2).

A handle is a vector or a number: a point of the body, a centre of mass, a direction, a distance, or an expression of
such. It knows nothing of the body's representation: `Handle.value` asks a `Body` for points, centres of mass and axes,
and combines them with +, -, multiplication by a number, and the body's `Algebra`. So the same handle is evaluated on
arrays over frames (`full_body`), on values with derivatives, and on the expressions of an optimiser.
"""

from __future__ import annotations

import typing
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from ...core.errors import HandleError
from ...core.numbers import is_number

Axis = Literal["left", "up", "forward"]
"""An axis of the body: see `body_axes`."""

AXES: tuple[Axis, ...] = typing.get_args(Axis)

V = TypeVar("V")
"""A vector or a number of a body, which supports +, - and multiplication by a number."""


class Algebra(Protocol[V]):
    """The operations on a body's values that its operators do not have."""

    def dot(self, a: V, b: V) -> V:
        """The dot product of two vectors."""

    def length(self, v: V) -> V:
        """The length of a vector."""

    def unit(self, v: V) -> V:
        """The direction of a vector."""


class Body(Protocol[V]):
    """What handles are evaluated on. Names are those of landmarks, or of joints."""

    @property
    def algebra(self) -> Algebra[V]:
        """The operations on its values."""

    def point(self, name: str) -> V:
        """The place of a landmark, or of a joint, in the world."""

    def center_of_mass(self, joint: str | None) -> V:
        """The centre of all mass that moves with a joint; None: of the whole body."""

    def axis(self, joint: str, axis: Axis) -> V:
        """The unit vector, in the world, of a body axis as the joint has carried it along from the rest pose."""


@dataclass(frozen=True)
class Handle(ABC):
    """A vector or a number that can be evaluated on any body. Two handles are equal if they are the same expression."""

    kind: ClassVar[str]
    """Its name in files."""

    @abstractmethod
    def value(self, body: Body[V]) -> V:
        """Its value on a body: a vector, or a number."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What it is, in words: "centre of mass of the left arm"."""

    @property
    def width(self) -> int:
        """3 for a vector, 1 for a number."""
        return 3

    @property
    def is_length(self) -> bool:
        """Whether its values are lengths in the clip's units, rather than pure numbers."""
        return True

    @property
    def is_direction(self) -> bool:
        """Whether its values are unit vectors."""
        return False

    @property
    def is_rigid(self) -> bool:
        """Whether it is a vector that turns as a whole with every joint: a point, a centre of mass, an axis, or a sum
        of such."""
        return False

    @property
    def parts(self) -> tuple[Handle, ...]:
        """The handles that it is an expression of."""
        own = (getattr(self, field.name) for field in fields(self))
        return tuple(part for part in own if isinstance(part, Handle))

    # Expressions -----------------------------------------------------------------------------------------------------

    def __add__(self, other: Handle) -> Handle:
        return SumHandle(self, other) if isinstance(other, Handle) else NotImplemented

    def __sub__(self, other: Handle) -> Handle:
        return DifferenceHandle(self, other) if isinstance(other, Handle) else NotImplemented

    def __mul__(self, factor: float) -> Handle:
        return ScaledHandle(self, float(factor)) if is_number(factor) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> Handle:
        return self * -1.0

    def dot(self, other: Handle) -> Handle:
        """The dot product with another vector, of which one at least is no length."""
        return DotHandle(self, other)

    def length(self) -> Handle:
        """The length of this vector."""
        return LengthHandle(self)

    def unit(self) -> Handle:
        """The direction of this vector."""
        return UnitHandle(self)

    # Files -----------------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """The handle as dictionaries, texts and numbers, for JSON; fields that have their default are left out."""
        found: dict[str, Any] = {"kind": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                found[field.name] = value.as_dict() if isinstance(value, Handle) else value
        return found

    def _refuse(self, problem: str) -> HandleError:
        return HandleError(f"A handle of the kind {self.kind!r} {problem}")

    def _check_name(self, field: str) -> None:
        value = getattr(self, field)
        if not isinstance(value, str) or not value:
            raise self._refuse(f'names a joint or a landmark in {field!r}, such as "left_hip", not {value!r}.')

    def _check_vectors(self, *names: str) -> None:
        """Replace the names of points by their handles, and raise unless all are vectors."""
        for name in names:
            part = getattr(self, name)
            if isinstance(part, str):
                part = PointHandle(part)
                object.__setattr__(self, name, part)
            if not isinstance(part, Handle):
                raise self._refuse(f"needs a handle or the name of a point in {name!r}, not {part!r}.")
            if part.width != 3:
                raise self._refuse(f"needs a vector in {name!r}, but the {part.label} is a number.")

    def _check_alike(self, first: Handle, second: Handle) -> None:
        """Raise unless two operands can be added."""
        for part in (first, second):
            if not isinstance(part, Handle):
                raise self._refuse(f"needs two handles, not {part!r}.")
        if first.width != second.width:
            vector, number = (first, second) if first.width == 3 else (second, first)
            raise self._refuse(f"cannot combine a vector, the {vector.label}, with a number, the {number.label}.")
        if first.is_length != second.is_length:
            length, pure = (first, second) if first.is_length else (second, first)
            raise self._refuse(f"cannot combine a length, the {length.label}, with a pure number, the {pure.label}.")


# What a body is asked for -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PointHandle(Handle):
    """The place of a landmark, as "left_ball", or of a joint, by its name, in the world."""

    point: str

    kind: ClassVar[str] = "point"

    def __post_init__(self) -> None:
        self._check_name("point")

    def value(self, body: Body[V]) -> V:
        return body.point(self.point)

    @property
    def label(self) -> str:
        return _words(self.point)

    @property
    def is_rigid(self) -> bool:
        return True


SUBTREES = {
    **{f"{side}_shoulder": f"{side} arm" for side in ("left", "right")},
    **{f"{side}_clavicle": f"{side} arm and shoulder" for side in ("left", "right")},
    **{f"{side}_elbow": f"{side} forearm" for side in ("left", "right")},
    **{f"{side}_wrist": f"{side} hand" for side in ("left", "right")},
    **{f"{side}_hip": f"{side} leg" for side in ("left", "right")},
    **{f"{side}_knee": f"{side} shank" for side in ("left", "right")},
    **{f"{side}_ankle": f"{side} foot" for side in ("left", "right")},
    "spine": "upper body",
    "neck": "head and neck",
}
"""What moves with a landmark, in words."""


@dataclass(frozen=True)
class CenterOfMassHandle(Handle):
    """The centre of all mass that moves with a joint, given by its landmark ("left_shoulder"; "spine" is the lowest
    joint of the spine) or by its name; None: of the whole body."""

    joint: str | None = None

    kind: ClassVar[str] = "center_of_mass"

    def __post_init__(self) -> None:
        if self.joint is not None:
            self._check_name("joint")

    def value(self, body: Body[V]) -> V:
        return body.center_of_mass(self.joint)

    @property
    def label(self) -> str:
        if self.joint is None:
            return "centre of mass"
        if self.joint in SUBTREES:
            return f"centre of mass of the {SUBTREES[self.joint]}"
        return f"centre of mass of everything that {_words(self.joint)} moves"

    @property
    def is_rigid(self) -> bool:
        return True


@dataclass(frozen=True)
class AxisHandle(Handle):
    """A body axis as a joint has carried it along from the rest pose, a unit vector in the world."""

    joint: str
    axis: Axis

    kind: ClassVar[str] = "axis"

    def __post_init__(self) -> None:
        self._check_name("joint")
        if self.axis not in AXES:
            raise self._refuse(f'has the axis "left", "up" or "forward", not {self.axis!r}.')

    def value(self, body: Body[V]) -> V:
        return body.axis(self.joint, self.axis)

    @property
    def label(self) -> str:
        return f"{self.axis} axis of {_words(self.joint)}"

    @property
    def is_rigid(self) -> bool:
        return True

    @property
    def is_length(self) -> bool:
        return False

    @property
    def is_direction(self) -> bool:
        return True


# Expressions --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DirectionHandle(Handle):
    """The unit vector from one vector handle, or point by its name, to another."""

    start: Handle | str
    end: Handle | str

    kind: ClassVar[str] = "direction"

    def __post_init__(self) -> None:
        self._check_vectors("start", "end")
        self._check_alike(*self.parts)

    def value(self, body: Body[V]) -> V:
        start, end = self.parts
        return body.algebra.unit(_minus(end.value(body), start.value(body)))

    @property
    def label(self) -> str:
        start, end = self.parts
        return f"direction from {start.label} to {end.label}"

    @property
    def is_length(self) -> bool:
        return False

    @property
    def is_direction(self) -> bool:
        return True


@dataclass(frozen=True)
class DistanceHandle(Handle):
    """The distance from one vector handle, or point by its name, to another: a number."""

    start: Handle | str
    end: Handle | str

    kind: ClassVar[str] = "distance"

    def __post_init__(self) -> None:
        self._check_vectors("start", "end")
        self._check_alike(*self.parts)

    def value(self, body: Body[V]) -> V:
        start, end = self.parts
        return body.algebra.length(_minus(end.value(body), start.value(body)))

    @property
    def label(self) -> str:
        start, end = self.parts
        return f"distance from {start.label} to {end.label}"

    @property
    def width(self) -> int:
        return 1

    @property
    def is_length(self) -> bool:
        return self.parts[0].is_length


@dataclass(frozen=True)
class MidpointHandle(Handle):
    """The middle between two vector handles, or points by their names."""

    first: Handle | str
    second: Handle | str

    kind: ClassVar[str] = "midpoint"

    def __post_init__(self) -> None:
        self._check_vectors("first", "second")
        self._check_alike(*self.parts)

    def value(self, body: Body[V]) -> V:
        first, second = (part.value(body) for part in self.parts)
        return _times(_plus(first, second), 0.5)

    @property
    def label(self) -> str:
        first, second = self.parts
        return f"middle between {first.label} and {second.label}"

    @property
    def is_rigid(self) -> bool:
        return all(part.is_rigid for part in self.parts)

    @property
    def is_length(self) -> bool:
        return self.parts[0].is_length


@dataclass(frozen=True)
class SumHandle(Handle):
    """The sum of two handles."""

    first: Handle
    second: Handle

    kind: ClassVar[str] = "sum"

    def __post_init__(self) -> None:
        self._check_alike(self.first, self.second)

    def value(self, body: Body[V]) -> V:
        return _plus(self.first.value(body), self.second.value(body))

    @property
    def label(self) -> str:
        return f"sum of {self.first.label} and {self.second.label}"

    @property
    def is_rigid(self) -> bool:
        return all(part.is_rigid for part in self.parts)

    @property
    def width(self) -> int:
        return self.first.width

    @property
    def is_length(self) -> bool:
        return self.first.is_length


@dataclass(frozen=True)
class DifferenceHandle(Handle):
    """One handle minus another: of two points, the vector from the second to the first."""

    first: Handle
    second: Handle

    kind: ClassVar[str] = "difference"

    def __post_init__(self) -> None:
        self._check_alike(self.first, self.second)

    def value(self, body: Body[V]) -> V:
        return _minus(self.first.value(body), self.second.value(body))

    @property
    def label(self) -> str:
        return f"{self.first.label} relative to {self.second.label}"

    @property
    def is_rigid(self) -> bool:
        return all(part.is_rigid for part in self.parts)

    @property
    def width(self) -> int:
        return self.first.width

    @property
    def is_length(self) -> bool:
        return self.first.is_length


@dataclass(frozen=True)
class ScaledHandle(Handle):
    """A handle times a number."""

    handle: Handle
    factor: float

    kind: ClassVar[str] = "scaled"

    def __post_init__(self) -> None:
        if not isinstance(self.handle, Handle):
            raise self._refuse(f"needs a handle in 'handle', not {self.handle!r}.")
        if not is_number(self.factor):
            raise self._refuse(f"needs a finite number in 'factor', not {self.factor!r}.")

    def value(self, body: Body[V]) -> V:
        return _times(self.handle.value(body), self.factor)

    @property
    def label(self) -> str:
        return f"{self.factor:g} times {self.handle.label}"

    @property
    def is_rigid(self) -> bool:
        return all(part.is_rigid for part in self.parts)

    @property
    def width(self) -> int:
        return self.handle.width

    @property
    def is_length(self) -> bool:
        return self.handle.is_length


@dataclass(frozen=True)
class DotHandle(Handle):
    """The dot product of two vectors, of which one at least is no length: the height of a point is its product with the
    up axis of a joint that stands upright."""

    first: Handle
    second: Handle

    kind: ClassVar[str] = "dot"

    def __post_init__(self) -> None:
        self._check_vectors("first", "second")
        if self.first.is_length and self.second.is_length:
            raise self._refuse(
                f"cannot multiply two lengths, the {self.first.label} and the {self.second.label}: take the direction "
                "of one of them (.unit())."
            )

    def value(self, body: Body[V]) -> V:
        return body.algebra.dot(self.first.value(body), self.second.value(body))

    @property
    def label(self) -> str:
        return f"{self.first.label} along {self.second.label}"

    @property
    def width(self) -> int:
        return 1

    @property
    def is_length(self) -> bool:
        return self.first.is_length or self.second.is_length


@dataclass(frozen=True)
class LengthHandle(Handle):
    """The length of a vector."""

    handle: Handle

    kind: ClassVar[str] = "length"

    def __post_init__(self) -> None:
        self._check_vectors("handle")

    def value(self, body: Body[V]) -> V:
        return body.algebra.length(self.handle.value(body))

    @property
    def label(self) -> str:
        return f"length of {self.handle.label}"

    @property
    def width(self) -> int:
        return 1

    @property
    def is_length(self) -> bool:
        return self.handle.is_length


@dataclass(frozen=True)
class UnitHandle(Handle):
    """The direction of a vector."""

    handle: Handle

    kind: ClassVar[str] = "unit"

    def __post_init__(self) -> None:
        self._check_vectors("handle")

    def value(self, body: Body[V]) -> V:
        return body.algebra.unit(self.handle.value(body))

    @property
    def label(self) -> str:
        return f"direction of {self.handle.label}"

    @property
    def is_length(self) -> bool:
        return False

    @property
    def is_direction(self) -> bool:
        return True


KINDS: dict[str, type[Handle]] = {
    kind.kind: kind
    for kind in (
        PointHandle,
        CenterOfMassHandle,
        AxisHandle,
        DirectionHandle,
        DistanceHandle,
        MidpointHandle,
        SumHandle,
        DifferenceHandle,
        ScaledHandle,
        DotHandle,
        LengthHandle,
        UnitHandle,
    )
}
"""Every kind of handle by its name in files."""


def handle_from_dict(data: object) -> Handle:
    """The handle of `Handle.as_dict`, or of JSON that users write: a text alone is a point by its name."""
    if isinstance(data, str):
        return PointHandle(data)
    if not isinstance(data, Mapping):
        raise HandleError(f'A handle is the name of a point, or has a "kind" and its fields, not {data!r}.')
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise HandleError(f"There is no handle of the kind {kind!r}; the kinds are {', '.join(KINDS)}.")
    known = fields(KINDS[kind])
    names = [field.name for field in known]
    extra = [str(name) for name in data if name not in (*names, "kind")]
    if extra:
        raise HandleError(f"A handle of the kind {kind!r} has no {extra[0]!r}; it has {', '.join(names)}.")
    values = {}
    for field in known:
        if field.name in data:
            value = data[field.name]
            values[field.name] = handle_from_dict(value) if _holds_handle(kind, field.name, value) else value
        elif field.default is MISSING:
            raise HandleError(f"A handle of the kind {kind!r} needs {field.name!r}.")
    return KINDS[kind](**values)


def _holds_handle(kind: str, name: str, value: object) -> bool:
    """Whether a value that a file has for a field is a handle: in expressions, a name is that of a point."""
    return isinstance(value, Mapping) or (isinstance(value, str) and name not in _NAME_FIELDS.get(kind, ()))


_NAME_FIELDS = {"point": ("point",), "center_of_mass": ("joint",), "axis": ("joint", "axis")}
"""The fields that hold names."""


def _words(name: str) -> str:
    return name.replace("_", " ")


# Values have operators, which no type of this module can state: they are arrays, duals, or expressions of an optimiser.


def _plus(first: Any, second: Any) -> Any:
    return first + second


def _minus(first: Any, second: Any) -> Any:
    return first - second


def _times(value: Any, factor: float) -> Any:
    return value * factor
