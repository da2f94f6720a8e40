# SPDX-License-Identifier: GPL-3.0-or-later
"""The mass matrix against sums over weighted points, and the inertia of a whole body against its parts."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.joints import BodyPoint
from poise.solver.body.kinematics import WorldState
from poise.solver.body.mass_matrix import mass_matrix, own_centers, own_spreads, whole_inertia
from poise.solver.body.mass_tensors import MassPoints
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from ..characters import matrix, person, random_motion, random_state
from ..jacobian_check import some_dofs


def by_points(state: WorldState, dofs: Dofs) -> Array:
    """(frames, columns, columns) the sum of JᵀJ over the weighted points of all bodies."""
    points = MassPoints.of(state.skeleton)
    whole = np.zeros((state.frames, dofs.count, dofs.count))
    for joint, offset, weight in zip(points.point_joints, points.offsets, points.weights, strict=True):
        own = weight * state.point_jacobian(BodyPoint(int(joint), tuple(offset)), dofs)
        whole += own.swapaxes(1, 2) @ own
    for joint, direction in zip(points.direction_joints, points.directions, strict=True):
        ends = (BodyPoint(int(joint), tuple(direction)), BodyPoint(int(joint)))
        own = state.point_jacobian(ends[0], dofs) - state.point_jacobian(ends[1], dofs)
        whole += own.swapaxes(1, 2) @ own
    return whole


def assert_same(found: Array, expected: Array, skeleton: Skeleton, dofs: Dofs) -> None:
    """Fail unless two mass matrices agree, with rotations counted by the size of the character."""
    scale = np.full(dofs.count, skeleton.size)
    scale[dofs.translation_columns] = 1.0
    unit = np.outer(scale, scale) * skeleton.mass_unit
    np.testing.assert_allclose(found / unit, expected / unit, atol=1e-9)


def test_the_mass_matrix_is_that_of_weighted_points(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character, 3)
    assert_same(mass_matrix(state, character.dofs), by_points(state, character.dofs), character, character.dofs)
    dofs = some_dofs(rng, state)
    assert_same(mass_matrix(state, dofs), by_points(state, dofs), character, dofs)


def test_relative_to_the_root_only_what_moves_against_it_counts(character: Skeleton, rng: np.random.Generator) -> None:
    """The energy of velocities less that of the rigid motion which the root has: the König decomposition does not
    apply, so the motion of joint 0 is taken from each body explicitly."""
    state, dofs = random_state(rng, character, 3), character.dofs
    velocities = rng.standard_normal((3, dofs.count)) * np.where(np.arange(dofs.count) < 3, character.size, 1.0)
    found = np.einsum("fc,fcd,fd->f", velocities, mass_matrix(state, dofs, relative=True), velocities)
    expected = np.zeros(3)
    spin = np.einsum("fkc,fc->fk", state.rotation_jacobian(0, dofs), velocities)
    shift = np.einsum("fkc,fc->fk", state.point_jacobian(BodyPoint(0), dofs), velocities)
    centers, spreads = own_centers(state), own_spreads(state)
    for joint in range(len(character)):
        point = BodyPoint(joint, tuple(character.mass_centers[joint]))
        moved = np.einsum("fkc,fc->fk", state.point_jacobian(point, dofs), velocities)
        moved -= shift + np.cross(spin, centers[:, joint])
        turned = np.einsum("fkc,fc->fk", state.rotation_jacobian(joint, dofs), velocities) - spin
        inertia = np.trace(spreads[:, joint], axis1=1, axis2=2)[:, None, None] * np.eye(3) - spreads[:, joint]
        expected += character.masses[joint] * (moved**2).sum(axis=1)
        expected += np.einsum("fk,fkl,fl->f", turned, inertia, turned)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * character.mass_unit * character.size**2)


def test_a_pendulum() -> None:
    """A rod of mass m and length L that turns about its end: m L² / 3."""
    skeleton = Skeleton(
        ("rod",),
        [-1],
        [[0.0, 0.0, 0.0]],
        kinds=("hinge",),
        tips=(BodyPoint("rod", (0.0, 2.0, 0.0)),),
        total_mass=3.0,
    )
    state = WorldState.of(skeleton, Pose.rest(skeleton).motion)
    np.testing.assert_allclose(mass_matrix(state, skeleton.dofs), [[[4.0]]], rtol=1e-12)
    assert mass_matrix(state, skeleton.dofs, relative=True) == pytest.approx(0.0, abs=1e-12)


# The whole body ------------------------------------------------------------------------------------------------------


def test_the_whole_inertia_is_that_of_a_rigid_turn_about_the_centre(
    character: Skeleton, rng: np.random.Generator
) -> None:
    """Twice the energy of turning all roots about the centre of mass, body by body."""
    state = random_state(rng, character, 3)
    found, center = whole_inertia(state), state.center_of_mass()
    spin = rng.standard_normal(3)
    expected = np.zeros(3)
    for joint in range(len(character)):
        turn = matrix(state.rotations[:, joint])
        place = state.positions[:, joint] + turn @ character.mass_centers[joint]
        expected += character.masses[joint] * (np.cross(spin, place - center) ** 2).sum(axis=1)
        expected += np.einsum("k,fkl,lm,fnm,n->f", spin, turn, character.inertias[joint], turn, spin)
    np.testing.assert_allclose(np.einsum("k,fkl,l->f", spin, found, spin), expected, rtol=1e-9)


def test_the_whole_inertia_turns_with_the_heading_and_not_with_the_place(rng: np.random.Generator) -> None:
    skeleton = person()
    motion = random_motion(rng, skeleton, 3)
    turn = rotations.exp([0.0, 2.1, 0.0])
    turned, moved = motion.rotations.copy(), motion.translations.copy()
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    moved[:, 0] = rotations.rotate(turn, moved[:, 0]) + np.array([30.0, -20.0, 50.0])
    there = whole_inertia(WorldState.of(skeleton, Motion(turned, moved)))
    here = matrix(turn) @ whole_inertia(WorldState.of(skeleton, motion)) @ matrix(turn).T
    np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-9)


def test_a_body_a_hundred_times_as_large_has_ten_thousand_times_the_inertia(rng: np.random.Generator) -> None:
    small, large = person(), person().scaled(100.0)
    motion = random_motion(rng, small, 3)
    enlarged = Motion(motion.rotations, 100.0 * motion.translations)
    found = whole_inertia(WorldState.of(large, enlarged))
    np.testing.assert_allclose(found, 1e4 * whole_inertia(WorldState.of(small, motion)), rtol=1e-9, atol=1e-5)


def test_nothing_has_no_inertia(rng: np.random.Generator) -> None:
    nothing = person().replace(total_mass=0.0)
    state = random_state(rng, nothing, 2)
    np.testing.assert_array_equal(whole_inertia(state), 0.0)
    np.testing.assert_array_equal(mass_matrix(state, nothing.dofs), 0.0)
