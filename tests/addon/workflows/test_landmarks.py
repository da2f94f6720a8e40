# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks are recognised, set by hand and cleared, and offsets mirrored."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from poise.addon.properties import MARKS, character_of
from poise.addon.translation import TranslationError
from poise.addon.workflows import landmarks


def test_recognised_landmarks_are_stored(armature: bpy.types.Object) -> None:
    assert landmarks.recognise(armature) == character_of(armature).missing == ""
    bones = {mark.mark: mark.bone for mark in character_of(armature).recognised}
    assert bones["left_knee"] == "l_knee" and bones["head"] == "skullbase" and set(bones) <= set(MARKS)


def test_a_landmark_replaces_the_former_one_and_is_cleared(armature: bpy.types.Object) -> None:
    landmarks.set_landmark(armature, "left_wrist", ["l_elbow"], (0.0, 0.0, 0.0))
    landmarks.set_landmark(armature, "left_wrist", ["l_wrist"], (0.0, 0.0, 0.0))
    landmarks.set_landmark(armature, "spine", ["vt6", "vl5"], (0.0, 0.0, 0.0))
    stored = character_of(armature).landmarks
    assert [(mark.mark, mark.bone) for mark in stored] == [
        ("left_wrist", "l_wrist"),
        ("spine", "vl5"),
        ("spine", "vt6"),
    ]
    assert landmarks.clear_landmark(armature, "left_wrist") == 1 and landmarks.clear_landmark(armature) == 2


@pytest.mark.parametrize(
    ("mark", "bones", "reason"),
    [
        ("tail", ["vl5"], "no landmark 'tail'"),
        ("head", [], "Select one bone for the head"),
        ("head", ["vc4", "vt6"], "not 2"),
        ("head", ["nose"], "no bone 'nose'"),
    ],
)
def test_what_cannot_be_set_is_refused(armature: bpy.types.Object, mark: str, bones: list[str], reason: str) -> None:
    with pytest.raises(TranslationError, match=reason):
        landmarks.set_landmark(armature, mark, bones, (0.0, 0.0, 0.0))
    assert not len(character_of(armature).landmarks)


def test_sides_and_offsets_are_mirrored(armature: bpy.types.Object) -> None:
    placed = landmarks.set_landmark(armature, "left_wrist", ["l_wrist"], (0.0, 0.0, 0.0), mirror=True)
    assert placed == {"left_wrist": ["l_wrist"], "right_wrist": ["r_wrist"]}
    assert landmarks.other_side("left_heel") == "right_heel" and landmarks.other_side("right_hip") == "left_hip"
    assert landmarks.other_side("spine") == "" and landmarks.counterpart(armature, "vt6") == ""
    offset = [0.01, 0.2, -0.03]
    there = landmarks.mirrored_offset(armature, "l_elbow", "r_elbow", offset)
    assert np.allclose(landmarks.mirrored_offset(armature, "r_elbow", "l_elbow", there), offset, atol=1e-6)
    assert np.linalg.norm(there) == pytest.approx(np.linalg.norm(offset), abs=1e-6)
