# SPDX-License-Identifier: GPL-3.0-or-later
"""Instantaneous constraints: what stays where it is from one frame to the next, given how noisy the motion is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, BoolArray
from .sigma_epsilon import LEAST_TURN, SigmaEpsilon


@dataclass(frozen=True, eq=False)
class Thresholds:
    """What is taken for zero, for each displacement: (n,) each. Negative: nothing is."""

    sigma: Array
    """Turns up to this are none: everything stays where it is, or nothing does."""
    space_residual: Array
    """Ways up to this are none."""
    line_residual: Array
    """Ways along the axis up to this are none."""


@dataclass(frozen=True, eq=False)
class Instantaneous:
    """Which displacements leave what where it is; a displacement is at most one of them."""

    space: BoolArray
    """(n,) everything stays."""
    line: BoolArray
    """(n,) the points of a line stay, and only those."""


def instantaneous(points: SigmaEpsilon, thresholds: Thresholds) -> Instantaneous:
    """The constraints of the highest dimension that the thresholds allow (document 003, 6.4.2).

    The singular values that count as zero say which dimension it can be; the residual says whether it is one: what
    turns too little for a line but moves too far stays nowhere.
    """
    still = points.sigma <= thresholds.sigma
    space = still & (points.space_residual <= thresholds.space_residual)
    line = ~still & (points.sigma > LEAST_TURN) & (points.line_residual <= thresholds.line_residual)
    return Instantaneous(np.asarray(space), np.asarray(line))
