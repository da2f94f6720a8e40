# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that hang beside their legs: a rig whose feet were controls of inverse kinematics, exported without it.

Thigh and lower leg hang on the body, the foot hangs on the root, and yet the foot is always where the lower leg ends.
Such a leg is a chain of three bones in all but its hierarchy.
"""

from __future__ import annotations

import numpy as np

from ..core import rotations
from .clip import Clip
from .joints import SIDES
from .landmarks.figure import Figure
from .landmarks.names import end_marks, name_body, read_names

MOVES_ALONG = 0.05
"""The share of the lower leg's length by which a foot may be off its end in half of the frames, and still be at it:
inverse kinematics that cannot reach leaves it further off in some."""

SHORTEST_LOWER_LEG = 0.3
"""The least length of the lower leg, from knee to foot, as a share of the thigh."""


def feet_beside_legs(clip: Clip) -> dict[int, int]:
    """The foot joints that hang beside their legs, each with the joint of the lower leg that it moves along with.

    A foot is told by its name. It moves along where, in at least half of the frames, it is at the place in the lower
    leg's frame that it has in the rest pose.
    """
    skeleton = clip.skeleton
    if all(getattr(skeleton.landmarks, f"{side}_ankle") is not None for side in SIDES):
        return {}
    readings = read_names(skeleton.names)
    turned, placed = skeleton.rest
    figure = Figure(skeleton.parents, placed, turned, (), skeleton.up, named_ends=end_marks(readings))
    named = name_body(skeleton.names, readings, figure)
    found: dict[int, int] = {}
    for side in SIDES:
        hip, knee = (named.limbs.get(f"{side}_{role}") for role in ("hip", "knee"))
        if hip is None or knee is None:
            continue
        thigh = float(np.linalg.norm(placed[knee] - placed[hip]))
        for foot in named.loose_feet.get(side, ()):
            at_rest = rotations.rotate(rotations.conjugate(turned[knee]), placed[foot] - placed[knee])
            way = clip.world.positions[:, foot] - clip.world.positions[:, knee]
            seen = rotations.rotate(rotations.conjugate(clip.world.rotations[:, knee]), way)
            length = float(np.linalg.norm(at_rest))
            off = float(np.median(np.linalg.norm(seen - at_rest, axis=1)))
            if length >= SHORTEST_LOWER_LEG * thigh and off <= MOVES_ALONG * length:
                found[foot] = knee
                break
    return found
