# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse dynamics against Pinocchio, against the optimiser's equations, and against what is known without either."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError
from poise.solver.spacetime.characters.character import ROOT_DOFS, SimplifiedCharacter
from poise.solver.spacetime.checks.inverse_dynamics import CharacterState, ExternalForce, inverse_dynamics
from poise.solver.spacetime.problem.symbolic_body import SymbolicBody

from ..simplified_characters import character_of, of_recipe, random_character, random_states, root_dofs

TOLERANCE = 1e-10
INSTANTS = 7
GRAVITY = np.array([0.3, -0.9, 0.2])
RANDOM = 6
CHARACTERS = ("biped", "hopper", *(f"random {seed}" for seed in range(RANDOM)))


def character_named(name: str) -> SimplifiedCharacter:
    if not name.startswith("random"):
        return of_recipe(name)
    seed = int(name.partition(" ")[2])
    return random_character(np.random.default_rng(seed), joints=2 + 3 * seed)


@pytest.fixture(params=CHARACTERS)
def character(request: pytest.FixtureRequest) -> SimplifiedCharacter:
    """Each recipe's character and random ones, in turn."""
    return character_named(request.param)


def random_forces(rng: np.random.Generator, character: SimplifiedCharacter, instants: int) -> list[ExternalForce]:
    # Not on the bodies of heading and roll: their forces would be missing from those of the axes below.
    bodies = [ROOT_DOFS - 1, len(character) - 1, int(rng.integers(ROOT_DOFS - 1, len(character)))]
    return [
        ExternalForce(body, rng.standard_normal((instants, 3)), rng.standard_normal((instants, 3))) for body in bodies
    ]


def assert_close(found: Array, expected: Array, what: str, tolerance: float = TOLERANCE) -> None:
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    worst = float(np.abs(found - expected).max(initial=0.0)) / scale
    assert found.shape == expected.shape, what
    assert worst < tolerance, f"{what} is off by {worst:.2g}"


# --- against Pinocchio ----------------------------------------------------------------------------------------------


class Oracle:
    """A simplified character as a Pinocchio model: three translations of the root's origin, then the character's own
    rotations and translations, one joint each."""

    def __init__(self, character: SimplifiedCharacter) -> None:
        import pinocchio

        self.pinocchio, self.character = pinocchio, character
        self.model: Any = pinocchio.Model()
        root = self.model.addJoint(0, pinocchio.JointModelTranslation(), pinocchio.SE3.Identity(), "root")
        self.joints: dict[int, int] = {}
        for index in range(3, len(character)):
            dof = character.dofs[index]
            kinds = {
                "rotation": pinocchio.JointModelRevoluteUnaligned,
                "translation": pinocchio.JointModelPrismaticUnaligned,
            }
            place = pinocchio.SE3(np.eye(3), np.array(dof.offset))
            parent = self.joints.get(dof.parent, root)
            joint = self.model.addJoint(parent, kinds[dof.kind](np.array(dof.axis)), place, dof.name)
            self.joints[index] = joint
            inertia = pinocchio.Inertia(
                float(character.masses[index]), np.array(character.centers[index]), np.array(character.inertias[index])
            )
            self.model.appendBodyToJoint(joint, inertia, pinocchio.SE3.Identity())
        self.data = self.model.createData()
        order = [self.model.joints[self.joints[index]].idx_v - 3 for index in range(3, len(character))]
        assert order == list(range(len(character) - 3)), "the columns of both models have the same order"

    def move(self, values: Array, velocities: Array, accelerations: Array) -> None:
        """Take on one instant, (dofs,) each: the root's origin moves so that the centre of mass does as given."""
        state = [np.concatenate([np.zeros(3), part[3:]]) for part in (values, velocities, accelerations)]
        self.pinocchio.centerOfMass(self.model, self.data, *state)
        relative = (self.data.com[0], self.data.vcom[0], self.data.acom[0])
        for part, own, given in zip(state, relative, (values, velocities, accelerations), strict=True):
            part[:3] = given[:3] - np.array(own)
        self.state = state
        self.pinocchio.forwardKinematics(self.model, self.data, *state)

    def placement(self, body: int) -> tuple[Array, Array]:
        place = self.data.oMi[self.joints[body]]
        return np.array(place.rotation), np.array(place.translation)

    def forces(self, gravity: Array, forces: list[tuple[int, Array, Array]]) -> Array:
        """(dofs,) generalised forces: of the root's origin, then of the other degrees of freedom."""
        self.model.gravity.linear = gravity
        own = [self.pinocchio.Force.Zero() for _ in range(self.model.njoints)]
        for body, place, force in forces:
            rotation, origin = self.placement(body)
            local = rotation.T @ force
            own[self.joints[body]] += self.pinocchio.Force(local, np.cross(rotation.T @ (place - origin), local))
        return np.array(self.pinocchio.rnea(self.model, self.data, *self.state, own))

    def momentum(self) -> Array:
        """(6,) momentum, and angular momentum about the centre of mass."""
        self.pinocchio.computeCentroidalMomentum(self.model, self.data, self.state[0], self.state[1])
        return np.concatenate([np.array(self.data.hg.linear), np.array(self.data.hg.angular)])


