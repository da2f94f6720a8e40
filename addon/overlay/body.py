# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of a character that are needed to draw its footprints and points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import solver

FOOT_OF_HEIGHT = 0.15
"""The length of a foot as a share of the height of a body, where the foot is not known."""

BALL_OF_FOOT = 0.72
"""Where the ball is, from heel to toe tip."""

SIZE_OF_HEIGHT = 0.53
"""The length from hip to heel as a share of the height of a body."""

SIDES = ("left", "right")


@dataclass(frozen=True)
class FootMeasures:
    """The lengths of a foot, in the scene's units."""

    heel_to_ball: float
    ball_to_tip: float
    heel_clearance: float
    """How high the heel lies above the floor when the foot stands flat."""
    ball_clearance: float

    @property
    def length(self) -> float:
        """From the heel to the tip of the toes."""
        return self.heel_to_ball + self.ball_to_tip

    @staticmethod
    def of_height(height: float) -> FootMeasures:
        """The usual foot of a body of some height."""
        length = FOOT_OF_HEIGHT * height
        return FootMeasures(BALL_OF_FOOT * length, (1.0 - BALL_OF_FOOT) * length, 0.0, 0.0)


@dataclass(frozen=True)
class BodyMeasures:
    """The size of a character, from hip to heel, and its feet."""

    size: float
    left: FootMeasures
    right: FootMeasures

    def foot(self, side: str) -> FootMeasures:
        """The left foot or the right one."""
        return self.left if side == "left" else self.right

    @staticmethod
    def of_height(height: float) -> BodyMeasures:
        """Those of a usual body of some height, where nothing else is known."""
        foot = FootMeasures.of_height(height)
        return BodyMeasures(SIZE_OF_HEIGHT * height, foot, foot)

    @staticmethod
    def of(skeleton: solver.Skeleton) -> BodyMeasures:
        """Those of a skeleton; of feet that are not known, those of a usual body."""
        left, right = (_foot(skeleton, side) for side in SIDES)
        return BodyMeasures(skeleton.size, left, right)


def _foot(skeleton: solver.Skeleton, side: str) -> FootMeasures:
    marks = skeleton.landmarks
    heel, ball, tip = (getattr(marks, f"{side}_{part}") for part in ("heel", "ball", "toe_tip"))
    usual = FootMeasures.of_height(skeleton.size / SIZE_OF_HEIGHT)
    if heel is None or ball is None:
        return usual
    soles = skeleton.soles
    clearances = soles.get(f"{side}_heel", 0.0), soles.get(f"{side}_ball", 0.0)
    places = [skeleton.rest_place(point) for point in (heel, ball, tip) if point is not None]
    level = [axis for axis in range(3) if axis != skeleton.up_axis]
    lengths = np.linalg.norm(np.diff(np.stack(places)[:, level], axis=0), axis=1).tolist()
    to_tip = lengths[1] if len(lengths) > 1 else lengths[0] * (1.0 - BALL_OF_FOOT) / BALL_OF_FOOT
    if not lengths[0] > 0.0:
        return usual
    return FootMeasures(lengths[0], to_tip, *clearances)
