# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a leg."""

from __future__ import annotations

import numpy as np

from ..core.arrays import IntArray
from .skeleton import Skeleton


def leg_joints(skeleton: Skeleton, foot: int) -> IntArray:
    """The joints that move only one leg, from the hip down to the toes, given some joint `foot` of its foot."""
    landmarks, tree = skeleton.landmarks, skeleton.tree
    hips = [hip for hip in (landmarks.left_hip, landmarks.right_hip) if hip is not None and tree.carriers(foot)[hip]]
    top = hips[0] if hips else foot
    children = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=len(skeleton))
    while skeleton.parents[top] >= 0 and children[skeleton.parents[top]] == 1:
        top = int(skeleton.parents[top])
    return np.flatnonzero(tree.ancestry[:, top])