@pytest.mark.peers
def test_pinocchio_finds_the_same_forces(character: SimplifiedCharacter, rng: np.random.Generator) -> None:
    oracle, states = Oracle(character), random_states(rng, character, INSTANTS)
    forces = random_forces(rng, character, INSTANTS)
    found = inverse_dynamics(character, *states, GRAVITY, forces)
    body = CharacterState(character, *states)
    for instant in range(INSTANTS):
        oracle.move(*(part[instant] for part in states))
        expected = oracle.forces(GRAVITY, [(each.body, each.places[instant], each.forces[instant]) for each in forces])
        assert_close(found.force[instant], expected[:3], "the sum of forces")
        assert_close(found.joints[instant], expected[ROOT_DOFS:], "a joint's force")
        # Pinocchio's are about the root's origin, along the axes of heading, roll and pitch.
        arm = states[0][instant, :3] - body.root_origin[instant]
        moment = found.moment[instant] + np.cross(arm, found.force[instant])
        above = [np.eye(3), body.rotations[instant, 3], body.rotations[instant, 4]]
        axes = np.array([turn @ character.dofs[3 + row].axis for row, turn in enumerate(above)])
        assert_close(axes @ moment, expected[3:ROOT_DOFS], "the moment")


@pytest.mark.peers
def test_pinocchio_finds_the_same_places_and_momenta(character: SimplifiedCharacter, rng: np.random.Generator) -> None:
    oracle, states = Oracle(character), random_states(rng, character, INSTANTS)
    body = CharacterState(character, *states)
    for instant in range(INSTANTS):
        oracle.move(*(part[instant] for part in states))
        for index in range(3, len(character)):
            rotation, place = oracle.placement(index)
            assert_close(body.rotations[instant, index], rotation, "a rotation")
            assert_close(body.origins[instant, index], place, "an origin")
        momentum = oracle.momentum()
        assert_close(body.linear_momentum[instant], momentum[:3], "the momentum")
        assert_close(body.angular_momentum[instant], momentum[3:], "the angular momentum")
        assert_close(body.root_velocity[instant], oracle.state[1][:3], "the root's velocity")
        energy = oracle.pinocchio.computeKineticEnergy(oracle.model, oracle.data, oracle.state[0], oracle.state[1])
        assert body.kinetic_energy[instant] == pytest.approx(energy, rel=TOLERANCE)


# --- against the optimiser's equations ------------------------------------------------------------------------------


