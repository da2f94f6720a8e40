# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics against 4 by 4 matrices, Jacobians against finite differences, and what must change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.joints import BodyPoint, JointKind
from poise.solver.body.kinematics import LARGEST_CACHE, WorldState, integrate
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from ..characters import hinge_chain, matrix, person, random_motion, random_skeleton, random_state
from ..jacobian_check import assert_same_derivatives, central_differences, some_dofs
from ..rounding import assert_equal_to_rounding

EXACT = 1e-12
"""Rounding of lengths and angles of about 1."""

INVARIANT = 1e-9
"""Relative change that scale, place and heading may make."""


def placed(skeleton: Skeleton, motion: Motion, frame: int, joint: int) -> Array:
    """The 4 by 4 world transform of one joint in one frame, by multiplying from the joint up to its root."""
    whole = np.eye(4)
    while joint >= 0:
        local = np.eye(4)
        local[:3, :3] = matrix(motion.rotations[frame, joint])
        local[:3, 3] = motion.translations[frame, joint]
        whole = local @ whole
        joint = int(skeleton.parents[joint])
    return whole


# --- where everything is -------------------------------------------------------------------------------------------


def test_every_joint_and_point_is_where_matrices_put_it(character: Skeleton, rng: np.random.Generator) -> None:
    motion = random_motion(rng, character, 3)
    state = WorldState.of(character, motion)
    offset = rng.standard_normal(3)
    for frame in range(3):
        for joint in range(len(character)):
            expected = placed(character, motion, frame, joint)
            scale = 1.0 + np.abs(expected).max()
            np.testing.assert_allclose(state.positions[frame, joint], expected[:3, 3], atol=EXACT * scale)
            np.testing.assert_allclose(matrix(state.rotations[frame, joint]), expected[:3, :3], atol=EXACT)
            point = state.point(BodyPoint(joint, tuple(offset)))[frame]
            np.testing.assert_allclose(point, (expected @ [*offset, 1.0])[:3], atol=EXACT * scale)


def test_a_captured_clip_is_where_matrices_put_it(walk: Clip) -> None:
    for frame in (0, 100, walk.frames - 1):
        for joint in range(len(walk.skeleton)):
            expected = placed(walk.skeleton, walk.motion, frame, joint)
            np.testing.assert_allclose(
                walk.world.positions[frame, joint], expected[:3, 3], atol=1e-11 * walk.skeleton.size
            )
            np.testing.assert_allclose(matrix(walk.world.rotations[frame, joint]), expected[:3, :3], atol=1e-11)


def test_the_centre_of_mass_is_the_weighted_mean(character: Skeleton, rng: np.random.Generator) -> None:
    motion = random_motion(rng, character, 3)
    found = WorldState.of(character, motion).center_of_mass()
    for frame in range(3):
        moment = np.zeros(3)
        for joint in range(len(character)):
            center = placed(character, motion, frame, joint) @ [*character.mass_centers[joint], 1.0]
            moment += character.masses[joint] * center[:3]
        expected = moment / character.masses.sum()
        np.testing.assert_allclose(found[frame], expected, atol=1e-11 * (1.0 + np.abs(expected).max()))


def test_parents_of_roots_are_the_world(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng, roots=3)
    state = random_state(rng, skeleton)
    joints = np.arange(len(skeleton))
    above = state.parent_rotations(joints)
    np.testing.assert_array_equal(above[:, :3], np.tile(rotations.IDENTITY, (4, 3, 1)))
    np.testing.assert_array_equal(above[:, 3:], state.rotations[:, skeleton.parents[3:]])


def test_asking_for_parents_does_not_change_the_state(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng, roots=3))
    before = state.rotations.copy()
    state.parent_rotations(np.array([0, 1, 2]))
    np.testing.assert_array_equal(state.rotations, before)


def test_vectors_go_from_the_parents_frames_to_the_world_and_back(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng, roots=3)
    state = random_state(rng, skeleton)
    for joints in (np.arange(len(skeleton)), np.arange(3)):
        local = rng.standard_normal((4, len(joints), 3))
        world = state.from_parents(joints, local)
        np.testing.assert_allclose(world, rotations.rotate(state.parent_rotations(joints), local), atol=1e-13)
        np.testing.assert_allclose(state.into_parents(joints, world), local, atol=1e-12)


