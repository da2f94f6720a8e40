# SPDX-License-Identifier: GPL-3.0-or-later
"""Constant rotations for joints that a simplified character does not keep (Popović 1999, section 4.1.1)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ...body.clip import Clip
from ...core import rotations
from ...core.arrays import Array

NEAR = 1e-3
"""Sizes of the character: a centre of mass nearer to its joint does not show how the joint is turned."""


def fused_rotations(clip: Clip, kept: Collection[int] = ()) -> Array:
    """(joints, 4) for each joint the constant local rotation that least moves the centre of mass of its subtree.

    `kept` are joints that go on moving; all others are constant. With p(t) the centre of mass of a joint's subtree in
    the source, seen from its parent, and c the mean of that in the joint's own frame once all constant joints below it
    are so, the rotation R with the least mean square of R c - p(t) takes c to the direction of the mean of p(t). About
    that direction, where no mass decides, it is turned as the joint is on average.
    """
    skeleton, local, offsets = clip.skeleton, clip.motion.rotations, clip.motion.translations
    masses = np.asarray(skeleton.masses @ skeleton.tree.ancestry)
    found = rotations.mean(local)
    # First moments of subtrees about their joints, in the joints' frames: in the source, and with constant joints.
    source = np.tile(skeleton.masses[:, None] * skeleton.mass_centers, (clip.frames, 1, 1))
    fused = source.copy()
    for joint in range(len(skeleton) - 1, -1, -1):
        seen = rotations.rotate(local[:, joint], source[:, joint])
        center, place = fused[:, joint].mean(axis=0), seen.mean(axis=0)
        if min(np.linalg.norm(center), np.linalg.norm(place)) > NEAR * skeleton.size * masses[joint]:
            turn = rotations.between(rotations.rotate(found[joint], center), place)
            found[joint] = rotations.multiply(turn, found[joint])
        parent = int(skeleton.parents[joint])
        if parent >= 0:
            source[:, parent] += seen + masses[joint] * offsets[:, joint]
            turn = local[:, joint] if joint in kept else found[joint]
            fused[:, parent] += rotations.rotate(turn, fused[:, joint]) + masses[joint] * offsets[:, joint].mean(axis=0)
    return found
