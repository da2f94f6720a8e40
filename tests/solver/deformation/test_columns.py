# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of displacements: both ways between motions and coordinates, and Jacobians over them."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.deformation.columns import Columns
from poise.solver.tasks import OrientationTask, PositionTask, Task

from ..characters import FREE, HINGE, hinge_chain, random_motion, random_skeleton
from ..jacobian_check import STEP, assert_same_derivatives

FRAMES = 5


def some_columns(rng: np.random.Generator, skeleton: Skeleton, share: float = 0.7) -> Columns:
    moving = rng.random(len(skeleton)) < share
    moving[-1] = True
    return Columns(skeleton, moving)


def random_step(rng: np.random.Generator, columns: Columns, size: float = 0.5) -> Array:
    return size * rng.standard_normal((FRAMES, columns.count))


@pytest.mark.parametrize("seed", range(6))
def test_coordinates_lead_to_the_result_and_are_found_in_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = some_columns(rng, random_skeleton(rng, roots=1 + seed % 2))
    source = random_motion(rng, columns.skeleton, FRAMES)
    # Rotation vectors in units of the stiffness; below a half turn each.
    step = random_step(rng, columns)
    result = columns.displaced(source, step)
    np.testing.assert_allclose(np.linalg.norm(result.rotations, axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(columns.displacement(source, result), step, atol=1e-12)
    again = columns.displaced(source, columns.displacement(source, result))
    assert rotations.angle_between(again.rotations, result.rotations).max() < 1e-12
    np.testing.assert_allclose(again.translations, result.translations, atol=1e-12)


def test_hinges_are_found_whatever_their_signs(rng: np.random.Generator) -> None:
    columns = Columns(hinge_chain(), np.ones(6, dtype=bool))
    assert columns.count == 5
    source = random_motion(rng, columns.skeleton, FRAMES, on_bones=True)
    step = random_step(rng, columns)
    result = columns.displaced(source, step)
    signs = rng.choice([-1.0, 1.0], (2, FRAMES, 6, 1))
    found = columns.displacement(
        Motion(signs[0] * source.rotations, source.translations),
        Motion(signs[1] * result.rotations, result.translations),
    )
    np.testing.assert_allclose(found, step, atol=1e-12)
    hinged = Columns(columns.skeleton, columns.skeleton.mask([2]))
    np.testing.assert_allclose(hinged.displacement(source, result)[:, 0], step[:, 1], atol=1e-12)


def test_zero_coordinates_give_the_motion_bit_for_bit(rng: np.random.Generator) -> None:
    columns = some_columns(rng, random_skeleton(rng))
    source = random_motion(rng, columns.skeleton, FRAMES)
    source.rotations[:] *= 1.0 + 1e-15
    none = columns.displacement(source, source)
    assert not none[:, : columns.dofs.rotation_columns.stop].any() and np.abs(none).max() < 1e-15
    result = columns.displaced(source, np.zeros((FRAMES, columns.count)))
    assert result.rotations.tobytes() == source.rotations.tobytes()
    assert result.translations.tobytes() == source.translations.tobytes()
    # And where some joints move in some frames, all others come back as they were.
    step = random_step(rng, columns)
    moves = columns.movable(rng.random((FRAMES, len(columns.skeleton))) < 0.5)
    result = columns.displaced(source, step * moves)
    for joint in range(len(columns.skeleton)):
        still = ~moves[:, columns.dofs.owners == joint].any(axis=1)
        np.testing.assert_array_equal(result.rotations[still, joint], source.rotations[still, joint])
        np.testing.assert_array_equal(result.translations[still, joint], source.translations[still, joint])
        rotates = joint in columns.dofs.rotating or joint in columns.dofs.hinged
        assert not rotates or (result.rotations[~still, joint] != source.rotations[~still, joint]).any(axis=-1).all()


def test_the_given_motion_is_not_changed(rng: np.random.Generator) -> None:
    columns = some_columns(rng, random_skeleton(rng))
    source = random_motion(rng, columns.skeleton, FRAMES)
    kept = source.rotations.copy(), source.translations.copy()
    columns.displaced(source, random_step(rng, columns))
    np.testing.assert_array_equal(source.rotations, kept[0])
    np.testing.assert_array_equal(source.translations, kept[1])


def test_one_unit_is_a_radian_or_a_size_over_the_root_of_the_stiffness(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    columns = Columns(skeleton, np.ones(len(skeleton), dtype=bool))
    source = random_motion(rng, skeleton, 1)
    for column in range(columns.count):
        step = np.zeros((1, columns.count))
        step[0, column] = 0.3
        result = columns.displaced(source, step)
        joint = columns.dofs.owners[column]
        unit = 0.3 / np.sqrt(skeleton.stiffness[joint])
        turned = rotations.angle_between(result.rotations, source.rotations)[0]
        shifted = np.linalg.norm(result.translations - source.translations, axis=-1)[0]
        is_shift = column < columns.dofs.translation_columns.stop
        assert turned[joint] == pytest.approx(0.0 if is_shift else unit, abs=1e-9)
        assert shifted[joint] == pytest.approx(unit * skeleton.size if is_shift else 0.0, abs=1e-12)
        others = np.arange(len(skeleton)) != joint
        assert not turned[others].any() and not shifted[others].any()


def test_columns_have_the_values_of_their_joints(rng: np.random.Generator) -> None:
    columns = some_columns(rng, random_skeleton(rng))
    joints = rng.random((FRAMES, len(columns.skeleton))) < 0.5
    movable = columns.movable(joints)
    assert movable.shape == (FRAMES, columns.count)
    for column, joint in enumerate(columns.dofs.owners):
        np.testing.assert_array_equal(movable[:, column], joints[:, joint])


def differences(columns: Columns, state: WorldState, task: Task) -> Array:
    """(frames, rows, columns) minus the derivative of a task's error over the coordinates, by central differences."""
    count, frames = columns.count, np.repeat(np.arange(state.frames), columns.count)
    step = np.tile(STEP * np.eye(count), (state.frames, 1))
    ahead, behind = (
        task.at(frames).error(WorldState.of(state.skeleton, columns.displaced(state.motion.at(frames), sign * step)))
        for sign in (1.0, -1.0)
    )
    return (-(ahead - behind) / (2.0 * STEP)).reshape(state.frames, count, -1).swapaxes(1, 2)


@pytest.mark.parametrize("seed", range(6))
def test_jacobians_over_coordinates_are_derivatives(seed: int) -> None:
    """Also of free joints and hinges below others, and of skeletons with two roots."""
    rng = np.random.default_rng(100 + seed)
    skeleton = random_skeleton(rng, roots=1 + seed % 2)
    below = [joint for joint in range(len(skeleton)) if skeleton.parents[joint] >= 0]
    assert {FREE, HINGE} <= {skeleton.kinds[joint] for joint in below}, "the example must have both below others"
    for columns in (Columns(skeleton, np.ones(len(skeleton), dtype=bool)), some_columns(rng, skeleton)):
        state = WorldState.of(skeleton, random_motion(rng, skeleton, FRAMES, on_bones=True))
        last = len(skeleton) - 1
        deepest = int(np.argmax(skeleton.tree.ancestry.sum(axis=1)))
        for joint in {last, deepest}:
            tasks: list[Task] = [
                PositionTask(joint, rng.standard_normal((FRAMES, 3)), offset=(0.1, -0.2, 0.3)),
                OrientationTask(joint, rotations.random(rng, FRAMES)),
            ]
            for task in tasks:
                found = columns.in_parents(task.jacobian(state, columns.dofs), state)
                assert_same_derivatives(found, differences(columns, state, task), 1.0, f"the Jacobian of {task.label}")


def test_coordinates_stay_the_same_while_the_character_turns(rng: np.random.Generator) -> None:
    """Those of all joints but the roots, which have no parents."""
    skeleton = random_skeleton(rng)
    moving = np.ones(len(skeleton), dtype=bool)
    moving[skeleton.parents < 0] = False
    columns = Columns(skeleton, moving)
    source = random_motion(rng, skeleton, FRAMES)
    step = random_step(rng, columns)
    result = columns.displaced(source, step)
    turn = rotations.random(rng)
    turned = [Motion(each.rotations.copy(), each.translations.copy()) for each in (source, result)]
    for each in turned:
        each.rotations[:, 0] = rotations.multiply(turn, each.rotations[:, 0])
        each.translations[:, 0] = rotations.rotate(turn, each.translations[:, 0])
    np.testing.assert_allclose(columns.displacement(*turned), step, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_jacobians_over_a_displacement_are_derivatives_by_its_values(seed: int) -> None:
    """Far from zero too, where a rotation vector does not grow by the rotation that is added to it."""
    rng = np.random.default_rng(200 + seed)
    skeleton = random_skeleton(rng)
    columns = some_columns(rng, skeleton)
    source = random_motion(rng, skeleton, FRAMES, on_bones=True)
    joint = int(np.argmax(skeleton.tree.ancestry.sum(axis=1)))
    task = PositionTask(joint, rng.standard_normal((FRAMES, 3)), offset=(0.1, -0.2, 0.3))
    for values in (np.zeros((FRAMES, columns.count)), random_step(rng, columns, 0.6)):

        def error(given: Array) -> Array:
            return task.error(WorldState.of(skeleton, columns.displaced(source, given)))

        world = WorldState.of(skeleton, columns.displaced(source, values))
        small = columns.in_parents(task.jacobian(world, columns.dofs), world)
        found = columns.over_displacement(small, values)
        expected = np.empty_like(found)
        for column in range(columns.count):
            step = np.zeros_like(values)
            step[:, column] = STEP
            expected[:, :, column] = -(error(values + step) - error(values - step)) / (2.0 * STEP)
        assert_same_derivatives(found, expected, 1.0, "the Jacobian over the displacement")


def test_joints_are_turned_by_matrices_of_their_own(rng: np.random.Generator) -> None:
    columns = some_columns(rng, random_skeleton(rng))
    joints = len(columns.dofs.translating) + len(columns.dofs.rotating)
    matrices = rotations.to_matrix(rotations.exp(rng.standard_normal((FRAMES, joints, 3))))
    values = rng.standard_normal((FRAMES, columns.count))
    turned = np.einsum("fc,fcd->fd", values, columns.turning(matrices))
    own = values[:, : 3 * joints].reshape(FRAMES, joints, 3)
    expected = np.einsum("fjk,fjkl->fjl", own, matrices).reshape(FRAMES, 3 * joints)
    np.testing.assert_allclose(turned[:, : 3 * joints], expected, atol=1e-14)
    np.testing.assert_array_equal(turned[:, 3 * joints :], values[:, 3 * joints :])


def test_unwrapped_rotations_go_on_beyond_half_a_turn(rng: np.random.Generator) -> None:
    """A joint that turns by one and a half turns about a fixed axis, sampled: rotation vectors jump at half a turn."""
    skeleton = Skeleton(names=("a", "b"), parents=[-1, 0], offsets=[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    columns = Columns(skeleton, np.ones(2, dtype=bool))
    axis = np.array([0.6, 0.0, 0.8])
    angles = np.linspace(0.0, 1.6 * np.pi, 12)
    source = Motion(np.tile(rotations.IDENTITY, (12, 2, 1)), np.tile(skeleton.offsets, (12, 1, 1)))
    turned = source.rotations.copy()
    turned[:, 1] = rotations.from_axis_angle(axis, angles)
    values = columns.displacement(source, Motion(turned, source.translations))
    unwrapped = columns.unwrapped(values)
    own = columns.dofs.owners == 1
    np.testing.assert_allclose((unwrapped * columns.scale)[:, own], angles[:, None] * axis, atol=1e-12)
    assert np.abs(np.diff(values[:, own], axis=0)).max() > 3.0
    again = columns.displaced(source, unwrapped)
    assert rotations.angle_between(again.rotations, turned).max() < 1e-7
    small = 0.1 * rng.standard_normal(values.shape)
    np.testing.assert_allclose(columns.unwrapped(small), small, atol=1e-15)
