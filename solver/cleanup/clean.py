# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning hands and feet in one call, by any of the three methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from ..body.clip import Clip
from ..constraints import Footplant, Ground, Handplant, ground_gaps
from ..core.errors import ConstraintError
from ..detection.faults import CaptureFault, find_faults
from ..detection.faults import repair as repaired
from .cleaned import VISIBLE_ERROR, Cleaned
from .limbs import Limb
from .plants import Plant, PlantedPoint, limbs_for, on_floors
from .prioritized import clean_prioritized
from .relative_clip import RelativeClip
from .rigid.batch import clean_rigidly
from .settings import CleanSettings
from .stretch.batch import clean_stretching

CleanMethod = Literal["stretch", "rigid", "prioritized"]
"""How feet are cleaned: limbs stretch a little and the rest stays near the source (Kovar 2004); bones keep their
lengths and the root is displaced so that all limbs reach (Li and Hao 2006); or the whole body shares the change (Le
Callennec 2006)."""

_Cleaning = Callable[
    [Clip, Iterable[Plant], CleanSettings | None, Sequence[Limb] | None, Sequence[CaptureFault]],
    Cleaned,
]
_METHODS: dict[str, _Cleaning] = {
    "stretch": clean_stretching,
    "rigid": clean_rigidly,
    "prioritized": clean_prioritized,
}


def clean(
    clip: Clip,
    plants: Iterable[Plant],
    method: CleanMethod = "stretch",
    *,
    ground: Ground | None = None,
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
    cyclic: bool = False,
    repair: bool = False,
) -> Clip:
    """The clip with hands and feet that stand still in their plants: that of `cleaned`, which also gives residuals."""
    return cleaned(
        clip, plants, method, ground=ground, settings=settings, limbs=limbs, cyclic=cyclic, repair=repair
    ).clip


def cleaned(
    clip: Clip,
    plants: Iterable[Plant],
    method: CleanMethod = "stretch",
    *,
    ground: Ground | None = None,
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
    cyclic: bool = False,
    repair: bool = False,
) -> Cleaned:
    """Clean a clip by a method; the result has the clip, the locations and residuals of plants, and what was changed.

    Plants are footplants and handplants, such as `detect_footplants` and `detect_handplants` find, or single points of
    any limb. With `ground`, here or in the settings, plants stand on it and limbs stay above it; but if a plant that
    keeps its own height is below it, the ground only gives the heights of the other plants. Without `limbs`, they are
    the legs and arms of the landmarks. Frames and limbs that no plant reaches come back as they are.

    Footplants with a ground velocity, which is the same for all of them, stand still on ground that moves so. With
    `cyclic` the clip is a loop (see `is_cyclic`): first and last frame of the result meet in pose and velocity as those
    of the source do.

    Faults of the capture (`find_faults`) are named in the result. They do not count where places are averaged; with
    `repair` they are interpolated first.
    """
    if method not in _METHODS:
        raise ConstraintError(f"There is no method {method!r} to clean with: it is one of {', '.join(_METHODS)}.")
    chosen = settings or CleanSettings()
    if ground is not None:
        chosen = replace(chosen, ground=ground)
    given = list(plants)
    for plant in given:
        if not isinstance(plant, (Footplant, Handplant, PlantedPoint)):
            raise ConstraintError(
                f"A clip is cleaned with footplants, handplants and planted points, not with {plant!r}."
            )
    if not clip.frames:
        raise ConstraintError("The clip has no frames, so there is nothing to clean.")
    faults = tuple(find_faults(clip))
    if repair:
        clip = repaired(clip, faults)
    left = () if repair else faults
    known = limbs_for(clip, given, chosen.ground) if limbs is None else limbs
    if method != "prioritized" and chosen.ground is not None and _is_below(clip, given, chosen.ground):
        given, chosen = list(on_floors(clip, given, known, chosen.ground)), replace(chosen, ground=None)
    relative = RelativeClip.of(clip, given, cyclic, chosen.ground)
    if relative is None:
        found = _METHODS[method](clip, given, chosen, known, left)
    else:
        # A loop is cleaned as several copies, and what is a fault in one is none at a seam: there all frames count.
        found = relative.cleaned(lambda still, points: _METHODS[method](still, points, chosen, known, ()))
    return replace(found, faults=faults)


def _is_below(clip: Clip, plants: Sequence[Plant], ground: Ground) -> bool:
    """Whether a plant that keeps its own height is below the ground.

    The analytic methods lift a free foot out of the ground up to the frame in which it is planted: there it would jump.
    """
    own = [plant for plant in plants if isinstance(plant, Footplant) and plant.own_height]
    return bool((ground_gaps(clip, own, ground) < -VISIBLE_ERROR * clip.skeleton.size).any())
