# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints: what a motion should satisfy over time, one kind a file."""

from .balance import Balance
from .base import Constraint, Source, Track
from .direction import DirectionConstraint
from .footplant import Footplant
from .ground import Ground
from .orientation import OrientationConstraint
from .references import MovingObject
from .shape import ConstraintPoint, ShapeConstraint
from .standing import estimate_ground, ground_gaps

__all__ = [
    "Balance",
    "Constraint",
    "ConstraintPoint",
    "DirectionConstraint",
    "Footplant",
    "Ground",
    "MovingObject",
    "OrientationConstraint",
    "ShapeConstraint",
    "Source",
    "Track",
    "estimate_ground",
    "ground_gaps",
]
