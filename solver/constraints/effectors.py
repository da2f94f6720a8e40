# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors, which constraints move: a point, a joint's orientation or roll, a direction, a gaze, the balance.

Constraints that move the same thing have equal effectors. A value is the state of an effector in a frame; a
displacement is the difference from the source's value to a target, in a vector space where displacements can be
eased, filtered and blended: translations for points, rotation vectors for orientations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..body.joints import BodyPoint
from ..body.kinematics import WorldState
from ..core import rotations
from ..core.arrays import Array
from ..tasks import (
    AimTask,
    AttachmentTask,
    BalanceTask,
    CenterOfMassTask,
    DirectionTask,
    OrientationTask,
    PositionTask,
    RollTask,
    Task,
)
from ..tasks.aim import NEAREST, line_of_sight
from ..tasks.attachment import place_on
from ..tasks.balance import balance_vector
from ..tasks.base import axis_indices
from ..tasks.roll import rolls, wrapped


class Effector(ABC):
    """A hashable description of what is moved: constraints with equal effectors share one channel."""

    width: ClassVar[int] = 3
    """The width of a value."""
    is_angular: ClassVar[bool] = False
    """Whether residuals are in radians (or without a unit) rather than lengths."""

    @property
    def rows(self) -> int:
        """The number of rows of its task."""
        return 3

    @property
    def moved_joint(self) -> int | None:
        """The joint that carries it; None where there is no single one."""
        return None

    @abstractmethod
    def value(self, world: WorldState) -> Array:
        """(frames, width) its values in a state of the body."""

    @abstractmethod
    def task(self, targets: Array, **rest: Any) -> Task:
        """The task with targets (frames, width); `rest` is priority, weight, recruit and name."""

    def displaced(self, values: Array, displacement: Array) -> Array:
        """(frames, width) the values moved by displacements (frames, 3)."""
        return values + displacement

    def displacement(self, values: Array, targets: Array) -> Array:
        """(frames, 3) the displacements from values to targets."""
        return targets - values

    def miss(self, values: Array, targets: Array) -> Array:
        """(frames,) the distances of values from targets, in the clip's units or in radians."""
        return np.asarray(np.linalg.norm(self.displacement(values, targets), axis=-1))

    @abstractmethod
    def describe(self, names: tuple[str, ...]) -> str:
        """Its name in messages; joints are indices into `names`."""


@dataclass(frozen=True)
class PointEffector(Effector):
    """The world position of a point of the body."""

    point: BodyPoint
    """With the joint as an index."""

    @property
    def moved_joint(self) -> int:
        return int(self.point.joint)

    def value(self, world: WorldState) -> Array:
        return world.point(self.point)

    def task(self, targets: Array, **rest: Any) -> Task:
        return PositionTask(self.point.joint, targets, offset=self.point.offset, **rest)

    def describe(self, names: tuple[str, ...]) -> str:
        return names[int(self.point.joint)]


@dataclass(frozen=True)
class AttachedEffector(Effector):
    """The position of a point of the body in the frame of another of its joints."""

    point: BodyPoint
    reference: int

    @property
    def moved_joint(self) -> int:
        return int(self.point.joint)

    def value(self, world: WorldState) -> Array:
        return place_on(world, self.reference, world.point(self.point))

    def task(self, targets: Array, **rest: Any) -> Task:
        return AttachmentTask(self.point.joint, self.reference, targets, offset=self.point.offset, **rest)

    def describe(self, names: tuple[str, ...]) -> str:
        return f"{names[int(self.point.joint)]} on {names[self.reference]}"


@dataclass(frozen=True)
class OrientationEffector(Effector):
    """The world rotation of a joint; displacements are rotation vectors in the world."""

    joint: int

    width: ClassVar[int] = 4
    is_angular: ClassVar[bool] = True

    @property
    def moved_joint(self) -> int:
        return self.joint

    def value(self, world: WorldState) -> Array:
        return world.rotations[:, self.joint]

    def task(self, targets: Array, **rest: Any) -> Task:
        return OrientationTask(self.joint, targets, **rest)

    def displaced(self, values: Array, displacement: Array) -> Array:
        return rotations.multiply(rotations.exp(displacement), values)

    def displacement(self, values: Array, targets: Array) -> Array:
        return rotations.log(rotations.quotient(targets, values))

    def describe(self, names: tuple[str, ...]) -> str:
        return f"orientation of {names[self.joint]}"


