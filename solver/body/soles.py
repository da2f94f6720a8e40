# SPDX-License-Identifier: GPL-3.0-or-later
"""How high the points of a foot lie above the floor when it stands flat: the thickness of its sole under each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core import rotations
from ..core.arrays import Array
from ..core.errors import SkeletonError
from .joints import BodyPoint
from .landmarks.recognition import Landmarks
from .skin import Skin
from .tree import Tree

PARTS = ("heel", "ball", "toe_tip")
SOLE_POINTS = tuple(f"{side}_{part}" for side in ("left", "right") for part in PARTS)
"""The points that have a sole under them, named as the landmarks are."""

HIGHEST_POINT, HIGHEST_ON_SKIN = 0.3, 0.5
"""Of the foot's length, how high points lie above the heel, or above the lowest skin where there is one, at most,
whatever the rest pose says: feet that point up or down at rest do not show it."""


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
    and positions (joints, 3)); where there is no skin, under the heel, which is where the foot meets it. What is
    `given` counts instead.
    """
    known = dict(given or {})
    found: dict[str, float] = {}
    for side in ("left", "right"):
        marks = {part: getattr(landmarks, f"{side}_{part}") for part in PARTS}
        places = {part: _place(mark, rest) for part, mark in marks.items() if mark is not None}
        if "heel" not in places:
            continue
        heel = places["heel"]
        reach = next((places[part] for part in ("ball", "toe_tip") if part in places), heel)
        length = float(np.linalg.norm(reach - heel))
        lowest = _lowest(getattr(landmarks, f"{side}_ankle"), tree, rest, up_axis, skin)
        floor = float(heel[up_axis]) if lowest is None else lowest
        highest = length * (HIGHEST_POINT if lowest is None else HIGHEST_ON_SKIN)
        above = {part: float(np.clip(place[up_axis] - floor, 0.0, highest)) for part, place in places.items()}
        # A heel that is said to lie higher than it seems lifts what lies on the same foot.
        lifted = known.get(f"{side}_heel", above["heel"]) - above["heel"]
        for part, height in above.items():
            found[f"{side}_{part}"] = known.get(f"{side}_{part}", max(height + lifted, 0.0))
    return found


def check_soles(given: Mapping[str, float]) -> dict[str, float]:
    """The given heights, or an error that says what is wrong with them."""
    for name, height in given.items():
        if name not in SOLE_POINTS:
            raise SkeletonError(f"There is no sole under {name!r}: there are {', '.join(SOLE_POINTS)}.")
        if not (np.isfinite(height) and height >= 0.0):
            raise SkeletonError(f"The sole under the {name.replace('_', ' ')} must be a finite number, 0 or more.")
    return {name: float(height) for name, height in given.items()}


def _lowest(ankle: int | None, tree: Tree, rest: tuple[Array, Array], up_axis: int, skin: Skin | None) -> float | None:
    """How low the skin that an ankle and the joints below it move reaches at rest; None where there is none."""
    if skin is None or ankle is None:
        return None
    own = tree.ancestry[skin.joints, ankle] > 0
    if not own.any():
        return None
    turned, placed = rest
    joints = skin.joints[own]
    return float((placed[joints] + rotations.rotate(turned[joints], skin.offsets[own]))[:, up_axis].min())


def _place(mark: BodyPoint, rest: tuple[Array, Array]) -> Array:
    """(3,) a landmark in the rest pose."""
    turned, placed = rest
    joint = int(mark.joint)
    return np.asarray(placed[joint] + rotations.rotate(turned[joint], mark.local))
