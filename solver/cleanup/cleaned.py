# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of cleaning a clip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..body.clip import Clip
from ..core.arrays import Array
from ..detection.faults import CaptureFault
from .limbs import Limb
from .plants import PlantedPoint

VISIBLE_ERROR = 1e-3
"""Sizes of the character: the least error of a foot that can be seen, about a millimetre."""


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A cleaned clip, with the residuals of its plants and the changes that were made."""

    clip: Clip
    plants: tuple[PlantedPoint, ...]
    """Each with its location: in the frame of its reference where it has one."""
    residuals: tuple[Array, ...]
    """For each plant (its frames,): the distance of its point from its location, in the clip's units."""
    stretch: Mapping[str, Array]
    """By limb, (frames,): by what share its bones are longer, or shorter, than in the source."""
    root: Array
    """(frames, 3) the displacement of the root."""
    faults: tuple[CaptureFault, ...] = ()
    """Those of the capture, where `clean` looked for them."""

    @property
    def residual(self) -> float:
        """The largest residual of all, in sizes of the character."""
        return max((float(each.max()) for each in self.residuals), default=0.0) / self.clip.skeleton.size

    @property
    def largest_stretch(self) -> float:
        """The largest share by which any bone was made longer or shorter."""
        return max((float(np.abs(each).max(initial=0.0)) for each in self.stretch.values()), default=0.0)

    @property
    def unmet(self) -> tuple[str, ...]:
        """A sentence for each plant whose largest residual exceeds `VISIBLE_ERROR` sizes of the character."""
        sentences = []
        for plant, residual in zip(self.plants, self.residuals, strict=True):
            worst = int(np.argmax(residual))
            share = float(residual[worst]) / self.clip.skeleton.size
            if share > VISIBLE_ERROR:
                sentences.append(
                    f"{plant.label}: at frame {plant.begin + worst} its point is {share:.3f} sizes of the character "
                    "from where it should stand; move the plant, shorten it, or allow stretching."
                )
        return tuple(sentences)


def residuals_of(clip: Clip, plants: Sequence[PlantedPoint], limbs: Sequence[Limb]) -> tuple[Array, ...]:
    """For each plant with a location, (its frames,): the distance of its point from there, in the clip's units."""
    by_name = {limb.name: limb for limb in limbs}
    found = []
    for plant in plants:
        point = by_name[plant.limb].point(plant.point)
        during = clip.world.point(point)[plant.begin : plant.end + 1]
        places = plant.world_places(np.array(plant.location), plant.begin, plant.end + 1)
        found.append(np.linalg.norm(during - places, axis=-1))
    return tuple(found)
