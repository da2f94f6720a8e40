# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights of the points of a foot above the floor while it stands flat: the thickness of the sole under each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from ..core.errors import SkeletonError
from .joints import SIDES
from .landmarks.landmarks import Landmarks
from .skin import Skin
from .tree import Tree

FOOT_POINTS = ("heel", "ball", "toe_tip")
SOLE_POINTS = tuple(f"{side}_{part}" for side in SIDES for part in FOOT_POINTS)
"""The points that have a sole under them, named as the landmarks are."""

HIGHEST_POINT, HIGHEST_ON_SKIN = 0.3, 0.5
"""Upper bounds of the height of a point above the heel, or above the lowest skin where there is one, as shares of the
foot's length: in a rest pose whose feet point up or down, heights mean nothing."""


def soles_of(
    landmarks: Landmarks,
    tree: Tree,
    rest: tuple[Array, Array],
    up_axis: int,
    skin: Skin | None = None,
    given: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """For each of `SOLE_POINTS` that a character has, its height above the floor in a flat foot, in the clip's units.

    The floor is under the lowest points of the skin of the foot in the rest pose (`rest`: world rotations (joints, 4)
    and positions (joints, 3)); where there is no skin, under the heel. Heights in `given` replace the computed ones.
    """
    known = dict(given or {})
    found: dict[str, float] = {}
    for side in SIDES:
        marks = {part: getattr(landmarks, f"{side}_{part}") for part in FOOT_POINTS}
        places = {part: mark.place(*rest) for part, mark in marks.items() if mark is not None}
        if "heel" not in places:
            continue
        heel = places["heel"]
        reach = next((places[part] for part in ("ball", "toe_tip") if part in places), heel)
        length = float(np.linalg.norm(reach - heel))
        lowest = _lowest(getattr(landmarks, f"{side}_ankle"), tree, rest, up_axis, skin)
        floor = float(heel[up_axis]) if lowest is None else lowest
        highest = length * (HIGHEST_POINT if lowest is None else HIGHEST_ON_SKIN)
        above = {part: float(np.clip(place[up_axis] - floor, 0.0, highest)) for part, place in places.items()}
        # A given height of the heel raises the other points of the same foot by the same amount.
        lifted = known.get(f"{side}_heel", above["heel"]) - above["heel"]
        for part, height in above.items():
            found[f"{side}_{part}"] = known.get(f"{side}_{part}", max(height + lifted, 0.0))
    return found


def check_soles(given: Mapping[str, float]) -> dict[str, float]:
    """The given heights as numbers; raises SkeletonError for an unknown point or a height that is not 0 or more."""
    for name, height in given.items():
        if name not in SOLE_POINTS:
            raise SkeletonError(f"There is no sole under {name!r}: there are {', '.join(SOLE_POINTS)}.")
        if not (np.isfinite(height) and height >= 0.0):
            raise SkeletonError(f"The sole under the {name.replace('_', ' ')} must be a finite number, 0 or more.")
    return {name: float(height) for name, height in given.items()}


def _lowest(ankle: int | None, tree: Tree, rest: tuple[Array, Array], up_axis: int, skin: Skin | None) -> float | None:
    """The lowest height at rest of the skin that an ankle and the joints below it move; None where there is none."""
    if skin is None or ankle is None:
        return None
    own = tree.ancestry[skin.joints, ankle] > 0
    if not own.any():
        return None
    world_rotations, world_positions = rest
    joints = skin.joints[own]
    places = world_positions[joints] + rotations.rotate(world_rotations[joints], skin.offsets[own])
    return float(places[:, up_axis].min())
