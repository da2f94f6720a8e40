# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a leg."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.legs import leg_joints
from poise.solver.body.skeleton import Skeleton
from poise.solver.synthetic import human

from ..characters import person, random_skeleton

LEG = ("hip", "knee", "talocrural", "subtalar", "midtarsal", "metatarsal")


@pytest.mark.parametrize("side", ["l", "r"])
def test_a_leg_goes_from_the_hip_to_the_toes_whichever_joint_of_it_is_given(side: str) -> None:
    skeleton = human()
    for name in LEG:
        found = leg_joints(skeleton, skeleton.index(f"{side}_{name}"))
        assert [skeleton.names[joint] for joint in found] == [f"{side}_{part}" for part in LEG], name


def test_a_joint_that_carries_the_hip_alone_belongs_to_the_leg(walk: Clip) -> None:
    skeleton = walk.skeleton
    for side, letter in (("Left", "L"), ("Right", "R")):
        expected = [f"{letter}HipJoint", *(side + part for part in ("UpLeg", "Leg", "Foot", "ToeBase"))]
        for name in expected[2:]:
            assert [skeleton.names[joint] for joint in leg_joints(skeleton, skeleton.index(name))] == expected


def test_what_branches_off_below_the_hip_belongs_to_the_leg() -> None:
    """As helper joints for the skin do."""
    plain = person()
    thigh = plain.index("LeftUpLeg")
    skeleton = Skeleton(
        (*plain.names, "LeftTwist"), [*plain.parents, thigh], [*plain.offsets, (0.0, -0.2, 0.0)], tips=plain.tips
    )
    assert skeleton.landmarks.left_hip == thigh
    expected = ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftTwist"]
    for name in expected:
        assert [skeleton.names[joint] for joint in leg_joints(skeleton, skeleton.index(name))] == expected, name


def test_without_a_hip_it_goes_up_to_where_the_body_branches(rng: np.random.Generator) -> None:
    """It moves with its first joint, and nothing else does; above that joint something else branches off."""
    for _ in range(20):
        skeleton = random_skeleton(rng)
        if skeleton.landmarks.left_hip is not None or skeleton.landmarks.right_hip is not None:
            continue
        for foot in range(len(skeleton)):
            found = leg_joints(skeleton, foot)
            top = int(found[0])
            assert skeleton.tree.carriers(foot)[top] and foot in found
            np.testing.assert_array_equal(found, np.flatnonzero(skeleton.tree.ancestry[:, top]))
            above = skeleton.tree.chain(foot)[1 : skeleton.tree.chain(foot).index(top) + 1]
            children = [int((skeleton.parents == joint).sum()) for joint in above]
            assert children == [1] * len(above), "nothing branches off within a leg"
            parent = int(skeleton.parents[top])
            assert parent < 0 or (skeleton.parents == parent).sum() > 1


def test_a_body_that_is_one_leg_is_all_of_it() -> None:
    chain = Skeleton(("a", "b", "c"), [-1, 0, 1], np.ones((3, 3)))
    assert leg_joints(chain, 2).tolist() == [0, 1, 2]
