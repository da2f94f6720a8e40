# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recipe names on a character."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.core import rotations
from poise.solver.core.errors import LandmarkError
from poise.solver.spacetime.characters.recipe import BIPED, HOPPER, KeptJoint
from poise.solver.spacetime.characters.recipe_joints import RecipeJoints
from poise.solver.synthetic import human, jump, walk

from ...standing import standing_human


def test_every_joint_is_fused_to_the_kept_one_above_it() -> None:
    clip = walk(steps=1).clip
    named, index = RecipeJoints(clip, BIPED), clip.skeleton.index
    owners = {name: clip.skeleton.names[named.owners[index(name)]] for name in clip.skeleton.names}
    assert owners["l_metatarsal"] == owners["l_knee"] == "l_knee" and owners["l_hip"] == "l_hip"
    assert owners["r_middle1"] == "r_shoulder" and owners["r_sternoclavicular"] == "HumanoidRoot"
    assert owners["skullbase"] == owners["HumanoidRoot"] == "HumanoidRoot"
    assert named.owner_above(index("l_knee")) == index("l_hip")
    assert named.owner_above(index("l_hip")) == named.hips == index("HumanoidRoot")
    assert dict(named.names)["left_knee"] == index("l_knee")
    assert set(np.flatnonzero(named.subtree([index("l_wrist")]))) == {index("l_wrist"), index("l_middle1")}


def test_both_ends_of_merged_limbs_are_named_after_the_first() -> None:
    named = RecipeJoints(jump().clip, HOPPER)
    assert named.ends(HOPPER.joints[0]) == ["left_ball", "right_ball"]
    own = KeptJoint(("l_hip",), "telescope", end="l_metatarsal")
    assert named.ends(own) == ["l_metatarsal"]
    assert named.ends(KeptJoint(("left_hip", "right_hip"), "telescope", end="HumanoidRoot")) == ["HumanoidRoot"]


def test_a_body_with_a_telescope_points_along_it() -> None:
    clip = jump().clip
    named = RecipeJoints(clip, HOPPER)
    starts, ways = named.rods(0)
    marks = clip.skeleton.landmarks
    middles = [
        np.mean([clip.position(getattr(marks, f"{side}_{part}")) for side in ("left", "right")], axis=0)
        for part in ("hip", "ball")
    ]
    np.testing.assert_allclose(starts, middles[0], atol=1e-12)
    np.testing.assert_allclose(starts + ways, middles[1], atol=1e-12)
    mount = clip.skeleton.rest[0][named.hips]
    frames = named.frames(named.hips, mount)
    np.testing.assert_allclose(rotations.rotate(frames, -named.axes[1]), rotations.unit(ways), atol=1e-9)
    # Without one it turns with its joint.
    turns = RecipeJoints(clip, BIPED).frames(named.hips, mount)
    expected = rotations.multiply(clip.world.rotations[:, named.hips], rotations.conjugate(mount))
    np.testing.assert_allclose(turns, expected, atol=1e-12)
    # The least that has to be turned for that: mostly in pitch.
    tilted = rotations.log(rotations.multiply(rotations.conjugate(turns), frames))
    assert np.abs(tilted @ named.axes[1]).max() < 0.1 * np.abs(tilted @ named.axes[0]).max()


def test_what_is_missing_is_said_with_the_recipe() -> None:
    still = standing_human(frames=1)
    blind = human().with_landmarks(left_knee=None)
    with pytest.raises(LandmarkError, match=r"The recipe 'biped' needs 'left_knee'\. The left knee .* set it by hand"):
        RecipeJoints(Clip(blind, still.motion), BIPED)
