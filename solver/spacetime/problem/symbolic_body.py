# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics and dynamics of a simplified character as expressions of the optimiser (CasADi's SX).

The equations of motion are written by Newton and Euler's recursion: accelerations from the root outwards, forces back.
Expanding the Lagrangian (Popović 1999, section 3.8) gives the same residual with ten times as many operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.arrays import triple
from ..characters.character import ROOT_DOFS, ROOT_ROTATIONS, ROOT_TRANSLATIONS, MassPart, SimplifiedCharacter
from ..handles.handle import Axis
from ..optimiser_package import require

Vector = Any
"""A 3×1 expression."""

SMALLEST_LENGTH = 1e-9
"""Added to squares under a root, in units of the character: a length of 0 has no derivative."""


class SymbolicAlgebra:
    """What handles compute with vectors, as expressions."""

    def __init__(self) -> None:
        self.casadi = require()

    def dot(self, a: Vector, b: Vector) -> Vector:
        return self.casadi.dot(a, b)

    def length(self, v: Vector) -> Vector:
        return self.casadi.sqrt(self.casadi.dot(v, v) + SMALLEST_LENGTH**2)

    def unit(self, v: Vector) -> Vector:
        return v / self.length(v)


@dataclass
class _Body:
    """Where a body is, and how it moves, relative to the root's origin, which is taken to be at rest."""

    rotation: Any
    origin: Vector
    angular_velocity: Vector
    angular_acceleration: Vector
    acceleration: Vector
    axis: Vector


