# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves a posed human so that its centre of mass follows a path while its feet stay where they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.arrays import Array
from ..core.errors import MotionError
from .axes import from_y_up
from .puppet import FootPose, Puppet, Side

ROUNDS = 60
"""An upper bound: about twelve are needed, and more where legs are nearly straight."""
STEP = 1.15
"""The pelvis moves by so many times what the centre of mass misses: trunk and arms, two thirds of the mass, move with
the pelvis, and the legs by half as much."""
TOLERANCE = 1e-13
"""Sizes of the character."""

_GUESSES = (0.95, 0.97)
"""Sizes of the character: the first two heights that are tried."""
_FOUND = 1e-10
"""How near the extension must be: the height of a motion does not depend on more."""
_SECANTS = 20
"""An upper bound: about five are needed."""


def follow_with_center_of_mass(
    puppet: Puppet,
    path: Array,
    feet: Mapping[Side, FootPose],
    knees_out: float,
    *,
    tolerance: float = TOLERANCE,
    or_nearest: bool = False,
) -> None:
    """Move the pelvis so that the centre of mass is at `path` (frames, 3), y up, with the feet in their poses.

    The trunk and the arms must have their rotations already. `tolerance` is in sizes of the character. A `MotionError`
    says where legs are too short; with `or_nearest`, they point at their feet instead, as in `Puppet.place_foot`.
    """
    skeleton = puppet.skeleton
    goal = from_y_up(path, skeleton.up)
    for _ in range(ROUNDS):
        # On the way, the pelvis may be where a leg is too short.
        for side, pose in feet.items():
            puppet.place_foot(side, pose, knees_out, or_nearest=True)
        missed = goal - puppet.state().center_of_mass()
        puppet.root = puppet.root + STEP * missed
        if np.abs(missed).max() < tolerance * skeleton.size:
            break
    else:
        raise MotionError("Legs cannot follow such a path of the centre of mass: ask for a smaller movement.")
    for side, pose in feet.items():
        puppet.place_foot(side, pose, knees_out, or_nearest=or_nearest)


def height_by_extension(
    puppet: Puppet, path: Array, feet: Mapping[Side, FootPose], knees_out: float, side: Side, extension: float
) -> float:
    """The height by which `path` (frames, 3), y up, must be raised so that a leg is extended by `extension` at most.

    The extension is the distance from hip to ankle as a share of the leg's length, and the largest of all frames
    counts. The puppet is moved on the way. A `MotionError` says that no height was found.
    """
    skeleton, length = puppet.skeleton, puppet.leg_length(side)
    ankle = feet[side].ankle(skeleton, side)

    def largest(height: float) -> float:
        raised = path + np.array([0.0, height, 0.0])
        follow_with_center_of_mass(puppet, raised, feet, knees_out, tolerance=_FOUND, or_nearest=True)
        way = ankle - puppet.state().positions[:, skeleton.index(side + "hip")]
        return float(np.linalg.norm(way, axis=1).max()) / length

    heights = [share * skeleton.size for share in _GUESSES]
    extensions = [largest(height) for height in heights]
    for _ in range(_SECANTS):
        slope = (extensions[-1] - extensions[-2]) / (heights[-1] - heights[-2])
        heights.append(heights[-1] + (extension - extensions[-1]) / slope)
        extensions.append(largest(heights[-1]))
        if abs(extensions[-1] - extension) < _FOUND:
            return heights[-1]
    raise MotionError("Legs cannot reach feet that are so far apart: ask for a smaller movement.")
