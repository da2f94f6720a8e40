# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks are recognised, set and cleared."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np

from poise.addon import bridge, translation
from poise.addon.properties import MARKS, POINT_MARKS, character_of
from poise.solver import BodyPoint, Skeleton
from poise.solver.core import rotations

from ..walking import select_bones
from .test_constraints import refused, run


def test_the_marks_are_those_of_the_solver(reading: bridge.Reading) -> None:
    landmarks = reading.clip.skeleton.landmarks
    names = {field.name for field in dataclasses.fields(landmarks)} - {"joint_count"}
    assert set(MARKS) == names and len(MARKS) == len(names)
    assert {mark for mark in MARKS if isinstance(getattr(landmarks, mark), BodyPoint)} == set(POINT_MARKS)


def test_recognised_landmarks_are_kept(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    run("character_recognise")
    character = character_of(armature)
    kept = {landmark.mark: landmark for landmark in character.recognised}
    skeleton = reading.clip.skeleton
    assert kept["left_ankle"].bone == skeleton.names[skeleton.landmarks.left_ankle]
    heel = skeleton.landmarks.left_heel
    assert kept["left_heel"].bone == skeleton.names[heel.joint]
    np.testing.assert_allclose(list(kept["left_heel"].offset), heel.offset, atol=1e-6)
    spine = [landmark.bone for landmark in character.recognised if landmark.mark == "spine"]
    assert spine == [skeleton.names[joint] for joint in skeleton.landmarks.spine]
    assert character.missing == ""
    count = len(character.recognised)
    run("character_recognise")
    assert len(character.recognised) == count


def test_what_is_missing_is_reported_until_it_is_set(armature: bpy.types.Object) -> None:
    for bone, name in zip(list(armature.data.bones), "abcdefghijklmnopqrstuvwxyzäöüßéèê", strict=False):
        bone.name = name
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in [bone for bone in armature.data.edit_bones if bone.head.z > 1.3]:
        armature.data.edit_bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    run("character_recognise")
    missing = character_of(armature).missing
    assert missing.startswith("Not found: ") and "left clavicle" in missing
    run("landmark_set", mark="left_clavicle", bone=armature.data.bones[0].name, mirror=False)
    run("character_recognise")
    assert "left clavicle" not in character_of(armature).missing


def test_a_landmark_is_set_on_both_sides(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    select_bones(armature, "l_midtarsal")
    run("landmark_set", mark="left_toe")
    marks = translation.clip_with_settings(armature, reading).skeleton.landmarks
    names = reading.clip.skeleton.names
    assert (names[marks.left_toe], names[marks.right_toe]) == ("l_midtarsal", "r_midtarsal")
    run("landmark_set", mark="left_toe", bone="l_metatarsal", mirror=False)
    assert len(character_of(armature).landmarks) == 2, "setting again replaces"
    marks = translation.clip_with_settings(armature, reading).skeleton.landmarks
    assert (names[marks.left_toe], names[marks.right_toe]) == ("l_metatarsal", "r_midtarsal")


def test_a_point_has_an_offset_or_is_at_the_tail(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    run("landmark_set", mark="left_heel", bone="l_subtalar", offset=(0.01, 0.02, 0.03))
    skeleton = translation.clip_with_settings(armature, reading).skeleton
    np.testing.assert_allclose(skeleton.landmarks.left_heel.offset, (0.01, 0.02, 0.03), atol=1e-7)
    left, right = (at_rest(skeleton, f"{side}_heel") for side in ("left", "right"))
    np.testing.assert_allclose(right, left * (-1.0, 1.0, 1.0), atol=1e-4)
    run("landmark_set", mark="left_heel", bone="l_knee", use_tail=True)
    skeleton = translation.clip_with_settings(armature, reading).skeleton
    ankle = skeleton.rest[1][skeleton.index("l_talocrural")]
    np.testing.assert_allclose(at_rest(skeleton, "left_heel"), ankle, atol=1e-4)


def at_rest(skeleton: Skeleton, mark: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(3,) where a landmark that is a point is in the rest pose."""
    point = getattr(skeleton.landmarks, mark)
    turns, places = skeleton.rest
    return places[point.joint] + rotations.rotate(turns[point.joint], point.local)


def test_the_spine_takes_several_bones_from_below(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    run("landmark_set", mark="spine", bone="vt6,vl5,vt1")
    skeleton = translation.clip_with_settings(armature, reading).skeleton
    assert [skeleton.names[joint] for joint in skeleton.landmarks.spine] == ["vl5", "vt6", "vt1"]
    assert "one bone for the head" in refused("landmark_set", mark="head", bone="vt6,vl5")


def test_clearing_returns_to_what_is_recognised(armature: bpy.types.Object, reading: bridge.Reading) -> None:
    run("landmark_set", mark="left_toe", bone="l_midtarsal")
    run("landmark_set", mark="head", bone="vc4")
    run("landmark_clear", mark="left_toe")
    assert {landmark.mark for landmark in character_of(armature).landmarks} == {"right_toe", "head"}
    run("landmark_clear", mark="ALL")
    assert translation.clip_with_settings(armature, reading) is reading.clip


def test_an_armature_without_an_action_is_reported(armature: bpy.types.Object) -> None:
    armature.animation_data_clear()
    assert "no action" in refused("character_recognise")
    assert "has no bone 'missing'" in refused("landmark_set", mark="head", bone="missing")
