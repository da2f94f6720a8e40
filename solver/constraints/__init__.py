# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints: what a motion should satisfy over time, one kind a file."""

from ..body.moving_object import MovingObject
from .balance import Balance
from .base import Constraint, Track
from .direction import DirectionConstraint
from .footplant import Footplant
from .ground import Ground, Plane
from .ground_estimate import estimate_ground, ground_gaps
from .handplant import Handplant
from .held_pose import HeldPose
from .look_at import LookAtConstraint
from .orientation import OrientationConstraint
from .shape import ConstraintPoint, ShapeConstraint
from .source import Source

__all__ = [
    "Balance",
    "Constraint",
    "ConstraintPoint",
    "DirectionConstraint",
    "Footplant",
    "Ground",
    "Handplant",
    "HeldPose",
    "LookAtConstraint",
    "MovingObject",
    "OrientationConstraint",
    "Plane",
    "ShapeConstraint",
    "Source",
    "Track",
    "estimate_ground",
    "ground_gaps",
]
