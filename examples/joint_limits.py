# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the joints of a motion are beyond their limits, and the motion within them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..solver.body.limits import BallLimit, HingeLimit
from ..solver.body.motion import Motion
from ..solver.body.skeleton import Skeleton
from ..solver.core import rotations
from ..solver.core.arrays import Array


def excess(skeleton: Skeleton, motion: Motion) -> Array:
    """(frames, limits) radians by which joints are beyond their limits, in the order of the skeleton's; negative
    inside."""
    found = np.empty((motion.frames, len(skeleton.limits)))
    for column, (joint, limit) in enumerate(_ball_limits(skeleton)):
        rest = rotations.conjugate(skeleton.rest_rotations[joint])
        found[:, column] = limit.excess(rotations.multiply(rest, motion.rotations[:, joint])).max(axis=1)
    return found


def clamped(skeleton: Skeleton, motion: Motion) -> Motion:
    """The motion with all joints within their limits."""
    turned = motion.rotations.copy()
    for joint, limit in _ball_limits(skeleton):
        rest = skeleton.rest_rotations[joint]
        relative = rotations.multiply(rotations.conjugate(rest), turned[:, joint])
        turned[:, joint] = rotations.multiply(rest, limit.clamp(relative))
    return Motion(turned, motion.translations)


def _ball_limits(skeleton: Skeleton) -> Iterator[tuple[int, BallLimit]]:
    """Each joint that has a limit, with the limit about all axes."""
    for joint, limit in skeleton.limits.items():
        yield joint, limit.bound_to(skeleton.hinge_axes[joint]) if isinstance(limit, HingeLimit) else limit
