# SPDX-License-Identifier: GPL-3.0-or-later
"""Anatomical limits: the book's ranges on any recognised character, hinges where the motion shows them, never violated
by the source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise import solver
from poise.examples.kick import kick
from poise.solver import synthetic
from poise.solver.body.anatomical_limits import HINGE_RESIDUAL, with_anatomical_limits
from poise.solver.body.clip import Clip
from poise.solver.body.joints import JointKind
from poise.solver.body.limits import BallLimit, HingeLimit
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton, Up
from poise.solver.core import rotations
from poise.solver.core.arrays import Array
from poise.solver.core.errors import LandmarkError
from poise.solver.files.bvh import read_bvh

from ..characters import random_motion

SIDES = {"l_": 1.0, "r_": -1.0}
UPS: tuple[Up, ...] = ("y", "z")


def excess(skeleton: Skeleton, joint: str | int, local: Array) -> Array:
    """(..., boundaries) of a joint in local rotations (..., 4)."""
    index = skeleton.index(joint)
    limit = skeleton.limits[index]
    bound = limit.bound_to(skeleton.hinge_axes[index]) if isinstance(limit, HingeLimit) else limit
    return bound.excess(rotations.multiply(rotations.conjugate(skeleton.rest_rotations[index]), local))


def worst_excess(skeleton: Skeleton, motion: Motion) -> float:
    return max(float(excess(skeleton, joint, motion.rotations[:, joint]).max()) for joint in skeleton.limits)


def turned_rest(skeleton: Skeleton, rng: np.random.Generator) -> Skeleton:
    """The same character with other bone axes: every joint's frame is turned, and its children with it against it."""
    turns = rotations.random(rng, len(skeleton))
    above = np.where(skeleton.parents[:, None] < 0, rotations.IDENTITY, turns[skeleton.parents])
    back = rotations.conjugate(above)
    return skeleton.replace(
        offsets=rotations.rotate(back, skeleton.offsets),
        rest_rotations=rotations.multiply(rotations.multiply(back, skeleton.rest_rotations), turns),
        tips=tuple(
            solver.BodyPoint(tip.joint, tuple(rotations.rotate(rotations.conjugate(turns[int(tip.joint)]), tip.local)))
            for tip in skeleton.tips
        ),
    )


def about_world(skeleton: Skeleton, joint: str | int, axis: Array, degrees: float) -> Array:
    """(4,) the local rotation of a joint that is turned from its rest about an axis of the world."""
    index = skeleton.index(joint)
    own = rotations.rotate(rotations.conjugate(skeleton.rest[0][index]), axis)
    return rotations.multiply(skeleton.rest_rotations[index], rotations.from_axis_angle(own, np.deg2rad(degrees)))


# The book -----------------------------------------------------------------------------------------------------------

INTO_REACH = [
    ("hip", (-1, 0, 0), 120),  # the knee rises
    ("hip", (1, 0, 0), 30),
    ("hip", (0, 0, 1), 45),  # the leg goes out
    ("hip", (0, 0, -1), 30),
    ("hip", (0, 1, 0), 45),
    ("knee", (1, 0, 0), 135),
    ("elbow", (-1, 0, 0), 150),
    ("shoulder", (-1, 0, 0), 150),
    ("shoulder", (1, 0, 0), 60),
    ("shoulder", (0, 0, 1), 150),
    ("shoulder", (0, -1, 0), 70),  # the thumb turns in
    ("shoulder", (0, 1, 0), 90),
    ("talocrural", (-1, 0, 0), 20),  # the toes rise
    ("talocrural", (1, 0, 0), 50),
    ("metatarsal", (-1, 0, 0), 70),
    ("sternoclavicular", (0, 0, 1), 30),  # a shrug
    ("wrist", (0, 0, -1), 80),  # the palm comes to the forearm
]


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("joint", "axis", "degrees"), INTO_REACH)
def test_joints_end_where_the_book_says(
    rng: np.random.Generator, up: Up, side: str, joint: str, axis: tuple[int, int, int], degrees: float
) -> None:
    """The bones at rest are up to 9 degrees from the anatomical position, so the ends are as far from the numbers."""
    plain = synthetic.human(up, stature=17.5)
    x, y, z = np.array(axis) * (1.0, SIDES[side], SIDES[side])  # an axis is mirrored as a turn, not as an arrow
    world_axis = np.array([x, y, z] if up == "y" else [x, -z, y], dtype=float)
    for skeleton in (with_anatomical_limits(plain), with_anatomical_limits(turned_rest(plain, rng))):
        for turned, inside in ((degrees - 10.0, True), (degrees + 10.0, False)):
            beyond = excess(skeleton, side + joint, about_world(skeleton, side + joint, world_axis, turned))
            assert bool((beyond <= 0.0).all()) == inside, f"{turned} degrees exceed by {np.rad2deg(beyond)}"


