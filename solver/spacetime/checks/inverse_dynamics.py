# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse dynamics of a simplified character, many instants at once: the forces that a given motion requires.

Nothing here is shared with the equations that the optimiser solves (`symbolic_body`), so that each can check the other.
Every body has spatial vectors in its own frame, at its own origin (Featherstone 2008, chapter 5): a motion is the
angular velocity and the velocity of the origin, a force is the moment about the origin and the force, one above the
other. The optimiser's equations are in world space, with the accelerations of points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core import rotations
from ...core.arrays import Array, ArrayLike
from ...core.errors import MotionError
from ..characters.character import ROOT_DOFS, ROOT_TRANSLATIONS, MassPart, SimplifiedCharacter

BODIES = ROOT_TRANSLATIONS.stop
"""The index of the first body: the three values of the centre of mass carry none."""


@dataclass(frozen=True, eq=False)
class ExternalForce:
    """A force on a body over time, in world space."""

    body: int
    places: Array
    """(instants, 3) where it acts."""
    forces: Array
    """(instants, 3)"""


@dataclass(frozen=True, eq=False)
class GeneralisedForces:
    """What a motion requires beside gravity and the external forces: of a physical motion, what its muscles give."""

    force: Array
    """(instants, 3) in world space, by which the sum of forces falls short of the rate of change of momentum."""
    moment: Array
    """(instants, 3) in world space, by which the sum of moments about the centre of mass falls short of the rate of
    change of angular momentum."""
    joints: Array
    """(instants, dofs - 6) of each degree of freedom after the root's: a torque, of a translation a force."""


def inverse_dynamics(
    character: SimplifiedCharacter,
    values: ArrayLike,
    velocities: ArrayLike,
    accelerations: ArrayLike,
    gravity: ArrayLike,
    forces: Sequence[ExternalForce] = (),
) -> GeneralisedForces:
    """What a motion requires beside gravity (3,), an acceleration, and external forces.

    Values, velocities and accelerations are (instants, dofs); the first three are those of the centre of mass.
    """
    return CharacterState(character, values, velocities, accelerations).generalised_forces(gravity, forces)


