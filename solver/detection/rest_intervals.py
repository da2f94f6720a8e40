# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest intervals: when a point of the body stays in one place, found without templates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..core.arrays import Array, BoolArray, IntArray, median
from ..core.robust import geometric_medians, robust_mean
from .detected import Detected
from .merge_criteria import MergeCriteria, merged_runs
from .onsets import Onsets
from .settings import DEFAULT_REST, RestSettings
from .speed_profile import PointTrack, SpeedProfile

RollEnd = Literal["first", "last"]
"""The end of a rest interval at which the foot rolls over the point: the first for a heel, the last for a ball."""


@dataclass(frozen=True)
class RestInterval:
    """A point is at rest from frame `begin` to frame `end`, both included."""

    begin: int
    end: int
    place: tuple[float, float, float]
    """The mean position, in the world."""
    confidence: float
    """From 0 to 1: the slower it is than allowed, the slower than its surroundings, and the longer, the larger."""

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1


def rest_intervals(
    clip: Clip, point: BodyPoint, roll_end: RollEnd | None = None, settings: RestSettings = DEFAULT_REST
) -> list[RestInterval]:
    """The rest intervals of a point of the body, in the order of time.

    A foot rolls over its heel when it lands, and over its ball when it leaves, and slides most then: at `roll_end` an
    interval is extended by frames that are a little faster.
    """
    tracked = PointTrack.of(clip, point, settings)
    if tracked is None:
        return []
    positions, profile, size = tracked.positions, tracked.profile, clip.skeleton.size
    stride, shortest = profile.stride, profile.shortest_rest(clip.fps)
    criteria = MergeCriteria(round(settings.bridged * clip.fps), settings.reach * size, 0.0, 0.0, shortest)
    slow = merged_runs(profile.speeds <= profile.allowed, positions, stride, criteria)
    spans = np.array(slow, dtype=np.int64).reshape(-1, 2)
    distances = settings.arrival_time * size * profile.allowed[spans - [0, stride]]
    found: list[RestInterval] = []
    trimmed = trimmed_to_place(positions, spans, distances, round(0.5 * settings.noise_sample * clip.fps))
    for number, (begin, end) in enumerate(trimmed):
        if roll_end is not None:
            before = slow[number - 1][1] + 1 if number else 0
            after = slow[number + 1][0] if number + 1 < len(slow) else clip.frames
            begin, end = _with_roll(roll_end, (begin, end), (before, after), profile, positions, clip.fps)
        begin, end = begin + int(tracked.outliers[begin]), end - int(tracked.outliers[end])
        places = positions[begin : end + 1]
        place = robust_mean(places)
        deviation = float(median(np.linalg.norm(places - place, axis=1)))
        if end - begin + 1 < shortest or end - begin < stride or deviation > settings.largest_deviation * size:
            continue
        # In a reversal a limb that swings changes its direction: the point is slow for a moment, but never stays. Its
        # speed falls and rises at once, so the median over the slow interval is a high share of the slow speed; a
        # point at rest spends most of the interval far below it. Where nothing moves around, there is no reversal.
        if profile.swings(begin, end) and profile.slow_share(begin, end) > settings.reversal_share:
            continue
        length_share = min(1.0, (end - begin + 1) / (settings.certain_ratio * shortest))
        found.append(RestInterval(begin, end, _triple(place), profile.confidence(begin, end) * length_share))
    return joined_in_place(found, positions, 0.5 * settings.reach * size)


def _with_roll(
    roll_end: RollEnd,
    interval: tuple[int, int],
    room: tuple[int, int],
    profile: SpeedProfile,
    positions: Array,
    fps: float,
) -> tuple[int, int]:
    """First and last frame of the interval of a heel ("first") or of a ball ("last"), with the frames in which the foot
    rolls over it.

    `room` is from the first frame after the interval before it to the first frame of the next one. Where the point at
    rest is noisy, thresholds of its speed are crossed late, so `Onsets`, which finds where the speed changes, corrects
    both ends. The begin is that of `Onsets` where it is earlier: the thresholds cut the begins of quiet feet short. The
    end of a heel is that of `Onsets` where it is earlier, because a heel begins to rise smoothly while the ball rests
    and the thresholds release it late; the end of a ball is that of `Onsets` where it is later.
    """
    (begin, end), (before, after), stride = interval, room, profile.stride
    middle = (begin + end) // 2
    if roll_end == "first":
        begin -= leading(profile.rolls[before:begin][::-1])
    else:
        end += leading(profile.rolls[end - stride + 1 : after - stride])
    if not profile.is_noisy(middle):
        return begin, end
    onsets = Onsets(positions[before:after], stride, fps, profile.settings)
    begin = min(begin, before + onsets.arrival(begin - before, middle - before))
    departure = before + onsets.departure(end - before, middle - before)
    return begin, min(end, departure) if roll_end == "first" else max(end, departure)


