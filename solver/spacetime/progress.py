# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress of the physical method."""

from __future__ import annotations

from dataclasses import dataclass

from .problem.optimiser import Iteration


@dataclass(frozen=True)
class PhysicsProgress:
    """How far a fit or an edit is."""

    stage: str
    """What is done now, in words."""
    fraction: float
    """Of the whole, between 0 and 1; an estimate: the number of iterations is not known before."""
    iteration: Iteration | None = None
    """The optimiser's last iteration."""
