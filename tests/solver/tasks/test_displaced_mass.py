# SPDX-License-Identifier: GPL-3.0-or-later
"""Displaced mass: the shared Jacobian check on every character, and that its rows add up to the integral."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.body.kinematics import WorldState
from poise.solver.body.mass_tensors import mass_tensors
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import MotionError, TaskError
from poise.solver.tasks import DisplacedMassTask

from ..characters import matrix, person, random_motion, random_skeleton, random_state
from ..jacobian_check import assert_jacobian, some_dofs
from ..rounding import assert_equal_to_rounding

BOTH = pytest.mark.parametrize("relative", [True, False])


@BOTH
def test_jacobian(character: Skeleton, rng: np.random.Generator, relative: bool) -> None:
    task = DisplacedMassTask(random_motion(rng, character, 3), relative=relative)
    assert_jacobian(task, random_state(rng, character, 3))


@BOTH
def test_jacobian_over_some_columns(character: Skeleton, rng: np.random.Generator, relative: bool) -> None:
    state = random_state(rng, character, 3)
    task = DisplacedMassTask(random_motion(rng, character, 1).pose(0), relative=relative)
    assert_jacobian(task, state, some_dofs(rng, state))


@BOTH
def test_the_quadratic_model_is_that_of_the_rows(character: Skeleton, rng: np.random.Generator, relative: bool) -> None:
    """It is computed from moments of bodies, without the rows."""
    task = DisplacedMassTask(random_motion(rng, character, 3), relative=relative)
    state = random_state(rng, character, 3)
    for dofs in (character.dofs, some_dofs(rng, state)):
        scale = np.ones(dofs.count)
        scale[dofs.translation_columns] = character.size
        descent, curvature = task.quadratic_model(state, dofs)
        by_rows = super(DisplacedMassTask, task).quadratic_model(state, dofs)
        unit = character.size**2
        np.testing.assert_allclose(descent * scale / unit, by_rows[0] * scale / unit, atol=1e-9)
        both = np.outer(scale, scale) / unit
        np.testing.assert_allclose(curvature * both, by_rows[1] * both, atol=1e-9)


def transforms(state: WorldState, relative: bool) -> Array:
    """(frames, joints, 4, 4) world transforms, or those relative to joint 0."""
    whole = np.zeros((*state.positions.shape[:2], 4, 4))
    whole[..., :3, :3], whole[..., :3, 3], whole[..., 3, 3] = matrix(state.rotations), state.positions, 1.0
    return np.linalg.inv(whole[:, :1]) @ whole if relative else whole


@BOTH
def test_rows_add_up_to_the_trace_of_the_mass_tensors(
    character: Skeleton, rng: np.random.Generator, relative: bool
) -> None:
    """Popović 1999, section 5.2.1: tr((W - W̄) M (W - W̄)ᵀ), summed over the bodies."""
    state, reference = (random_state(rng, character, 3) for _ in range(2))
    changes = transforms(state, relative) - transforms(reference, relative)
    tensors = mass_tensors(character)
    expected = np.einsum("fjab,jbc,fjac->f", changes, tensors, changes) / character.masses.sum()
    error = DisplacedMassTask(reference.motion, relative=relative).error(state)
    np.testing.assert_allclose((error**2).sum(axis=1), expected, rtol=1e-7, atol=1e-9 * character.size**2)


@BOTH
def test_rows_add_up_to_the_integral_over_matter(rng: np.random.Generator, relative: bool) -> None:
    """A body of rods, whose matter is a line: the integral by Gauss's rule, which is exact for squares."""
    skeleton = Skeleton(
        ("a", "b", "c"),
        [-1, 0, 1],
        [[0.0, 0.0, 0.0], [1.0, 0.2, 0.0], [0.0, 0.7, 0.5]],
        tips=(BodyPoint("c", (0.3, 0.0, -0.4)),),
        total_mass=9.0,
    )
    state, reference = (WorldState.of(skeleton, random_motion(rng, skeleton, 1, on_bones=True)) for _ in range(2))
    ends = [skeleton.offsets[1], skeleton.offsets[2], np.array([0.3, 0.0, -0.4])]
    expected = 0.0
    change = transforms(state, relative)[0] - transforms(reference, relative)[0]
    for joint, end in enumerate(ends):
        for share in 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3.0):
            displacement = (change[joint] @ [*(share * end), 1.0])[:3]
            expected += 0.5 * skeleton.masses[joint] * displacement @ displacement
    error = DisplacedMassTask(reference.motion, relative=relative).error(state)[0]
    assert error @ error == pytest.approx(expected / 9.0, rel=1e-9)


