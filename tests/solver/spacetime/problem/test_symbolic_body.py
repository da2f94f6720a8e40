# SPDX-License-Identifier: GPL-3.0-or-later
"""The optimiser's kinematics against difference quotients, and its dynamics by what a passive body conserves.

That the equations of motion agree with other code is tested in test_inverse_dynamics.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.character import ROOT_DOFS, DegreeOfFreedom, Place, SimplifiedCharacter
from poise.solver.spacetime.checks.inverse_dynamics import CharacterState
from poise.solver.spacetime.handles.handle import AXES
from poise.solver.spacetime.problem.symbolic_body import SMALLEST_LENGTH, SymbolicAlgebra, SymbolicBody

from ..simplified_characters import character_of, of_recipe, random_character, root_dofs
from ..small_problems import runge_kutta

ca = pytest.importorskip("casadi", reason="the optimiser is not installed")

GRAVITY = np.array([0.2, -1.0, 0.1])


def numbers(result: Any) -> Array:
    return np.asarray(result)[:, 0]


@pytest.fixture(params=["biped", "hopper", "random"])
def character(request: pytest.FixtureRequest, rng: np.random.Generator) -> SimplifiedCharacter:
    """Each recipe's character, and a random one."""
    return random_character(rng, 8) if request.param == "random" else of_recipe(request.param)


# --- kinematics -----------------------------------------------------------------------------------------------------


def test_the_values_of_the_root_are_the_centre_of_mass(
    character: SimplifiedCharacter, rng: np.random.Generator
) -> None:
    values = rng.standard_normal(len(character))
    body = SymbolicBody(character, ca.DM(values))
    heavy = [index for index in range(len(character)) if character.masses[index] > 0.0]
    moments = sum(
        character.masses[index] * numbers(ca.DM(body.place(index, tuple(map(float, character.centers[index])))))
        for index in heavy
    )
    np.testing.assert_allclose(moments / character.mass, values[:3], atol=1e-12)
    np.testing.assert_allclose(numbers(ca.DM(body.center_of_mass(None))), values[:3])


def test_accelerations_are_second_difference_quotients_of_places(
    character: SimplifiedCharacter, rng: np.random.Generator
) -> None:
    """Along values that are polynomials of second degree in time."""
    values, velocities, accelerations = rng.standard_normal((3, len(character)))
    symbols = [ca.SX.sym(name, len(character)) for name in ("values", "velocities", "accelerations")]
    moving = SymbolicBody(character, *symbols)
    bodies = list(moving.bodies)
    offset = (0.1, -0.2, 0.3)
    everywhere = ca.horzcat(*(moving.place(body, offset) for body in bodies))
    speeding = ca.horzcat(*(moving.root_acceleration + moving._acceleration_of(body, offset) for body in bodies))
    places = ca.Function("places", [symbols[0]], [everywhere])
    found = np.asarray(ca.Function("speeding", symbols, [speeding])(values, velocities, accelerations))

    def at(time: float) -> Array:
        return np.asarray(places(values + time * velocities + 0.5 * time**2 * accelerations))

    step = 1e-3
    # Of fourth order: 16 of the coarser quotient's error are one of the finer's.
    fine = (at(step) - 2.0 * at(0.0) + at(-step)) / step**2
    coarse = (at(2.0 * step) - 2.0 * at(0.0) + at(-2.0 * step)) / (2.0 * step) ** 2
    np.testing.assert_allclose(found, fine + (fine - coarse) / 3.0, rtol=1e-6, atol=1e-6)


