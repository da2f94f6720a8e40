# SPDX-License-Identifier: GPL-3.0-or-later
"""The axis of a hinge: as the skeleton, the motion or the pose at rest show it, with the sign that flexes the limb."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.solver.body.hinge_axis import SAMPLED_FRAMES, bones_at_rest, hinge_axis
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.cleanup.limbs import limbs_of
from poise.solver.core import rotations
from poise.solver.files.bvh import read_bvh
from poise.solver.synthetic import human, walk


@pytest.mark.parametrize("skeleton", [human(), human(up="z"), human(hinges=True)])
def test_positive_angles_bend_knees_back_and_elbows_forward(skeleton):
    ahead = np.array([0.0, 0.0, 1.0]) if skeleton.up == "y" else np.array([0.0, -1.0, 0.0])
    for each in limbs_of(skeleton):
        pose = Pose.rest(skeleton)
        turned = pose.rotations.copy()
        turned[each.hinge] = rotations.multiply(turned[each.hinge], rotations.exp(0.7 * np.array(each.axis)))
        _, before = skeleton.tree.accumulate(pose.rotations, pose.translations)
        _, after = skeleton.tree.accumulate(turned, pose.translations)
        moved = (after[each.end] - before[each.end]) @ ahead
        assert moved * (-1.0 if "leg" in each.name else 1.0) > 0.0, f"the {each.name} bends the wrong way"


def test_the_axis_is_the_one_about_which_the_motion_rotates_the_joint(rng):
    skeleton = human()
    axis = np.array([0.9, 0.1, -0.3])
    axis /= np.linalg.norm(axis)
    frames = 80
    knee = skeleton.landmarks.left_knee
    turned = np.tile(skeleton.rest_rotations, (frames, 1, 1))
    turned[:, knee] = rotations.multiply(
        turned[:, knee], rotations.from_axis_angle(axis, rng.uniform(0.2, 1.3, frames))
    )
    motion = Motion(turned, np.tile(skeleton.offsets, (frames, 1, 1)))
    (leg,) = limbs_of(skeleton, motion, only=["left leg"])
    assert np.allclose(leg.axis, axis, atol=1e-9)
    (at_rest,) = limbs_of(skeleton, only=["left leg"])
    still = motion.at(np.zeros(5, dtype=np.int64))
    (unmoved,) = limbs_of(skeleton, still, only=["left leg"])
    assert unmoved.axis == at_rest.axis, "a knee that is still shows no axis"


def test_captured_knees_and_elbows_are_hinges(mocap: Path):
    clip = read_bvh(mocap / "02_01.bvh")
    for each in limbs_of(clip.skeleton, clip.motion):
        twisted, _ = rotations.swing_twist(clip.motion.rotations[:, each.hinge], each.axis)
        assert rotations.angle_between(twisted, rotations.IDENTITY).max() < 1e-4, each.name


def test_a_synthetic_walk_gives_the_axes_that_it_was_made_with():
    clip = walk(steps=2).clip
    for each in limbs_of(clip.skeleton, clip.motion):
        assert np.allclose(each.axis, [1.0 if "leg" in each.name else -1.0, 0.0, 0.0], atol=1e-9)


def bent_chain(bend: float, up: str = "y") -> Skeleton:
    """Root, ball joint, hinge and end, straight down but for a bend toward +z at the hinge."""
    lower = [0.0, -np.cos(bend), np.sin(bend)]
    return Skeleton(
        ("root", "ball", "hinge", "end"),
        np.array([-1, 0, 1, 2]),
        np.array([[0, 3, 0], [0, -1, 0], [0, -1, 0], lower]),
        up=up,
    )


def test_a_limb_that_is_bent_at_rest_shows_its_axis() -> None:
    skeleton = bent_chain(0.4)
    assert np.allclose(hinge_axis(skeleton, "tail", (1, 2, 3)), [-1.0, 0.0, 0.0], atol=1e-12)
    upper, lower = bones_at_rest(skeleton, (1, 2, 3))
    assert np.allclose(upper, [0.0, -1.0, 0.0]) and np.allclose(lower, skeleton.offsets[3])


@pytest.mark.parametrize(("name", "sign"), [("left leg", 1.0), ("left arm", -1.0)])
def test_a_straight_limb_bends_in_the_usual_direction(name: str, sign: float) -> None:
    assert np.allclose(hinge_axis(bent_chain(0.01), name, (1, 2, 3)), [sign, 0.0, 0.0], atol=1e-12)


def test_a_long_motion_is_sampled(rng: np.random.Generator) -> None:
    skeleton, frames = bent_chain(0.0), 20 * SAMPLED_FRAMES
    axis = rotations.unit(np.array([1.0, 0.2, 0.1]))
    turned = np.tile(rotations.IDENTITY, (frames, 4, 1))
    turned[:, 2] = rotations.from_axis_angle(axis, rng.uniform(0.2, 1.0, frames))
    motion = Motion(turned, np.tile(skeleton.offsets, (frames, 1, 1)))
    assert np.allclose(hinge_axis(skeleton, "leg", (1, 2, 3), motion), axis, atol=1e-9)
