# SPDX-License-Identifier: GPL-3.0-or-later
"""How limbs hang where all values are 0."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.spacetime.characters.limb_frames import hanging_rotation
from poise.solver.spacetime.handles.body_axes import body_axes
from poise.solver.spacetime.handles.handle import AXES
from poise.solver.synthetic import walk

from .rest_poses import REST_POSES, with_rest


def axes_of(skeleton: Skeleton) -> Array:
    axes = body_axes(skeleton)
    return np.stack([axes[name] for name in AXES])


def bone(skeleton: Skeleton, child: str) -> Array:
    return np.array(skeleton.offsets[skeleton.index(child)])


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("rest", REST_POSES)
def test_legs_hang_down_with_knees_that_bend_backward(rest: str, up: Up) -> None:
    clip = with_rest(walk(steps=2, up=up).clip, rest)
    left, up_axis, _ = axes = axes_of(clip.skeleton)
    for side in ("l_", "r_"):
        hip, knee = (clip.skeleton.index(side + name) for name in ("hip", "knee"))
        turn = hanging_rotation(clip, hip, bone(clip.skeleton, side + "knee"), axes)
        hangs = rotations.rotate(turn, rotations.unit(bone(clip.skeleton, side + "knee")))
        np.testing.assert_allclose(hangs, -up_axis, atol=1e-9)
        # The axis about which the source bends the knee, carried along by the thigh.
        moved = clip.motion.rotations[:, knee]
        relative = rotations.log(rotations.multiply(moved, rotations.conjugate(rotations.mean(moved))))
        axis = np.linalg.svd(relative)[2][0]
        assert abs(rotations.rotate(turn, axis) @ left) > 0.999
        shin = hanging_rotation(clip, knee, bone(clip.skeleton, side + "talocrural"), axes)
        bent = rotations.multiply(rotations.multiply(turn, moved), rotations.conjugate(shin))
        assert np.mean(rotations.twist_angle(bent, left)) > 0.2


@pytest.mark.parametrize("rest", REST_POSES)
def test_arms_hang_down_with_elbows_that_bend_forward(rest: str) -> None:
    clip = with_rest(walk(steps=2).clip, rest)
    left, up_axis, _ = axes = axes_of(clip.skeleton)
    for side in ("l_", "r_"):
        shoulder, elbow = (clip.skeleton.index(side + name) for name in ("shoulder", "elbow"))
        upper = hanging_rotation(clip, shoulder, bone(clip.skeleton, side + "elbow"), axes)
        lower = hanging_rotation(clip, elbow, bone(clip.skeleton, side + "wrist"), axes)
        hangs = rotations.rotate(lower, rotations.unit(bone(clip.skeleton, side + "wrist")))
        np.testing.assert_allclose(hangs, -up_axis, atol=1e-9)
        bent = rotations.multiply(
            rotations.multiply(upper, clip.motion.rotations[:, elbow]), rotations.conjugate(lower)
        )
        assert np.mean(rotations.twist_angle(bent, left)) < -0.1


@pytest.mark.parametrize("rest", REST_POSES)
def test_the_rest_pose_does_not_matter_to_arms_and_legs(rest: str) -> None:
    usual = walk(steps=2).clip
    other = with_rest(usual, rest)
    for name, child in (("l_shoulder", "l_elbow"), ("r_hip", "r_knee"), ("r_elbow", "r_wrist")):
        joint = usual.skeleton.index(name)
        found = [
            hanging_rotation(clip, joint, bone(clip.skeleton, child), axes_of(clip.skeleton)) for clip in (usual, other)
        ]
        # The same posture in the world is the same posture of the body.
        world = [clip.world.rotations[:, joint] for clip in (usual, other)]
        bodies = [
            rotations.multiply(turned, rotations.conjugate(mount)) for turned, mount in zip(world, found, strict=True)
        ]
        assert rotations.angle_between(*bodies).max() < 1e-6, name


def test_a_spine_stays_upright_and_a_tail_hangs() -> None:
    clip = walk(steps=1).clip
    axes, rest = axes_of(clip.skeleton), clip.skeleton.rest[0]
    spine = clip.skeleton.index("vl5")
    upright = hanging_rotation(clip, spine, bone(clip.skeleton, "vl2"), axes)
    stands = rotations.rotate(upright, rotations.unit(bone(clip.skeleton, "vl2")))
    np.testing.assert_allclose(stands, axes[1], atol=1e-9)
    assert rotations.angle_between(upright, rest[spine]) < 0.2
    behind = -axes[2] + 0.1 * axes[0]
    turn = hanging_rotation(clip, spine, behind, axes)
    np.testing.assert_allclose(rotations.rotate(turn, rotations.unit(behind)), -axes[1], atol=1e-9)


def test_a_limb_without_length_is_as_at_rest() -> None:
    skeleton = walk(steps=1).clip.skeleton
    pose = Pose.rest(skeleton)
    still = Clip(skeleton, Motion(pose.rotations[None], pose.translations[None]))
    joint = skeleton.index("l_shoulder")
    found = hanging_rotation(still, joint, np.zeros(3), axes_of(skeleton))
    assert rotations.angle_between(found, skeleton.rest[0][joint]) < 1e-12
