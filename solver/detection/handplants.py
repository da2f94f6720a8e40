# SPDX-License-Identifier: GPL-3.0-or-later
"""Handplants: when hands support the body, found without templates, in cartwheels, handstands and on all fours.

Hands are captured worse than feet: a palm that rolls, and an arm that is modelled too short to reach the floor, make a
supporting hand slide. So not only hands at rest are found, as feet are, but also slow hands below the body while no
foot supports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..constraints import Handplant
from ..core.arrays import Array, BoolArray, median, runs
from .footplants import DetectedFootplant, detect_footplants
from .onsets import Onsets
from .rest_intervals import RestInterval, is_at_apex, rest_intervals
from .settings import DEFAULT_HANDPLANTS, HandplantSettings
from .speed_profile import PointTrack


@dataclass(frozen=True, eq=False, kw_only=True)
class DetectedHandplant(Handplant):
    """A handplant that was found in a motion: its begin and its end are the first and the last frame in which the hand
    supports the body, and its position is the mean position of the wrist."""

    begin: int
    end: int
    residual: float = 0.0
    """The root mean square distance of the wrist from its position, in the clip's units."""
    confidence: float = 1.0
    """From 0, a guess, to 1."""

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1


def detect_handplants(
    clip: Clip,
    footplants: Sequence[DetectedFootplant] | None = None,
    settings: HandplantSettings = DEFAULT_HANDPLANTS,
) -> list[DetectedHandplant]:
    """The handplants of a motion, in the order in which they begin, ready to be used as constraints and in cleanup.

    A hand supports the body where it is at rest as low as feet are, and where no foot is planted and it is slow, below
    both feet and far below the hips. `footplants` are those of the clip, if they are known already. Swimming and flying
    characters, and those whose hands or feet are not known, have none.
    """
    marks = clip.skeleton.landmarks
    plants = detect_footplants(clip, settings.footplants) if footplants is None else footplants
    found: list[DetectedHandplant] = []
    for hand in ("left", "right"):
        wrist = getattr(marks, f"{hand}_wrist")
        tracked = None if wrist is None else PointTrack.of(clip, BodyPoint(wrist), settings.rest)
        if tracked is None:
            continue
        at_rest = rest_intervals(clip, BodyPoint(wrist), settings=settings.rest)
        lowest = _is_only_support(clip, tracked.positions, plants, settings)
        supporting = _supporting(clip, tracked, lowest, at_rest, settings)
        others = [
            (interval.begin, interval.end, interval.confidence)
            for interval in _on_the_floor(clip, at_rest, plants, settings)
            if not any(interval.begin <= end and begin <= interval.end for begin, end, _ in supporting)
        ]
        found += [_handplant(hand, tracked.positions, *span) for span in supporting + others]
    return sorted(found, key=lambda plant: (plant.begin, plant.hand))


def _is_only_support(
    clip: Clip, wrists: Array, plants: Sequence[DetectedFootplant], settings: HandplantSettings
) -> BoolArray:
    """(frames,) where no foot is planted, both feet are above the wrist, at (frames, 3), and the hips far above it."""
    marks, up = clip.skeleton.landmarks, clip.skeleton.up_axis
    below = np.ones(clip.frames, dtype=bool)
    for part in (marks.left_ball, marks.right_ball, marks.left_heel, marks.right_heel):
        if part is None:
            return np.zeros(clip.frames, dtype=bool)
        below &= clip.position(part)[:, up] > wrists[:, up]
    if marks.hips is not None:
        hips = clip.world.positions[:, marks.hips, up]
        below &= hips > wrists[:, up] + settings.hips_above * clip.skeleton.size
    for plant in plants:
        for begin, end in plant.stays.values():
            below[int(begin) : int(end) + 1] = False
    return below


def _supporting(
    clip: Clip, tracked: PointTrack, lowest: BoolArray, at_rest: Sequence[RestInterval], settings: HandplantSettings
) -> list[tuple[int, int, float]]:
    """First frame, last frame and confidence of each slow interval of a hand that is the only support in some frames.

    `lowest` (frames,) are the frames in which it is. Where the hand is at rest for half of the interval or more, its
    rest intervals give the frames.
    """
    profile = tracked.profile
    shortest, onsets = (
        profile.shortest_rest(clip.fps),
        Onsets(tracked.positions, profile.stride, clip.fps, settings.rest),
    )
    shares = profile.speeds / np.maximum(settings.slow_share * profile.local_maximum, profile.rest)
    heights = tracked.positions[:, clip.skeleton.up_axis]
    found = []
    for first, last in runs(shares <= 1.0):
        begin, end = first, last + profile.stride
        if np.count_nonzero(lowest[begin : end + 1]) < shortest:
            continue
        if is_at_apex(heights, (begin, end), clip.fps, clip.skeleton.size, settings.rest):
            continue
        within = [interval for interval in at_rest if begin <= interval.end and interval.begin <= end]
        if 2 * sum(interval.frames for interval in within) >= end - begin + 1:
            confidence = max(interval.confidence for interval in within)
            span = min(interval.begin for interval in within), max(interval.end for interval in within)
            found.append((*span, confidence))
            continue
        middle = (begin + end) // 2
        begin, end = max(begin, onsets.arrival(begin, middle)), min(end, onsets.departure(end, middle))
        found.append((begin, end, max(0.0, 1.0 - float(median(shares[first : last + 1])))))
    return _without_overlaps(found)


def _without_overlaps(spans: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """Spans of first frame, last frame and confidence, in the order of time, joined where they have common frames."""
    joined: list[tuple[int, int, float]] = []
    for begin, end, confidence in spans:
        if joined and begin <= joined[-1][1]:
            first, last, before = joined[-1]
            joined[-1] = min(first, begin), max(last, end), max(before, confidence)
        else:
            joined.append((begin, end, confidence))
    return joined


def _on_the_floor(
    clip: Clip, at_rest: list[RestInterval], plants: Sequence[DetectedFootplant], settings: HandplantSettings
) -> list[RestInterval]:
    """The rest intervals of a wrist that are about as low as the lowest foot of any plant."""
    up, heights = clip.skeleton.up_axis, []
    for plant in plants:
        for part, (begin, end) in plant.stays.items():
            # The toe events of a plant are those of its ball; many characters have no toe joint.
            mark = clip.skeleton.landmarks.require(f"{plant.foot}_{'ball' if part == 'toe' else part}")
            heights.append(float(median(clip.position(mark)[int(begin) : int(end) + 1, up])))
    if not heights:
        return []
    highest = min(heights) + settings.floor_height * clip.skeleton.size
    return [interval for interval in at_rest if interval.place[up] <= highest]


def _handplant(
    hand: Literal["left", "right"], positions: Array, begin: int, end: int, confidence: float
) -> DetectedHandplant:
    places = positions[begin : end + 1]
    position = places.mean(axis=0)
    residual = float(np.sqrt(((places - position) ** 2).sum(axis=1).mean()))
    return DetectedHandplant(
        hand=hand, begin=int(begin), end=int(end), position=position, residual=residual, confidence=confidence
    )
