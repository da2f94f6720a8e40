# SPDX-License-Identifier: GPL-3.0-or-later
"""The method that stretches limbs on a motion that comes in frame by frame."""

from __future__ import annotations

from collections.abc import Sequence

from ...body.skeleton import Skeleton
from ..limbs import Limb
from ..planting.stream import PlantingStream, limbs_to_plant
from ..settings import CleanSettings
from .method import StretchMethod


class CleanStream(PlantingStream):
    """Plants hands and feet in a motion that comes in frame by frame, as `clean_stretching` does in a clip.

    Announce plants before the frames in which they begin come in, push frames, and take the cleaned ones; `finish`
    gives those that are left.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        fps: float,
        settings: CleanSettings | None = None,
        limbs: Sequence[Limb] | None = None,
    ) -> None:
        """Take a character, a frame rate, and the limbs that may be planted: None for those of the landmarks.

        Hinge axes cannot be measured in a motion that is still to come: where the skeleton does not define them, give
        limbs whose axes were measured in another clip.
        """
        limbs = limbs_to_plant(skeleton, fps, limbs)
        super().__init__(StretchMethod(skeleton, limbs, settings or CleanSettings(), fps))