def test_rows_without_weight_are_left_out() -> None:
    """Two rods and a joint without mass: three rows for each centre and three for each length."""
    skeleton = Skeleton(
        ("root", "rod", "end"),
        [-1, 0, 1],
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
    )
    state = WorldState.of(skeleton, Pose.rest(skeleton).motion)
    assert skeleton.masses[2] == 0.0
    assert DisplacedMassTask(Pose.rest(skeleton), relative=False).error(state).shape == (1, 12)
    assert DisplacedMassTask(Pose.rest(skeleton)).error(state).shape == (1, 6)


def test_a_turned_rod() -> None:
    """A rod of length L turned by an angle t about its end: ∫ (2 s sin t/2)² ds / L = 4/3 L² sin² t/2."""
    skeleton = Skeleton(("rod",), [-1], [[0.0, 0.0, 0.0]], tips=(BodyPoint("rod", (0.0, 2.0, 0.0)),))
    turned = Motion(rotations.exp(np.array([[[0.4, 0.0, 0.0]]])), np.zeros((1, 1, 3)))
    error = DisplacedMassTask(Pose.rest(skeleton), relative=False).error(WorldState.of(skeleton, turned))[0]
    assert error @ error == pytest.approx(4.0 / 3.0 * 4.0 * np.sin(0.2) ** 2, rel=1e-12)


@BOTH
def test_error_at_the_reference_is_zero(character: Skeleton, rng: np.random.Generator, relative: bool) -> None:
    state = random_state(rng, character)
    error = DisplacedMassTask(state.motion, relative=relative).error(state)
    np.testing.assert_allclose(error, 0.0, atol=1e-12 * character.size)


def moved_whole(skeleton: Skeleton, motion: Motion, turn: Array, shift: Array) -> Motion:
    """The motion with all roots turned about the origin and shifted."""
    roots = skeleton.parents < 0
    turned, moved = motion.rotations.copy(), motion.translations.copy()
    turned[:, roots] = rotations.multiply(turn, turned[:, roots])
    moved[:, roots] = rotations.rotate(turn, moved[:, roots]) + shift
    return Motion(turned, moved)


def test_where_the_whole_body_is_and_how_it_is_turned_does_not_matter(
    character: Skeleton, rng: np.random.Generator
) -> None:
    here, reference = random_motion(rng, character, 3), random_motion(rng, character, 3)
    turn, shift = rotations.random(rng), 5.0 * character.size * rng.standard_normal(3)
    error = DisplacedMassTask(reference).error(WorldState.of(character, here))
    elsewhere = WorldState.of(character, moved_whole(character, here, turn, shift))
    scale = 10.0 * character.size
    assert_equal_to_rounding(DisplacedMassTask(reference).error(elsewhere), error, scale)
    task = DisplacedMassTask(moved_whole(character, reference, turn, shift))
    assert_equal_to_rounding(task.error(WorldState.of(character, here)), error, scale)


def test_in_the_world_a_shift_displaces_all_mass_alike(character: Skeleton, rng: np.random.Generator) -> None:
    motion = random_motion(rng, character, 2)
    shift = character.size * np.array([0.3, -0.4, 1.2])
    there = moved_whole(character, motion, rotations.IDENTITY, shift)
    error = DisplacedMassTask(motion, relative=False).error(WorldState.of(character, there))
    np.testing.assert_allclose(np.linalg.norm(error, axis=1), 1.3 * character.size, rtol=1e-9)


def test_lengths_are_in_the_skeletons_units(rng: np.random.Generator) -> None:
    small, large = person(), person().scaled(100.0)
    here, there = random_motion(rng, small), random_motion(rng, small)
    error = DisplacedMassTask(there).error(WorldState.of(small, here))
    enlarged = [Motion(motion.rotations, 100.0 * motion.translations) for motion in (here, there)]
    found = DisplacedMassTask(enlarged[1]).error(WorldState.of(large, enlarged[0]))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 100.0 * np.linalg.norm(error, axis=1), rtol=1e-9)


