# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks are read by name and set by hand; invalid ones raise an error with the name."""

from __future__ import annotations

import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.body.landmarks.landmarks import JOINT_NAMES, NAMES, Landmarks
from poise.solver.core.errors import LandmarkError
from poise.solver.synthetic.hanim import human


@pytest.fixture(scope="module")
def found() -> Landmarks:
    """Those of a made-up human."""
    return human().landmarks


def test_names_are_the_fields() -> None:
    assert set(NAMES) | {"joint_count"} == set(Landmarks.__dataclass_fields__)
    assert set(JOINT_NAMES) < set(NAMES)
    assert len(Landmarks().missing) == len(NAMES)


def test_legs_and_arms_are_their_joints_from_the_trunk_outwards(found: Landmarks) -> None:
    assert found.leg("left") == (found.left_hip, found.left_knee, found.left_ankle, found.left_toe)
    assert found.arm("right") == (
        found.right_clavicle,
        found.right_shoulder,
        found.right_elbow,
        found.right_wrist,
    )
    for limb in (found.leg, found.arm):
        with pytest.raises(LandmarkError, match="not 'middle'"):
            limb("middle")


def test_landmarks_are_set_by_hand(found: Landmarks) -> None:
    changed = found.replace(
        left_ankle=3, spine=[4, 5], left_heel=BodyPoint(3, (1.0, 2.0, 3.0)), right_heel=7, neck=None
    )
    assert changed.left_ankle == 3
    assert changed.spine == (4, 5)
    assert changed.left_heel == BodyPoint(3, (1.0, 2.0, 3.0))
    assert changed.right_heel == BodyPoint(7)
    assert changed.neck is None and "neck" in changed.missing
    assert changed.right_ankle == found.right_ankle
    assert found.left_ankle == human().landmarks.left_ankle, "the original is not changed"


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ({"left_anckle": 3}, "left_anckle"),
        ({"left_ankle": 1000}, "left ankle cannot be joint 1000"),
        ({"left_ankle": -1}, "left ankle cannot be joint -1"),
        ({"left_ankle": True}, "left ankle cannot be True"),
        ({"left_ankle": 1.5}, "left ankle cannot be 1.5"),
        ({"left_ankle": "Foot"}, "left ankle cannot be 'Foot'"),
        ({"left_ankle": BodyPoint(3)}, "left ankle cannot be BodyPoint"),
        ({"left_heel": BodyPoint("Foot")}, "left heel cannot be 'Foot'"),
        ({"left_heel": (1, 2)}, "left heel cannot be"),
        ({"spine": [1, 2000]}, "spine cannot be joint 2000"),
        ({"joint_count": 3}, "joint_count"),
    ],
)
def test_what_cannot_be_a_landmark_is_refused_by_name(found: Landmarks, marks, said: str) -> None:
    with pytest.raises(LandmarkError, match=said):
        found.replace(**marks)


def test_a_required_landmark_that_is_unknown_is_an_error_that_says_how_to_set_it(found: Landmarks) -> None:
    unknown = Landmarks(joint_count=9)
    with pytest.raises(LandmarkError, match=r"left toe tip .* not found.*replace\(left_toe_tip=BodyPoint"):
        unknown.require("left_toe_tip")
    with pytest.raises(LandmarkError, match=r"replace\(spine=\(joint, joint, …\)\)"):
        unknown.require("spine")
    with pytest.raises(LandmarkError, match="left_tail"):
        found.require("left_tail")
    assert found.require("left_ankle") == found.left_ankle
