# SPDX-License-Identifier: GPL-3.0-or-later
"""The axes of a body in its rest pose."""

from __future__ import annotations

import numpy as np

from ...body.skeleton import Skeleton
from ...core import rotations
from ...core.arrays import Array
from .handle import Axis

PAIRS = ("hip", "shoulder")
"""The landmarks whose left and right one say where the left side is, the surer ones first."""


def body_axes(skeleton: Skeleton) -> dict[Axis, Array]:
    """The unit vectors (3,) "left", "up" and "forward" of a character at rest, in world axes.

    Up is the skeleton's up axis. Left is the horizontal direction from the right hip to the left one; of a character
    without hips, from shoulder to shoulder; without both, the x axis, as of a character that faces z where y is up, or
    -y where z is up. Forward completes them to a right-handed system.
    """
    up = np.eye(3)[skeleton.up_axis]
    left = np.eye(3)[0]
    for role in PAIRS:
        sides = [getattr(skeleton.landmarks, f"{side}_{role}") for side in ("left", "right")]
        if None in sides:
            continue
        across = skeleton.rest_place(sides[0]) - skeleton.rest_place(sides[1])
        across[skeleton.up_axis] = 0.0
        if across.any():
            left = rotations.unit(across)
            break
    return {"left": left, "up": up, "forward": rotations.cross(left, up)}