def test_a_mass_that_is_larger_counts_more(rng: np.random.Generator) -> None:
    skeleton = person()
    motion = Pose.rest(skeleton).motion
    turned = motion.rotations.copy()
    turned[:, skeleton.index("LeftArm")] = rotations.exp([0.0, 0.0, 0.5])
    there = Motion(turned, motion.translations)
    plain, loaded = (
        np.sum(DisplacedMassTask(motion).error(WorldState.of(each, there)) ** 2) * each.masses.sum()
        for each in (skeleton, skeleton.with_load("LeftHand", 4.0))
    )
    distance = 2.0 * 0.55 * np.sin(0.25)
    assert loaded - plain == pytest.approx(4.0 * distance**2, rel=1e-9)


# Frames, joints and what does not fit --------------------------------------------------------------------------------


def test_a_task_for_some_frames(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    some = np.array([2, 0])
    reference = random_motion(rng, skeleton, 4)
    whole = DisplacedMassTask(reference).error(state)
    fresh, used = DisplacedMassTask(reference), DisplacedMassTask(reference)
    used.error(state)
    for task in (fresh, used):
        assert_equal_to_rounding(task.at(some).error(state.at(some)), whole[some])
        assert_equal_to_rounding(
            task.at(some).jacobian(state.at(some), skeleton.dofs), task.jacobian(state, skeleton.dofs)[some]
        )
        assert_equal_to_rounding(task.at(some).at(np.array([1])).error(state.at(some[1:])), whole[:1])
        assert_equal_to_rounding(task.error(state), whole)
    one = DisplacedMassTask(Pose.rest(skeleton))
    assert one.at(some) is one


def test_one_task_serves_two_skeletons(rng: np.random.Generator) -> None:
    motion = random_motion(rng, person(), 2)
    task = DisplacedMassTask(Pose.rest(person()))
    errors = [task.error(WorldState.of(each, motion)) for each in (person(), person().with_masses({"Head": 30.0}))]
    assert np.abs(errors[0] - errors[1]).max() > 1e-3


def test_joints_that_carry_no_mass_and_the_root_are_not_recruited() -> None:
    skeleton = person()
    expected = skeleton.mass_shares > 0.0
    np.testing.assert_array_equal(DisplacedMassTask(Pose.rest(skeleton), relative=False).recruited(skeleton), expected)
    expected[0] = False
    np.testing.assert_array_equal(DisplacedMassTask(Pose.rest(skeleton)).recruited(skeleton), expected)
    light = skeleton.with_masses({"LeftHand": 0.0})
    assert not DisplacedMassTask(Pose.rest(skeleton)).recruited(light)[skeleton.index("LeftHand")]


def test_a_body_without_mass_has_no_rows(rng: np.random.Generator) -> None:
    nothing = person().replace(total_mass=0.0)
    task = DisplacedMassTask(Pose.rest(nothing))
    state = random_state(rng, nothing, 2)
    assert task.error(state).shape == (2, 0)
    assert task.jacobian(state, nothing.dofs).shape == (2, 0, nothing.dofs.count)


def test_a_reference_of_another_length_is_refused(rng: np.random.Generator) -> None:
    skeleton = person()
    with pytest.raises(TaskError, match="rest: the reference has 3 frames, but the motion has 5"):
        DisplacedMassTask(random_motion(rng, skeleton, 3), name="rest").check(skeleton, 5)
    DisplacedMassTask(random_motion(rng, skeleton, 5)).check(skeleton, 5)
    DisplacedMassTask(random_motion(rng, skeleton, 1)).check(skeleton, 5)


def test_a_reference_for_another_character_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(MotionError, match=r"shape \(frames, 17, 4\)"):
        DisplacedMassTask(random_motion(rng, random_skeleton(rng), 1)).check(person(), 1)


def test_a_recruiting_level_has_nothing_to_count_from() -> None:
    with pytest.raises(TaskError, match="Displaced mass has no joint to count"):
        DisplacedMassTask(Pose.rest(person()), recruit=1).check(person(), 1)
