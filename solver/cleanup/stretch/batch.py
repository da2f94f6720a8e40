# SPDX-License-Identifier: GPL-3.0-or-later
"""The method that stretches limbs on a whole clip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...body.clip import Clip
from ...constraints import Footplant
from ..cleaned import Cleaned
from ..components import Vector
from ..limbs import Limb
from ..planting.averages import largest, smoothed
from ..planting.batch import ClipPlanting, plant_clip
from ..planting.frames import put, taken, zeros
from ..planting.spheres import displacement, misses
from ..planting.targets import Target
from ..plants import PlantedPoint
from ..settings import CleanSettings
from .method import StretchMethod


def clean_stretching(
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
) -> Cleaned:
    """Plant hands and feet exactly: limbs turn, bend and, by what is left, stretch (document 000).

    `limbs` are those of the landmarks that plants are on where nothing else is said, with the axes of their hinges as
    the motion shows them. Frames that no plant reaches, and joints of limbs that have none, come back bit for bit.
    """
    return plant_clip(StretchPlanting, StretchMethod, clip, plants, settings or CleanSettings(), limbs)


class StretchPlanting(ClipPlanting[StretchMethod]):
    """A clip whose limbs may stretch."""

    def root(self, targets: list[Target]) -> Vector:
        """As far as limbs need it, the largest around, smoothed."""
        alone = zeros(self.frames)
        spheres = [
            self.method.sphere(state, target, self.counts[:, limb] > 0)
            for limb, (state, target) in enumerate(zip(self.states, targets, strict=True))
        ]
        missing = np.flatnonzero(misses(spheres))
        if not missing.size:
            return alone
        put(alone, missing, displacement(taken(tuple(spheres), missing)))
        x, y, z = smoothed(largest(alone, self.method.reach), self.method.kernel)
        return x, y, z