@pytest.mark.parametrize("up", UPS)
def test_every_joint_of_the_human_but_root_and_pelvis_is_limited_and_stands_inside(up: Up) -> None:
    skeleton = with_anatomical_limits(synthetic.human(up))
    pelvis = skeleton.index("sacroiliac")
    assert set(skeleton.limits) == {*range(1, len(skeleton))} - {pelvis}
    assert skeleton.kinds[pelvis] is JointKind.FIXED
    assert worst_excess(skeleton, Pose.rest(skeleton).motion) < 0.0


@pytest.mark.parametrize("make", [synthetic.walk, kick])
def test_made_up_motions_stay_within_the_table(make) -> None:
    assert worst_excess(with_anatomical_limits(synthetic.human()), make().clip.motion) <= 0.0


def test_bone_axes_scale_and_rest_pose_change_nothing(rng: np.random.Generator) -> None:
    """The same directions of thigh and upper arm are allowed from another rest pose with other axes and units."""
    plain = synthetic.human()
    limited = with_anatomical_limits(plain)
    spread = plain.replace(rest_rotations=plain.rest_rotations.copy())
    rest = spread.rest_rotations.copy()
    for side, sign in SIDES.items():
        rest[plain.index(side + "shoulder")] = rotations.from_axis_angle((0, 0, 1), sign * 1.4)
        rest[plain.index(side + "hip")] = rotations.from_axis_angle((0, 0, 1), sign * 0.35)
    other = with_anatomical_limits(turned_rest(plain.replace(rest_rotations=rest).scaled(100.0), rng))
    for joint, end in (("l_hip", "l_knee"), ("r_shoulder", "r_elbow")):
        directions = rotations.unit(rng.standard_normal((400, 3)))
        seen = []
        for skeleton in (limited, other):
            limit = skeleton.limits[skeleton.index(joint)]
            assert isinstance(limit, BallLimit) and limit.swing is not None
            own = rotations.rotate(rotations.conjugate(skeleton.rest[0][skeleton.index(joint)]), directions)
            bone = skeleton.rest_place(end) - skeleton.rest_place(joint)
            bone = rotations.rotate(rotations.conjugate(skeleton.rest[0][skeleton.index(joint)]), bone)
            seen.append(limit.excess(rotations.between(bone, own))[:, -1])
        assert np.abs(seen[0] - seen[1]).max() < np.deg2rad(1.0)


def test_left_and_right_are_mirror_images(rng: np.random.Generator) -> None:
    """Also where only one side of the motion leaves the table."""
    plain = synthetic.human()
    moved = np.tile(plain.rest_rotations, (6, 1, 1))
    bent = rotations.exp(rng.uniform(-2.0, 2.0, (6, 3)))
    for joint in ("l_hip", "l_shoulder", "vl2"):
        moved[:, plain.index(joint)] = bent
    skeleton = with_anatomical_limits(plain, Motion(moved, np.tile(plain.offsets, (6, 1, 1))))
    turns = rotations.random(rng, 300)
    mirrored = turns * (1.0, 1.0, -1.0, -1.0)
    for joint in ("hip", "knee", "talocrural", "sternoclavicular", "shoulder", "elbow", "wrist"):
        ours, theirs = excess(skeleton, f"l_{joint}", turns), excess(skeleton, f"r_{joint}", mirrored)
        swap = [1, 0, 2] if ours.shape[1] == 3 else [0, 1]  # a twist has its ends in the other order
        assert np.allclose(ours, theirs[:, swap], atol=1e-9), joint
    assert np.allclose(excess(skeleton, "vl2", turns), excess(skeleton, "vl2", mirrored)[:, [1, 0, 2]], atol=1e-9)