class CharacterState:
    """The bodies of a simplified character at several instants: where they are, how they move, what moves them.

    Values, velocities and accelerations are (instants, dofs); the first three are those of the centre of mass. Without
    velocities and accelerations the character is at rest. Lengths, masses and times are in the character's units.
    """

    def __init__(
        self,
        character: SimplifiedCharacter,
        values: ArrayLike,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
    ) -> None:
        self.character = character
        self.values = _checked(character, "values", values)
        rest = np.zeros_like(self.values)
        self.velocities = rest if velocities is None else _checked(character, "velocities", velocities)
        self.accelerations = rest if accelerations is None else _checked(character, "accelerations", accelerations)
        if not self.values.shape == self.velocities.shape == self.accelerations.shape:
            raise MotionError("Values, velocities and accelerations are those of the same instants; give equally many.")

    @property
    def instants(self) -> int:
        """How many instants there are."""
        return len(self.values)

    # Places ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _links(self) -> tuple[Array, Array]:
        """(dofs, instants, 3, 3) and (dofs, instants, 3): how each body is turned and placed in its parent's frame."""
        turns = np.tile(np.eye(3), (len(self.character), self.instants, 1, 1))
        arms = np.zeros((len(self.character), self.instants, 3))
        for index, dof in enumerate(self.character.dofs):
            moved = np.multiply.outer(self.values[:, index], dof.axis)
            if dof.kind == "rotation":
                turns[index] = rotations.to_matrix(rotations.exp(moved))
                moved = np.zeros_like(moved)
            arms[index] = dof.offset + moved
        return turns, arms

    @cached_property
    def _from_root(self) -> tuple[Array, Array]:
        """(dofs, instants, 3, 3) rotations to world space and (dofs, instants, 3) places from the root's origin."""
        turns, arms = (part.copy() for part in self._links)
        turns[:BODIES], arms[:BODIES] = np.eye(3), 0.0
        for index, parent in self._carried():
            arms[index] = arms[parent] + _turned(turns[parent], arms[index])
            turns[index] = turns[parent] @ turns[index]
        return turns, arms

    def _carried(self) -> list[tuple[int, int]]:
        """Each body that another one carries, with that one; parents come before their children."""
        pairs = [(index, self.character.dofs[index].parent) for index in range(BODIES, len(self.character))]
        return [(index, parent) for index, parent in pairs if parent >= BODIES]

    @cached_property
    def rotations(self) -> Array:
        """(instants, dofs, 3, 3) from the frames of the bodies to world space."""
        return self._from_root[0].swapaxes(0, 1)

    @cached_property
    def origins(self) -> Array:
        """(instants, dofs, 3) world positions of the origins of the bodies; those of the first three are the root's."""
        return self.root_origin[:, None] + self._from_root[1].swapaxes(0, 1)

    @cached_property
    def root_origin(self) -> Array:
        """(instants, 3) the world position of the root's origin, which puts the centre of mass where its values are."""
        return self.values[:, ROOT_TRANSLATIONS] - self._center_from_root

    @cached_property
    def _center_from_root(self) -> Array:
        """(instants, 3) the centre of mass from the root's origin, along the axes of the world."""
        turns, arms = self._from_root
        centers = arms + _turned(turns, self.character.centers[:, None])
        return np.asarray(np.einsum("b,bik->ik", self.character.masses, centers) / self.character.mass)

    def place(self, body: int, offset: ArrayLike) -> Array:
        """(instants, 3) the world position of a point of a body, given in its frame."""
        return self.origins[:, body] + _turned(self.rotations[:, body], np.asarray(offset, dtype=np.float64))

    def point(self, name: str) -> Array:
        """(instants, 3) the world position of a named point."""
        place = self.character.points[name]
        return self.place(place.body, place.offset)

    def center_of_mass(self, region: str | None = None) -> Array:
        """(instants, 3) the world position of the centre of the whole mass, or of that of a region."""
        if region is None:
            return self.values[:, ROOT_TRANSLATIONS].copy()
        parts: tuple[MassPart, ...] = self.character.regions[region]
        moments = sum((part.mass * self.place(part.body, part.center) for part in parts), np.zeros((self.instants, 3)))
        return np.asarray(moments / sum(part.mass for part in parts))

    # Motion ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _transforms(self) -> Array:
        """(dofs, instants, 6, 6) from spatial motions in the parent's frame to those in the body's.

        Their transposes bring spatial forces from the body's frame to the parent's.
        """
        turns, arms = self._links
        back = turns.swapaxes(-1, -2)
        found = np.zeros((len(self.character), self.instants, 6, 6))
        found[..., :3, :3] = found[..., 3:, 3:] = back
        found[..., 3:, :3] = -back @ _skew(arms)
        return found

    @cached_property
    def _axes(self) -> Array:
        """(dofs, 6) the spatial motion of each body in its own frame when its value grows: the axis is the same there
        as in the parent's frame."""
        axes = np.zeros((len(self.character), 6))
        for index, dof in enumerate(self.character.dofs):
            axes[index, slice(0, 3) if dof.kind == "rotation" else slice(3, 6)] = dof.axis
        return axes

    @cached_property
    def _inertias(self) -> Array:
        """(dofs, 6, 6) spatial inertias about the origins of the bodies, in their frames."""
        character = self.character
        masses, skew = character.masses[:, None, None], _skew(character.centers)
        found = np.zeros((len(character), 6, 6))
        found[:, :3, :3] = character.inertias + masses * skew @ skew.swapaxes(-1, -2)
        found[:, :3, 3:] = masses * skew
        found[:, 3:, :3] = masses * skew.swapaxes(-1, -2)
        found[:, 3:, 3:] = masses * np.eye(3)
        return found

    @cached_property
    def _motions(self) -> tuple[Array, Array]:
        """(dofs, instants, 6) spatial velocities and accelerations, seen from a root origin that is at rest."""
        velocities = np.zeros((len(self.character), self.instants, 6))
        accelerations = np.zeros_like(velocities)
        for index in range(BODIES, len(self.character)):
            parent, axis = self.character.dofs[index].parent, self._axes[index]
            own = np.multiply.outer(self.velocities[:, index], axis)
            velocities[index] = own
            accelerations[index] = np.multiply.outer(self.accelerations[:, index], axis)
            if parent >= BODIES:
                velocities[index] += _turned(self._transforms[index], velocities[parent])
                accelerations[index] += _turned(self._transforms[index], accelerations[parent])
            accelerations[index] += _motion_cross(velocities[index], own)
        return velocities, accelerations

    def _at_root(self, per_body: Array) -> Array:
        """(instants, 6) the sum of spatial forces, or momenta, (dofs, instants, 6) of all bodies: about the root's
        origin, along the axes of the world."""
        return self._carried_by(per_body)[1]

    def _carried_by(self, per_body: Array) -> tuple[Array, Array]:
        """(dofs, instants, 6) what each body carries in sum, in its frame, and (instants, 6) what the root's origin
        does, along the axes of the world."""
        sums, whole = per_body.copy(), np.zeros((self.instants, 6))
        for index in range(len(self.character) - 1, BODIES - 1, -1):
            parent = self.character.dofs[index].parent
            carried = _turned(self._transforms[index].swapaxes(-1, -2), sums[index])
            if parent >= BODIES:
                sums[parent] += carried
            else:
                whole += carried
        return sums, whole

    @cached_property
    def _momentum(self) -> Array:
        """(instants, 6) angular momentum about the root's origin, and momentum, seen from an origin at rest."""
        velocities, _ = self._motions
        return self._at_root(_turned(self._inertias[:, None], velocities))

    @property
    def linear_momentum(self) -> Array:
        """(instants, 3) in world space."""
        return self.character.mass * self.velocities[:, ROOT_TRANSLATIONS]

    @cached_property
    def angular_momentum(self) -> Array:
        """(instants, 3) about the centre of mass, in world space."""
        about_root, momentum = self._momentum[:, :3], self._momentum[:, 3:]
        return np.asarray(about_root - np.cross(self._center_from_root, momentum))

    @cached_property
    def root_velocity(self) -> Array:
        """(instants, 3) of the root's origin, in world space."""
        return np.asarray(self.velocities[:, ROOT_TRANSLATIONS] - self._momentum[:, 3:] / self.character.mass)

    @cached_property
    def kinetic_energy(self) -> Array:
        """(instants,) of all bodies."""
        velocities, _ = self._motions
        moving = velocities.copy()
        moving[..., 3:] += self._along_bodies(self.root_velocity)
        return np.asarray(0.5 * np.einsum("bik,bkl,bil->i", moving, self._inertias, moving))

    # Forces ----------------------------------------------------------------------------------------------------------

    def generalised_forces(self, gravity: ArrayLike, forces: Sequence[ExternalForce] = ()) -> GeneralisedForces:
        """What the motion requires beside gravity (3,), an acceleration, and external forces."""
        needed = self._rates_of_momentum
        # Seen from an origin at rest the momentum grows by this; what it lacks is the acceleration of the origin.
        relative = self._at_root(needed)[:, 3:] / self.character.mass
        lifted: Array = self.accelerations[:, ROOT_TRANSLATIONS] - relative - np.asarray(gravity, dtype=np.float64)
        needed = needed + _turned(self._inertias[:, None, :, 3:], self._along_bodies(lifted))
        for each in forces:
            needed[each.body] -= self._on_body(each)
        sums, whole = self._carried_by(needed)
        joints = np.einsum("bik,bk->ib", sums[ROOT_DOFS:], self._axes[ROOT_DOFS:])
        about_root, force = whole[:, :3], whole[:, 3:]
        return GeneralisedForces(force, about_root - np.cross(self._center_from_root, force), joints)

    @cached_property
    def _rates_of_momentum(self) -> Array:
        """(dofs, instants, 6) the rate of change of each body's momentum, seen from a root origin at rest."""
        velocities, accelerations = self._motions
        inertias = self._inertias[:, None]
        return _turned(inertias, accelerations) + _force_cross(velocities, _turned(inertias, velocities))

    def _along_bodies(self, vectors: Array) -> Array:
        """(dofs, instants, 3) world vectors (instants, 3) in the frames of all bodies."""
        return np.einsum("bikl,ik->bil", self._from_root[0], vectors)

    def _on_body(self, external: ExternalForce) -> Array:
        """(instants, 6) an external force in the frame of its body, at the body's origin."""
        if not BODIES <= external.body < len(self.character):
            raise MotionError(
                f"A force acts on body {external.body}; the bodies are {BODIES} to {len(self.character) - 1}."
            )
        back = self.rotations[:, external.body].swapaxes(-1, -2)
        force = _turned(back, external.forces)
        arm = _turned(back, external.places - self.origins[:, external.body])
        return np.concatenate([np.cross(arm, force), force], axis=-1)