class SymbolicBody:
    """The places and accelerations of a simplified character with given values, velocities and accelerations.

    All are column vectors of the optimiser with one entry for each degree of freedom; without velocities and
    accelerations only places are known.
    """

    def __init__(self, character: SimplifiedCharacter, values: Any, velocities: Any = None, accelerations: Any = None):
        self.casadi = require()
        self.algebra = SymbolicAlgebra()
        self.character = character
        self.moves = velocities is not None
        zero = self.casadi.SX.zeros(len(character))
        self.values = values
        self.velocities = velocities if self.moves else zero
        self.accelerations = accelerations if self.moves else zero
        self.bodies: dict[int, _Body] = {}
        for index in range(ROOT_TRANSLATIONS.stop, len(character)):
            self.bodies[index] = self._moved(index)
        whole = [
            MassPart(index, float(mass), triple(center))
            for index, (mass, center) in enumerate(zip(character.masses, character.centers, strict=True))
            if mass > 0.0
        ]
        self._whole = tuple(whole)
        self.relative_center = self._relative_center(self._whole)
        """Of the whole body, from the root's origin."""
        self.root_origin = self.values[ROOT_TRANSLATIONS] - self.relative_center
        if self.moves:
            masses = character.mass
            center_acceleration = sum(
                part.mass / masses * self._acceleration_of(part.body, part.center) for part in self._whole
            )
            self.root_acceleration = self.accelerations[ROOT_TRANSLATIONS] - center_acceleration

    # Kinematics ------------------------------------------------------------------------------------------------------

    def _moved(self, index: int) -> _Body:
        ca, dof = self.casadi, self.character.dofs[index]
        zero = ca.SX.zeros(3)
        above = self.bodies.get(dof.parent)
        if above is None:
            above = _Body(ca.SX.eye(3), zero, zero, zero, zero, zero)
        axis = above.rotation @ ca.DM(dof.axis)
        arm = above.rotation @ ca.DM(dof.offset) if any(dof.offset) else zero
        value, rate, acceleration = self.values[index], self.velocities[index], self.accelerations[index]
        omega, alpha = above.angular_velocity, above.angular_acceleration
        if dof.kind == "translation":
            arm = arm + axis * value
        linear = above.acceleration
        if self.moves:
            linear = linear + ca.cross(alpha, arm) + ca.cross(omega, ca.cross(omega, arm))
        if dof.kind == "translation":
            if self.moves:
                linear = linear + 2.0 * ca.cross(omega, axis * rate) + axis * acceleration
            return _Body(above.rotation, above.origin + arm, omega, alpha, linear, axis)
        rotation = above.rotation @ _turn(ca, dof.axis, value)
        if self.moves:
            alpha = alpha + axis * acceleration + ca.cross(omega, axis * rate)
            omega = omega + axis * rate
        return _Body(rotation, above.origin + arm, omega, alpha, linear, axis)

    def _relative_center(self, parts: tuple[MassPart, ...]) -> Vector:
        mass = sum(part.mass for part in parts)
        return sum(part.mass / mass * self._relative(part.body, part.center) for part in parts)

    def _relative(self, body: int, offset: tuple[float, float, float]) -> Vector:
        return self.bodies[body].origin + self.bodies[body].rotation @ self.casadi.DM(offset)

    def _acceleration_of(self, body: int, offset: tuple[float, float, float]) -> Vector:
        """Of a point, relative to the root's origin."""
        ca, state = self.casadi, self.bodies[body]
        arm = state.rotation @ ca.DM(offset)
        omega = state.angular_velocity
        return state.acceleration + ca.cross(state.angular_acceleration, arm) + ca.cross(omega, ca.cross(omega, arm))

    def place(self, body: int, offset: tuple[float, float, float]) -> Vector:
        """The world position of a point of a body."""
        return self.root_origin + self._relative(body, offset)

    def point(self, name: str) -> Vector:
        """The world position of a point that both characters have."""
        place = self.character.points[name]
        return self.place(place.body, place.offset)

    def center_of_mass(self, joint: str | None) -> Vector:
        """The world position of the centre of the whole mass, or of that of a joint's subtree."""
        if joint is None:
            return self.values[ROOT_TRANSLATIONS]
        return self.root_origin + self._relative_center(self.character.regions[joint])

    def axis(self, joint: str, axis: Axis) -> Vector:
        """The unit vector of a body axis as the joint has turned it."""
        body, rest = self.character.axis_of(joint, axis)
        return self.bodies[body].rotation @ self.casadi.DM(rest)

    # Dynamics --------------------------------------------------------------------------------------------------------

    def required_moments(self, gravity: Any, forces: list[tuple[int, Vector, Vector]]) -> tuple[Vector, Any]:
        """What the motion requires beside gravity (3×1) and the given forces.

        `forces` are (body, place, force), in world space. Returned are the moment about the centre of mass (3×1), which
        nothing provides, and the generalised forces of all degrees of freedom after the root's, which muscles provide.
        """
        ca, character = self.casadi, self.character
        force = {index: ca.SX.zeros(3) for index in self.bodies}
        moment = {index: ca.SX.zeros(3) for index in self.bodies}
        for index, state in self.bodies.items():
            mass = float(character.masses[index])
            if mass > 0.0:
                center = triple(character.centers[index])
                inertial = mass * (self.root_acceleration + self._acceleration_of(index, center) - gravity)
                force[index] = inertial
                moment[index] = ca.cross(state.rotation @ ca.DM(center), inertial) + self._euler(index)
        for body, place, applied in forces:
            force[body] = force[body] - applied
            arm = place - self.root_origin - self.bodies[body].origin
            moment[body] = moment[body] - ca.cross(arm, applied)
        needed = {}
        for index in reversed(sorted(self.bodies)):
            state, dof = self.bodies[index], character.dofs[index]
            needed[index] = ca.dot(state.axis, moment[index] if dof.kind == "rotation" else force[index])
            if dof.parent in self.bodies:
                arm = state.origin - self.bodies[dof.parent].origin
                force[dof.parent] = force[dof.parent] + force[index]
                moment[dof.parent] = moment[dof.parent] + moment[index] + ca.cross(arm, force[index])
        root = ROOT_ROTATIONS.start
        # About the centre of mass rather than the root's origin: then the row does not depend on the sum of forces.
        spin = moment[root] - ca.cross(self.relative_center, force[root])
        return spin, ca.vertcat(*(needed[index] for index in range(ROOT_DOFS, len(character))))

    def _euler(self, index: int) -> Vector:
        """The moment that turns a body: the rate of change of its angular momentum about its own centre."""
        ca, state = self.casadi, self.bodies[index]
        inertia = ca.DM(self.character.inertias[index])
        omega = state.rotation.T @ state.angular_velocity
        alpha = state.rotation.T @ state.angular_acceleration
        return state.rotation @ (inertia @ alpha + ca.cross(omega, inertia @ omega))


def _turn(ca: Any, axis: tuple[float, float, float], angle: Any) -> Any:
    """The rotation matrix about a constant unit axis (Rodrigues)."""
    x, y, z = axis
    skew = ca.DM([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    skew = ca.sparsify(skew)
    square = ca.sparsify(skew @ skew)
    return ca.SX.eye(3) + ca.sin(angle) * skew + (1.0 - ca.cos(angle)) * square
