# SPDX-License-Identifier: GPL-3.0-or-later
"""The full character as a body of handles."""

from __future__ import annotations

import numpy as np

from poise.solver.body.kinematics import WorldState
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.spacetime.handles.body_axes import body_axes
from poise.solver.spacetime.handles.full_body import FullBody, FullBodyDerivatives
from poise.solver.spacetime.handles.handle import AXES

from ...characters import person, random_skeleton, random_state
from ...jacobian_check import some_dofs
from .some_handles import handles_of


def test_points_and_centres_are_those_of_the_state(rng: np.random.Generator) -> None:
    skeleton = person()
    state = random_state(rng, skeleton)
    body = FullBody(state)
    np.testing.assert_array_equal(body.point("left_heel"), state.point(skeleton.landmarks.left_heel))
    np.testing.assert_array_equal(body.point("RightHand"), state.positions[:, skeleton.index("RightHand")])
    np.testing.assert_array_equal(body.center_of_mass(None), state.center_of_mass())
    arm = state.subtree_center_of_mass(skeleton.index("LeftArm"))
    np.testing.assert_array_equal(body.center_of_mass("left_shoulder"), arm)


def test_axes_of_the_rest_pose_are_those_of_the_body(rng: np.random.Generator) -> None:
    for skeleton in (person(), random_skeleton(rng)):
        body = FullBody(WorldState.of(skeleton, Pose.rest(skeleton).motion))
        for axis, expected in body_axes(skeleton).items():
            for joint in skeleton.names:
                np.testing.assert_allclose(body.axis(joint, axis)[0], expected, atol=1e-12)


def test_axes_turn_with_their_joint(rng: np.random.Generator) -> None:
    skeleton = random_skeleton(rng)
    turn = rotations.random(rng)
    rest = Pose.rest(skeleton)
    turned = rest.rotations.copy()
    turned[0] = rotations.multiply(turn, turned[0])
    body = FullBody(WorldState.of(skeleton, Motion(turned[None], rest.translations[None])))
    carried = skeleton.tree.ancestry[:, 0]
    for axis, at_rest in body_axes(skeleton).items():
        for joint in np.flatnonzero(carried):
            expected = rotations.rotate(turn, at_rest)
            np.testing.assert_allclose(body.axis(skeleton.names[joint], axis)[0], expected, atol=1e-12)


def test_values_are_the_same_with_derivatives(character: Skeleton, rng: np.random.Generator) -> None:
    state = random_state(rng, character)
    dofs = some_dofs(rng, state)
    for handle in handles_of(character):
        dual = handle.value(FullBodyDerivatives(state, dofs))
        np.testing.assert_allclose(dual.value, handle.value(FullBody(state)), atol=1e-12)
        assert dual.jacobian.shape == (state.frames, handle.width, dofs.count)


def test_all_axes_are_orthonormal(rng: np.random.Generator) -> None:
    body = FullBody(random_state(rng, person()))
    axes = np.stack([body.axis("LeftHand", axis) for axis in AXES], axis=1)
    np.testing.assert_allclose(axes @ axes.swapaxes(1, 2), np.tile(np.eye(3), (len(axes), 1, 1)), atol=1e-12)
