# SPDX-License-Identifier: GPL-3.0-or-later
"""The method with limbs of fixed length on a whole clip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...body.clip import Clip
from ...detection.faults import CaptureFault
from ..cleaned import Cleaned
from ..limbs import Limb
from ..planting.batch import clean_clip
from ..plants import Plant
from ..settings import CleanSettings
from .method import RigidMethod, rigid_settings


def clean_rigidly(
    clip: Clip,
    plants: Iterable[Plant],
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
    faults: Sequence[CaptureFault] = (),
) -> Cleaned:
    """Plant feet, and hands, without stretching any bone: the root is displaced so that all reach (Li and Hao 2006).

    As `clean_stretching`, but without the settings for swivel, damping and stretch. Where no displacement of the root
    lets all limbs reach their plants, the residuals say by how much they are missed.
    """
    return clean_clip(RigidMethod, clip, plants, rigid_settings(settings), limbs, faults)
