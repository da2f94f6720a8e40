# SPDX-License-Identifier: GPL-3.0-or-later
"""The displacement of the root in the method that stretches limbs (Kovar 2004, section 3.2.4).

Limbs are planted and released from one frame to the next, so the displacement that they need jumps. Kovar smooths it;
but of a displacement that is needed for a few frames little is left then. `smooth_reach` finds one that is smooth and
is there in full when it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...body.two_bones import reach_of
from ...core.arrays import Array, BoolArray
from .. import blending
from ..planting.averages import local_lines
from ..planting.frames import taken
from ..planting.method import Method
from ..planting.observing import LimbState
from ..planting.smooth_reach import smooth_displacement
from ..planting.solving import bend_toward, within_stretch
from ..planting.spheres import Sphere
from ..planting.targets import Target


@dataclass(frozen=True, eq=False)
class StretchMethod(Method):
    """The method whose limbs may change the lengths of their bones."""

    def carriage(
        self, states: Sequence[LimbState], targets: Sequence[Target], planted: Sequence[BoolArray]
    ) -> tuple[Array, Array]:
        """(frames, 3) each: a small and smooth displacement with which limbs reach their targets, and no rotation."""
        spheres = [_sphere(*each) for each in zip(states, targets, planted, strict=True)]
        still = np.zeros(spheres[0].center.shape)
        return smooth_displacement(still, spheres, self.windows.carrying), still

    # The limb --------------------------------------------------------------------------------------------------------

    def bends(
        self, state: LimbState, root: Array, target: Target, planted: BoolArray, into: blending.Continuation
    ) -> Array:
        """(frames,) what the target takes, damped and smoothed: the lengths of bones take up the rest."""
        is_adjusted = planted.copy()
        is_adjusted[into.frames] = True
        frames = np.flatnonzero(is_adjusted)
        bend = np.zeros(len(planted))
        some, displaced, position = taken((state, root, target.position), frames)
        bend[frames] = bend_toward(some, displaced, position, self.settings)
        smooth, _ = local_lines(bend, self.kernel, is_adjusted)
        frames = np.flatnonzero(planted)
        some, displaced, position = taken((state, root, target.position), frames)
        smooth[frames] = within_stretch(some, displaced, position, smooth[frames], self.settings)
        return smooth


def _sphere(state: LimbState, target: Target, planted: BoolArray) -> Sphere:
    """The displacements of the root with which a limb reaches its target."""
    reach = reach_of(state.hinge - state.ball, state.end - state.hinge, state.axis)
    return Sphere(target.position - state.ball, reach.longest, planted)
