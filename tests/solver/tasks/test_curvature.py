# SPDX-License-Identifier: GPL-3.0-or-later
"""Second derivatives against second differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.solver.body.degrees_of_freedom import Dofs
from poise.solver.body.joints import BodyPoint
from poise.solver.body.kinematics import WorldState, integrate
from poise.solver.body.motion import Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.tasks import (
    AimTask,
    AttachmentTask,
    CenterOfMassTask,
    DirectionTask,
    OrientationTask,
    PositionTask,
    Task,
)
from poise.solver.tasks.curvature import point_curvature, spin_curvature

from ..characters import hinge_chain, person, random_skeleton, random_state
from ..jacobian_check import some_dofs

STEP = 2e-3
"""Radians, or sizes of the character. Rounding is divided by its square; its own error, the fourth power after
extrapolation, is smaller than that."""

TOLERANCE = 1e-6


def second_differences(quantity: Callable[[WorldState], Array], state: WorldState, dofs: Dofs) -> Array:
    """(columns, columns) of a scalar (many,) of a state of one frame: over steps and double steps, extrapolated."""
    unit = np.full(dofs.count, STEP)
    unit[dofs.translation_columns] *= state.skeleton.size

    def plain(factor: float) -> Array:
        steps = factor * np.diag(unit)
        pairs = steps[:, None] + steps[None], steps[:, None] - steps[None]
        velocities = np.concatenate([sign * pair.reshape(-1, dofs.count) for pair in pairs for sign in (1.0, -1.0)])
        start = state.at(np.zeros(len(velocities), dtype=np.int64))
        values = quantity(WorldState.of(state.skeleton, integrate(start, velocities, dofs)))
        same, same_back, across, across_back = values.reshape(4, dofs.count, dofs.count)
        return (same + same_back - across - across_back) / (4.0 * factor**2 * unit[:, None] * unit[None])

    return (4.0 * plain(1.0) - plain(2.0)) / 3.0


def assert_same(found: Array, expected: Array) -> None:
    assert found.shape == (1, *expected.shape)
    scale = 1.0 + np.abs(expected).max(initial=0.0)
    np.testing.assert_allclose(found[0], expected, rtol=0.0, atol=TOLERANCE * scale)
    np.testing.assert_allclose(found[0], found[0].T, atol=1e-12 * scale)


def curvature_of_point(state: WorldState, dofs: Dofs, pull: Array, point: BodyPoint) -> Array:
    arms = state.point_arms(point, dofs.rotating), state.point_arms(point, dofs.hinged)
    return point_curvature(state, dofs, pull, *arms)


def curvature_of_mass(state: WorldState, dofs: Dofs, pull: Array) -> Array:
    return point_curvature(state, dofs, pull, state.mass_arms(dofs.rotating), state.mass_arms(dofs.hinged))


def without_free_joints_below(skeleton: Skeleton) -> Skeleton:
    """Free joints only as roots, as the curvature takes them to be: the others become balls."""
    below = [joint for joint in skeleton.dofs.translating if skeleton.parents[joint] >= 0]
    return skeleton.with_kinds({int(joint): "ball" for joint in below})


CHARACTERS = {
    "tree": lambda: without_free_joints_below(random_skeleton(np.random.default_rng(21), 10)),
    "forest": lambda: without_free_joints_below(random_skeleton(np.random.default_rng(22), 12, roots=2)),
    "chain of hinges": hinge_chain,
    "person": person,
}


@pytest.fixture(params=CHARACTERS)
def body(request: pytest.FixtureRequest) -> Skeleton:
    return CHARACTERS[request.param]()


def test_a_pulled_point(body: Skeleton, rng: np.random.Generator) -> None:
    for joint in (len(body) - 1, len(body) // 2):
        state, pull = random_state(rng, body, 1), rng.standard_normal((1, 3))
        point = BodyPoint(joint, tuple(rng.standard_normal(3)))
        for dofs in (body.dofs, some_dofs(rng, state)):
            expected = -second_differences(
                lambda moved, point=point, pull=pull: moved.point(point) @ pull[0], state, dofs
            )
            assert_same(curvature_of_point(state, dofs, pull, point), expected)


def test_a_pulled_centre_of_mass(body: Skeleton, rng: np.random.Generator) -> None:
    state, pull = random_state(rng, body, 1), rng.standard_normal((1, 3))
    for dofs in (body.dofs, some_dofs(rng, state)):
        expected = -second_differences(lambda moved: moved.center_of_mass() @ pull[0], state, dofs)
        assert_same(curvature_of_mass(state, dofs, pull), expected)


def test_a_pulled_orientation(body: Skeleton, rng: np.random.Generator) -> None:
    for joint in (len(body) - 1, len(body) // 2):
        state, pull = random_state(rng, body, 1), rng.standard_normal((1, 3))
        before = rotations.conjugate(state.rotations[0, joint])

        def turned(moved: WorldState, joint: int = joint, pull: Array = pull, before: Array = before) -> Array:
            return rotations.log(rotations.multiply(moved.rotations[:, joint], before)) @ pull[0]

        for dofs in (body.dofs, some_dofs(rng, state)):
            assert_same(spin_curvature(state, dofs, pull, joint), -second_differences(turned, state, dofs))


def at_its_target(state: WorldState, rng: np.random.Generator) -> list[Task]:
    """Tasks at a distance, except for the orientation, whose rows are no rotation vectors far from the target."""
    joint = len(state.skeleton) - 1
    return [
        PositionTask(joint, rng.standard_normal(3), offset=tuple(rng.standard_normal(3))),
        PositionTask(joint, rng.standard_normal(3), axes="zx"),
        CenterOfMassTask(rng.standard_normal(3)),
        CenterOfMassTask(rng.standard_normal(3), axes="yzx"),
        OrientationTask(joint, state.rotations[0, joint]),
        DirectionTask(joint, rng.standard_normal(3), rng.standard_normal(3)),
        AttachmentTask(joint, joint // 2, rng.standard_normal(3), offset=tuple(rng.standard_normal(3))),
        AimTask(joint, rng.standard_normal(3), 1e9 * rng.standard_normal(3)),
    ]


def test_tasks_know_their_own_curvature(body: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, body, 1)
    for task in at_its_target(state, rng):
        pull = rng.standard_normal(task.error(state).shape)
        found = task.curvature(state, body.dofs, pull)
        assert found is not None
        # The rows are minus the error, and the curvature is minus their second derivative.
        expected = second_differences(lambda moved, task=task, pull=pull: task.error(moved) @ pull[0], state, body.dofs)
        assert_same(found, expected)


def test_a_batch_is_its_frames_one_by_one(rng: np.random.Generator) -> None:
    body = CHARACTERS["tree"]()
    state, pull, dofs = random_state(rng, body, 4), rng.standard_normal((4, 3)), body.dofs
    point = BodyPoint(9, (0.1, 0.2, 0.3))
    together = [
        curvature_of_point(state, dofs, pull, point),
        curvature_of_mass(state, dofs, pull),
        spin_curvature(state, dofs, pull, 9),
    ]
    for frame in range(4):
        one, its = state.at(np.array([frame])), pull[frame : frame + 1]
        alone = [
            curvature_of_point(one, dofs, its, point),
            curvature_of_mass(one, dofs, its),
            spin_curvature(one, dofs, its, 9),
        ]
        for whole, part in zip(together, alone, strict=True):
            np.testing.assert_allclose(part[0], whole[frame], atol=1e-12)


def test_a_stretched_arm_loses_by_bending() -> None:
    arm = Skeleton(("shoulder", "elbow", "hand"), [-1, 0, 1], [[0, 0, 0], [0, 1, 0], [0, 1, 0]], kinds=["ball"] * 3)
    state = WorldState.of(arm, Pose.rest(arm).motion)
    pull = np.array([[0.0, 1.0, 0.0]])
    bent = curvature_of_point(state, arm.dofs, pull, BodyPoint(2))[0]
    values = np.linalg.eigvalsh(bent)
    assert values.min() > -1e-12 and values.max() > 1.0
    about_the_arm = [1, 4, 7]
    assert not np.abs(bent[about_the_arm]).max()


def test_no_frames_and_no_columns(rng: np.random.Generator) -> None:
    body = person()
    nothing = random_state(rng, body, 0)
    point, columns = BodyPoint(4), body.dofs.count
    assert curvature_of_point(nothing, body.dofs, np.zeros((0, 3)), point).shape == (0, columns, columns)
    assert spin_curvature(nothing, body.dofs, np.zeros((0, 3)), 4).shape == (0, columns, columns)
    no_dofs = Dofs(body.kinds, np.zeros(len(body), dtype=bool))
    state = random_state(rng, body, 2)
    assert curvature_of_point(state, no_dofs, np.ones((2, 3)), point).shape == (2, 0, 0)
    assert spin_curvature(state, no_dofs, np.ones((2, 3)), 4).shape == (2, 0, 0)
