# SPDX-License-Identifier: GPL-3.0-or-later
"""The axis of a limb's hinge: from the skeleton, from a motion, or from the pose at rest.

It is that of the skeleton's hinge joint; else the one about which the joint rotates in a motion; else the normal of the
limb's plane, if it is bent at rest; else the one that flexes the limb in the usual direction, a leg backward and an arm
forward.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from .joints import JointKind
from .motion import Motion
from .skeleton import Skeleton
from .two_bones import bend_of

NO_LENGTH = 1e-6
"""Sizes of the character under which a bone has no length."""

BENT_AT_REST = np.deg2rad(3.0)
"""The least bend at rest for which the normal of the plane of both bones is taken as the axis of the hinge."""

LEAST_MOVEMENT = np.deg2rad(3.0)
"""The least rotation of a hinge in a motion, root mean square about one axis, from which that axis is measured."""

SAMPLED_FRAMES = 500
"""Frames of a motion from which the axis of a hinge is measured: more change nothing, and in long clips take longer
than cleaning them."""


def hinge_axis(skeleton: Skeleton, name: str, joints: Sequence[int], motion: Motion | None = None) -> Array:
    """(3,) the unit axis of a limb's hinge in the hinge's own frame: positive angles flex the limb.

    `joints` are ball joint, hinge and end of the limb, and `name` tells a leg where the landmarks do not.
    """
    motion = None if motion is None else sampled(motion)
    if skeleton.kinds[joints[1]] is JointKind.HINGE:
        return with_flexing_sign(skeleton, name, joints, skeleton.hinge_axes[joints[1]], motion)
    measured = None if motion is None else measured_axis(joints[1], motion)
    if measured is not None:
        return with_flexing_sign(skeleton, name, joints, measured, motion)
    upper, lower = bones_at_rest(skeleton, joints)
    across = np.cross(upper, lower)
    sine = float(np.linalg.norm(across)) / float(np.linalg.norm(upper) * np.linalg.norm(lower))
    if sine > np.sin(BENT_AT_REST):
        return np.asarray(across / np.linalg.norm(across))
    return usual_axis(skeleton, name, joints)


def sampled(motion: Motion) -> Motion:
    """At most `SAMPLED_FRAMES` frames of a motion, evenly spaced."""
    if motion.frames <= SAMPLED_FRAMES:
        return motion
    return motion.at(np.linspace(0, motion.frames - 1, SAMPLED_FRAMES).round().astype(np.int64))


def measured_axis(joint: int, motion: Motion) -> Array | None:
    """(3,) the axis, in the joint's own frame, about which it rotates most, up to its sign; None if it hardly moves."""
    if not motion.frames:
        return None
    local = motion.rotations[:, joint]
    relative = rotations.log(rotations.multiply(rotations.conjugate(rotations.mean(local)), local))
    values, vectors = np.linalg.eigh(relative.T @ relative / max(len(relative), 1))
    if np.sqrt(max(float(values[-1]), 0.0)) < LEAST_MOVEMENT:
        return None
    return np.asarray(vectors[:, -1])


def with_flexing_sign(
    skeleton: Skeleton, name: str, joints: Sequence[int], axis: Array, motion: Motion | None
) -> Array:
    """The axis or its opposite, for which the mean bend in the motion, that at rest or the usual one is positive."""
    if motion is not None and motion.frames:
        world_rotations, positions = skeleton.tree.accumulate(motion.rotations, motion.translations)
        back = rotations.conjugate(world_rotations[:, joints[1]])
        bones = [positions[:, joints[1]] - positions[:, joints[0]], positions[:, joints[2]] - positions[:, joints[1]]]
        local = [rotations.rotate(back, bone) for bone in bones]
        bend = float(bend_of(local[0], local[1], axis).mean())
    else:
        bend = float(bend_of(*bones_at_rest(skeleton, joints), axis))
    if abs(bend) < BENT_AT_REST:
        bend = float(axis @ usual_axis(skeleton, name, joints))
    return np.asarray(-axis if bend < 0.0 else axis)


def usual_axis(skeleton: Skeleton, name: str, joints: Sequence[int]) -> Array:
    """(3,) in the hinge's own frame: the axis across limb and forward direction about which it usually bends."""
    rest_rotations, positions = skeleton.rest
    forward = forward_of(skeleton)
    is_leg = joints[1] in (skeleton.landmarks.left_knee, skeleton.landmarks.right_knee) or "leg" in name.lower()
    across = np.cross(positions[joints[2]] - positions[joints[0]], -forward if is_leg else forward)
    if float(np.linalg.norm(across)) <= NO_LENGTH * skeleton.size:
        across = np.cross(positions[joints[2]] - positions[joints[0]], np.eye(3)[skeleton.up_axis])
    return rotations.rotate(rotations.conjugate(rest_rotations[joints[1]]), across / np.linalg.norm(across))


def forward_of(skeleton: Skeleton) -> Array:
    """(3,) the horizontal direction from ankles to balls at rest; without feet z where y is up, -y where z is up."""
    _, positions = skeleton.rest
    directions = []
    for side in ("left", "right"):
        ankle, ball = getattr(skeleton.landmarks, f"{side}_ankle"), getattr(skeleton.landmarks, f"{side}_ball")
        if ankle is not None and ball is not None:
            directions.append(skeleton.rest_place(ball) - positions[ankle])
    if directions:
        level = np.mean(directions, axis=0)
        level[skeleton.up_axis] = 0.0
        if float(np.linalg.norm(level)) > NO_LENGTH * skeleton.size:
            return np.asarray(level / np.linalg.norm(level))
    return np.array([0.0, 0.0, 1.0]) if skeleton.up == "y" else np.array([0.0, -1.0, 0.0])


def bones_at_rest(skeleton: Skeleton, joints: Sequence[int]) -> tuple[Array, Array]:
    """(3,) each: both bones of a limb at rest, in the hinge's own frame."""
    rest_rotations, positions = skeleton.rest
    back = rotations.conjugate(rest_rotations[joints[1]])
    upper = rotations.rotate(back, positions[joints[1]] - positions[joints[0]])
    return upper, rotations.rotate(back, positions[joints[2]] - positions[joints[1]])
