# SPDX-License-Identifier: GPL-3.0-or-later
"""A held pose as the solver's constraints: bones that keep their rotations, in the world or on their parents.

On its parent a bone keeps its rotation if two of its points keep their places there: one along it, and one beside it.
On the way there and back the two turn about the bone's head as one body, or nobody could follow both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...solver import BodyPoint, Clip, Constraint, ConstraintPoint, OrientationConstraint, ShapeConstraint, rotations
from ..bridge.arrays import Array

ARM = 0.25
"""How far from the head of a bone, in sizes of the character, the two points are that hold it: as far as a forearm, so
that turning it counts as much as moving a hand."""


def pose_in_world(
    joint: str, rotation: Array, stay: tuple[float, float], activity: tuple[float, float], shared: dict[str, Any]
) -> list[Constraint]:
    """A joint keeps a rotation (4,) in the world over a stay; times are frames of the clip."""
    points = [ConstraintPoint(rotation, *stay)]
    return [OrientationConstraint(joint, *activity, points=points, mode="condensed", **shared)]


def pose_on_parent(
    clip: Clip,
    joint: str,
    rotation: Array,
    stay: tuple[float, float],
    eases: tuple[float, float],
    shared: dict[str, Any],
) -> list[Constraint]:
    """A joint keeps a rotation (4,) on its parent over a stay, with some frames before and after to come and to go."""
    index = clip.skeleton.index(joint)
    first = max(int(np.ceil(stay[0] - eases[0])), 0)
    last = min(int(np.floor(stay[1] + eases[1])), clip.frames - 1)
    frames = np.arange(first, last + 1)
    come = _smooth((frames - stay[0] + eases[0]) / eases[0]) if eases[0] > 0.0 else 1.0 * (frames >= stay[0])
    go = _smooth((stay[1] + eases[1] - frames) / eases[1]) if eases[1] > 0.0 else 1.0 * (frames <= stay[1])
    turns = rotations.slerp(clip.motion.rotations[frames, index], rotations.normalize(rotation), come * go)
    heads = clip.motion.translations[frames, index]
    reach = ARM * clip.skeleton.size
    # Nobody else can help a bone to keep its rotation on its parent, and nobody else should be moved by it.
    shared = {**shared, "recruit": 0}
    parent = clip.skeleton.names[int(clip.skeleton.parents[index])]
    made: list[Constraint] = []
    for offset in ((0.0, reach, 0.0), (reach, 0.0, 0.0)):
        places = heads + rotations.rotate(turns, np.array(offset))
        points = [ConstraintPoint(place, float(frame)) for place, frame in zip(places, frames, strict=True)]
        made.append(
            ShapeConstraint(
                BodyPoint(joint, offset), float(first), float(last), points=points, reference=parent, **shared
            )
        )
    return made


def _smooth(share: Array) -> Array:
    """From 0 to 1, without a jump in velocity or acceleration."""
    share = np.clip(share, 0.0, 1.0)
    return np.asarray(share**3 * (10.0 - 15.0 * share + 6.0 * share**2))
