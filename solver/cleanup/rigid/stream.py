# SPDX-License-Identifier: GPL-3.0-or-later
"""The method with limbs of fixed length on a motion that comes in frame by frame."""

from __future__ import annotations

from collections.abc import Sequence

from ...body.skeleton import Skeleton
from ..limbs import Limb
from ..planting.stream import PlantingStream, limbs_to_plant
from ..settings import CleanSettings
from .method import RigidMethod, rigid_settings


class RigidStream(PlantingStream):
    """Plants feet, and hands, in a motion that comes in frame by frame, as `clean_rigidly` does in a clip.

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
        """Take a character, a frame rate, and the limbs that may be planted, as `CleanStream` does."""
        limbs = limbs_to_plant(skeleton, fps, limbs)
        super().__init__(RigidMethod(skeleton, limbs, rigid_settings(settings), fps))
