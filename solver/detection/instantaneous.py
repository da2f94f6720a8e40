# SPDX-License-Identifier: GPL-3.0-or-later
"""Instantaneous constraints: which points a single displacement leaves in place, given the noise of the motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, BoolArray
from .sigma_epsilon import LEAST_TURN, SigmaEpsilon


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Values up to which each displacement's measures count as zero: (n,) each. Where negative, none does."""

    sigma: Array
    """For rotations: up to this the body does not rotate."""
    space_residual: Array
    """For the translation of a body that does not rotate."""
    line_residual: Array
    """For the translation along the axis of a body that rotates."""


@dataclass(frozen=True, eq=False)
class Instantaneous:
    """The instantaneous constraint of each displacement; at most one of the flags is set."""

    space: BoolArray
    """(n,) all points stay in place."""
    line: BoolArray
    """(n,) the points of a line stay in place, and only those."""


def instantaneous(points: SigmaEpsilon, thresholds: Thresholds) -> Instantaneous:
    """The constraints of the highest dimension that the thresholds allow (Le Callennec 2006, section 6.4.2).

    The number of singular values that count as zero gives the dimension; the residual decides whether the constraint
    holds. A displacement that rotates too little for a line but translates too far leaves no point in place.
    """
    unrotated = points.sigma <= thresholds.sigma
    space = unrotated & (points.space_residual <= thresholds.space_residual)
    line = ~unrotated & (points.sigma > LEAST_TURN) & (points.line_residual <= thresholds.line_residual)
    return Instantaneous(np.asarray(space), np.asarray(line))