def _checked(character: SimplifiedCharacter, what: str, given: ArrayLike) -> Array:
    found = np.asarray(given, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != len(character):
        raise MotionError(
            f"The {what} of a simplified character are a row of {len(character)} for each instant, not {found.shape}."
        )
    return found


def _turned(matrices: Array, vectors: Array) -> Array:
    """Matrices (…, n, m) times vectors (…, m)."""
    return np.asarray((matrices @ vectors[..., None])[..., 0])


def _skew(vectors: Array) -> Array:
    """(…, 3, 3) the matrices of cross products with vectors (…, 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    none = np.zeros_like(x)
    rows = [np.stack(row, axis=-1) for row in ((none, -z, y), (z, none, -x), (-y, x, none))]
    return np.stack(rows, axis=-2)


def _motion_cross(velocities: Array, motions: Array) -> Array:
    """(…, 6) the rate at which spatial motions change when they are carried along with spatial velocities."""
    turn, slide = velocities[..., :3], velocities[..., 3:]
    angular = np.cross(turn, motions[..., :3])
    return np.concatenate([angular, np.cross(turn, motions[..., 3:]) + np.cross(slide, motions[..., :3])], axis=-1)


def _force_cross(velocities: Array, forces: Array) -> Array:
    """(…, 6) the same of spatial forces, or momenta."""
    turn, slide = velocities[..., :3], velocities[..., 3:]
    moment = np.cross(turn, forces[..., :3]) + np.cross(slide, forces[..., 3:])
    return np.concatenate([moment, np.cross(turn, forces[..., 3:])], axis=-1)
