# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints of a held pose keep a rotation relative to the parent, or in the world, with smooth eases."""

from __future__ import annotations

import numpy as np

from poise import solver
from poise.addon import bridge
from poise.addon.translation.poses import ARM, pose_in_world, pose_on_parent
from poise.solver.core import rotations

SHARED = {"priority": 1, "weight": 1.0, "name": "Held"}
JOINT = "l_elbow"
BENT = rotations.exp(np.array([0.4, 0.3, 0.0]))


def test_on_its_parent_a_joint_keeps_the_rotation_over_its_stay(reading: bridge.Reading) -> None:
    clip = reading.clip
    held = pose_on_parent(clip, JOINT, BENT, (20.0, 30.0), (6.0, 6.0), SHARED)
    assert [type(each) for each in held] == [solver.ShapeConstraint] * 2
    result = solver.deform(clip, held).clip
    index = clip.skeleton.index(JOINT)
    angles = rotations.angle_between(result.motion.rotations[20:31, index], BENT)
    assert angles.max() < 1e-3
    outside = np.r_[0:14, 37 : clip.frames]
    assert np.array_equal(result.motion.rotations[outside], clip.motion.rotations[outside])
    assert {each.recruit for each in held} == {0}, "only the joint itself moves"
    assert all(np.isclose(np.linalg.norm(each.joint.offset), ARM * clip.skeleton.size) for each in held)


def test_eases_are_cut_to_the_clip(reading: bridge.Reading) -> None:
    for each in pose_on_parent(reading.clip, JOINT, BENT, (2.0, 4.0), (6.0, 0.0), SHARED):
        assert (each.begin, each.end) == (0.0, 4.0) and len(each.points) == 5


def test_in_the_world_a_joint_keeps_the_rotation(reading: bridge.Reading) -> None:
    (held,) = pose_in_world(JOINT, BENT, (20.0, 30.0), (14.0, 36.0), SHARED)
    result = solver.deform(reading.clip, [held]).clip
    assert rotations.angle_between(result.orientation(JOINT)[20:31], BENT).max() < 1e-3
