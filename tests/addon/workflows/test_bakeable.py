# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that could not be baked are refused when they are added, with the bones that would work."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import bpy
import pytest

from poise.addon import bridge
from poise.addon.properties import character_of

from ..operators.test_constraints import items, refused, run
from ..operators.untouched import state
from ..rigify import FRAMES

KINDS = ("pin", "trajectory", "orientation", "look_at", "pose")


def is_safe(sentence: str) -> bool:
    """Whether it is one sentence that shows a way which leaves the rig as it is."""
    is_one = sentence.endswith(".") and "\n" not in sentence and ". " not in sentence
    return is_one and "Make Bakeable Copy" in sentence and "Clear Constraints" not in sentence


def held_by_ik(armature: Any, bone: str = "l_knee") -> Any:
    """Inverse kinematics moves a bone and the one above it."""
    target = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = armature.matrix_world @ armature.pose.bones[bone].tail
    constraint = armature.pose.bones[bone].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 2
    return constraint


# Where nothing can be baked -------------------------------------------------------------------------------------------


@pytest.fixture
def generated(rigify: bpy.types.Object) -> bpy.types.Object:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    scene.frame_set(8)
    return rigify


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bone", ["hand_ik.L", "torso", "DEF-hand.L", "ORG-spine", "DEF-shoulder.L"])
def test_a_generated_rigify_refuses_each_kind(kind: str, bone: str, generated: bpy.types.Object) -> None:
    before = state()
    begun = time.perf_counter()
    message = refused(f"constraint_add_{kind}", bone=bone)
    assert time.perf_counter() - begun < 1.0, "adding must stay quick"
    assert message.startswith(f"Bone {bone!r} ") and is_safe(message)
    assert state() == before


def test_a_generated_rigify_refuses_what_needs_no_bone(generated: bpy.types.Object) -> None:
    before = state()
    for name, given in (
        ("constraint_add_footplant", {"foot": "LEFT"}),
        ("constraint_add_balance", {}),
        ("detect_footplants", {}),
        ("detect_template", {"bone": "DEF-foot.L", "begin": 5, "end": 9}),
        ("solve", {}),
        ("clean", {}),
    ):
        message = refused(name, **given)
        assert is_safe(message), message
        assert state() == before
    assert refused("constraint_add_footplant", foot="LEFT").startswith("The left leg cannot be baked, since its ")


def test_the_copy_of_a_generated_rigify_takes_and_solves_them(generated: bpy.types.Object) -> None:
    assert run("bakeable_copy") == {"FINISHED"}
    copy = bpy.context.view_layer.objects.active
    assert copy is not generated and generated.hide_get()
    for kind in KINDS:
        assert run(f"constraint_add_{kind}", bone="DEF-hand.L") == {"FINISHED"}
    assert run("constraint_add_footplant", foot="RIGHT") == {"FINISHED"}
    assert run("solve") == {"FINISHED"}
    assert not items(generated) and len(items(copy)) == len(KINDS) + 1


# Where some bones can -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_bones_that_inverse_kinematics_moves_are_refused_and_others_named(
    kind: str, armature: bpy.types.Object
) -> None:
    held_by_ik(armature)
    before = state()
    message = refused(f"constraint_add_{kind}", bone="l_hip")
    assert message.startswith("Bone 'l_hip' cannot be baked, since constraint 'IK' of bone 'l_knee' moves it: choose ")
    assert is_safe(message)
    assert state() == before
    named = message.split("choose ")[1].split(", which")[0].replace(" or ", ", ").split(", ")
    assert len(named) == 3
    for name in named:
        assert run(f"constraint_add_{kind}", bone=name.strip("'")) == {"FINISHED"}
    assert run("solve") == {"FINISHED"}


def test_a_place_that_inverse_kinematics_decides_is_refused_but_not_a_turn(armature: bpy.types.Object) -> None:
    constraint = held_by_ik(armature)
    message = refused("constraint_add_pin", bone="l_talocrural")
    assert message.startswith(
        "Bone 'l_talocrural' cannot be moved by keys, since constraint 'IK' of bone 'l_knee' decides where it is: "
    )
    assert "'sacroiliac'" in message and is_safe(message)
    assert run("constraint_add_orientation", bone="l_talocrural") == {"FINISHED"}
    assert run("constraint_add_pin", bone="l_talocrural", use_tail=True) == {"FINISHED"}
    constraint.mute = True
    assert run("constraint_add_pin", bone="l_talocrural") == {"FINISHED"}