def test_the_optimiser_solves_the_same_equations(character: SimplifiedCharacter, rng: np.random.Generator) -> None:
    """Values and derivatives of its compiled expressions, over random states."""
    ca = pytest.importorskip("casadi")
    states, forces = random_states(rng, character, INSTANTS), random_forces(rng, character, INSTANTS)
    symbols = [ca.SX.sym(name, len(character)) for name in ("values", "velocities", "accelerations")]
    places, pushes = ca.SX.sym("places", 3, len(forces)), ca.SX.sym("forces", 3, len(forces))
    body = SymbolicBody(character, *symbols)
    gravity = ca.DM(GRAVITY)
    spin, needed = body.required_moments(gravity, [(e.body, places[:, i], pushes[:, i]) for i, e in enumerate(forces)])
    function = ca.Function("forces", [*symbols, places, pushes], [spin, needed])
    found = inverse_dynamics(character, *states, GRAVITY, forces)
    for instant in range(INSTANTS):
        given = [np.stack([getattr(each, name)[instant] for each in forces], axis=1) for name in ("places", "forces")]
        moment, joints = (np.asarray(part)[:, 0] for part in function(*(part[instant] for part in states), *given))
        assert_close(moment, found.moment[instant], "the moment about the centre of mass")
        assert_close(joints, found.joints[instant], "a joint's force")


def test_the_optimiser_has_the_same_places(character: SimplifiedCharacter, rng: np.random.Generator) -> None:
    ca = pytest.importorskip("casadi")
    values, _, _ = random_states(rng, character, INSTANTS)
    symbol = ca.SX.sym("values", len(character))
    symbolic, body = SymbolicBody(character, symbol), CharacterState(character, values)
    expected = {name: body.point(name) for name in character.points}
    expected |= {f"region {name}": body.center_of_mass(name) for name in character.regions}
    expected["root"], expected["whole"] = body.root_origin, body.center_of_mass()
    expressions = {name: symbolic.point(name) for name in character.points}
    expressions |= {f"region {name}": symbolic.center_of_mass(name) for name in character.regions}
    expressions["root"], expressions["whole"] = symbolic.root_origin, symbolic.center_of_mass(None)
    for name, expression in expressions.items():
        found = np.asarray(ca.Function("place", [symbol], [expression]).map(INSTANTS)(values.T)).T
        assert_close(found, expected[name], name)


# --- without any other code -----------------------------------------------------------------------------------------


def test_bodies_add_up_to_the_centre_of_mass(character: SimplifiedCharacter, rng: np.random.Generator) -> None:
    values, _, _ = random_states(rng, character, INSTANTS)
    body = CharacterState(character, values)
    moments = sum(
        character.masses[index] * body.place(index, character.centers[index]) for index in range(3, len(character))
    )
    assert_close(np.asarray(moments), character.mass * values[:, :3], "the sum of masses times places")


def swinging(character: SimplifiedCharacter, rng: np.random.Generator, times: Array) -> tuple[Array, Array, Array]:
    """Smooth values with their derivatives: sines of random phases."""
    size, speed, phase = rng.uniform(0.3, 1.0, (3, len(character)))
    angle = np.multiply.outer(times, speed) + 7.0 * phase
    return size * np.sin(angle), size * speed * np.cos(angle), -size * speed**2 * np.sin(angle)


def test_forces_are_the_rates_of_momentum(character: SimplifiedCharacter, rng: np.random.Generator) -> None:
    """Momenta come from velocities alone; their difference quotients over time are the forces, found from
    accelerations."""
    step = 1e-4
    times = np.array([0.4, 1.3, 2.2])
    seed = int(rng.integers(1000))
    now, before, after = (
        CharacterState(character, *swinging(character, np.random.default_rng(seed), times + shift))
        for shift in (0.0, -step, step)
    )
    found = now.generalised_forces(np.zeros(3))
    assert_close(
        found.force, (after.linear_momentum - before.linear_momentum) / (2 * step), "the force", tolerance=1e-6
    )
    assert_close(
        found.moment, (after.angular_momentum - before.angular_momentum) / (2 * step), "the moment", tolerance=1e-6
    )


