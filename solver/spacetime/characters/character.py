# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified characters: few rigid bodies in a tree, each moved by one degree of freedom against its parent.

A joint with several degrees of freedom is a chain of bodies of which all but the last have no mass. Where all values
are 0 the axes of every body are those of the world, the hips are as in the rest pose, and limbs hang down from them.

The first three values are the world position of the *centre of mass*, not of a body: then the sum of all forces moves
these three alone, and in flight they follow a parabola whatever the limbs do. The next three turn the root body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from ...core.arrays import Array, IntArray, triple
from ...core.errors import SkeletonError
from ..handles.handle import AXES, Axis

ROOT_TRANSLATIONS, ROOT_ROTATIONS = slice(0, 3), slice(3, 6)
"""The values of the centre of mass, and of the root body's rotations, in the vector of all values."""

ROOT_DOFS = 6

DofKind = Literal["rotation", "translation"]


@dataclass(frozen=True)
class DegreeOfFreedom:
    """One value of a simplified character, and the body that it moves."""

    name: str
    """Joint and direction, such as "left knee flexion"."""
    kind: DofKind
    parent: int
    """The index of the body that carries this one; -1 for the root's first."""
    axis: tuple[float, float, float]
    """Unit axis in the parent's frame."""
    offset: tuple[float, float, float]
    """Origin of the body in the parent's frame where the value is 0."""
    lower: float = -np.inf
    upper: float = np.inf
    """The range of the value: radians, or lengths."""


@dataclass(frozen=True)
class MassPart:
    """A part of the mass of a body."""

    body: int
    mass: float
    center: tuple[float, float, float]
    """In the body's frame."""


@dataclass(frozen=True)
class Place:
    """A point of a body."""

    body: int
    offset: tuple[float, float, float]
    """In the body's frame."""


@dataclass(frozen=True, eq=False)
class SimplifiedCharacter:
    """Bodies, their degrees of freedom, and which points and parts they share with the full character."""

    dofs: tuple[DegreeOfFreedom, ...]
    """Parents come before their children. The first three are the centre of mass: they carry no bodies of their own."""
    masses: Array
    """(dofs,) the mass of each body; the sum is the mass of the full character."""
    centers: Array
    """(dofs, 3) centres of mass in the bodies' frames."""
    inertias: Array
    """(dofs, 3, 3) inertia tensors about these centres, in the bodies' frames."""
    points: Mapping[str, Place]
    """Points by the names that handles and contacts have for them."""
    regions: Mapping[str, tuple[MassPart, ...]]
    """Parts of the mass by the name of the joint whose subtree they are on the full character."""
    frames: Mapping[str, int]
    """The body that turns with a joint of the full character, by the names that handles have for the joint."""
    axes: Array
    """(3, 3) rows: left, up and forward in the world, where all values are 0."""
    size: float
    """The length from hip to heel of the full character."""
    joint_of: Mapping[str, tuple[int, ...]]
    """The degrees of freedom of each joint that the recipe keeps."""
    mounts: Mapping[str, Array] = field(default_factory=dict)
    """(4,) for the hips and each kept joint that turns a body, the rotation from the joint's frame to the body's."""
    frame_axes: Mapping[str, Array] = field(default_factory=dict)
    """(3, 3) for joints of `frames`, rows: left, up and forward of the rest pose, as the joint has carried them along,
    in the body's frame. Joints that are not listed have them as `axes`."""

    def __post_init__(self) -> None:
        for index, dof in enumerate(self.dofs):
            if dof.parent >= index:
                raise SkeletonError(f"The body of {dof.name} comes before the body that carries it.")

    def __len__(self) -> int:
        return len(self.dofs)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each degree of freedom."""
        return tuple(dof.name for dof in self.dofs)

    def index(self, name: str) -> int:
        """The index of a degree of freedom by its name."""
        for index, dof in enumerate(self.dofs):
            if dof.name == name:
                return index
        raise SkeletonError(f"The simplified character has no {name!r}; it has {', '.join(self.names)}.")

    @property
    def parents(self) -> IntArray:
        """(dofs,) the body that carries each body; -1 for those that none carries."""
        return np.array([dof.parent for dof in self.dofs])

    @property
    def bounds(self) -> tuple[Array, Array]:
        """(dofs,) the smallest and the largest value of each degree of freedom."""
        return np.array([dof.lower for dof in self.dofs]), np.array([dof.upper for dof in self.dofs])

    @property
    def mass(self) -> float:
        """The mass of all bodies."""
        return float(self.masses.sum())

    @property
    def up(self) -> Array:
        """(3,) against gravity."""
        return np.asarray(self.axes[1])

    def axis_of(self, joint: str, axis: Axis) -> tuple[int, tuple[float, float, float]]:
        """The body that turns with a joint of `frames`, and the unit vector in its frame that the joint has made of an
        axis of the rest pose."""
        axes = self.frame_axes.get(joint, self.axes)
        return self.frames[joint], triple(axes[AXES.index(axis)])

    def is_below(self, body: int, ancestor: int) -> bool:
        """Whether a body is another one or is carried by it."""
        while body > ancestor:
            body = self.dofs[body].parent
        return body == ancestor

    def with_dofs(self, dofs: Mapping[int, DegreeOfFreedom]) -> SimplifiedCharacter:
        """A copy with other degrees of freedom at some indices."""
        return replace(self, dofs=tuple(dofs.get(index, dof) for index, dof in enumerate(self.dofs)))

    def in_units(self, length: float, mass: float) -> SimplifiedCharacter:
        """The same character measured in other units, given in those of this one."""

        def shorter(vector: tuple[float, float, float]) -> tuple[float, float, float]:
            x, y, z = vector
            return x / length, y / length, z / length

        def measured(dof: DegreeOfFreedom) -> DegreeOfFreedom:
            unit = length if dof.kind == "translation" else 1.0
            return replace(dof, offset=shorter(dof.offset), lower=dof.lower / unit, upper=dof.upper / unit)

        return replace(
            self,
            dofs=tuple(measured(dof) for dof in self.dofs),
            masses=self.masses / mass,
            centers=self.centers / length,
            inertias=self.inertias / (mass * length**2),
            points={name: Place(place.body, shorter(place.offset)) for name, place in self.points.items()},
            regions={
                name: tuple(MassPart(part.body, part.mass / mass, shorter(part.center)) for part in parts)
                for name, parts in self.regions.items()
            },
            size=self.size / length,
        )
