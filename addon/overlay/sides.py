# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints are on the left side of a body and which on the right."""

from __future__ import annotations

from ... import solver
from .body import SIDES

LIMBS = ("clavicle", "shoulder", "hip")
"""The landmarks, without their side, from which on joints belong to a side."""


def sides_of(skeleton: solver.Skeleton) -> dict[str, str]:
    """The side of each joint of a limb, "left" or "right", by the joint's name."""
    side_of: dict[int, str] = {}
    for side in SIDES:
        for limb in LIMBS:
            joint = getattr(skeleton.landmarks, f"{side}_{limb}")
            if joint is not None:
                side_of[int(joint)] = side
    # Parents come before their children.
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint not in side_of and parent in side_of:
            side_of[joint] = side_of[parent]
    return {skeleton.names[joint]: side for joint, side in side_of.items()}
