# SPDX-License-Identifier: GPL-3.0-or-later
"""The method with limbs of fixed length on a whole clip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...body.clip import Clip
from ...constraints import Footplant
from .. import blending
from ..cleaned import Cleaned
from ..components import Vector, minus
from ..limbs import Limb
from ..planting.averages import smoothed
from ..planting.batch import ClipPlanting, plant_clip
from ..planting.frames import put, taken
from ..planting.targets import Target
from ..plants import PlantedPoint
from ..settings import CleanSettings
from .method import RigidMethod, rigid_settings
from .root import Pull, easy_displacement, reachable


def clean_rigidly(
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
) -> Cleaned:
    """Plant feet, and hands, without stretching any bone: the root goes where all of them reach (document 002).

    As `clean_stretching` does, but of the settings those of the swivel, of damping and of stretching do not count.
    Where no root serves all plants, the residuals say how far they are missed.
    """
    return plant_clip(RigidPlanting, RigidMethod, clip, plants, rigid_settings(settings), limbs)


class RigidPlanting(ClipPlanting[RigidMethod]):
    """A clip whose limbs keep their lengths."""

    def root(self, targets: list[Target]) -> Vector:
        """Where it is easy for all limbs, smoothed, and within their reach."""
        pulls = [self._pull(limb, target) for limb, target in enumerate(targets)]
        x, y, z = smoothed(easy_displacement(pulls), self.method.calm)
        return reachable((x, y, z), pulls, self.method.size)

    def _pull(self, limb: int, target: Target) -> Pull:
        """What a limb asks of the root in all frames."""
        state, holds = self.states[limb], self.counts[:, limb] > 0
        x, y, z = (np.where(holds, part, 0.0) for part in minus(target.place, state.end))
        easy, weight = (x, y, z), np.where(holds, 1.0, 0.0)
        ahead, behind = blending.nearest(holds, self.method.windows.carrying)
        free = np.flatnonzero(~holds & ((ahead > 0) | (behind > 0)))
        if free.size:
            far = ahead[free], behind[free]
            expected, share = self.method.expected(taken(easy, free + far[0]), taken(easy, free - far[1]), far)
            put((easy, weight), free, (expected, share))
        return self.method.pull(state, easy, weight)
