# SPDX-License-Identifier: GPL-3.0-or-later
"""A held pose as the solver's constraints: bones that keep their rotations, in the world or on their parents.

On its parent a bone keeps its rotation if two of its points keep their places there: its tail, and a point beside it.
"""

from __future__ import annotations

from typing import Any

from ...solver import BodyPoint, Clip, Constraint, ConstraintPoint, OrientationConstraint, ShapeConstraint
from ..placements import Placement


def held_pose(
    clip: Clip,
    joint: str,
    rotation: tuple[float, ...],
    is_local: bool,
    stay: tuple[float, float],
    activity: tuple[float, float],
    shared: dict[str, Any],
) -> list[Constraint]:
    """What holds one joint over a stay; times are frames of the clip, `rotation` is a quaternion.

    A joint without a parent has its rotation in the world in either case.
    """
    begin, end = activity
    index = clip.skeleton.index(joint)
    parent = int(clip.skeleton.parents[index])
    if parent < 0 or not is_local:
        points = [ConstraintPoint(rotation, *stay)]
        return [OrientationConstraint(joint, begin, end, points=points, mode="condensed", **shared)]
    # Nobody else can help a bone to keep its rotation on its parent, and nobody else should be moved by it.
    shared = {**shared, "recruit": 0}
    frame = min(round(stay[0]), clip.frames - 1)
    on_parent = Placement.turned(clip.motion.translations[frame, index], rotation)
    reach = clip.skeleton.size * ARM
    return [
        ShapeConstraint(
            BodyPoint(joint, offset),
            begin,
            end,
            points=[ConstraintPoint(on_parent.shown(offset), *stay)],
            mode="condensed",
            reference=clip.skeleton.names[parent],
            **shared,
        )
        for offset in ((0.0, reach, 0.0), (reach, 0.0, 0.0))
    ]


ARM = 0.25
"""How far from the head of a bone, in sizes of the character, the two points are that hold it: as far as a forearm, so
that turning it counts as much as moving a hand."""
