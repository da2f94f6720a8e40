# SPDX-License-Identifier: GPL-3.0-or-later
"""New constraints recruit their limb or the spine, and the bones that a constraint may move are listed."""

from __future__ import annotations

import bpy
import pytest

from poise.addon.translation import TranslationError
from poise.addon.workflows import create
from poise.addon.workflows.recruiting import movable_bones, recruited_bones, step

ARM = ["l_wrist", "l_elbow", "l_shoulder", "l_sternoclavicular"]


@pytest.mark.parametrize(
    ("bone", "level", "turned"),
    [
        ("l_wrist", 3, 1),  # elbow, shoulder, clavicle; the forearm turns a hand
        ("r_talocrural", 2, 1),  # knee, hip
        ("l_hip", 0, 0),
        ("skullbase", 6, 1),  # down to the lowest of the spine; the neck turns a head
        ("vt6", 3, 3),
    ],
)
def test_a_new_constraint_recruits_its_limb(armature: bpy.types.Object, bone: str, level: int, turned: int) -> None:
    (pin,) = create.add_pins(armature, [bone], 20.0)
    (orientation,) = create.add_orientations(armature, [bone], 20.0)
    assert (pin.recruit, pin.recruit_level) == ("LEVEL", level)
    assert (orientation.recruit, orientation.recruit_level) == ("LEVEL", turned)


def test_what_moves_all_recruits_all(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["HumanoidRoot"], 20.0)
    assert pin.recruit == "ALL"


def test_without_a_motion_all_bones_are_recruited(armature: bpy.types.Object) -> None:
    armature.animation_data.action = None
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    assert pin.recruit == "ALL"


def test_recruited_bones_are_those_of_the_level_or_the_list(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    assert recruited_bones(armature, pin) == movable_bones(armature, pin) == ARM
    pin.recruit_level = 1
    assert recruited_bones(armature, pin) == ARM[:2]
    armature.data.bones["l_elbow"].name = "forearm"
    assert recruited_bones(armature, pin) == ["l_wrist", "forearm"]
    pin.recruit = "BONES"
    create.list_bones(armature, pin.recruited, ["skullbase", "vt6"])
    assert recruited_bones(armature, pin) == ["skullbase", "vt6"]


def test_all_that_may_move_are_the_bones_above_or_for_balance_all(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.recruit = "ALL"
    assert recruited_bones(armature, pin) == []
    assert movable_bones(armature, pin)[:4] == ARM and movable_bones(armature, pin)[-1] == "HumanoidRoot"
    balance = create.add_balance(armature)
    assert movable_bones(armature, balance) == [bone.name for bone in armature.pose.bones]


# One bone more or fewer ----------------------------------------------------------------------------------------------


def test_one_bone_more_goes_up_to_all_and_back(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    assert step(armature, pin, more=False) == f"{pin.name} may move 3 bones, up to l_shoulder."
    assert step(armature, pin, more=True) == f"{pin.name} may move 4 bones, up to {ARM[-1]}."
    above = len(armature.pose.bones["l_wrist"].parent_recursive)
    for _ in range(above):
        if pin.recruit == "ALL":
            break
        step(armature, pin, more=True)
    assert pin.recruit == "ALL"
    with pytest.raises(TranslationError, match="all bones already"):
        step(armature, pin, more=True)
    step(armature, pin, more=False)
    assert (pin.recruit, pin.recruit_level) == ("LEVEL", above - 1)


def test_its_own_bone_is_the_last_one(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.recruit_level = 1
    assert step(armature, pin, more=False) == f"{pin.name} may move l_wrist alone."
    with pytest.raises(TranslationError, match="only its own bone already"):
        step(armature, pin, more=False)


def test_of_listed_bones_the_highest_comes_and_goes(armature: bpy.types.Object) -> None:
    (pin,) = create.add_pins(armature, ["l_wrist"], 20.0)
    pin.recruit = "BONES"
    create.list_bones(armature, pin.recruited, ["l_elbow", "l_wrist"])
    step(armature, pin, more=True)
    assert sorted(recruited_bones(armature, pin)) == sorted(ARM[:3])
    step(armature, pin, more=False)
    step(armature, pin, more=False)
    assert recruited_bones(armature, pin) == ["l_wrist"]
    with pytest.raises(TranslationError, match="only one bone already"):
        step(armature, pin, more=False)
    create.list_bones(armature, pin.recruited, ["HumanoidRoot"])
    with pytest.raises(TranslationError, match="no bone above"):
        step(armature, pin, more=True)


@pytest.mark.parametrize("recognised", [False, True])
def test_a_plant_counts_from_its_ankle(armature: bpy.types.Object, recognised: bool) -> None:
    if recognised:
        bpy.ops.poise.character_recognise()
    plant = create.add_footplant(armature, "left", 10.0, 30.0)
    plant.recruit = "ALL"
    step(armature, plant, more=False)
    level = plant.recruit_level
    assert plant.recruit == "LEVEL" and level >= 2
    step(armature, plant, more=False)
    assert plant.recruit_level == level - 1
    for _ in range(2):
        step(armature, plant, more=True)
    assert plant.recruit == "ALL"


def test_a_handplant_counts_from_its_wrist(armature: bpy.types.Object) -> None:
    bpy.ops.poise.character_recognise()
    plant = create.add_handplant(armature, "left", 10.0, 30.0)
    plant.recruit = "ALL"
    step(armature, plant, more=False)
    assert plant.recruit == "LEVEL"
    assert plant.recruit_level == len(armature.pose.bones["l_wrist"].parent_recursive) - 1


def test_what_has_no_bone_says_so(armature: bpy.types.Object) -> None:
    balance = create.add_balance(armature)
    with pytest.raises(TranslationError, match="no bone of its own"):
        step(armature, balance, more=False)
