# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading of single names; whole characters are in `test_recognition`."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.landmarks import names
from poise.solver.body.landmarks.figure import Figure
from poise.solver.body.landmarks.names import end_marks, name_body, read_names
from poise.solver.core import rotations


@pytest.mark.parametrize(
    ("name", "side", "word", "number"),
    [
        ("LeftUpLeg", "left", "upleg", ""),
        ("mixamorig:LeftUpLeg", "left", "upleg", ""),
        ("mixamorig1:LeftUpLeg", "left", "upleg", ""),
        ("mixamorigLeftUpLeg", "left", "upleg", ""),
        ("Armature|Hero:RightHand", "right", "hand", ""),
        ("thigh.L", "left", "thigh", ""),
        ("DEF-thigh.L.001", "left", "thigh", "001"),
        ("upperarm_twist_01_l", "left", "upperarmtwist", "01"),
        ("ik_foot_r", "right", "ikfoot", ""),
        ("Bip01 R Finger2", "right", "finger", "2"),
        ("J_Bip_C_UpperChest", None, "upperchest", ""),
        ("J_Bip_L_ToeBase", "left", "toe", ""),
        ("LHipJoint", "left", "hip", ""),
        ("LThumb", "left", "thumb", ""),
        ("lThighBend", "left", "thighbend", ""),
        ("lfemur", "left", "femur", ""),
        ("rfoot", "right", "foot", ""),
        ("LEFTFOOT", "left", "foot", ""),
        ("footleft", "left", "foot", ""),
        ("leg", None, "leg", ""),
        ("lleg", "left", "leg", ""),
        ("lowerleg", None, "lowerleg", ""),
        ("lowerback", None, "lowerback", ""),
        ("radius", None, "radius", ""),
        ("vl5", None, "vl", "5"),
        ("L5", "left", "", ""),
        ("heel.02.R", "right", "heel", "02"),
        ("", None, "", ""),
        ("骨", None, "", ""),
        ("7", None, "", ""),
    ],
)
def test_reading(name: str, side: str | None, word: str, number: str) -> None:
    (reading,) = read_names([name])
    assert (reading.side, reading.word, reading.number) == (side, word, number)


def test_a_prefix_of_all_names_is_the_character_and_not_the_joint() -> None:
    names = ["Hero2_Hips", "Hero2_Spine", "Hero2_LeftFoot", "Hero2_RightFoot", "Hero2_Head", "Camera"]
    assert [reading.word for reading in read_names(names)] == ["hips", "spine", "foot", "foot", "head", "camera"]


def test_a_prefix_that_means_something_is_kept() -> None:
    assert [reading.word for reading in read_names([f"spine{number}" for number in range(6)])] == ["spine"] * 6
    assert [reading.side for reading in read_names([f"L_{letter}" for letter in "abcdef"])] == ["left"] * 6


def test_names_that_end_a_bone() -> None:
    names = ["HeadTop_End", "Bip01 HeadNub", "Head", "bend", "Site", "LeftToe_End"]
    assert end_marks(read_names(names)) == {0, 1, 4, 5}


def test_no_word_is_listed_where_it_can_never_be_read() -> None:
    """A word that reading would take apart, strip of a side or drop is a dead letter in the tables."""
    for role, words in names._LIMB_WORDS.items():
        assert len(set(words)) == len(words), f"{role} lists a word twice"
        for word in words:
            (reading,) = read_names([f"left_{word}"])
            assert reading.side == "left"
            assert reading.rank(words) == words.index(word), f"{word!r} is not read as {role}"
    for words in (names._HIPS_WORDS, names._SPINE_WORDS, names._NECK_WORDS, names._HEAD_WORDS):
        for word in words:
            (reading,) = read_names([word])
            assert (reading.side, reading.word) == (None, word)


def chain_of(names: list[str]) -> tuple[list[str], Figure]:
    count = len(names)
    positions = np.arange(count)[:, None] * [0.0, -1.0, 0.0]
    return names, Figure(np.arange(-1, count - 1), positions, np.tile(rotations.IDENTITY, (count, 1)), ())


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"], ["clavicle", "shoulder", "elbow", "wrist"]),
        (["l_shoulder", "l_elbow", "l_wrist"], ["shoulder", "elbow", "wrist"]),
        (["left_collar", "left_shoulder", "left_elbow", "left_wrist"], ["clavicle", "shoulder", "elbow", "wrist"]),
        (["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"], ["hip", "knee", "ankle", "toe"]),
        (["left leg", "left knee", "left ankle", "left foot"], ["hip", "knee", "ankle", "toe"]),
        (["left leg", "left shin", "left foot"], ["hip", "knee", "ankle"]),
        (["LHipJoint", "LeftUpLeg", "LeftLeg", "LeftFoot"], [None, "hip", "knee", "ankle"]),
        (["thigh.L", "thigh.L.001", "shin.L", "shin.L.001", "foot.L"], ["hip", None, "knee", None, "ankle"]),
        (["foot.L", "shin.L", "thigh.L"], None),
    ],
)
def test_the_hierarchy_decides_between_two_meanings(names: list[str], roles: list[str | None] | None) -> None:
    names, figure = chain_of(names)
    found = name_body(names, read_names(names), figure).limbs
    if roles is None:
        assert len(found) == 1, "a leg that hangs upside down is no leg"
    else:
        assert found == {f"left_{role}": joint for joint, role in enumerate(roles) if role}


def test_controls_are_not_read_where_a_rig_tells_them_apart() -> None:
    names, figure = chain_of(["thigh.L", "shin.L", "foot.L", "ORG-thigh.L", "DEF-thigh.L", "DEF-shin.L", "DEF-foot.L"])
    body = name_body(names, read_names(names), figure)
    assert body.limbs == {"left_hip": 4, "left_knee": 5, "left_ankle": 6}
    assert body.body == {4, 5, 6}
