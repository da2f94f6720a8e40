# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs of two bones: which joints and points make one, and which are refused."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.joints import BodyPoint, JointKind
from poise.solver.body.skeleton import Skeleton
from poise.solver.cleanup.limbs import LIMB_NAMES, limb, limbs_of
from poise.solver.core.errors import LandmarkError, SkeletonError
from poise.solver.synthetic import chain, human


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("hinges", [False, True])
def test_a_human_has_two_legs_and_two_arms(up, hinges):
    skeleton = human(up=up, hinges=hinges)
    limbs = limbs_of(skeleton)
    assert tuple(each.name for each in limbs) == LIMB_NAMES
    for each in limbs:
        assert tuple(each.points) == (("heel", "ball") if "leg" in each.name else ("wrist", "fingertips"))
        assert abs(np.linalg.norm(each.axis) - 1.0) < 1e-12
    assert limbs[0].clearance("ball") > 0.0 and limbs[0].clearance("heel") == 0.0
    assert limbs[0].toes is not None and abs(np.dot(limbs[0].toes.axis, limbs[0].toes.tip.offset)) < 1e-12


def test_in_between_joints_are_part_of_a_bone():
    skeleton = human()
    leg = limb(skeleton, "foot as a limb", "l_knee", "l_subtalar", "l_metatarsal", {"ball": "l_metatarsal"})
    assert leg.chain(skeleton) == tuple(
        skeleton.index(name) for name in ("l_talocrural", "l_subtalar", "l_midtarsal", "l_metatarsal")
    )


def test_joints_that_cannot_be_a_limb_are_refused_by_name():
    skeleton = human()
    point = {"heel": BodyPoint("l_talocrural")}
    with pytest.raises(SkeletonError, match=r"not of two bones: 'l_knee' does not carry 'r_talocrural'"):
        limb(skeleton, "leg", "l_hip", "l_knee", "r_talocrural", point)
    with pytest.raises(SkeletonError, match="must be three joints"):
        limb(skeleton, "leg", "l_hip", "l_hip", "l_talocrural", point)
    with pytest.raises(SkeletonError, match="does not carry"):
        limb(skeleton, "leg", "l_hip", "l_knee", "l_talocrural", {"heel": "r_talocrural"})
    with pytest.raises(SkeletonError, match="one or two points"):
        limb(skeleton, "leg", "l_hip", "l_knee", "l_talocrural", {})
    with pytest.raises(SkeletonError, match="cannot bend the limb"):
        limb(skeleton, "leg", "l_hip", "l_knee", "l_talocrural", point, axis=(0.0, 1.0, 0.0))
    with pytest.raises(SkeletonError, match="cannot begin at the root"):
        limb(skeleton, "leg", "HumanoidRoot", "l_knee", "l_talocrural", point)
    with pytest.raises(SkeletonError, match="is fixed"):
        limb(skeleton.with_kinds({"l_knee": JointKind.FIXED}), "leg", "l_hip", "l_knee", "l_talocrural", point)
    with pytest.raises(SkeletonError, match="There is no limb 'tail'"):
        limbs_of(skeleton, only=["tail"])
    with pytest.raises(LandmarkError, match="left hip"):
        limbs_of(chain(3, 1.0), only=["left leg"])
    assert limbs_of(chain(3, 1.0)) == ()


def test_a_bone_without_length_is_refused():
    skeleton = human()
    offsets = np.array(skeleton.offsets)
    offsets[skeleton.index("l_talocrural")] = 0.0
    short = Skeleton(skeleton.names, skeleton.parents, offsets)
    with pytest.raises(SkeletonError, match=r"no length from 'l_knee' to 'l_talocrural'"):
        limb(short, "left leg", "l_hip", "l_knee", "l_talocrural", {"heel": "l_talocrural"})