# The motion -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_captured_frame_is_inside_and_knees_elbows_and_toes_are_hinges(mocap: Path) -> None:
    for path in sorted(mocap.glob("*.bvh")):
        clip = read_bvh(path)
        skeleton = with_anatomical_limits(clip.skeleton, clip.motion)
        assert worst_excess(skeleton, clip.motion) < -1e-3, path.name
        assert worst_excess(skeleton, Pose.rest(skeleton).motion) < 0.0, path.name
        assert len(skeleton.limits) >= len(skeleton) - 5, path.name
        axes = rotations.rotate(skeleton.rest[0], skeleton.hinge_axes)
        for name in ("Leg", "ForeArm", "ToeBase"):
            left, right = skeleton.index(f"Left{name}"), skeleton.index(f"Right{name}")
            assert skeleton.kinds[left] is skeleton.kinds[right] is JointKind.HINGE, (path.name, name)
            image = axes[left] * (1.0, -1.0, -1.0)
            assert image @ axes[right] > np.cos(np.deg2rad(3.0)), f"{path.name}: {name} bends differently on the right"
        knee = axes[skeleton.index("LeftLeg")]
        assert abs(knee[0]) > 0.9, f"{path.name}: a knee bends about a lateral axis, not {knee}"


def test_a_captured_walk_is_inside(walk: Clip) -> None:
    skeleton = with_anatomical_limits(walk.skeleton, walk.motion)
    assert worst_excess(skeleton, walk.motion) < -1e-3
    flexed = excess(skeleton, "LeftLeg", about_world(skeleton, "LeftLeg", np.array([0.94, 0.34, 0.0]), 120.0))
    assert (flexed < 0.0).all(), "a knee bends further than in this walk"


def with_knees(skeleton: Skeleton, turns: Array) -> Motion:
    """A motion in which both knees turn by (frames, 4) from rest, mirrored on the right, and nothing else moves."""
    moved = np.tile(skeleton.rest_rotations, (len(turns), 1, 1))
    for joint, mirror in (("l_knee", (1, 1, 1, 1)), ("r_knee", (1, 1, -1, -1))):
        moved[:, skeleton.index(joint)] = rotations.multiply(moved[:, skeleton.index(joint)], turns * np.array(mirror))
    return Motion(moved, np.tile(skeleton.offsets, (len(turns), 1, 1)))


def flexing(rng: np.random.Generator, residual: float, frames: int = 60) -> Array:
    """(frames, 4) flexion about x by up to 80 degrees, and a rotation of about `residual` radians about y and z."""
    bend = rotations.from_axis_angle((1.0, 0.0, 0.0), np.linspace(0.1, 1.4, frames))
    beside = rng.standard_normal((frames, 3)) * (0.0, residual / np.sqrt(2.0), residual / np.sqrt(2.0))
    return rotations.multiply(rotations.exp(beside), bend)


def test_a_knee_with_a_small_residual_rotation_is_a_hinge_that_keeps_it(rng: np.random.Generator) -> None:
    skeleton = synthetic.human()
    motion = with_knees(skeleton, flexing(rng, 0.5 * HINGE_RESIDUAL))
    limited = with_anatomical_limits(skeleton, motion)
    knee = limited.index("l_knee")
    assert limited.kinds[knee] is JointKind.HINGE
    assert worst_excess(limited, motion) < 0.0
    frame = 40
    pose = motion.pose(frame)
    foot = solver.Clip(limited, motion).position("l_talocrural")[frame]
    task = solver.PositionTask("l_talocrural", foot + np.array([0.0, 0.1, 0.0]), recruit=2)
    solved = solver.solve_posture(limited, pose, [task])
    assert np.abs(solved.errors[0]).max() < 1e-6
    swings = [rotations.swing_twist(each.rotations[knee], limited.hinge_axes[knee])[0] for each in (pose, solved.pose)]
    assert rotations.angle_between(*swings) < 1e-9, "the hinge has lost the residual rotation of its source"
    assert rotations.angle_between(pose.rotations[knee], solved.pose.rotations[knee]) > 0.1


def test_a_knee_that_is_no_hinge_stays_near_the_plane_of_flexion(rng: np.random.Generator) -> None:
    skeleton = synthetic.human()
    motion = with_knees(skeleton, flexing(rng, 3.0 * HINGE_RESIDUAL))
    limited = with_anatomical_limits(skeleton, motion)
    assert limited.kinds[limited.index("l_knee")] is limited.kinds[limited.index("r_knee")] is JointKind.BALL
    assert worst_excess(limited, motion) < 0.0
    flexed, sideways, twisted = (
        excess(limited, "l_knee", rotations.from_axis_angle(axis, 1.2)) for axis in np.eye(3)[[0, 2, 1]]
    )
    assert (flexed < 0.0).all() and (sideways > 0.0).any() and (twisted > 0.0).any()


