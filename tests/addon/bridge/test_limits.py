# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks, limits and stiffness of pose bones hold for the solver, and what it has only nearly is said."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from poise import solver
from poise.addon import bridge
from poise.addon.bridge.limits import limits_of
from poise.solver import BallLimit, HingeLimit, JointKind, rotations

from .rigs import straight_chain, swing

FRAMES = range(3, 15)


@pytest.fixture
def armature() -> bpy.types.Object:
    """A chain of four bones that moves a little."""
    made = straight_chain(["a", "b", "c", "d"])
    swing(made, FRAMES)
    return made


def bone_of(armature: bpy.types.Object, name: str) -> Any:
    return armature.pose.bones[name]


def read(armature: bpy.types.Object) -> solver.Clip:
    return bridge.read(armature, FRAMES[0], FRAMES[-1]).clip


def limit_ik(bone: Any, **ranges: tuple[float, float]) -> None:
    for axis, (low, high) in ranges.items():
        setattr(bone, f"use_ik_limit_{axis}", True)
        setattr(bone, f"ik_min_{axis}", low)
        setattr(bone, f"ik_max_{axis}", high)


def limit_rotation(bone: Any, space: str = "LOCAL", **ranges: tuple[float, float]) -> Any:
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space = space
    for axis, (low, high) in ranges.items():
        setattr(constraint, f"use_limit_{axis}", True)
        setattr(constraint, f"min_{axis}", low)
        setattr(constraint, f"max_{axis}", high)
    return constraint


def most(armature: bpy.types.Object, name: str, axis: str) -> tuple[float, float]:
    """The least and the largest angle about an axis of a bone that its limit allows, to a tenth of a degree."""
    skeleton = read(armature).skeleton
    limit = skeleton.limits[skeleton.index(name)]
    assert isinstance(limit, BallLimit)
    angles = np.deg2rad(np.arange(-1790, 1790) / 10.0)
    turned = rotations.from_axis_angle(np.eye(3)["xyz".index(axis)], angles)
    inside = angles[(limit.excess(turned) <= 0.0).all(axis=1)]
    return float(inside.min()), float(inside.max())


def test_a_plain_rig_has_no_limits(armature: bpy.types.Object) -> None:
    skeleton = read(armature).skeleton
    assert not skeleton.limits and (skeleton.stiffness == 1.0).all()
    assert bridge.limit_notes(skeleton, armature) == ""


def test_limits_of_inverse_kinematics_are_a_twist_and_a_swing(armature: bpy.types.Object) -> None:
    ranges = {"x": (-1.2, 1.5), "y": (-0.8, 0.9), "z": (-1.2, 1.1)}
    limit_ik(bone_of(armature, "c"), **ranges)
    for axis, expected in ranges.items():
        assert most(armature, "c", axis) == pytest.approx(expected, abs=0.02), axis
    assert "a twist and a swing: c." in bridge.limit_notes(read(armature).skeleton, armature)


def test_a_hinge_has_the_limit_of_its_axis(armature: bpy.types.Object) -> None:
    bone = bone_of(armature, "c")
    bone.lock_rotation = (False, True, True)
    limit_ik(bone, x=(-1.3, 2.0), z=(-0.1, 0.1))
    skeleton = read(armature).skeleton
    joint = skeleton.index("c")
    assert skeleton.kinds[joint] is JointKind.HINGE
    limit = skeleton.limits[joint]
    assert isinstance(limit, HingeLimit) and (limit.low, limit.high) == pytest.approx((-1.3, 2.0), abs=1e-5)
    assert bridge.limit_notes(skeleton, armature) == "", "a hinge has this range exactly"


def test_two_axes_without_room_make_a_hinge(armature: bpy.types.Object) -> None:
    limit_ik(bone_of(armature, "c"), y=(0.0, 0.0), z=(0.0, 0.0))
    skeleton = read(armature).skeleton
    assert skeleton.kinds[skeleton.index("c")] is JointKind.HINGE
    assert skeleton.hinge_axes[skeleton.index("c")].tolist() == [1.0, 0.0, 0.0]