def test_forces_do_the_work_that_becomes_kinetic_energy(
    character: SimplifiedCharacter, rng: np.random.Generator
) -> None:
    step = 1e-4
    times = np.array([0.4, 1.3, 2.2])
    seed = int(rng.integers(1000))
    now, before, after = (
        CharacterState(character, *swinging(character, np.random.default_rng(seed), times + shift))
        for shift in (0.0, -step, step)
    )
    found = now.generalised_forces(np.zeros(3))
    about_root = found.moment + np.cross(now.center_of_mass() - now.root_origin, found.force)
    turning = np.zeros((len(times), 3))
    for row, above in enumerate((np.tile(np.eye(3), (len(times), 1, 1)), now.rotations[:, 3], now.rotations[:, 4])):
        turning += (above @ np.array(character.dofs[3 + row].axis)) * now.velocities[:, 3 + row, None]
    power = np.sum(found.force * now.root_velocity, axis=1) + np.sum(about_root * turning, axis=1)
    power += np.sum(found.joints * now.velocities[:, ROOT_DOFS:], axis=1)
    assert_close(power, (after.kinetic_energy - before.kinetic_energy) / (2 * step), "the power", tolerance=1e-6)


def test_external_forces_are_what_is_needed_less(character: SimplifiedCharacter, rng: np.random.Generator) -> None:
    """By the work that they do: the virtual displacement of their place, from difference quotients."""
    states = random_states(rng, character, 2)
    force = replace(random_forces(rng, character, 2)[1])
    body = CharacterState(character, *states)
    without, with_force = (body.generalised_forces(GRAVITY, given) for given in ([], [force]))
    step = 1e-6
    local = rotations.rotate(
        rotations.conjugate(rotations.from_matrix(body.rotations[:, force.body])),
        force.places - body.origins[:, force.body],
    )
    for joint in range(ROOT_DOFS, len(character)):
        moved = []
        for sign in (-1.0, 1.0):
            values = states[0].copy()
            values[:, joint] += sign * step
            other = CharacterState(character, values)
            # From the root's origin: a joint's force is what acts between two bodies, wherever the whole is.
            turned = np.stack([other.rotations[i, force.body] @ local[i] for i in range(2)])
            moved.append(other.origins[:, force.body] - other.root_origin + turned)
        work = np.sum((moved[1] - moved[0]) / (2 * step) * force.forces, axis=1)
        assert_close(without.joints[:, joint - ROOT_DOFS] - with_force.joints[:, joint - ROOT_DOFS], work, "work", 1e-8)
    assert_close(without.force - with_force.force, force.forces, "the sum of forces")
    arm = force.places - states[0][:, :3]
    assert_close(without.moment - with_force.moment, np.cross(arm, force.forces), "the moment")


def test_a_falling_body_needs_nothing(rng: np.random.Generator) -> None:
    """A ball about its centre: it falls with gravity, and turns as it likes."""
    masses = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 2.0])
    inertias = np.zeros((6, 3, 3))
    inertias[5] = 0.3 * np.eye(3)
    ball = character_of(root_dofs(), masses, np.zeros((6, 3)), inertias)
    values, velocities, accelerations = rng.standard_normal((3, 4, 6))
    accelerations[:, :3] = GRAVITY
    # About one axis: heading alone.
    velocities[:, 4:] = accelerations[:, 4:] = accelerations[:, 3] = values[:, 4:] = 0.0
    found = inverse_dynamics(ball, values, velocities, accelerations, GRAVITY)
    assert_close(found.force, np.zeros((4, 3)), "the force")
    assert_close(found.moment, np.zeros((4, 3)), "the moment")
    np.testing.assert_allclose(CharacterState(ball, values, velocities).angular_momentum[:, 1], 0.3 * velocities[:, 3])


def test_wrong_shapes_are_refused() -> None:
    character = of_recipe("hopper")
    with pytest.raises(MotionError, match="a row of 10 for each instant"):
        CharacterState(character, np.zeros((4, 9)))
    with pytest.raises(MotionError, match="same instants"):
        CharacterState(character, np.zeros((4, 10)), np.zeros((3, 10)))
    state = CharacterState(character, np.zeros((4, 10)))
    with pytest.raises(MotionError, match="the bodies are 3 to 9"):
        state.generalised_forces(GRAVITY, [ExternalForce(2, np.zeros((4, 3)), np.zeros((4, 3)))])
