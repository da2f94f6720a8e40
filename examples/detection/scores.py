# SPDX-License-Identifier: GPL-3.0-or-later
"""How well detected intervals agree with the true ones."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from poise.solver import Footplant
from poise.solver.core.arrays import Array
from poise.solver.synthetic import Contact

from .gaits import Spans

Key = TypeVar("Key", bound=Hashable)

FEET, PARTS = ("left", "right"), ("heel", "toe")


def spans_of(plants: Iterable[Footplant | Contact]) -> Spans:
    """The rest intervals of each heel and ball in footplants or contacts."""
    spans: Spans = {(foot, part): [] for foot in FEET for part in PARTS}
    for plant in plants:
        for part in PARTS:
            strike, off = getattr(plant, f"{part}_strike"), getattr(plant, f"{part}_off")
            if strike is not None:
                spans[plant.foot, part].append((int(strike), int(off)))
    return spans


def span_flags(spans: Mapping[Key, Sequence[tuple[int, int]]], keys: Sequence[Key], frames: int) -> Array:
    """(keys · frames,) 1.0 in the frames of the spans of each key, one key after the other."""
    flags = np.zeros((len(keys), frames))
    for row, key in zip(flags, keys, strict=True):
        for begin, end in spans.get(key, ()):
            row[begin : end + 1] = 1.0
    return flags.ravel()


def held(spans: Spans, frames: int) -> Array:
    """(4 frames,) 1.0 where a part is at rest, one part after the other."""
    return span_flags(spans, [(foot, part) for foot in FEET for part in PARTS], frames)


def f1(found: Array, truth: Array) -> float:
    """The harmonic mean of precision and recall over frames."""
    both = float((found * truth).sum())
    return 2.0 * both / max(float(found.sum() + truth.sum()), 1.0)


def frame_f1(found: Iterable[Footplant], truth: Spans, frames: int) -> float:
    """F1 over the frames of heels and balls of both feet."""
    return f1(held(spans_of(found), frames), held(truth, frames))


def best_match(span: tuple[int, int], found: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The found span with the most frames in common with a true one; None where there is none."""
    overlaps = [min(span[1], last) - max(span[0], first) for first, last in found]
    return found[int(np.argmax(overlaps))] if overlaps and max(overlaps) >= 0 else None


def event_errors(found: Iterable[Footplant], truth: Spans) -> dict[str, list[int]]:
    """By event, by how many frames it was found too late; "missed": the first frames of intervals that were not
    found."""
    spans = spans_of(found)
    errors: dict[str, list[int]] = {"missed": []}
    for (foot, part), true in truth.items():
        for begin, end in true:
            match = best_match((begin, end), spans[foot, part])
            if match is None:
                errors["missed"].append(begin)
                continue
            errors.setdefault(f"{part}_strike", []).append(match[0] - begin)
            errors.setdefault(f"{part}_off", []).append(match[1] - end)
    return errors
