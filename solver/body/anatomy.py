# SPDX-License-Identifier: GPL-3.0-or-later
"""The ranges of human joints: a table of AAOS 1965, in degrees, by landmark.

The numbers are those of AAOS 1965; Norkin and White 2016, appendix A, print them beside other studies. The book
measures from the anatomical position: standing, limbs straight, arms at the sides. It gives ranges of the whole spine,
the whole neck and the whole shoulder; `anatomical_limits` divides these by the joints that a character has for them.

Names of directions say where the far end of a bone moves, on the left side; the right side is its mirror image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SLACK = 5.0
"""Range in degrees in directions for which the book has none: joints that look rigid still turn a little."""

OPPOSITE = {"forward": "back", "up": "down", "out": "in"}
"""Directions and their opposites; "out" is to the left on the left side and on the trunk."""


@dataclass(frozen=True)
class BallMobility:
    """The range of a ball joint."""

    swing: Mapping[str, float]
    """The largest swing of its bone in four directions: two and their opposites."""
    twist: tuple[float, float] = (-SLACK, SLACK)
    """The range of its twist: positive is clockwise, seen along the bone from its joint."""

    def shared_by(self, joints: int) -> BallMobility:
        """The range of one of some equal joints that together have this range, and at least the slack each."""
        low, high = self.twist
        return BallMobility(
            {name: max(angle / joints, SLACK) for name, angle in self.swing.items()},
            (min(low / joints, -SLACK), max(high / joints, SLACK)),
        )


@dataclass(frozen=True)
class HingeMobility:
    """The range of a joint that bends about one axis; 0 is straight, positive angles flex."""

    bend: tuple[float, float]
    twist: tuple[float, float] = (-SLACK, SLACK)
    """The range of its twist where it is a ball joint, as a `BallMobility` has it."""


SPINE = BallMobility({"forward": 80.0, "back": 25.0, "out": 35.0, "in": 35.0}, twist=(-45.0, 45.0))
NECK = BallMobility({"forward": 45.0, "back": 45.0, "out": 45.0, "in": 45.0}, twist=(-60.0, 60.0))
HIP = BallMobility({"forward": 120.0, "back": 30.0, "out": 45.0, "in": 30.0}, twist=(-45.0, 45.0))
KNEE = HingeMobility((0.0, 135.0))
# The book's ankle bends 20 up and 50 down; the joint below it, which few characters have, turns the sole 35 in, 15 out.
# The slack of both together is that of the foot to the sides.
ANKLE = BallMobility({"up": 20.0, "down": 50.0, "out": 2.0 * SLACK, "in": 2.0 * SLACK}, twist=(-35.0, 15.0))
TOE = BallMobility({"up": 70.0, "down": 45.0, "out": 2.0 * SLACK, "in": 2.0 * SLACK})
TOE_HINGE = HingeMobility((-45.0, 70.0))
"""Of toes, where positive angles bend them up."""

GIRDLE = 30.0
"""Of the 180 degrees by which an arm rises, those of the shoulder girdle, where a character has a joint for it."""

CLAVICLE = BallMobility({"up": GIRDLE, "down": 10.0, "forward": 20.0, "back": 20.0}, twist=(-GIRDLE, GIRDLE))
"""It also turns about its own length while the arm rises."""
# An arm crosses the chest 45 degrees beyond straight forward: so does the quarter of an ellipse from 180 to 75.
SHOULDER = BallMobility({"forward": 180.0, "back": 60.0, "out": 180.0, "in": 75.0}, twist=(-90.0, 70.0))
ELBOW = HingeMobility((0.0, 150.0), twist=(-80.0, 80.0))
# The book bends the wrist by 80 and 70, and by 30 and 20 across. Which of these is meant depends on how the forearm is
# turned, by up to 80 each way. In most characters that happens in the same joint, so all directions have the largest.
WRIST = BallMobility({"forward": 80.0, "back": 80.0, "out": 80.0, "in": 80.0}, twist=(-80.0, 80.0))
KNUCKLE = BallMobility({"forward": 90.0, "back": 90.0, "out": 90.0, "in": 90.0})
"""Of the first joint of a finger that is no hinge, where nothing shows on which side of the hand the palm is."""
KNUCKLE_HINGE = HingeMobility((-45.0, 90.0))
FINGER = HingeMobility((0.0, 100.0))
