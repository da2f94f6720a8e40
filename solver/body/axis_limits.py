# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits from ranges of angles about the axes of a joint, as programs for animation have them.

Such ranges are of Euler angles, or of the parts of a rotation vector. A limit has a twist about the bone, and a swing
of its direction. Where a joint turns about one axis only, both mean the same. Else the range about the bone becomes the
twist, and the two others the four half-axes of a swing, joined by quarters of ellipses: what Blender's own inverse
kinematics makes of them too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from ..core.errors import LimitError
from .joints import JointKind
from .limits import BallLimit, HingeLimit, JointLimit, Range
from .motion import Motion
from .skeleton import Skeleton
from .swing_regions import MARGIN, WIDEST_STAR, Star, widened_range

AxisRanges = Sequence[Range | None]
"""Ranges in radians of the angles about x, y and z of a joint's own frame, from its rest; None is no limit."""


def with_axis_limits(
    skeleton: Skeleton, ranges: Mapping[str | int, AxisRanges], motion: Motion | None = None, *, bone_axis: int = 1
) -> Skeleton:
    """A copy in which some joints have limits about the axes of their own frames, widened to a motion.

    `bone_axis` is the axis along the bones: 0, 1 or 2. Free joints and fixed ones get no limit, nor do hinges about
    other axes than x, y and z.
    """
    if motion is not None:
        motion = motion.checked(skeleton)
    limits: dict[str | int, JointLimit | None] = {}
    for name, given in ranges.items():
        joint = skeleton.index(name)
        for each in given:
            if each is not None and not (each[0] <= 0.0 <= each[1]):
                raise LimitError(f"A range of joint {skeleton.names[joint]!r} must contain 0, which is its rest.")
        rest = rotations.conjugate(skeleton.rest_rotations[joint])
        relative = rotations.IDENTITY[None]
        if motion is not None:
            relative = np.concatenate([relative, rotations.multiply(rest, motion.rotations[:, joint])])
        if skeleton.kinds[joint] is JointKind.HINGE:
            limits[joint] = _hinge_limit(skeleton.hinge_axes[joint], given, relative)
        elif skeleton.kinds[joint] is JointKind.BALL:
            limits[joint] = _ball_limit(given, relative, bone_axis)
    new = {joint: limit for joint, limit in limits.items() if limit is not None}
    return skeleton.with_limits(new) if new else skeleton


def _hinge_limit(axis: Array, given: AxisRanges, relative: Array) -> HingeLimit | None:
    """The limit of a hinge about x, y or z, or their opposites; None about other axes or without a range."""
    along = int(np.argmax(np.abs(axis)))
    allowed = given[along]
    if allowed is None or abs(axis[along]) < 1.0 - 1e-9:
        return None
    if axis[along] < 0.0:
        allowed = (-allowed[1], -allowed[0])
    widened = widened_range(allowed, rotations.twist_angle(relative, axis))
    return None if widened is None else HingeLimit(*widened)


def _ball_limit(given: AxisRanges, relative: Array, bone_axis: int) -> BallLimit | None:
    """The limit of a ball joint; None without ranges, or where they limit nothing."""
    bone, first, second = (np.eye(3)[(bone_axis + step) % 3] for step in range(3))
    about_first, about_second = (given[(bone_axis + step) % 3] for step in (1, 2))
    twist, swing = given[bone_axis], None
    if about_first is not None or about_second is not None:
        # Turned about the first axis, the bone moves away from the second one; about the second, toward the first.
        low, high = about_first or (-WIDEST_STAR, WIDEST_STAR)
        low_across, high_across = about_second or (-WIDEST_STAR, WIDEST_STAR)
        quarters = tuple(float(np.clip(angle, MARGIN, WIDEST_STAR)) for angle in (high, high_across, -low, -low_across))
        region = Star(np.stack([-second, first, bone]), (quarters[0], quarters[1], quarters[2], quarters[3]))
        directions = rotations.rotate(relative, bone)
        swing = region.polygon(np.maximum(region.extents(), region.extents_for(directions, MARGIN)))
    if twist is not None:
        twist = widened_range(twist, rotations.twist_angle(relative, bone))
    return None if twist is None and swing is None else BallLimit(bone, twist=twist, swing=swing)
