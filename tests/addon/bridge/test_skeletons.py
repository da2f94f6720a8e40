# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints a rig has, how they move, and what they are on a body."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from poise.addon import bridge
from poise.solver import PositionTask, solve_posture
from poise.solver.body.joints import JointKind

from ..exported import ROOT, Traits, exported
from .rigs import (
    EULER_ORDERS,
    assert_blender_shows,
    key,
    new_armature,
    random_armature,
    set_action,
    straight_chain,
    swing,
)

FRAMES = range(3, 15)


def test_tails_that_carry_no_bone_are_tips() -> None:
    armature = straight_chain(["a", "b", "c"])
    armature.scale = (2.0, 2.0, 2.0)
    swing(armature, FRAMES)
    clip = bridge.read(armature, 3, 14).clip
    (tip,) = clip.skeleton.tips
    assert clip.skeleton.names[tip.joint] == "c"
    np.testing.assert_allclose(tip.offset, (0.0, 2.0, 0.0), atol=1e-6)
    bpy.context.scene.frame_set(7)
    tail = armature.matrix_world @ armature.pose.bones["c"].tail
    np.testing.assert_allclose(clip.position(tip)[4], tail, atol=1e-5)


def test_locks_of_rotation_hold_for_the_solver() -> None:
    armature = straight_chain(["a", "b", "c", "d"])
    swing(armature, FRAMES)
    armature.pose.bones["b"].lock_rotation = (False, True, True)
    armature.pose.bones["c"].lock_rotation = (True, True, True)
    skeleton = bridge.read(armature, 3, 14).clip.skeleton
    assert skeleton.kinds == (JointKind.FREE, JointKind.HINGE, JointKind.FIXED, JointKind.BALL)
    assert skeleton.hinge_axes[1].tolist() == [1.0, 0.0, 0.0]


def test_a_root_that_may_not_move_only_turns() -> None:
    armature = straight_chain(["a", "b"])
    swing(armature, FRAMES)
    root = armature.pose.bones["a"]
    for locks, kind in (((False, False, False), JointKind.BALL), ((True, True, True), JointKind.FIXED)):
        root.lock_location, root.lock_rotation = (True, True, True), locks
        assert bridge.read(armature, 3, 14).clip.skeleton.kinds[0] is kind
    root.lock_location = (True, False, True)
    assert bridge.read(armature, 3, 14).clip.skeleton.kinds[0] is JointKind.FREE


HUMAN = {
    "hips": ((0, 0, 1.0), (0, 0, 1.1), ""),
    "spine": ((0, 0, 1.1), (0, 0, 1.4), "hips"),
    "neck": ((0, 0, 1.4), (0, 0, 1.5), "spine"),
    "head": ((0, 0, 1.5), (0, 0, 1.75), "neck"),
    **{
        f"{part}{side}": tuple(
            (sign * place[0], *place[1:]) if isinstance(place, tuple) else (f"{place}{side}" if limb else place)
            for place in where
        )
        for side, sign in ((".L", 1), (".R", -1))
        for part, limb, where in (
            ("thigh", False, ((0.1, 0, 1.0), (0.1, -0.01, 0.55), "hips")),
            ("shin", True, ((0.1, -0.01, 0.55), (0.1, 0, 0.1), "thigh")),
            ("foot", True, ((0.1, 0, 0.1), (0.1, -0.15, 0.02), "shin")),
            ("toe", True, ((0.1, -0.15, 0.02), (0.1, -0.22, 0.02), "foot")),
            ("upper_arm", False, ((0.2, 0, 1.4), (0.5, 0.01, 1.4), "spine")),
            ("forearm", True, ((0.5, 0.01, 1.4), (0.75, 0, 1.4), "upper_arm")),
            ("hand", True, ((0.75, 0, 1.4), (0.9, 0, 1.4), "forearm")),
        )
    },
}
"""Head, tail and parent of the bones of a human, as Blender names them."""

MIXAMO = {
    "hips": "Hips", "spine": "Spine", "neck": "Neck", "head": "Head", "thigh": "UpLeg", "shin": "Leg", "foot": "Foot",
    "toe": "ToeBase", "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand",
}  # fmt: skip


def mixamo_name(name: str) -> str:
    part, _, side = name.partition(".")
    return "mixamorig:" + {"L": "Left", "R": "Right", "": ""}[side] + MIXAMO[part]