# --- Jacobians -----------------------------------------------------------------------------------------------------


def test_point_jacobian(character: Skeleton, rng: np.random.Generator) -> None:
    for joint in range(len(character)):
        state = random_state(rng, character, 2)
        point, dofs = BodyPoint(joint, tuple(rng.standard_normal(3))), some_dofs(rng, state)
        for columns in (character.dofs, dofs):
            expected = central_differences(lambda moved, _, point=point: moved.point(point), state, columns)
            assert_same_derivatives(state.point_jacobian(point, columns), expected, 1.0, "the point's Jacobian")


def test_rotation_jacobian(character: Skeleton, rng: np.random.Generator) -> None:
    for joint in range(len(character)):
        state = random_state(rng, character, 2)

        def turned(moved: WorldState, frames: Array, joint: int = joint, state: WorldState = state) -> Array:
            before = rotations.conjugate(state.rotations[frames, joint])
            return rotations.log(rotations.multiply(moved.rotations[:, joint], before))

        expected = central_differences(turned, state, character.dofs)
        assert_same_derivatives(state.rotation_jacobian(joint, character.dofs), expected, 1.0, "the angular Jacobian")


def test_center_of_mass_jacobian(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character, 3)
    for dofs in (character.dofs, some_dofs(rng, state)):
        expected = central_differences(lambda moved, _: moved.center_of_mass(), state, dofs)
        assert_same_derivatives(state.center_of_mass_jacobian(dofs), expected, 1.0, "the centre of mass's Jacobian")


