# SPDX-License-Identifier: GPL-3.0-or-later
"""The method that stretches limbs on a whole clip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...body.clip import Clip
from ...detection.faults import CaptureFault
from ..cleaned import Cleaned
from ..limbs import Limb
from ..planting.batch import clean_clip
from ..plants import Plant
from ..settings import CleanSettings
from .method import StretchMethod


def clean_stretching(
    clip: Clip,
    plants: Iterable[Plant],
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
    faults: Sequence[CaptureFault] = (),
) -> Cleaned:
    """Plant hands and feet exactly: limbs rotate, bend and, by the rest, stretch (Kovar 2004).

    Without `limbs` they are those of the landmarks that the plants are on, with the hinge axes that the motion shows.
    Frames that no plant reaches, and joints of limbs without plants, come back bit for bit.
    """
    return clean_clip(StretchMethod, clip, plants, settings or CleanSettings(), limbs, faults)