def test_a_rotation_turns_bodies_about_its_axis_and_a_translation_moves_them_along_it(rng: np.random.Generator) -> None:
    """Places of a body and of all that it carries, by the formula of Rodrigues, seen from the root's origin."""
    character = random_character(rng, 6)
    values = rng.standard_normal(len(character))
    body = SymbolicBody(character, ca.DM(values))
    moved_by = 0.7
    for joint in range(3, len(character)):
        dof = character.dofs[joint]
        changed = values.copy()
        changed[joint] += moved_by
        other = SymbolicBody(character, ca.DM(changed))
        turn = np.asarray(ca.DM(body.bodies[joint].rotation))
        axis = turn @ np.array(dof.axis)
        origin = numbers(ca.DM(body.bodies[joint].origin))
        for each in body.bodies:
            before = numbers(ca.DM(body.place(each, (0.3, 0.1, -0.2)) - body.root_origin))
            after = numbers(ca.DM(other.place(each, (0.3, 0.1, -0.2)) - other.root_origin))
            if not character.is_below(each, joint):
                expected = before
            elif dof.kind == "translation":
                expected = before + moved_by * axis
            else:
                arm = before - origin
                along = (arm @ axis) * axis
                across = arm - along
                expected = origin + along + np.cos(moved_by) * across + np.sin(moved_by) * np.cross(axis, across)
            np.testing.assert_allclose(after, expected, atol=1e-12)


def test_body_axes_turn_with_their_joint(rng: np.random.Generator) -> None:
    character = of_recipe("biped")
    values = rng.standard_normal(len(character))
    body, state = SymbolicBody(character, ca.DM(values)), CharacterState(character, values[None])
    for joint, index in character.frames.items():
        for row, name in enumerate(AXES):
            found = numbers(ca.DM(body.axis(joint, name)))
            np.testing.assert_allclose(found, state.rotations[0, index] @ character.axes[row], atol=1e-12)


def test_the_length_of_a_zero_vector_has_a_derivative() -> None:
    vector = ca.SX.sym("vector", 3)
    algebra = SymbolicAlgebra()
    length = algebra.length(vector)
    slopes = ca.Function("slopes", [vector], [length, ca.jacobian(length, vector), ca.hessian(length, vector)[0]])
    value, slope, bend = (np.asarray(part) for part in slopes(np.zeros(3)))
    assert float(value[0, 0]) == pytest.approx(SMALLEST_LENGTH)
    assert np.isfinite(slope).all() and np.isfinite(bend).all()
    value, slope, _ = (np.asarray(part) for part in slopes([3.0, 0.0, 4.0]))
    assert float(value[0, 0]) == pytest.approx(5.0)
    np.testing.assert_allclose(slope, [[0.6, 0.0, 0.8]])
    unit = ca.Function("unit", [vector], [algebra.unit(vector)])
    np.testing.assert_allclose(numbers(unit([3.0, 0.0, 4.0])), [0.6, 0.0, 0.8])


# --- dynamics -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Passive:
    """A character without muscles that flies, or hangs from a pinned point: its accelerations, found from the
    optimiser's equations.

    Those are linear in accelerations and forces, so that their values for a basis of both make a linear system.
    """

    character: SimplifiedCharacter
    pinned: str | None = None

    @property
    def count(self) -> int:
        return len(self.character)

    @cached_property
    def _equations(self) -> Any:
        """From values, velocities, accelerations and the force at the pinned point to the residuals."""
        symbols = [ca.SX.sym(name, self.count) for name in ("values", "velocities", "accelerations")]
        force = ca.SX.sym("force", 3)
        body = SymbolicBody(self.character, *symbols)
        rows = []
        forces = []
        if self.pinned is not None:
            place = self.character.points[self.pinned]
            where = body.place(place.body, place.offset)
            forces = [(place.body, where, force)]
            rows.append(body.root_acceleration + body._acceleration_of(place.body, place.offset))
        spin, needed = body.required_moments(ca.DM(GRAVITY), forces)
        total = symbols[2][:3] - ca.DM(GRAVITY)
        if self.pinned is not None:
            total = total - force / self.character.mass
        return ca.Function("equations", [*symbols, force], [ca.vertcat(total, spin, needed, *rows)])

    def rate(self, state: Array) -> Array:
        """(2 · dofs,) the rate of values and velocities."""
        values, velocities = state[: self.count], state[self.count :]
        unknowns = self.count + (3 if self.pinned is not None else 0)

        def residual(given: Array) -> Array:
            padded = np.concatenate([given, np.zeros(self.count + 3 - unknowns)])
            return numbers(self._equations(values, velocities, padded[: self.count], padded[self.count :]))

        rest = residual(np.zeros(unknowns))
        matrix = np.stack([residual(unit) - rest for unit in np.eye(unknowns)], axis=1)
        accelerations = np.linalg.solve(matrix, -rest)[: self.count]
        return np.concatenate([velocities, accelerations])

    def path(self, state: Array, duration: float, steps: int) -> Array:
        """(steps + 1, 2 · dofs)"""
        found = [state]
        for _ in range(steps):
            found.append(runge_kutta(self.rate, found[-1], duration / steps))
        return np.array(found)

    def states(self, path: Array) -> CharacterState:
        return CharacterState(self.character, path[:, : self.count], path[:, self.count :])