def test_the_centre_of_mass_of_a_subtree_is_the_weighted_mean(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    own = state.positions + rotations.rotate(state.rotations, character.mass_centers)
    for joint in range(len(character)):
        carried = character.tree.ancestry[:, joint]
        mass = character.masses[carried].sum()
        expected = state.positions[:, joint]
        if mass > 0.0:
            expected = (character.masses[carried, None] * own[:, carried]).sum(axis=1) / mass
        scale = 1.0 + np.abs(own).max()
        np.testing.assert_allclose(state.subtree_center_of_mass(joint), expected, atol=EXACT * scale)


def test_subtree_center_of_mass_jacobian(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character, 2)
    dofs = some_dofs(rng, state)
    for joint in range(len(character)):
        for columns in (character.dofs, dofs):
            expected = central_differences(
                lambda moved, _, joint=joint: moved.subtree_center_of_mass(joint), state, columns
            )
            found = state.subtree_center_of_mass_jacobian(joint, columns)
            assert_same_derivatives(found, expected, 1.0, f"centre of mass of the subtree of joint {joint}")


def test_columns_of_fewer_joints_are_those_of_all(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    some, every = some_dofs(rng, state), character.dofs
    group = np.zeros(every.count, dtype=int)
    group[every.rotation_columns], group[every.hinge_columns] = 1, 2
    some_group = np.zeros(some.count, dtype=int)
    some_group[some.rotation_columns], some_group[some.hinge_columns] = 1, 2
    keys = list(zip(group, every.owners, np.arange(every.count), strict=True))
    kept = [column for kind, owner, column in keys if (kind, owner) in set(zip(some_group, some.owners, strict=True))]
    point = BodyPoint(len(character) - 1, (0.1, 0.2, 0.3))
    for narrow, wide in (
        (state.point_jacobian(point, some), state.point_jacobian(point, every)),
        (state.rotation_jacobian(len(character) - 1, some), state.rotation_jacobian(len(character) - 1, every)),
        (state.center_of_mass_jacobian(some), state.center_of_mass_jacobian(every)),
    ):
        assert_equal_to_rounding(narrow, wide[:, :, kept])


def test_mass_arms_reach_to_the_mass_that_each_joint_carries(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state = random_state(rng, skeleton)
    centers = state.positions + np.einsum("fjkl,jl->fjk", matrix(state.rotations), skeleton.mass_centers)
    arms = state.balance_arms((), np.arange(len(skeleton)))
    for joint in range(len(skeleton)):
        carried = skeleton.tree.ancestry[:, joint]
        reach = centers[:, carried] - state.positions[:, joint, None]
        expected = (skeleton.masses[carried, None] * reach).sum(axis=1) / skeleton.masses.sum()
        np.testing.assert_allclose(arms[:, joint], expected, atol=EXACT)


def test_hinge_axes_are_carried_along(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state, joints = random_state(rng, skeleton), np.array([3, 8])
    expected = np.einsum("fjkl,jl->fjk", matrix(state.rotations[:, joints]), skeleton.hinge_axes[joints])
    np.testing.assert_allclose(state.hinge_axes(joints), expected, atol=EXACT)


# --- integrating ---------------------------------------------------------------------------------------------------


def test_joints_without_columns_come_back_bit_for_bit(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    dofs = some_dofs(rng, state)
    moved = integrate(state, rng.standard_normal((4, dofs.count)), dofs)
    still = np.setdiff1d(np.arange(len(character)), dofs.moving)
    np.testing.assert_array_equal(moved.rotations[:, still], state.motion.rotations[:, still])
    not_sliding = np.setdiff1d(np.arange(len(character)), dofs.translating)
    np.testing.assert_array_equal(moved.translations[:, not_sliding], state.motion.translations[:, not_sliding])


def test_integrating_leaves_its_input_alone(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng))
    before = state.motion.rotations.copy(), state.motion.translations.copy()
    integrate(state, rng.standard_normal((4, state.skeleton.dofs.count)), state.skeleton.dofs)
    np.testing.assert_array_equal(state.motion.rotations, before[0])
    np.testing.assert_array_equal(state.motion.translations, before[1])


def test_quaternions_stay_unit_over_a_thousand_steps(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    motion = random_motion(rng, skeleton, 2)
    for _ in range(1000):
        velocities = rng.standard_normal((2, skeleton.dofs.count))
        motion = integrate(WorldState.of(skeleton, motion), velocities, skeleton.dofs)
    assert np.abs(np.linalg.norm(motion.rotations, axis=-1) - 1.0).max() < 1e-15 * 4


def test_each_joint_turns_about_the_world_axis_it_was_told(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state, dofs = random_state(rng, skeleton, 3), skeleton.dofs
    for position, joint in enumerate(dofs.rotating):
        turn = rng.standard_normal((3, 3))
        velocities = np.zeros((3, dofs.count))
        first = dofs.rotation_columns.start + 3 * position
        velocities[:, first : first + 3] = turn
        after = WorldState.of(skeleton, integrate(state, velocities, dofs))
        whole = matrix(rotations.exp(turn))
        for other in range(len(skeleton)):
            if joint in skeleton.tree.chain(other):
                arm = state.positions[:, other] - state.positions[:, joint]
                turned = state.positions[:, joint] + np.einsum("fkl,fl->fk", whole, arm)
                expected_rotation = whole @ matrix(state.rotations[:, other])
            else:
                turned, expected_rotation = state.positions[:, other], matrix(state.rotations[:, other])
            np.testing.assert_allclose(after.positions[:, other], turned, atol=1e-11)
            np.testing.assert_allclose(matrix(after.rotations[:, other]), expected_rotation, atol=1e-11)


def test_free_joints_translate_along_the_world_axes(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng, 20)
    state, dofs = random_state(rng, skeleton, 3), skeleton.dofs
    assert (skeleton.parents[dofs.translating] >= 0).any(), "the test needs a free joint below another"
    for position, joint in enumerate(dofs.translating):
        shift = rng.standard_normal((3, 3))
        velocities = np.zeros((3, dofs.count))
        velocities[:, 3 * position : 3 * position + 3] = shift
        after = WorldState.of(skeleton, integrate(state, velocities, dofs))
        carried = skeleton.tree.ancestry[:, joint]
        expected = state.positions + carried[:, None] * shift[:, None]
        np.testing.assert_allclose(after.positions, expected, atol=1e-11)
        np.testing.assert_allclose(after.rotations, state.rotations, atol=EXACT)


def test_hinges_turn_about_their_own_axes_only(rng: np.random.Generator) -> None:
    skeleton = hinge_chain()
    state, dofs = random_state(rng, skeleton, 3), skeleton.dofs
    angles = rng.uniform(-3.0, 3.0, (3, dofs.count))
    after = integrate(state, angles, dofs)
    relative = rotations.multiply(rotations.conjugate(state.motion.rotations), after.rotations)
    expected = rotations.from_axis_angle(skeleton.hinge_axes[dofs.hinged], angles)
    np.testing.assert_allclose(matrix(relative[:, dofs.hinged]), matrix(expected), atol=EXACT)


# --- batches -------------------------------------------------------------------------------------------------------


def everything(state: WorldState) -> list[Array]:
    """All that a state can be asked, frames first."""
    dofs, last = state.skeleton.dofs, len(state.skeleton) - 1
    point = BodyPoint(last, (0.1, -0.3, 0.2))
    return [
        state.positions,
        state.rotations,
        state.point(point),
        state.center_of_mass(),
        state.point_jacobian(point, dofs),
        state.rotation_jacobian(last, dofs),
        state.center_of_mass_jacobian(dofs),
        state.hinge_axes(dofs.hinged),
        state.balance_arms((point,), dofs.rotating),
        state.parent_rotations(dofs.rotating),
    ]


def test_a_batch_is_its_frames_one_by_one(character: Skeleton, rng: np.random.Generator) -> None:
    motion = random_motion(rng, character, 5)
    together = everything(WorldState.of(character, motion))
    for frame in range(5):
        alone = everything(WorldState.of(character, motion.pose(frame).motion))
        for whole, one in zip(together, alone, strict=True):
            np.testing.assert_allclose(one[0], whole[frame], rtol=1e-13, atol=1e-13)


def test_no_frames_give_empty_arrays_of_the_same_shapes(character: Skeleton, rng: np.random.Generator) -> None:
    nothing = everything(random_state(rng, character, 0))
    something = everything(random_state(rng, character, 2))
    for empty, full in zip(nothing, something, strict=True):
        assert empty.shape == (0, *full.shape[1:])
    state = random_state(rng, character, 0)
    moved = integrate(state, np.zeros((0, character.dofs.count)), character.dofs)
    assert moved.rotations.shape == (0, len(character), 4) and moved.translations.shape == (0, len(character), 3)


def test_some_frames_of_a_state(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 6)
    some = np.array([4, 0, 4])
    for chosen, whole in zip(everything(state.at(some)), everything(state), strict=True):
        np.testing.assert_allclose(chosen, whole[some], atol=1e-13)
    np.testing.assert_array_equal(state.at(some).motion.rotations, state.motion.rotations[some])
    assert state.at(np.array([], dtype=np.int64)).frames == 0


def test_frames_of_one_state_or_of_another(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    first, second = random_state(rng, skeleton, 6), random_state(rng, skeleton, 6)
    chosen = np.array([True, False, False, True, True, False])
    mixed = first.where(chosen, second)
    for frame in range(6):
        origin = first if chosen[frame] else second
        for field in ("rotations", "positions"):
            np.testing.assert_array_equal(getattr(mixed, field)[frame], getattr(origin, field)[frame])
        np.testing.assert_array_equal(mixed.motion.rotations[frame], origin.motion.rotations[frame])
        np.testing.assert_array_equal(mixed.motion.translations[frame], origin.motion.translations[frame])


def test_what_is_remembered_is_computed_once_for_each_state(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    state, asked = random_state(rng, skeleton, 3), []

    def heights() -> Array:
        asked.append(state.frames)
        return state.positions[..., 1]

    first = state.cached("heights", heights)
    assert state.cached("heights", heights) is first and asked == [3]
    assert state.cached("other", heights) is not first
    assert "heights" not in state.at(np.array([1]))._cache, "other frames must not answer with these"


def test_no_moving_joints_give_no_columns(rng: np.random.Generator) -> None:
    state = random_state(rng, person())
    no_dofs = Dofs(state.skeleton.kinds, np.zeros(len(state.skeleton), dtype=bool))
    assert state.point_jacobian(BodyPoint(3), no_dofs).shape == (4, 3, 0)
    assert state.center_of_mass_jacobian(no_dofs).shape == (4, 3, 0)
    unchanged = integrate(state, np.zeros((4, 0)), no_dofs)
    np.testing.assert_array_equal(unchanged.rotations, state.motion.rotations)


# --- what changes nothing ------------------------------------------------------------------------------------------


def turned_scene(skeleton: Skeleton, motion: Motion, turn: Array, shift: Array) -> Motion:
    """The motion with its roots turned about the origin and then moved."""
    roots = skeleton.parents < 0
    moved_rotations, moved_translations = motion.rotations.copy(), motion.translations.copy()
    moved_rotations[:, roots] = rotations.multiply(turn, motion.rotations[:, roots])
    moved_translations[:, roots] = rotations.rotate(turn, motion.translations[:, roots]) + shift
    return Motion(moved_rotations, moved_translations)


def close(found: Array, expected: Array, scale: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=INVARIANT * scale)


def test_a_hundred_times_larger(character: Skeleton, rng: np.random.Generator) -> None:
    motion = random_motion(rng, character)
    small = WorldState.of(character, motion)
    giant = character.scaled(100.0)
    large = WorldState.of(giant, Motion(motion.rotations, 100.0 * motion.translations))
    size, dofs = character.size, character.dofs
    assert giant.size == pytest.approx(100.0 * size if len(character) > 1 else 1.0, rel=INVARIANT)
    reach = np.abs(small.positions).max()
    close(large.positions / 100.0, small.positions, reach)
    close(large.rotations, small.rotations, 1.0)
    close(large.center_of_mass() / 100.0, small.center_of_mass(), reach)
    point = len(character) - 1
    stretched = np.ones(dofs.count)
    stretched[dofs.rotation_columns] = stretched[dofs.hinge_columns] = 100.0
    close(
        large.point_jacobian(BodyPoint(point, (100.0, 0.0, 50.0)), dofs) / stretched,
        small.point_jacobian(BodyPoint(point, (1.0, 0.0, 0.5)), dofs),
        reach,
    )
    close(large.center_of_mass_jacobian(dofs) / stretched, small.center_of_mass_jacobian(dofs), reach)
    close(large.rotation_jacobian(point, dofs), small.rotation_jacobian(point, dofs), 1.0)


def test_a_kilometre_away_and_turned_about_the_vertical(character: Skeleton, rng: np.random.Generator) -> None:
    motion = random_motion(rng, character)
    here = WorldState.of(character, motion)
    heading = rotations.from_axis_angle(np.eye(3)[character.up_axis], 2.1)
    away = character.size * np.array([600.0, -10.0, 800.0])
    there = WorldState.of(character, turned_scene(character, motion, heading, away))
    turn, dofs = matrix(heading), character.dofs
    size = max(character.size, 1.0)

    close(there.positions, here.positions @ turn.T + away, size)
    close(matrix(there.rotations), turn @ matrix(here.rotations), 1.0)
    close(there.center_of_mass(), here.center_of_mass() @ turn.T + away, size)
    # Columns are velocities along and about the axes of the world, which the scene has turned against.
    spun = np.eye(dofs.count)
    for first in range(0, dofs.hinge_columns.start, 3):
        spun[first : first + 3, first : first + 3] = turn
    point, joint = BodyPoint(len(character) - 1, (0.2, 0.1, -0.4)), len(character) - 1
    close(there.point_jacobian(point, dofs) @ spun, turn @ here.point_jacobian(point, dofs), size)
    close(there.rotation_jacobian(joint, dofs) @ spun, turn @ here.rotation_jacobian(joint, dofs), 1.0)
    close(there.center_of_mass_jacobian(dofs) @ spun, turn @ here.center_of_mass_jacobian(dofs), size)


def test_integrating_is_the_same_in_a_scene_moved_away(character: Skeleton, rng: np.random.Generator) -> None:
    motion, dofs = random_motion(rng, character), character.dofs
    velocities = rng.standard_normal((4, dofs.count))
    heading = rotations.from_axis_angle(np.eye(3)[character.up_axis], -0.8)
    away = character.size * np.array([600.0, -10.0, 800.0])
    there = WorldState.of(character, turned_scene(character, motion, heading, away))
    turned = velocities.copy()
    vectors = turned[:, : dofs.hinge_columns.start].reshape(4, -1, 3) if dofs.hinge_columns.start else None
    if vectors is not None:
        turned[:, : dofs.hinge_columns.start] = rotations.rotate(heading, vectors).reshape(4, -1)
    expected = turned_scene(character, integrate(WorldState.of(character, motion), velocities, dofs), heading, away)
    found = integrate(there, turned, dofs)
    close(matrix(found.rotations), matrix(expected.rotations), 1.0)
    close(found.translations, expected.translations, max(character.size, 1.0))


# --- bodies without mass -------------------------------------------------------------------------------------------


def test_a_body_without_mass_has_its_centre_at_its_first_joint(character: Skeleton, rng: np.random.Generator) -> None:
    weightless = character.replace(total_mass=0.0, set_masses={}, loads=())
    state = random_state(rng, weightless)
    np.testing.assert_array_equal(state.center_of_mass(), state.positions[:, 0])
    assert not state.center_of_mass_jacobian(weightless.dofs).any()
    assert not state.balance_arms((), np.arange(len(weightless))).any()


def test_one_heavy_joint_is_the_centre(rng: np.random.Generator) -> None:
    skeleton = person().replace(total_mass=0.0).with_load(BodyPoint("LeftHand", (0.1, 0.2, 0.3)), 3.0)
    state = random_state(rng, skeleton)
    point = skeleton.resolve(BodyPoint("LeftHand", (0.1, 0.2, 0.3)))
    np.testing.assert_allclose(state.center_of_mass(), state.point(point), atol=EXACT)
    np.testing.assert_allclose(
        state.center_of_mass_jacobian(skeleton.dofs), state.point_jacobian(point, skeleton.dofs), atol=EXACT
    )


def test_all_kinds_are_met_in_the_random_characters() -> None:
    met = {kind for seed in range(3) for kind in random_skeleton(np.random.default_rng(seed)).kinds}
    assert met == set(JointKind)


def test_frames_of_one_state_are_put_into_another(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    here, there = random_state(rng, skeleton), random_state(rng, skeleton)
    some = np.array([3, 1])
    mixed = here.with_frames(some, there.at(some))
    again = WorldState.of(skeleton, mixed.motion)
    assert_equal_to_rounding(mixed.rotations, again.rotations)
    np.testing.assert_array_equal(mixed.positions[some], there.positions[some])
    np.testing.assert_array_equal(mixed.positions[[0, 2]], here.positions[[0, 2]])
    chosen = np.array([True, False, True, False])
    np.testing.assert_array_equal(here.where(chosen, there).positions, mixed.positions)


def test_a_mixed_state_remembers_what_both_remember(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    here, there = random_state(rng, skeleton), random_state(rng, skeleton)
    for state in (here, there):
        state.cached("places", lambda state=state: 2.0 * state.positions)
    here.cached("only here", lambda: here.positions)
    mixed = here.where(np.array([True, False, True, False]), there)
    np.testing.assert_array_equal(mixed.cached("places", lambda: np.zeros(0)), 2.0 * mixed.positions)
    assert mixed.cached("only here", lambda: np.zeros(0)).size == 0


def test_the_state_of_some_frames_knows_what_the_whole_one_knew(rng: np.random.Generator) -> None:
    state = random_state(rng, random_skeleton(rng), 5)
    state.cached("places", lambda: 2.0 * state.positions)
    some = state.at(np.array([3, 1]))
    np.testing.assert_array_equal(some.cached("places", lambda: np.zeros(0)), 2.0 * some.positions)
    assert some.cached("new", lambda: np.zeros(0)).size == 0
    assert_equal_to_rounding(some.center_of_mass(), state.center_of_mass()[[3, 1]])


def test_a_state_keeps_a_bounded_number_of_points(rng: np.random.Generator) -> None:
    skeleton = person()
    state = WorldState.of(skeleton, Pose.rest(skeleton).motion)
    moments = state.moments
    for offset in rng.standard_normal((3 * LARGEST_CACHE, 3)):
        point = BodyPoint(2, tuple(offset))
        expected = state.positions[:, 2] + rotations.rotate(state.rotations[:, 2], offset)
        np.testing.assert_allclose(state.point(point), expected, atol=1e-14)
        assert state.point(point) is state.point(point), "the last one stays cached"
    assert len(state._cache) <= LARGEST_CACHE + 1
    assert state.moments is moments, "other values stay cached"
