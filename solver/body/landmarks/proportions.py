# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that the landmarks of a character keep to the proportions of a body.

Landmarks that do not are wrong: set by hand to another bone, or recognised wrongly. A solve that relies on them (for
footplants, or for the size to which tolerances are relative) would destroy a motion, so they are reported before.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import Array
from ..joints import SIDES, BodyPoint
from .landmarks import Landmarks

FARTHEST = {"heel": 0.6, "ball": 0.7, "toe_tip": 1.0}
"""The largest distances of the points of a foot from the ankle, as shares of the leg from hip to ankle. People have
0.13, 0.18 and 0.25; cartoon characters have feet three times as large."""

HIGHEST_HEAD = 1.5
"""The same for the top of the head above the head joint: 0.25 in people, 1 in cartoon characters."""

UNEVEN_LEG = 4.0
"""The largest ratio of the lengths of thigh and shin; about 1 in people."""

UNEVEN_LEGS = 1.5
"""The largest ratio of the lengths of the two legs."""


def implausible_landmarks(
    landmarks: Landmarks, rest_rotations: Array, rest_positions: Array, side: str | None = None
) -> tuple[str, ...]:
    """A message for each implausible landmark, given the rest pose in world space.

    `rest_rotations` are (joints, 4), `rest_positions` (joints, 3). With a `side`, only that leg is checked.
    """

    def distance(mark: BodyPoint, joint: int) -> float:
        return float(np.linalg.norm(mark.place(rest_rotations, rest_positions) - rest_positions[joint]))

    found: list[str] = []
    legs: dict[str, float] = {}
    for each in SIDES if side is None else (side,):
        hip, knee, ankle, _ = landmarks.leg(each)
        if hip is None or knee is None or ankle is None:
            continue
        bones = np.linalg.norm(np.diff(rest_positions[[hip, knee, ankle]], axis=0), axis=1)
        leg = legs[each] = float(bones.sum())
        if leg == 0.0:
            continue
        if bones.max() > UNEVEN_LEG * bones.min():
            found.append(
                f"The {each} knee cannot be right: thigh and shin are {bones.max() / max(bones.min(), 1e-9):.3g} times "
                "as long as each other; set hip, knee and ankle by hand."
            )
        for part, most in FARTHEST.items():
            mark = getattr(landmarks, f"{each}_{part}")
            far = 0.0 if mark is None else distance(mark, ankle) / leg
            if far > most:
                found.append(_too_far(f"{each} {part.replace('_', ' ')}", far, "ankle"))
    if side is None:
        found += _uneven(legs)
        head, top = landmarks.head, landmarks.head_top
        if head is not None and top is not None and max(legs.values(), default=0.0) > 0.0:
            far = distance(top, head) / max(legs.values())
            if far > HIGHEST_HEAD:
                found.append(_too_far("head top", far, "head joint"))
    return tuple(found)


def _too_far(what: str, far: float, joint: str) -> str:
    return f"The {what} cannot be right: it lies {far:.3g} leg lengths from the {joint}; set it by hand."


def _uneven(legs: dict[str, float]) -> list[str]:
    if len(legs) < 2 or max(legs.values()) <= UNEVEN_LEGS * min(legs.values()):
        return []
    return ["The legs cannot be right: one is half as long again as the other; set hips, knees and ankles by hand."]