def energy(states: CharacterState) -> Array:
    return states.kinetic_energy - states.character.mass * states.center_of_mass() @ GRAVITY


def double_pendulum() -> SimplifiedCharacter:
    """Two rods whose hinge is not across their swing: it moves in all three dimensions."""
    hinge = DegreeOfFreedom("hinge", "rotation", 5, (0.8, 0.0, 0.6), (0.0, -0.5, 0.1))
    masses = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.4])
    centers = np.zeros((7, 3))
    centers[6] = 0.05, -0.4, 0.0
    inertias = np.zeros((7, 3, 3))
    inertias[5], inertias[6] = np.diag([0.05, 0.02, 0.06]), np.diag([0.03, 0.01, 0.02])
    return character_of([*root_dofs(), hinge], masses, centers, inertias, {"pivot": Place(5, (0.0, 0.4, 0.0))})


def test_a_double_pendulum_keeps_its_energy() -> None:
    """It hangs from a point, to which every path that its equations give keeps it."""
    pendulum = Passive(double_pendulum(), "pivot")
    values = np.array([0.0, 0.0, 0.0, 0.3, 0.2, 0.9, -0.5])
    # The centre of mass is where the pivot is the origin, and moves as the pivot rests.
    at_rest = CharacterState(pendulum.character, values[None])
    values[:3] = -at_rest.point("pivot")[0]
    start = np.concatenate([values, np.zeros(7)])
    path = pendulum.path(start, 3.0, 600)
    states = pendulum.states(path)
    assert np.ptp(states.kinetic_energy) > 0.3, "it swings"
    assert np.ptp(path[:, ROOT_DOFS]) > 1.0, "its hinge bends"
    np.testing.assert_allclose(energy(states), energy(states)[0], atol=1e-7)
    np.testing.assert_allclose(states.point("pivot"), 0.0, atol=1e-7)


def test_a_passive_body_in_flight_keeps_its_energy_and_its_angular_momentum(rng: np.random.Generator) -> None:
    body = Passive(random_character(rng, 3))
    start = np.concatenate([0.5 * rng.standard_normal(9), rng.standard_normal(9)])
    duration, steps = 0.6, 300
    path = body.path(start, duration, steps)
    states = body.states(path)
    np.testing.assert_allclose(energy(states), energy(states)[0], atol=1e-7)
    spins = states.angular_momentum
    assert np.linalg.norm(spins[0]) > 0.05, "it turns"
    np.testing.assert_allclose(spins, np.tile(spins[0], (len(spins), 1)), atol=1e-7)
    times = np.linspace(0.0, duration, steps + 1)[:, None]
    parabola = start[:3] + times * start[9:12] + 0.5 * times**2 * GRAVITY
    np.testing.assert_allclose(path[:, :3], parabola, atol=1e-9)
    assert np.ptp(path[:, 3:9], axis=0).min() > 1e-2, "everything moves"
