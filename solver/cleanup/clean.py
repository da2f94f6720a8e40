# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleaning hands and feet in one call, by the method that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from ..body.clip import Clip
from ..constraints import Footplant, Ground, ground_gaps
from ..core.errors import ConstraintError
from .carried import Carried
from .cleaned import UNSEEN, Cleaned
from .limbs import Limb
from .plants import PlantedPoint, limbs_for, on_floors
from .prioritized import clean_prioritized
from .rigid.batch import clean_rigidly
from .settings import CleanSettings
from .stretch.batch import clean_stretching

CleanMethod = Literal["stretch", "rigid", "prioritized"]
"""How feet are cleaned: limbs stretch a little and all else stays near the source (document 000); bones keep their
lengths and the root goes where all limbs reach (document 002); or the whole body shares the change (document 003)."""

_Cleaning = Callable[
    [Clip, Iterable[Footplant | PlantedPoint], CleanSettings | None, Sequence[Limb] | None],
    Cleaned,
]
_METHODS: dict[str, _Cleaning] = {
    "stretch": clean_stretching,
    "rigid": clean_rigidly,
    "prioritized": clean_prioritized,
}


def clean(
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    method: CleanMethod = "stretch",
    *,
    ground: Ground | None = None,
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
    cyclic: bool = False,
) -> Clip:
    """The clip with hands and feet that stand still in their plants: see `cleaned`, which also tells what is left."""
    return cleaned(clip, plants, method, ground=ground, settings=settings, limbs=limbs, cyclic=cyclic).clip


def cleaned(
    clip: Clip,
    plants: Iterable[Footplant | PlantedPoint],
    method: CleanMethod = "stretch",
    *,
    ground: Ground | None = None,
    settings: CleanSettings | None = None,
    limbs: Sequence[Limb] | None = None,
    cyclic: bool = False,
) -> Cleaned:
    """Plant hands and feet: the clean clip, with where each plant stands, what it misses and what that took.

    Plants are footplants, such as `detect_footplants` finds, or single points of any limb. With `ground`, here or in
    the settings, plants stand on it and nothing goes below, unless a plant that keeps its own height does: then the
    ground only says where the others stand. `limbs` are the legs and arms that the landmarks tell where
    nothing else is said. Frames and limbs that no plant reaches come back as they are.

    Footplants with a ground velocity stand still on ground that moves; it is the same for all of them. With `cyclic`
    the clip is a loop (see `is_cyclic`): first and last frame of the result meet in pose and velocity as those of the
    source do.
    """
    if method not in _METHODS:
        raise ConstraintError(f"There is no method {method!r} to clean with: it is one of {', '.join(_METHODS)}.")
    chosen = settings or CleanSettings()
    if ground is not None:
        chosen = replace(chosen, ground=ground)
    asked = list(plants)
    for plant in asked:
        if not isinstance(plant, (Footplant, PlantedPoint)):
            raise ConstraintError(f"A clip is cleaned with footplants and planted points, not with {plant!r}.")
    if not clip.frames:
        raise ConstraintError("The clip has no frames, so there is nothing to clean.")
    known = limbs_for(clip, asked, chosen.ground) if limbs is None else limbs
    if method != "prioritized" and chosen.ground is not None and _stand_below(clip, asked, chosen.ground):
        asked, chosen = list(on_floors(clip, asked, known, chosen.ground)), replace(chosen, ground=None)
    carried = Carried.of(clip, asked, cyclic, chosen.ground)
    if carried is None:
        return _METHODS[method](clip, asked, chosen, known)
    return carried.cleaned(lambda seen, still: _METHODS[method](seen, still, chosen, known))


def _stand_below(clip: Clip, plants: Sequence[Footplant | PlantedPoint], ground: Ground) -> bool:
    """Whether a plant that keeps its own height stands below the ground.

    These methods lift a free foot out of the ground up to the frame in which it stands: there it would jump.
    """
    own = [plant for plant in plants if isinstance(plant, Footplant) and plant.own_height]
    return bool((ground_gaps(clip, own, ground) < -UNSEEN * clip.skeleton.size).any())
