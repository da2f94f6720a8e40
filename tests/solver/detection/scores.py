# SPDX-License-Identifier: GPL-3.0-or-later
"""How well found footplants agree with the truth."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from poise.solver import Footplant
from poise.solver.core.arrays import Array
from poise.solver.synthetic import Contact

from .gaits import Spans
from .truths import f1

FEET, PARTS = ("left", "right"), ("heel", "toe")


def spans_of(plants: Iterable[Footplant | Contact]) -> Spans:
    """When each part stands."""
    spans: Spans = {(foot, part): [] for foot in FEET for part in PARTS}
    for plant in plants:
        for part in PARTS:
            strike, off = getattr(plant, f"{part}_strike"), getattr(plant, f"{part}_off")
            if strike is not None:
                spans[plant.foot, part].append((int(strike), int(off)))
    return spans


def held(spans: Spans, frames: int) -> Array:
    """(4 frames,) 1.0 where a part stands, one part after the other."""
    flags = np.zeros((len(FEET) * len(PARTS), frames))
    for row, key in enumerate((foot, part) for foot in FEET for part in PARTS):
        for begin, end in spans.get(key, []):
            flags[row, begin : end + 1] = 1.0
    return flags.ravel()


def frame_f1(found: Iterable[Footplant], truth: Spans, frames: int) -> float:
    """Over the frames of all parts of both feet."""
    return f1(held(spans_of(found), frames), held(truth, frames))


def event_errors(found: Iterable[Footplant], truth: Spans) -> dict[str, list[int]]:
    """By event, how many frames too late it was found, of every true stay that was found at all; "missed": the rest."""
    spans = spans_of(found)
    errors: dict[str, list[int]] = {"missed": []}
    for (foot, part), true in truth.items():
        for begin, end in true:
            overlaps = [min(end, last) - max(begin, first) for first, last in spans[foot, part]]
            if not overlaps or max(overlaps) < 0:
                errors["missed"].append(begin)
                continue
            first, last = spans[foot, part][int(np.argmax(overlaps))]
            errors.setdefault(f"{part}_strike", []).append(first - begin)
            errors.setdefault(f"{part}_off", []).append(last - end)
    return errors
