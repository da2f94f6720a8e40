# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a deformation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core.errors import ConstraintError
from ..posture.settings import SolveSettings
from .frame_tasks import CORRECTION_TOLERANCE

Coherence = Literal["batch", "sequential"]


@dataclass(frozen=True)
class DeformSettings:
    """How a clip is deformed."""

    coherence: Coherence = "batch"
    """"batch": all frames together. "sequential": each frame from the result of the one before, with feet that follow
    paths in the air too (the order of Le Callennec 2006, for comparison)."""
    iterations: int = 200
    """The most iterations that a frame may take in a pass."""
    tolerance: float = 1e-5
    """When a frame has converged: see `SolveSettings`. Where all targets can be met, coarse frames stop within a degree
    of convergence and are corrected."""
    smoothing_passes: int = 2
    """How often, at most, the displacement is filtered where needed and the constraints are enforced again."""

    def __post_init__(self) -> None:
        if self.coherence not in ("batch", "sequential"):
            raise ConstraintError(f"There is no coherence {self.coherence!r}: it is 'batch' or 'sequential'.")
        if not isinstance(self.smoothing_passes, (int, np.integer)) or self.smoothing_passes < 0:
            raise ConstraintError("The number of smoothing passes must be a whole number, 0 or more.")
        self.solving()

    def solving(self) -> SolveSettings:
        """The settings of the posture solver."""
        return SolveSettings(
            iterations=self.iterations, tolerance=self.tolerance, feasibility_tolerance=CORRECTION_TOLERANCE
        )
