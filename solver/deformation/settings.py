# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a deformation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..core.errors import ConstraintError
from ..posture.settings import SolveSettings

Coherence = Literal["batch", "sequential"]


@dataclass(frozen=True)
class Tolerances:
    """The residuals that count as none, in sizes of the character or radians: all thresholds of a deformation."""

    corrected: float = 5e-7
    """The residual to which targets that can be met are corrected."""

    @property
    def met(self) -> float:
        """A target with a smaller residual is met: what rounding leaves of a correction."""
        return 20.0 * self.corrected

    @property
    def far(self) -> float:
        """Where a target is displaced farther from the source, reach is judged before the draft is solved, which has
        knots at events."""
        return 4e5 * self.corrected

    @property
    def close(self) -> float:
        """A draft with smaller residuals at its knots is left to the projection; a larger one may be unreachable."""
        return 1e4 * self.corrected

    @property
    def rough(self) -> float:
        """A draft with larger residuals between its knots gets more of them."""
        return 2e4 * self.corrected

    @property
    def reachable(self) -> float:
        """A target with a larger residual after a strict-priority solve is unreachable."""
        return 2000.0 * self.corrected


@dataclass(frozen=True)
class DeformSettings:
    """How a clip is deformed."""

    coherence: Coherence = "batch"
    """"batch": all frames together. "sequential": each frame from the result of the one before, with feet that follow
    paths in the air too (the order of Le Callennec 2006, for comparison)."""
    iterations: int = 60
    """The most iterations that a frame may take in a strict-priority solve."""
    tolerance: float = 1e-5
    """When a frame of a strict-priority solve has converged: see `SolveSettings`."""
    tolerances: Tolerances = field(default_factory=Tolerances)

    def __post_init__(self) -> None:
        if self.coherence not in ("batch", "sequential"):
            raise ConstraintError(f"There is no coherence {self.coherence!r}: it is 'batch' or 'sequential'.")
        self.solving()

    def solving(self) -> SolveSettings:
        """The settings of the posture solver."""
        # Neighbouring frames are to stay neighbours at the edge of reach, and most of those that are out of reach would
        # be solved twice for nothing.
        return SolveSettings(
            iterations=self.iterations,
            tolerance=self.tolerance,
            feasibility_tolerance=self.tolerances.corrected,
            thorough_restarts=False,
        )
