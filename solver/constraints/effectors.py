# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors, which constraints move: a point, a joint's orientation, a direction, the balance.

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
from ..tasks import AttachmentTask, BalanceTask, DirectionTask, OrientationTask, PositionTask, Task
from ..tasks.attachment import place_on
from ..tasks.balance import balance_vector


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

    def describe(self, names: tuple[str, ...]) -> str:
        return f"direction of {names[self.joint]}"


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
        counted = ["xyz".index(axis) for axis in self.axes]
        return np.asarray(np.linalg.norm((targets - values)[..., counted], axis=-1))

    def describe(self, names: tuple[str, ...]) -> str:
        return "balance"