def test_a_forearm_that_turns_about_its_bone_is_no_hinge(rng: np.random.Generator) -> None:
    skeleton = synthetic.human()
    frames = 60
    turns = rotations.multiply(
        rotations.from_axis_angle((-1.0, 0.0, 0.0), np.linspace(0.1, 2.0, frames)),
        rotations.from_axis_angle((0.0, -1.0, 0.0), 1.2 * np.sin(np.linspace(0.0, 9.0, frames))),
    )
    moved = np.tile(skeleton.rest_rotations, (frames, 1, 1))
    moved[:, skeleton.index("l_elbow")] = turns
    motion = Motion(moved, np.tile(skeleton.offsets, (frames, 1, 1)))
    limited = with_anatomical_limits(skeleton, motion)
    assert limited.kinds[limited.index("l_elbow")] is JointKind.BALL
    assert worst_excess(limited, motion) < 0.0
    back = excess(limited, "l_elbow", rotations.from_axis_angle((1.0, 0.0, 0.0), 0.5))
    assert (back > 0.0).any(), "an elbow does not bend backward"


def test_the_axis_of_a_still_hinge_is_the_mirror_image_of_the_other() -> None:
    skeleton = synthetic.human()
    axis = rotations.unit(np.array([0.95, 0.2, 0.25]))
    moved = np.tile(skeleton.rest_rotations, (30, 1, 1))
    moved[:, skeleton.index("l_knee")] = rotations.from_axis_angle(axis, np.linspace(0.0, 1.2, 30))
    limited = with_anatomical_limits(skeleton, Motion(moved, np.tile(skeleton.offsets, (30, 1, 1))))
    assert np.allclose(limited.hinge_axes[limited.index("l_knee")], axis, atol=1e-6)
    assert np.allclose(limited.hinge_axes[limited.index("r_knee")], axis * (1.0, -1.0, -1.0), atol=1e-6)


def test_joints_inside_a_bone_spread_its_twist_or_are_fixed() -> None:
    """A forearm and a shank with a joint in their middle."""
    human = synthetic.human()
    inner = {"l_wrist": "l_forearm twist", "l_talocrural": "l_shank twist"}
    names, parents, offsets = list(human.names), list(human.parents), np.array(human.offsets)
    for end, name in inner.items():
        names.append(name)
        offsets = np.vstack([offsets, 0.5 * offsets[human.index(end)]])
        parents.append(int(human.parents[human.index(end)]))
        offsets[human.index(end)] *= 0.5
        parents[human.index(end)] = len(names) - 1
    order = sorted(range(len(names)), key=lambda joint: depth(parents, joint))
    index = {joint: position for position, joint in enumerate(order)} | {-1: -1}
    twisted = Skeleton(
        tuple(names[joint] for joint in order), [index[int(parents[joint])] for joint in order], offsets[order]
    )
    limited = with_anatomical_limits(twisted)
    kinds = dict(zip(limited.names, limited.kinds, strict=True))
    assert kinds["l_forearm twist"] is JointKind.HINGE and kinds["l_shank twist"] is JointKind.FIXED
    limit = limited.limits[limited.index("l_forearm twist")]
    assert isinstance(limit, HingeLimit) and (limit.low, limit.high) == pytest.approx(np.deg2rad([-80.0, 80.0]))


def depth(parents: list[int], joint: int) -> int:
    return 0 if joint < 0 else 1 + depth(parents, int(parents[joint]))


def test_fingers_that_bend_become_hinges() -> None:
    names = ("wrist", "finger 1", "finger 2", "finger 3")
    hand = Skeleton(
        (*synthetic.human().names, *(f"l_{name}" for name in names[2:])),
        [*synthetic.human().parents, synthetic.human().index("l_middle1"), len(synthetic.human())],
        np.vstack([synthetic.human().offsets, [[0.0, -0.05, 0.0], [0.0, -0.03, 0.0]]]),
    ).with_landmarks(left_finger="l_middle1")
    frames = 30
    moved = np.tile(rotations.IDENTITY, (frames, len(hand), 1))
    curl = rotations.from_axis_angle((0.0, 0.0, -1.0), np.linspace(0.0, 1.4, frames))
    moved[:, hand.index("l_middle1")] = moved[:, hand.index("l_finger 2")] = curl
    limited = with_anatomical_limits(hand, Motion(moved, np.tile(hand.offsets, (frames, 1, 1))))
    for joint, least in (("l_middle1", -45.0), ("l_finger 2", -1.0), ("l_finger 3", -1.0)):
        assert limited.kinds[limited.index(joint)] is JointKind.HINGE
        assert np.allclose(limited.hinge_axes[limited.index(joint)], (0.0, 0.0, -1.0), atol=1e-6)
        limit = limited.limits[limited.index(joint)]
        assert isinstance(limit, HingeLimit) and np.rad2deg(limit.low) == pytest.approx(least, abs=1.5)


