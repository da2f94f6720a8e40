# SPDX-License-Identifier: GPL-3.0-or-later
"""Names are shown without the prefix that nearly all bones share, and never become the same or empty."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.properties.shown_names import common_prefix, shortened, shown_bone, shown_text

BONES = ("Hips", "Spine", "LeftArm", "LeftHand", "RightArm", "RightHand")


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        ([f"mixamorig:{bone}" for bone in BONES], "mixamorig:"),
        ([f"mixamorig12:{bone}" for bone in BONES], "mixamorig12:"),
        ([f"actor:mixamorig:{bone}" for bone in BONES], "actor:mixamorig:"),
        (["Bip001", "Bip001 Pelvis", "Bip001 Spine", "Bip001 L Hand", "Bip001 R Hand", "Bip001 Head"], "Bip001 "),
        ([f"rig_{bone}" for bone in BONES], "rig_"),
        ([*(f"mixamorig:{bone}" for bone in BONES), "Prop"], "mixamorig:"),
        ([*(f"mixamorig:{bone}" for bone in BONES), "Hips"], ""),
        ([*(f"DEF-{bone}" for bone in BONES), *(f"ORG-{bone}" for bone in BONES)], ""),
        (["l_hip", "l_knee", "l_ankle", "l_ball"], ""),
        (["Left_Hip", "Left_Knee", "Left_Ankle"], ""),
        (list(BONES), ""),
        (["arm_upper", "arm_lower"], ""),
        ([], ""),
    ],
)
def test_a_prefix_is_dropped_where_names_stay_apart(names: list[str], prefix: str) -> None:
    assert common_prefix(tuple(names)) == prefix


def renamed(armature: Any, prefix: str) -> None:
    for bone in armature.data.bones:
        bone.name = f"{prefix}{bone.name}"


def test_bones_and_texts_are_shown_without_the_prefix(armature: bpy.types.Object) -> None:
    assert shown_bone(armature, "l_wrist") == "l_wrist" and shown_text(armature, "Pin l_wrist") == "Pin l_wrist"
    renamed(armature, "mixamorig:")
    assert shown_bone(armature, "mixamorig:l_wrist") == "l_wrist"
    assert shown_bone(armature, "mixamorig:") == "mixamorig:"
    text = "Pin mixamorig:l_wrist conflicts with 'mixamorig:vt1'."
    assert shown_text(armature, text) == "Pin l_wrist conflicts with 'vt1'."


def test_a_prefix_inside_of_a_word_stays(armature: bpy.types.Object) -> None:
    renamed(armature, "b_")
    assert shown_text(armature, "Pin b_vt1 of thumb_x") == "Pin vt1 of thumb_x"


@pytest.mark.parametrize(
    ("text", "letters", "shown"),
    [
        ("LeftHand", 8, "LeftHand"),
        ("LeftHandThumb1", 9, "Left…umb1"),
        ("LeftHandThumb1", 8, "Left…mb1"),
        ("Left Hand Thumb", 12, "Left H…Thumb"),
    ],
)
def test_long_names_are_shortened_in_the_middle(text: str, letters: int, shown: str) -> None:
    assert shortened(text, letters) == shown and len(shown) <= letters