def test_a_control_is_refused_and_the_nearest_bones_named(armature: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    control, wrist = armature.data.edit_bones.new("control"), armature.data.edit_bones["r_wrist"]
    control.head, control.tail, control.use_deform = wrist.head, wrist.tail, False
    bpy.ops.object.mode_set(mode="OBJECT")
    held_by_ik(armature)
    message = refused("constraint_add_pin", bone="control")
    assert message.startswith("Bone 'control' is none of the bones that move the character: choose 'r_wrist', ")
    assert is_safe(message)


def test_an_existing_constraint_does_not_take_a_bone_that_cannot_be_baked(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="l_wrist")
    held_by_ik(armature)
    before = state()
    for name, given in (
        ("constraint_pick", {"bone": "l_knee", "role": "BONE"}),
        ("constraint_pick", {"bone": "l_knee, l_hip", "role": "RECRUITED"}),
        ("bone_choose", {"bone": "l_knee", "field": "bone"}),
    ):
        assert "'l_knee' cannot be baked" in refused(name, **given)
        assert state() == before
    assert run("constraint_pick", bone="l_knee, sacroiliac", role="RECRUITED") == {"FINISHED"}
    assert run("bone_choose", bone="l_knee", field="reference_bone") == {"FINISHED"}


def test_a_mirrored_constraint_needs_a_bone_that_can_be_baked(armature: bpy.types.Object) -> None:
    run("constraint_add_pin", bone="r_knee")
    run("constraint_add_footplant", foot="RIGHT")
    held_by_ik(armature)
    copy_leg(armature, "l")
    before = state()
    assert refused("constraint_mirror", index=0).startswith("Bone 'l_knee' cannot be baked, since its constraint ")
    assert refused("constraint_mirror", index=1).startswith("The left leg cannot be baked, since its constraint ")
    assert state() == before


def test_constraints_of_a_file_need_bones_that_can_be_baked(armature: bpy.types.Object, tmp_path: Path) -> None:
    path = str(tmp_path / "pins.json")
    run("constraint_add_pin", bone="l_wrist")
    run("constraint_add_pin", bone="l_knee")
    run("constraints_save", filepath=path)
    held_by_ik(armature)
    message = refused("constraints_load", filepath=path)
    assert message.startswith("Bone 'l_knee' cannot be baked, since its constraint 'IK' moves it: choose ")
    assert len(items(armature)) == 2


def test_a_hidden_bone_that_cannot_be_baked_is_not_asked_to_be_shown(armature: bpy.types.Object) -> None:
    held_by_ik(armature)
    bridge.set_hidden(armature.pose.bones["l_knee"])
    message = refused("constraint_add_pin", bone="l_knee")
    assert "cannot be baked" in message and "hidden" not in message


def test_an_armature_without_motion_takes_constraints(armature: bpy.types.Object) -> None:
    held_by_ik(armature)
    armature.animation_data_clear()
    assert run("constraint_add_pin", bone="l_knee") == {"FINISHED"}


# Proposals ------------------------------------------------------------------------------------------------------------


def copy_leg(armature: bpy.types.Object, side: str) -> None:
    """Let something else move every bone of a leg."""
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(goal)
    for bone in armature.pose.bones:
        if bone.name.startswith(f"{side}_") and any(
            above.name == f"{side}_hip" for above in (bone, *bone.parent_recursive)
        ):
            bone.constraints.new("COPY_ROTATION").target = goal


def test_footplants_are_proposed_only_for_legs_that_can_be_baked(armature: bpy.types.Object) -> None:
    copy_leg(armature, "l")
    assert run("detect_footplants") == {"FINISHED"}
    assert {item.foot for item in character_of(armature).found} == {"RIGHT"}
    copy_leg(armature, "r")
    message = refused("detect_footplants")
    assert message.startswith("The left leg cannot be baked, since its constraint ") and is_safe(message)


def test_proposals_that_could_not_be_baked_are_not_accepted(armature: bpy.types.Object) -> None:
    run("detect_footplants")
    count = len(character_of(armature).found)
    copy_leg(armature, "l")
    before = state()
    left = next(place for place, item in enumerate(character_of(armature).found) if item.foot == "LEFT")
    for name, given in (("found_accept", {"index": left}), ("found_accept_all", {})):
        message = refused(name, **given)
        assert message.startswith("The left leg cannot be baked") and is_safe(message)
        assert state() == before
    for item in character_of(armature).found:
        item.enabled = item.foot == "RIGHT"
    assert run("found_accept_all", only_enabled=True) == {"FINISHED"}
    assert {item.foot for item in items(armature)} == {"RIGHT"}
    assert len(items(armature)) + len(character_of(armature).found) == count