def test_limits_and_hinges_that_a_skeleton_has_stay(rng: np.random.Generator) -> None:
    own = BallLimit((0, -1, 0), twist=(-0.1, 0.1))
    skeleton = synthetic.human(hinges=True).with_limits({"l_hip": own, "r_knee": HingeLimit(0.0, 1.0)})
    skeleton = skeleton.with_kinds({"l_knee": "hinge"}, {"l_knee": (-1.0, 0.0, 0.0)}).with_kinds({"l_wrist": "fixed"})
    limited = with_anatomical_limits(skeleton)
    assert limited.limits[limited.index("l_hip")] == own
    assert limited.limits[limited.index("r_knee")] == HingeLimit(0.0, 1.0)
    assert limited.index("l_wrist") not in limited.limits
    limit = limited.limits[limited.index("l_knee")]
    assert isinstance(limit, HingeLimit) and limit.low < -2.0 and limit.high < 0.2, "positive angles extend this knee"


def test_a_second_time_changes_nothing(walk: Clip) -> None:
    once = with_anatomical_limits(walk.skeleton, walk.motion)
    assert with_anatomical_limits(once, walk.motion) is once


def test_a_character_without_landmarks_is_refused() -> None:
    with pytest.raises(LandmarkError, match="set its landmarks"):
        with_anatomical_limits(Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]]))


# What they are for ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_a_straight_leg_that_is_lifted_bends_its_knee_forward(walk: Clip, side: str) -> None:
    """Knees that are balls went sideways by up to 0.29 sizes, or backward."""
    skeleton = with_anatomical_limits(walk.skeleton, walk.motion)
    pose = Pose.rest(skeleton)
    hip, knee, foot = (skeleton.rest_place(f"{side}{name}") for name in ("UpLeg", "Leg", "Foot"))
    target = foot + 0.3 * skeleton.size * rotations.unit(hip - foot)
    solved = solver.solve_posture(skeleton, pose, [solver.PositionTask(f"{side}Foot", target, recruit=2)])
    assert np.abs(solved.errors[0]).max() < 1e-6 * skeleton.size
    moved = solver.Clip(skeleton, solved.pose.motion).position(f"{side}Leg")[0] - knee
    sideways = rotations.unit(np.cross(foot - hip, (0.0, 0.0, 1.0)))
    assert abs(moved @ sideways) < 0.05 * skeleton.size, "the knee goes sideways"
    assert moved[2] > 0.1 * skeleton.size, "the knee goes backward"


def test_without_constraints_the_result_is_the_source_bit_for_bit(walk: Clip) -> None:
    part = walk.motion.at(np.arange(100, 160))
    clip = Clip(with_anatomical_limits(walk.skeleton, walk.motion), part, walk.fps)
    result = solver.deform(clip, []).clip.motion
    assert np.array_equal(result.rotations, part.rotations) and np.array_equal(result.translations, part.translations)
    reach = solver.ShapeConstraint("LeftHand", 20, 40, [solver.ConstraintPoint((0.5, 0.5, 0.0), 30)], "relative")
    result = solver.deform(clip, [reach]).clip.motion
    assert np.array_equal(result.rotations[:15], part.rotations[:15])
    moved = np.flatnonzero((result.rotations != part.rotations).any(axis=(0, 2)))
    assert worst_excess(clip.skeleton, result) < 1e-6
    assert len(moved) and not np.array_equal(result.rotations[30], part.rotations[30])


def test_any_character_gets_limits_that_its_motion_keeps_or_a_sentence(
    rng: np.random.Generator, character: Skeleton
) -> None:
    """Also trees in which a few joints look like limbs, of every kind and with bones of no length."""
    motion = random_motion(rng, character, frames=5)
    try:
        limited = with_anatomical_limits(character, motion)
    except LandmarkError:
        return
    added = set(limited.limits) - set(character.limits)
    for joint in added:
        assert excess(limited, joint, motion.rotations[:, joint]).max() < 0.0, limited.names[joint]
        assert limited.kinds[joint] in (JointKind.BALL, JointKind.HINGE)
