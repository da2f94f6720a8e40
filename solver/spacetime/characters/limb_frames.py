# SPDX-License-Identifier: GPL-3.0-or-later
"""How a limb hangs when all values of its joint are 0."""

from __future__ import annotations

import numpy as np

from ...body.clip import Clip
from ...body.hinge_axis import hinge_axis
from ...body.joints import SIDES
from ...core import rotations
from ...core.arrays import Array

OBLIQUE = 0.7
"""The sine of the angle between a bone and the axis of its hinge under which the axis does not show how it hangs."""

UPRIGHT = 0.7
"""The cosine of the angle from the vertical up to which a bone at rest points up, as a spine does, and not down."""


def hanging_rotation(clip: Clip, joint: int, bone: Array, axes: Array) -> Array:
    """(4,) the rotation from a joint's frame to that of its body, in which its `bone` (3,), given in the joint's frame,
    points down, or up where it does so at rest.

    `axes` (3, 3) are left, up and forward. Arms and legs flex their hinges about the left axis then: the motion shows
    where the hinge is, so it does not matter how the character stands at rest. Other limbs come there by the smallest
    turn from rest.
    """
    left, up, _ = axes
    rest = np.asarray(clip.skeleton.rest[0][joint])
    hangs = rotations.rotate(rest, rotations.unit(bone))
    across = _hinge_in(clip, joint)
    if across is not None and bone.any():
        side = across - (across @ rotations.unit(bone)) * rotations.unit(bone)
        if float(np.linalg.norm(side)) > OBLIQUE:
            aligned = rotations.between(bone, -up)
            twist = rotations.between(rotations.rotate(aligned, side), left)
            return rotations.multiply(twist, aligned)
    return rotations.multiply(rotations.between(hangs, up if float(hangs @ up) > UPRIGHT else -up), rest)


def _hinge_in(clip: Clip, joint: int) -> Array | None:
    """(3,) in the frame of the first or the middle joint of a leg, the axis about which the leg is flexed; of an arm,
    which flexes to the other side, its opposite. None for other joints."""
    marks = clip.skeleton.landmarks
    for side in SIDES:
        for name, limb, sign in (("leg", marks.leg(side)[:3], 1.0), ("arm", marks.arm(side)[1:], -1.0)):
            if joint not in limb[:2] or None in limb:
                continue
            first, middle, end = (int(each) for each in limb if each is not None)
            offsets = clip.skeleton.offsets
            if not (offsets[middle].any() and offsets[end].any()):
                continue
            axis = sign * hinge_axis(clip.skeleton, f"{side}_{name}", (first, middle, end), clip.motion)
            if joint == middle:
                return axis
            return rotations.unit(rotations.rotate(clip.motion.rotations[:, middle], axis).mean(axis=0))
    return None