def build_human(rename: Callable[[str], str], ground_root: bool) -> bpy.types.Object:
    def build(edit_bones: bpy.types.ArmatureEditBones) -> None:
        if ground_root:
            root = edit_bones.new("root")
            root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)
        for name, (head, tail, parent) in HUMAN.items():
            bone = edit_bones.new(rename(name))
            bone.head, bone.tail = head, tail
            bone.parent = edit_bones[rename(parent)] if parent else (root if ground_root else None)

    return new_armature("Human", build)


@pytest.mark.parametrize("rename", [str, lambda name: f"DEF-{name}", mixamo_name], ids=["blender", "rigify", "mixamo"])
@pytest.mark.parametrize("ground_root", [False, True])
def test_usual_names_are_recognised(rename: Callable[[str], str], ground_root: bool) -> None:
    armature = build_human(rename, ground_root)
    swing(armature, FRAMES)
    skeleton = bridge.read(armature, 3, 14).clip.skeleton
    roles = {
        "hips": "hips", "neck": "neck", "head": "head",
        "left_hip": "thigh.L", "left_knee": "shin.L", "left_ankle": "foot.L", "left_toe": "toe.L",
        "right_hip": "thigh.R", "right_knee": "shin.R", "right_ankle": "foot.R", "right_toe": "toe.R",
        "left_shoulder": "upper_arm.L", "left_elbow": "forearm.L", "left_wrist": "hand.L",
        "right_shoulder": "upper_arm.R", "right_elbow": "forearm.R", "right_wrist": "hand.R",
    }  # fmt: skip
    found = {role: skeleton.names[getattr(skeleton.landmarks, role)] for role in roles}
    assert found == {role: rename(name) for role, name in roles.items()}
    assert skeleton.size == pytest.approx(1.0, abs=0.08)


def test_edits_belong_to_the_hips_and_not_to_a_root_on_the_ground() -> None:
    armature = build_human(str, ground_root=True)
    swing(armature, FRAMES)
    clip = bridge.read(armature, 3, 14).clip
    kinds = dict(zip(clip.skeleton.names, clip.skeleton.kinds, strict=True))
    assert (kinds["root"], kinds["hips"], kinds["spine"]) == (JointKind.FIXED, JointKind.FREE, JointKind.BALL)
    armature.pose.bones["hips"].lock_location[0] = True
    assert bridge.read(armature, 3, 14).clip.skeleton.kinds[0] is JointKind.FREE
    target = clip.position("hips")[4] + (0.2, 0.1, -0.1)
    solved = solve_posture(clip.skeleton, clip.pose(4), [PositionTask("hips", target, priority=1)])
    assert np.linalg.norm(solved.errors[0]) < 1e-6
    assert np.array_equal(solved.pose.translations[0], clip.pose(4).translations[0])


@pytest.mark.parametrize("order", EULER_ORDERS[:2])
def test_a_joint_turns_as_its_bone_does(order: str) -> None:
    """The rest pose is the identity of channels: a bone without rotation has its joint at rest."""
    armature = random_armature(np.random.default_rng(3), varied=False)
    for bone in armature.pose.bones:
        bone.rotation_mode = order
    set_action(armature)
    key(armature, 'pose.bones["bone.0"].location', 0, [3, 14], [0.0, 0.0])
    clip = bridge.read(armature, 3, 14).clip
    np.testing.assert_allclose(
        np.abs(np.einsum("fji,ji->fj", clip.motion.rotations, clip.skeleton.rest_rotations)), 1.0, atol=1e-7
    )
    np.testing.assert_allclose(clip.motion.translations[5], clip.skeleton.offsets, atol=1e-6)


@pytest.mark.parametrize(("tails", "counts"), [(None, True), (12.0, False), (0.3, False)])
def test_tails_count_only_where_bones_end_at_their_children(tails: float | None, counts: bool) -> None:
    skeleton = bridge.read(exported(Traits(tails=tails)).armature).clip.skeleton
    assert bool(skeleton.tips) is counts


def test_feet_that_hang_beside_their_legs_are_joints_of_the_legs() -> None:
    character = exported(Traits(root=True, feet_beside_legs=True))
    reading = bridge.read(character.armature)
    skeleton = reading.clip.skeleton
    for side in ("Left", "Right"):
        foot, shin = (skeleton.index(f"mixamorig:{side}{part}") for part in ("Foot", "Leg"))
        assert skeleton.parents[foot] == shin
        assert character.armature.data.bones[f"mixamorig:{side}Foot"].parent.name == ROOT
    assert_blender_shows(reading.clip, character.armature, reading.times)
