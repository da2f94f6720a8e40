# SPDX-License-Identifier: GPL-3.0-or-later
"""When hands carry the body, found without any example: in cartwheels, handstands, on all fours.

Hands are captured worse than feet. What a palm rolls over, and what an arm that is modelled too short cannot reach,
makes a hand slide on while it carries. So it is asked not only for hands that are still, as feet are, but also who
carries the body when no foot does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..core.arrays import Array, BoolArray, median, runs
from .footplants import DetectedFootplant, detect_footplants, tops_a_hop
from .onsets import Onsets
from .stays import SHORTEST, Stay, Watched, stays

HASTE = 0.25
"""A share of the largest speed around: hands that carry a cartwheel had 0.1 to 0.22 of it, and twice as much before
they came down and after they left."""

BENEATH = 0.4
"""Sizes of the character by which hips are above a hand that carries them alone: less than two thirds of an arm."""

LOW = 0.15
"""Sizes of the character above the lowest standing foot, up to which the wrist of a hand that is still is on the floor:
one and a half widths of a hand."""


@dataclass(frozen=True, eq=False)
class DetectedHandplant:
    """A hand carries from frame `begin` to frame `end`, both included."""

    hand: Literal["left", "right"]
    begin: int
    end: int
    position: Array
    """(3,) where the wrist is, on the average, in the world."""
    residual: float
    """How far the wrist strays from there: the root of the mean square, in the clip's units."""
    confidence: float
    """From 0, a guess, to 1."""

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1


def detect_handplants(clip: Clip, footplants: Sequence[DetectedFootplant] | None = None) -> list[DetectedHandplant]:
    """When hands carry the body, in the order in which they begin.

    They do where they are still as low as feet stand, and where no foot stands and they are, slow for their
    surroundings, below both feet and far below the hips. `footplants` are those of the clip, if they are known already.
    Who swims or flies, and a character whose hands or feet are not known, has none.
    """
    marks = clip.skeleton.landmarks
    plants = detect_footplants(clip) if footplants is None else footplants
    found: list[DetectedHandplant] = []
    for hand in ("left", "right"):
        wrist = getattr(marks, f"{hand}_wrist")
        watched = None if wrist is None else Watched.of(clip, BodyPoint(wrist))
        if watched is None:
            continue
        still = stays(clip, BodyPoint(wrist))
        carrying = _carrying(clip, watched, _alone(clip, watched.positions, plants), still)
        apart = [
            (stay.begin, stay.end, stay.confidence)
            for stay in _on_the_floor(clip, still, plants)
            if not any(stay.begin <= end and begin <= stay.end for begin, end, _ in carrying)
        ]
        found += [_handplant(hand, watched.positions, *span) for span in carrying + apart]
    return sorted(found, key=lambda plant: (plant.begin, plant.hand))


def _alone(clip: Clip, wrists: Array, plants: Sequence[DetectedFootplant]) -> BoolArray:
    """(frames,) where no foot stands and both are higher than the wrist, the hips by far."""
    marks, up = clip.skeleton.landmarks, clip.skeleton.up_axis
    below = np.ones(clip.frames, dtype=bool)
    for part in (marks.left_ball, marks.right_ball, marks.left_heel, marks.right_heel):
        if part is None:
            return np.zeros(clip.frames, dtype=bool)
        below &= clip.position(part)[:, up] > wrists[:, up]
    if marks.hips is not None:
        below &= clip.world.positions[:, marks.hips, up] > wrists[:, up] + BENEATH * clip.skeleton.size
    for plant in plants:
        for begin, end in plant.stays.values():
            below[int(begin) : int(end) + 1] = False
    return below


def _carrying(clip: Clip, watched: Watched, alone: BoolArray, still: Sequence[Stay]) -> list[tuple[int, int, float]]:
    """First frame, last frame and confidence of each time for which a hand is slow and somewhen `alone` (frames,).

    Where it is `still` for half of the time, it carries for as long as it is still.
    """
    pace, shortest = watched.pace, max(watched.pace.stride + 1, 2, round(SHORTEST * clip.fps))
    onsets = Onsets(watched.positions, pace.stride, clip.fps)
    shares = pace.speeds / np.maximum(HASTE * pace.fastest, pace.rest)
    heights = watched.positions[:, clip.skeleton.up_axis]
    found = []
    for first, last in runs(shares <= 1.0):
        begin, end = first, last + pace.stride
        if np.count_nonzero(alone[begin : end + 1]) < shortest:
            continue
        if tops_a_hop(heights, (begin, end), clip.fps, clip.skeleton.size):
            continue
        within = [stay for stay in still if begin <= stay.end and stay.begin <= end]
        if 2 * sum(stay.end - stay.begin + 1 for stay in within) >= end - begin + 1:
            sure = max(stay.confidence for stay in within)
            found.append((min(stay.begin for stay in within), max(stay.end for stay in within), sure))
            continue
        middle = (begin + end) // 2
        begin, end = max(begin, onsets.arrival(begin, middle)), min(end, onsets.departure(end, middle))
        found.append((begin, end, max(0.0, 1.0 - float(median(shares[first : last + 1])))))
    return found


def _on_the_floor(clip: Clip, still: list[Stay], plants: Sequence[DetectedFootplant]) -> list[Stay]:
    """Those that are as low as feet stand, before, meanwhile or after."""
    up, heights = clip.skeleton.up_axis, []
    for plant in plants:
        for part, (begin, end) in plant.stays.items():
            mark = clip.skeleton.landmarks.require(f"{plant.foot}_{part}")
            heights.append(float(median(clip.position(mark)[int(begin) : int(end) + 1, up])))
    if not heights:
        return []
    floor = min(heights)
    return [stay for stay in still if stay.place[up] <= floor + LOW * clip.skeleton.size]


def _handplant(
    hand: Literal["left", "right"], positions: Array, begin: int, end: int, confidence: float
) -> DetectedHandplant:
    places = positions[begin : end + 1]
    position = places.mean(axis=0)
    residual = float(np.sqrt(((places - position) ** 2).sum(axis=1).mean()))
    return DetectedHandplant(hand, begin, end, position, residual, confidence)