@dataclass(frozen=True)
class RollEffector(Effector):
    """The roll of a joint about a local axis (see `RollTask`), an angle; displacements are (angle, 0, 0)."""

    joint: int
    axis: tuple[float, float, float]
    """Of unit length."""

    width: ClassVar[int] = 1
    is_angular: ClassVar[bool] = True

    @property
    def rows(self) -> int:
        return 1

    @property
    def moved_joint(self) -> int:
        return self.joint

    def value(self, world: WorldState) -> Array:
        return rolls(world, self.joint, np.array(self.axis))

    def task(self, targets: Array, **rest: Any) -> Task:
        return RollTask(self.joint, self.axis, targets, **rest)

    def displaced(self, values: Array, displacement: Array) -> Array:
        return values + displacement[..., :1]

    def displacement(self, values: Array, targets: Array) -> Array:
        return wrapped(targets - values) * np.eye(3)[0]

    def describe(self, names: tuple[str, ...]) -> str:
        return f"roll of {names[self.joint]}"


@dataclass(frozen=True)
class DirectionEffector(Effector):
    """The world direction of a local axis of a joint, a unit vector."""

    joint: int
    axis: tuple[float, float, float]

    is_angular: ClassVar[bool] = True

    @property
    def moved_joint(self) -> int:
        return self.joint

    def value(self, world: WorldState) -> Array:
        return rotations.rotate(world.rotations[:, self.joint], np.array(self.axis))

    def task(self, targets: Array, **rest: Any) -> Task:
        return DirectionTask(self.joint, self.axis, targets, **rest)

    def displaced(self, values: Array, displacement: Array) -> Array:
        return rotations.unit(values + displacement)

    def describe(self, names: tuple[str, ...]) -> str:
        return f"direction of {names[self.joint]}"


@dataclass(frozen=True)
class GazeEffector(Effector):
    """The line of sight along a local axis of a joint through a point on it, the eye.

    A value is the eye and the vector from there, along the axis, to a place at the distance of the character's size. A
    target has the same form: the eye of the source and the vector to the place to look at, which may be at any
    distance. Displacements are those of the place.
    """

    eye: BodyPoint
    """With the joint as an index."""
    axis: tuple[float, float, float]
    size: float
    """Of the character."""

    width: ClassVar[int] = 6
    is_angular: ClassVar[bool] = True

    @property
    def moved_joint(self) -> int:
        return int(self.eye.joint)

    def value(self, world: WorldState) -> Array:
        axis = rotations.rotate(world.rotations[:, self.moved_joint], np.array(self.axis))
        return np.concatenate([world.point(self.eye), self.size * axis], axis=1)

    def task(self, targets: Array, **rest: Any) -> Task:
        return AimTask(self.eye.joint, self.axis, _place(targets), offset=self.eye.offset, **rest)

    def displaced(self, values: Array, displacement: Array) -> Array:
        targets = values.copy()
        targets[..., 3:] += displacement
        return targets

    def displacement(self, values: Array, targets: Array) -> Array:
        return _place(targets) - _place(values)

    def miss(self, values: Array, targets: Array) -> Array:
        eyes, least = values[..., :3], NEAREST * self.size
        wanted, found = (line_of_sight(eyes, _place(each), least)[0] for each in (targets, values))
        return np.asarray(np.linalg.norm(wanted - found, axis=-1))

    def describe(self, names: tuple[str, ...]) -> str:
        return f"gaze of {names[self.moved_joint]}"


def _place(values: Array) -> Array:
    """(frames, 3) the place that the values (frames, 6) of a gaze look at."""
    return np.asarray(values[..., :3] + values[..., 3:])


@dataclass(frozen=True)
class CenterOfMassEffector(Effector):
    """The world position of the centre of mass."""

    axes: str

    @property
    def rows(self) -> int:
        return len(self.axes)

    def value(self, world: WorldState) -> Array:
        return world.center_of_mass()

    def task(self, targets: Array, **rest: Any) -> Task:
        return CenterOfMassTask(targets, axes=self.axes, **rest)

    def miss(self, values: Array, targets: Array) -> Array:
        return _distance_along(self.axes, values, targets)

    def describe(self, names: tuple[str, ...]) -> str:
        return "balance"


@dataclass(frozen=True)
class BalanceEffector(Effector):
    """The vector from the barycentre of points of the body, with joints as indices, to its centre of mass."""

    points: tuple[BodyPoint, ...]
    axes: str

    @property
    def rows(self) -> int:
        return len(self.axes)

    def value(self, world: WorldState) -> Array:
        return balance_vector(world, self.points)

    def task(self, targets: Array, **rest: Any) -> Task:
        return BalanceTask(self.points, targets, axes=self.axes, **rest)

    def miss(self, values: Array, targets: Array) -> Array:
        return _distance_along(self.axes, values, targets)

    def describe(self, names: tuple[str, ...]) -> str:
        return "balance"


def _distance_along(axes: str, values: Array, targets: Array) -> Array:
    """(frames,) the distances of values from targets (frames, 3) along some world axes."""
    counted = axis_indices("balance", axes)
    return np.asarray(np.linalg.norm((targets - values)[..., counted], axis=-1))
