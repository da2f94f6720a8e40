# SPDX-License-Identifier: GPL-3.0-or-later
"""What the method that stretches limbs has for itself: what they ask of the root, and how that is smoothed.

Limbs are let go and held from one frame to the next, and so the displacement that serves them jumps. The document
smooths it; but then where it is needed for a moment little of it is left. Here each frame first takes the largest
displacement around it, and that is smoothed: what is needed is there in full when it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..components import Truth, minus
from ..planting.averages import gaussian, halves
from ..planting.method import Method
from ..planting.observing import LimbState
from ..planting.spheres import Sphere
from ..planting.targets import Target
from ..two_bones import reach_of


@dataclass(frozen=True, eq=False)
class StretchMethod(Method):
    """The method for a character's limbs, whose bones may change their lengths."""

    @cached_property
    def reach(self) -> int:
        """How many frames around are looked through for the largest displacement of the root."""
        return halves(self.windows.carrying)[0]

    @cached_property
    def kernel(self) -> list[float]:
        """What smooths that."""
        return gaussian(halves(self.windows.carrying)[1])

    def sphere(self, state: LimbState, target: Target, holds: Truth) -> Sphere:
        """Where the root's displacement has to end for a limb to reach its target."""
        reach = reach_of(minus(state.hinge, state.ball), minus(state.end, state.hinge), state.axis)
        return Sphere(minus(target.place, state.ball), reach.longest, holds)
