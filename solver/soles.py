# SPDX-License-Identifier: GPL-3.0-or-later
"""How high the points of a foot lie above the floor when it stands flat: the thickness of its sole under each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from . import rotations
from .arrays import Array
from .errors import SkeletonError
from .joints import BodyPoint
from .landmarks import Landmarks

SOLE_POINTS = tuple(f"{side}_{point}" for side in ("left", "right") for point in ("heel", "ball", "toe_tip"))
"""The points that have a sole under them, named as the landmarks are: heel, ball and tip of the toes."""

HIGHEST_POINT = 0.3
"""Ball and tip of the toes lie at most this share of the foot's length above the heel, whatever the rest pose says."""


def soles_of(
    landmarks: Landmarks, rest: tuple[Array, Array], up_axis: int, given: Mapping[str, float]
) -> dict[str, float]:
    """For each of `SOLE_POINTS` that a character has, its height above the floor in a flat foot, in the clip's units.

    What is `given` stays. A heel is where it meets the floor, so its own height is 0; ball and tip are as much higher
    than the heel as in the rest pose (`rest`: world rotations (joints, 4) and positions (joints, 3)).
    """
    found: dict[str, float] = {}
    for side in ("left", "right"):
        marks = {point: getattr(landmarks, f"{side}_{point}") for point in ("heel", "ball", "toe_tip")}
        places = {point: _place(mark, rest) for point, mark in marks.items() if mark is not None}
        if "heel" not in places:
            continue
        under_heel = found[f"{side}_heel"] = given.get(f"{side}_heel", 0.0)
        reach = next((places[point] for point in ("ball", "toe_tip") if point in places), places["heel"])
        highest = HIGHEST_POINT * float(np.linalg.norm(reach - places["heel"]))
        for point in ("ball", "toe_tip"):
            if point in places:
                rise = float(np.clip((places[point] - places["heel"])[up_axis], 0.0, highest))
                found[f"{side}_{point}"] = given.get(f"{side}_{point}", under_heel + rise)
    return found


def check_soles(given: Mapping[str, float]) -> dict[str, float]:
    """The given heights, or an error that says what is wrong with them."""
    for name, height in given.items():
        if name not in SOLE_POINTS:
            raise SkeletonError(f"There is no sole under {name!r}: there are {', '.join(SOLE_POINTS)}.")
        if not (np.isfinite(height) and height >= 0.0):
            raise SkeletonError(f"The sole under the {name.replace('_', ' ')} must be a finite number, 0 or more.")
    return {name: float(height) for name, height in given.items()}


def _place(mark: int | BodyPoint, rest: tuple[Array, Array]) -> Array:
    """(3,) a landmark in the rest pose."""
    turned, placed = rest
    if not isinstance(mark, BodyPoint):
        return np.asarray(placed[mark])
    joint = int(mark.joint)
    return np.asarray(placed[joint] + rotations.rotate(turned[joint], mark.local))