def test_a_single_locked_axis_is_a_narrow_range(armature: bpy.types.Object) -> None:
    bone_of(armature, "d").lock_rotation = (False, True, False)
    bone_of(armature, "d").rotation_mode = "QUATERNION"
    skeleton = read(armature).skeleton
    limit = skeleton.limits[skeleton.index("d")]
    assert isinstance(limit, BallLimit) and limit.swing is None and limit.axis == (0.0, 1.0, 0.0)


def test_limit_rotation_constraints_are_read_in_local_space(armature: bpy.types.Object) -> None:
    limit_rotation(bone_of(armature, "c"), x=(-1.6, 1.5))
    low, high = most(armature, "c", "x")
    assert (low, high) == pytest.approx((-1.6, 1.5), abs=0.02)
    limit_ik(bone_of(armature, "c"), x=(-1.4, 2.0))
    assert most(armature, "c", "x") == pytest.approx((-1.4, 1.5), abs=0.02), "the narrower ends count"


@pytest.mark.parametrize("change", ["world", "influence", "mute"])
def test_other_limit_rotation_constraints_are_left_out_and_said(armature: bpy.types.Object, change: str) -> None:
    constraint = limit_rotation(bone_of(armature, "c"), "WORLD" if change == "world" else "LOCAL", x=(-2.0, 2.5))
    if change == "influence":
        constraint.influence = 0.5
    constraint.mute = change == "mute"
    skeleton = read(armature).skeleton
    assert not skeleton.limits
    assert ("left out: c." in bridge.limit_notes(skeleton, armature)) == (change != "mute")


def test_stiffness_is_that_of_inverse_kinematics(armature: bpy.types.Object) -> None:
    bone = bone_of(armature, "c")
    bone.ik_stiffness_x = bone.ik_stiffness_y = bone.ik_stiffness_z = 0.75
    skeleton = read(armature).skeleton
    assert skeleton.stiffness.tolist() == pytest.approx([1.0, 1.0, 4.0, 1.0], rel=1e-6)
    assert bridge.limit_notes(skeleton, armature) == ""
    bone.ik_stiffness_y = 0.0
    skeleton = read(armature).skeleton
    assert skeleton.stiffness[2] == pytest.approx(2.0, rel=1e-6)
    assert "the mean of its axes: c." in bridge.limit_notes(skeleton, armature)
    bone.lock_rotation = (False, True, True)
    assert limits_of(bone).stiffness == pytest.approx(4.0, rel=1e-6), "locked axes do not count"


def test_the_source_stays_inside_limits_that_it_exceeds(armature: bpy.types.Object) -> None:
    for name in ("b", "c", "d"):
        limit_ik(bone_of(armature, name), x=(-0.01, 0.0), y=(-0.01, 0.01), z=(0.0, 0.01))
    clip = read(armature)
    assert len(clip.skeleton.limits) == 3
    for joint, limit in clip.skeleton.limits.items():
        back = rotations.conjugate(clip.skeleton.rest_rotations[joint])
        assert limit.excess(rotations.multiply(back, clip.motion.rotations[:, joint])).max() < 0.0


def test_bones_that_do_not_follow_the_bone_above_have_no_limits(armature: bpy.types.Object) -> None:
    limit_ik(bone_of(armature, "c"), x=(-1.0, 1.0))
    armature.data.bones["c"].use_inherit_rotation = False
    skeleton = read(armature).skeleton
    assert not skeleton.limits
    assert "does not follow the rotation of the bone above: c." in bridge.limit_notes(skeleton, armature)


def test_many_bones_are_counted(armature: bpy.types.Object) -> None:
    for name in "abcd":
        limit_rotation(bone_of(armature, name), "WORLD", x=(-3.0, 3.0))
    assert "a, b, c and 1 more" in bridge.limit_notes(read(armature).skeleton, armature)
