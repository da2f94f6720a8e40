# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement of the root in the method that stretches limbs (Kovar 2004, section 3.2.4).

Limbs are planted and released from one frame to the next, so the displacement that they need jumps. Kovar smooths it;
but of a displacement that is needed for a few frames little is left then. Here each frame first takes the largest
displacement around it, and that is smoothed: a displacement that is needed is there in full when it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...body.two_bones import reach_of
from ...core.arrays import Array, BoolArray
from ..planting.averages import gaussian, largest, smoothed, split_window
from ..planting.method import Method
from ..planting.observing import LimbState
from ..planting.spheres import Sphere, displacement
from ..planting.targets import Target


@dataclass(frozen=True, eq=False)
class StretchMethod(Method):
    """The method whose limbs may change the lengths of their bones."""

    def root_displacement(
        self, states: Sequence[LimbState], targets: Sequence[Target], planted: Sequence[BoolArray]
    ) -> Array:
        """(frames, 3) the smallest displacement with which limbs reach their targets, the largest around, smoothed."""
        needed = displacement([_sphere(*each) for each in zip(states, targets, planted, strict=True)])
        if not needed.any():
            return needed
        reach, rest = split_window(self.windows.carrying)
        return smoothed(largest(needed, reach), gaussian(rest))


def _sphere(state: LimbState, target: Target, planted: BoolArray) -> Sphere:
    """The displacements of the root with which a limb reaches its target."""
    reach = reach_of(state.hinge - state.ball, state.end - state.hinge, state.axis)
    return Sphere(target.position - state.ball, reach.longest, planted)
