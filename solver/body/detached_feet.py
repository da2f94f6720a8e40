# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are not children of their legs: a rig whose feet were targets of inverse kinematics, exported without it.

Thigh and lower leg are children of the body, the foot is a child of the root, and yet the foot is always at the end of
the lower leg. Such a leg is a chain of three bones in all but its hierarchy.
"""

from __future__ import annotations

import numpy as np

from ..core import rotations
from .clip import Clip
from .joints import SIDES
from .landmarks.figure import Figure
from .landmarks.names import end_marks, name_body, read_names

LARGEST_OFFSET = 0.05
"""The largest median distance of a foot from the end of the lower leg, as a share of the lower leg's length: in frames
whose target inverse kinematics cannot reach, the foot is further away."""

SHORTEST_LOWER_LEG = 0.3
"""The least length of the lower leg, from knee to foot, as a share of the thigh."""


def feet_beside_legs(clip: Clip) -> dict[int, int]:
    """The foot joints that are not descendants of their legs, each with the joint of the lower leg that it moves with.

    A foot is recognised by its name. It moves with the lower leg if, in at least half of the frames, it has the same
    position in the lower leg's frame as in the rest pose.
    """
    skeleton = clip.skeleton
    if all(getattr(skeleton.landmarks, f"{side}_ankle") is not None for side in SIDES):
        return {}
    readings = read_names(skeleton.names)
    rest_rotations, rest_positions = skeleton.rest
    figure = Figure(skeleton.parents, rest_positions, rest_rotations, (), skeleton.up, named_ends=end_marks(readings))
    named = name_body(skeleton.names, readings, figure)
    found: dict[int, int] = {}
    for side in SIDES:
        hip, knee = (named.limbs.get(f"{side}_{role}") for role in ("hip", "knee"))
        if hip is None or knee is None:
            continue
        thigh = float(np.linalg.norm(rest_positions[knee] - rest_positions[hip]))
        for foot in named.loose_feet.get(side, ()):
            at_rest = rotations.rotate(
                rotations.conjugate(rest_rotations[knee]), rest_positions[foot] - rest_positions[knee]
            )
            way = clip.world.positions[:, foot] - clip.world.positions[:, knee]
            seen = rotations.rotate(rotations.conjugate(clip.world.rotations[:, knee]), way)
            length = float(np.linalg.norm(at_rest))
            off = float(np.median(np.linalg.norm(seen - at_rest, axis=1)))
            if length >= SHORTEST_LOWER_LEG * thigh and off <= LARGEST_OFFSET * length:
                found[foot] = knee
                break
    return found
