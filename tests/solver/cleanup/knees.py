# SPDX-License-Identifier: GPL-3.0-or-later
"""How calm knees are, measured on the local rotations alone."""

from __future__ import annotations

import numpy as np

from poise.solver import Clip
from poise.solver.core import rotations
from poise.solver.core.arrays import Array


def knee_accelerations(clip: Clip) -> Array:
    """(frames - 2, 2) the angular accelerations of the left and the right knee, in radians a frame a frame."""
    marks = clip.skeleton.landmarks
    turned = clip.motion.rotations[:, [marks.left_knee, marks.right_knee]]
    velocities = rotations.log(rotations.quotient(turned[1:], turned[:-1]))
    return np.asarray(np.linalg.norm(np.diff(velocities, axis=0), axis=-1))


def knee_ratios(source: Clip, result: Clip, without: slice = slice(0)) -> Array:
    """(2,) the largest of each knee against its largest in the source, but for some frames of the result."""
    after = np.delete(knee_accelerations(result), without, axis=0)
    return np.asarray(after.max(axis=0) / knee_accelerations(source).max(axis=0))
