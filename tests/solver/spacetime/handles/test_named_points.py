# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and points by the names that handles use."""

from __future__ import annotations

import pytest

from poise.solver.body.joints import BodyPoint
from poise.solver.core.errors import HandleError, LandmarkError, UnknownJointError
from poise.solver.spacetime.handles.named_points import named_joint, named_point

from ...characters import HEEL, hinge_chain, person


def test_landmarks_and_joints_by_name() -> None:
    skeleton = person()
    assert named_point(skeleton, "left_heel") == BodyPoint(skeleton.index("LeftFoot"), HEEL)
    assert named_point(skeleton, "right_knee") == BodyPoint(skeleton.index("RightLeg"))
    assert named_point(skeleton, "spine") == BodyPoint(skeleton.landmarks.spine[0])
    assert named_point(skeleton, "LeftHand") == BodyPoint(skeleton.index("LeftHand"))
    assert named_joint(skeleton, "spine") == skeleton.landmarks.spine[0]
    assert named_joint(skeleton, "hips") == 0


def test_a_joint_that_is_called_as_an_unknown_landmark() -> None:
    names = ("base", "neck", *hinge_chain().names[2:])
    assert named_joint(hinge_chain().replace(names=names).with_landmarks(neck=None), "neck") == 1


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(LandmarkError, match="The left heel of this character was not found"):
        named_point(hinge_chain(), "left_heel")
    with pytest.raises(LandmarkError, match="The spine of this character was not found"):
        named_point(hinge_chain(), "spine")
    with pytest.raises(UnknownJointError, match="Did you mean 'LeftHand'"):
        named_point(person(), "LeftHandle")
    with pytest.raises(HandleError, match="'left_heel' is a point on a joint"):
        named_joint(person(), "left_heel")