def joined_in_place(intervals: list[RestInterval], positions: Array, radius: float) -> list[RestInterval]:
    """The intervals of a point at positions (frames, 3), with two neighbours joined where the point stays within
    `radius` of the middle between their places, however long: a foot that slides on a little."""
    joined: list[RestInterval] = []
    for interval in intervals:
        before = joined[-1] if joined else None
        if before is not None and math.dist(before.place, interval.place) <= 2.0 * radius:
            ends = np.array([before.place, interval.place])
            away = np.concatenate([ends, positions[before.end + 1 : interval.begin]]) - ends.mean(axis=0)
            if float(np.einsum("ni,ni->n", away, away).max()) <= radius**2:
                place = robust_mean(positions[before.begin : interval.end + 1])
                confidence = max(before.confidence, interval.confidence)
                joined[-1] = RestInterval(before.begin, interval.end, _triple(place), confidence)
                continue
        joined.append(interval)
    return joined


def is_at_apex(
    heights: Array, span: tuple[int, int], fps: float, size: float, settings: RestSettings = DEFAULT_REST
) -> bool:
    """Whether a point at heights (frames,) is, from the first to the last frame of a span, at the apex of a hop: lower
    shortly before and shortly after."""
    (begin, end), around = span, round(settings.apex_window * fps)
    beside = heights[max(begin - around, 0) : begin + 1], heights[end : end + around + 1]
    middle = float(median(heights[begin : end + 1]))
    return max(float(each.min()) for each in beside) < middle - settings.apex_height * size


def detect_stays(clip: Clip, point: str | int | BodyPoint, settings: RestSettings = DEFAULT_REST) -> list[Detected]:
    """When a joint, or a point on one, stays in its place, found without templates: a hand on the floor in a cartwheel,
    or on the rung of a ladder. They are point constraints, since the rotation of the joint is not looked at."""
    where = clip.skeleton.resolve(point)
    positions = clip.world.point(where)
    found = []
    for interval in rest_intervals(clip, where, settings=settings):
        place = np.array(interval.place)
        away = positions[interval.begin : interval.end + 1] - place
        residual = float(np.sqrt((away**2).sum(axis=1).mean()))
        found.append(Detected("point", interval.begin, interval.end, place, where.local, residual))
    return found


def trimmed_to_place(positions: Array, spans: IntArray, distances: Array, most: int) -> list[tuple[int, int]]:
    """First and last frame of each interval, trimmed to where the point is within the distances (n, 2) of its place.

    `spans` (n, 2) are the first and the last frames. The place is the geometric median over the half of the interval at
    whose end it is compared, `most` frames of it at the most, since feet slide a little at rest. What arrives or leaves
    slowly is slow before it is in its place and after.
    """
    halves = np.minimum((spans[:, 1] - spans[:, 0]) // 2, most)
    inward = np.arange(int(halves.max(initial=0)) + 1)
    counted = inward <= halves[:, None]
    ends = []
    for frames, direction, near in ((spans[:, 0], 1, distances[:, 0]), (spans[:, 1], -1, distances[:, 1])):
        places = positions[frames[:, None] + direction * np.minimum(inward, halves[:, None])]
        away = places - geometric_medians(places, counted)[:, None]
        there = counted & (np.einsum("nki,nki->nk", away, away) <= near[:, None] ** 2)
        ends.append(frames + direction * np.argmax(there, axis=1))
    return list(zip(ends[0].tolist(), ends[1].tolist(), strict=True))


def _triple(place: Array) -> tuple[float, float, float]:
    return float(place[0]), float(place[1]), float(place[2])


def leading(flags: BoolArray) -> int:
    """How many flags are true before the first false one."""
    return len(flags) if flags.all() else int(np.argmin(flags))
