# SPDX-License-Identifier: GPL-3.0-or-later
"""When a point of the body stands still, in a motion that nobody has given examples of.

The clip gives its own: where a point is slow against how fast it is just before or after, it probably stands. What it
still moves there, without outliers, is the noise pattern; and with that the stays are found again, exactly.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ..body.clip import Clip
from ..body.joints import BodyPoint
from ..constraints import MovingObject
from ..core.arrays import TINY, Array, BoolArray, IntArray, median, runs
from ..core.robust import robust_mean
from .detect import stride_of
from .displacements import local_displacements, track
from .kinds import Detected
from .merging import Connection, merged_stays
from .noise import NoiseCurve, largest
from .onsets import Onsets
from .sigma_epsilon import sigma_epsilon

AROUND = 0.75
"""Seconds before and after within which a point that has stood moves fast: half a cycle of a slow walk."""

SLOW = 0.15
"""A share of the largest speed around. Captured feet that stand move with 0.02 of it, in a run with 0.05; what is
above this share is on its way."""

MOVES, WILD = 4.0, 2.0
"""How many times what is rest a point has that is on its way, and how many times the median of all that is the most
with which standing is compared: beside a single kick or leap, a foot that skims the floor is not slow."""

STANDS = 0.085
"""The same share, at most, for a point that stands: where feet strike, and where they leave, they have 0.06 to 0.1 of
the largest speed around, in a walk and in a run that were labelled by hand."""

ROLLS, ROLLS_FASTER = 0.1, 2.0
"""What a heel, or a ball, may have of the largest speed around, and how many times what it has elsewhere, while the
foot rolls over it."""

AT_REST, RESTLESS = 0.12, 0.25
"""Sizes of the character a second: where nothing moves faster around, this is still standing, with the sway and the
noise of a capture; and so is, at the most, what people have who shift their feet between kicks and leaps."""

HURRIES, UNHURRIED = 0.05, 0.05
"""The share of a clip in which a point is at its fastest, and what share of the speed that it exceeds then is rest,
between those two: motion in slow motion rests slower."""

MARGIN = 1.2
"""How much faster than in its midst a point may be at the ends of a stay, where the foot strikes, slides and rolls off.
Chosen with `SETTLED` and `ROLLS` on made-up walks that skate and on three captures whose plants were labelled by hand:
with 2 and more, heels are let go two frames too late, at 30 frames a second."""

TURNS_BACK = 0.6
"""A share of what is slow: a point that only turns back is slow for a while, but its speeds are spread over all that is
slow, with this median or a larger one. Those of feet that stand have 0.05 to 0.5, in walks and in runs."""

UNNOTICED = 0.005
"""Sizes of the character a second: what is slower counts as still even where the motion has no noise at all."""

EXAMPLE = 0.6
"""Seconds of a stay that are one example of its noise: as long as a foot stands in a walk, whose ends, where it comes
and goes, are then less than the half that may be outliers."""

SETTLED = 0.07
"""Seconds, for how long at the speed that is allowed: a point that is further away than this from where it stands has
not arrived, or has left."""

BRIDGED = 0.1
"""Seconds for which aberrant frames may interrupt a stay."""

REACH = 0.05
"""Sizes of the character between the places of two stays that are still one."""

SHORTEST = 0.07
"""Seconds: sprinters stand for 0.08."""

CERTAIN = 2.0
"""A stay must last so many times the shortest one to be as sure as its speeds make it."""

WANDERS = 0.08
"""Sizes of the character, the root of the mean square: what strays further from its middle does not stand."""

MEDIAN_ROUNDS, NEAREST = 10, 1e-3
"""Weiszfeld's iteration for a median in space: its rounds, and the share of the largest distance below which a place is
as good as in the middle."""

JUMP = 0.1
"""Sizes of the character by which a frame is off the middle of its neighbours to be aberrant: feet that strike are off
by half of that, at 30 frames a second."""

SPIKES = 5
"""Displacements over which the median is taken before speeds are compared: one aberrant frame spoils two."""


@dataclass(frozen=True)
class Stay:
    """A point stands from frame `begin` to frame `end`, both included."""

    begin: int
    end: int
    place: tuple[float, float, float]
    """Where, on the average, in the world."""
    confidence: float
    """From 0 to 1: how still against what was allowed, how slow against its surroundings, how long."""


def stays(clip: Clip, point: BodyPoint, rolls: Literal["first", "last"] | None = None) -> list[Stay]:
    """When and where a point of the body stands, in the order of time.

    A foot rolls over its heel when it comes, and over its ball when it leaves, and slides most then: with `rolls`, a
    stay takes in what is a little faster before its first or after its last frame.
    """
    watched = Watched.of(clip, point)
    if watched is None:
        return []
    positions, pace, stride, size = watched.positions, watched.pace, watched.pace.stride, clip.skeleton.size
    shortest = max(stride + 1, 2, round(SHORTEST * clip.fps))
    connection = Connection(round(BRIDGED * clip.fps), REACH * size, 0.0, 0.0, shortest)
    still = merged_stays(pace.speeds <= pace.allowed, positions, stride, connection)
    spans = np.array(still, dtype=np.int64).reshape(-1, 2)
    nearby = SETTLED * size * pace.allowed[spans - [0, stride]]
    found: list[Stay] = []
    for number, (begin, end) in enumerate(settled(positions, spans, nearby, round(0.5 * EXAMPLE * clip.fps))):
        if rolls is not None:
            before = still[number - 1][1] + 1 if number else 0
            after = still[number + 1][0] if number + 1 < len(still) else clip.frames
            begin, end = _rolled(rolls, (begin, end), (before, after), pace, positions, clip.fps)
        begin, end = begin + int(watched.aberrant[begin]), end - int(watched.aberrant[end])
        places = positions[begin : end + 1]
        place = robust_mean(places)
        strays = np.linalg.norm(places - place, axis=1)
        if end - begin + 1 < shortest or end - begin < stride or float(median(strays)) > WANDERS * size:
            continue
        if pace.slowness(begin, end) > TURNS_BACK:
            continue
        sure = pace.confidence(begin, end) * min(1.0, (end - begin + 1) / (CERTAIN * shortest))
        found.append(Stay(begin, end, _triple(place), sure))
    return joined_in_place(found, positions, 0.5 * REACH * size)


@dataclass(frozen=True, eq=False)
class Watched:
    """Where a point is, without single frames that jump, and how fast."""

    positions: Array
    """(frames, 3) in the world, each the mean over the frames of half a displacement."""
    aberrant: BoolArray
    """(frames,) which of them jumped."""
    pace: Pace

    @staticmethod
    def of(clip: Clip, point: BodyPoint) -> Watched | None:
        """None where a clip is too short to tell who moves."""
        stride, size = stride_of(clip), clip.skeleton.size
        if clip.frames <= stride + 1:
            return None
        body = track(clip, point)
        places, aberrant = without_jumps(body.positions, JUMP * size)
        body = MovingObject(running_mean(places, stride // 2), body.rotations)
        ways = sigma_epsilon(local_displacements(body, stride)).space_residual
        return Watched(body.positions, aberrant, Pace.of(ways * (clip.fps / stride / size), stride, clip.fps))


@dataclass(frozen=True, eq=False)
class Pace:
    """How fast a point is, and what of that counts as standing: sizes of the character a second, (n,) displacements."""

    speeds: Array
    fastest: Array
    """The largest speed around."""
    limit: Array
    """What is slow against that."""
    allowed: Array
    """What a point that stands may have."""
    rolling: Array
    """What a heel, or a ball, may have that a foot rolls over."""
    stride: int
    rest: float
    """What counts as standing where nothing moves faster around."""

    @staticmethod
    def of(speeds: Array, stride: int, fps: float) -> Pace:
        steady = running_median(speeds, SPIKES)
        rest = min(max(UNHURRIED * float(np.quantile(steady, 1.0 - HURRIES)), AT_REST), RESTLESS)
        moving = steady[steady > MOVES * rest]
        usual = float(median(moving)) if len(moving) else rest
        fastest = running_maximum(steady, round(AROUND * fps))
        tamed = np.minimum(fastest, WILD * usual)
        limit = np.maximum(SLOW * fastest, rest)
        allowed = allowed_speeds(speeds, limit, stride, EXAMPLE * fps)
        return Pace(
            speeds=speeds,
            fastest=fastest,
            limit=limit,
            allowed=np.minimum(allowed, np.maximum(STANDS * tamed, rest)),
            rolling=np.maximum(ROLLS * tamed, rest),
            stride=stride,
            rest=rest,
        )

    @cached_property
    def rolls(self) -> BoolArray:
        """(n,) whether it is no faster than a heel, or a ball, that a foot rolls over."""
        return self.speeds <= np.minimum(ROLLS_FASTER * self.allowed, self.rolling)

    def is_noisy(self, frame: int) -> bool:
        """Whether a point that stands in a frame still moves: without noise, its threshold is where it stands."""
        return bool(self.allowed[min(frame, len(self.allowed) - 1)] > UNNOTICED)

    def confidence(self, begin: int, end: int) -> float:
        """How still a point is against what is allowed, and how far that is from how fast it moves before or after."""
        within = slice(begin, end - self.stride + 1)
        speeds, allowed, fastest = self.speeds[within], self.allowed[within], float(self.fastest[within].max())
        still = min(max(1.0 - float(median(speeds / allowed)), 0.0), 1.0)
        apart = 1.0 if fastest <= self.rest else max(0.0, 1.0 - float(median(allowed)) / fastest)
        return math.sqrt(still * apart)

    @cached_property
    def _fast(self) -> IntArray:
        """Those that are not slow."""
        return np.flatnonzero(self.speeds > self.limit)

    def slowness(self, begin: int, end: int) -> float:
        """The median of the speeds, as shares of what is slow, from when a point becomes slow until it is no longer."""
        before, after = np.searchsorted(self._fast, [begin, end - self.stride + 1])
        first = int(self._fast[before - 1]) + 1 if before else 0
        last = int(self._fast[after]) if after < len(self._fast) else len(self.speeds)
        return float(median(self.speeds[first:last] / self.limit[first:last]))


def _rolled(
    rolls: Literal["first", "last"],
    stay: tuple[int, int],
    room: tuple[int, int],
    pace: Pace,
    positions: Array,
    fps: float,
) -> tuple[int, int]:
    """First and last frame of a stay of a heel ("first") or of a ball ("last"), with what the foot rolls over it.

    `room` is from the first frame after the stay before to the first one of the next. Where there is noise, thresholds
    that it has set do not tell when a foot comes and leaves, but how its motion changes does: quiet feet are cut short
    by them; heels, which begin to rise smoothly while the ball stands, are let go late.
    """
    (begin, end), (before, after), stride = stay, room, pace.stride
    middle = (begin + end) // 2
    if rolls == "first":
        begin -= _leading(pace.rolls[before:begin][::-1])
    else:
        end += _leading(pace.rolls[end - stride + 1 : after - stride])
    if not pace.is_noisy(middle):
        return begin, end
    onsets = Onsets(positions[before:after], stride, fps)
    begin = min(begin, before + onsets.arrival(begin - before, middle - before))
    leaves = before + onsets.departure(end - before, middle - before)
    return begin, min(end, leaves) if rolls == "first" else max(end, leaves)


def joined_in_place(standing: list[Stay], positions: Array, nearby: float) -> list[Stay]:
    """Stays, with those made one between which the point has not been anywhere else: a foot that slides on a little.

    It may do so for as long as it likes, if it is always as `nearby` as that to the middle between the two places.
    """
    joined: list[Stay] = []
    for stay in standing:
        before = joined[-1] if joined else None
        if before is not None and math.dist(before.place, stay.place) <= 2.0 * nearby:
            ends = np.array([before.place, stay.place])
            away = np.concatenate([ends, positions[before.end + 1 : stay.begin]]) - ends.mean(axis=0)
            if float(np.einsum("ni,ni->n", away, away).max()) <= nearby**2:
                place = robust_mean(positions[before.begin : stay.end + 1])
                sure = max(before.confidence, stay.confidence)
                joined[-1] = Stay(before.begin, stay.end, _triple(place), sure)
                continue
        joined.append(stay)
    return joined


def detect_stays(clip: Clip, point: str | int | BodyPoint) -> list[Detected]:
    """When a joint, or a point on one, stays in its place, found without examples: point constraints, for how the joint
    is turned meanwhile is not looked at. A hand on the floor in a cartwheel, on the rung of a ladder."""
    where = clip.skeleton.resolve(point)
    positions = clip.world.point(where)
    found = []
    for stay in stays(clip, where):
        place = np.array(stay.place)
        away = positions[stay.begin : stay.end + 1] - place
        residual = float(np.sqrt((away**2).sum(axis=1).mean()))
        found.append(Detected("point", stay.begin, stay.end, place, where.local, residual))
    return found


def _triple(place: Array) -> tuple[float, float, float]:
    return float(place[0]), float(place[1]), float(place[2])


def _leading(flags: BoolArray) -> int:
    """How many flags are true before the first that is not."""
    return len(flags) if flags.all() else int(np.argmin(flags))


def settled(positions: Array, spans: IntArray, nearby: Array, most: int) -> list[tuple[int, int]]:
    """The first and the last frame of each stay in which the point is as `nearby` (n, 2) as that to where it stands.

    `spans` (n, 2) are the first and the last frames of the stays. Where the point stands is the median over the half of
    the stay at whose end that is, `most` frames of it at the most: feet slide a little while they stand. What comes to
    rest slowly, or leaves so, is slow before it stands and after.
    """
    halves = np.minimum((spans[:, 1] - spans[:, 0]) // 2, most)
    inward = np.arange(int(halves.max(initial=0)) + 1)
    counted = inward <= halves[:, None]
    ends = []
    for frames, direction, near in ((spans[:, 0], 1, nearby[:, 0]), (spans[:, 1], -1, nearby[:, 1])):
        places = positions[frames[:, None] + direction * np.minimum(inward, halves[:, None])]
        away = places - geometric_medians(places, counted)[:, None]
        there = counted & (np.einsum("nki,nki->nk", away, away) <= near[:, None] ** 2)
        ends.append(frames + direction * np.argmax(there, axis=1))
    return list(zip(ends[0].tolist(), ends[1].tolist(), strict=True))


def geometric_medians(places: Array, counted: BoolArray) -> Array:
    """(n, 3) the place with the least sum of distances to those of places (n, k, 3) that are counted (n, k), at least
    one of each: a median that does not depend on the axes."""
    weights = counted / counted.sum(axis=1, keepdims=True)
    for _ in range(MEDIAN_ROUNDS):
        middles = np.einsum("nk,nki->ni", weights, places)
        away = places - middles[:, None]
        distances = np.sqrt(np.einsum("nki,nki->nk", away, away))
        farthest = np.maximum(distances.max(axis=1, keepdims=True), TINY)
        weights = counted / np.maximum(distances / farthest, NEAREST)
        weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("nk,nki->ni", weights, places))


def allowed_speeds(speeds: Array, limit: Array, stride: int, example: float) -> Array:
    """(n,) the dynamic noise pattern, learnt from the clip's own most stationary parts.

    `speeds` are in sizes of the character a second, `limit` what is slow around each; `example` is how many of them an
    example has: who stands for long does not always stand as still.
    """
    examples = []
    for run in runs(running_median(speeds, SPIKES) <= limit):
        length = run[1] - run[0] + 1
        parts = max(1, round(length / example))
        edges = [run[0] + part * length // parts for part in range(parts + 1)]
        for first, after in itertools.pairwise(edges):
            ends = first + 0.5 * stride, after - 1 + 0.5 * stride
            examples.append((*ends, MARGIN * largest(speeds[first:after])))
    curve = NoiseCurve.through(examples, UNNOTICED)
    return np.minimum(curve.at(np.arange(len(speeds)) + 0.5 * stride), limit)


def without_jumps(positions: Array, far: float) -> tuple[Array, BoolArray]:
    """Positions (frames, 3) in which single frames that are `far` off are between their neighbours, and which these
    are: (frames,). At either end they are where their neighbour is: captures begin with a pose of calibration."""
    padded = np.concatenate([positions[1:2], positions, positions[-2:-1]])
    between = 0.5 * (padded[:-2] + padded[2:])
    off = np.linalg.norm(positions - between, axis=1)
    beside = np.maximum(np.append(off[1:], 0.0), np.append(0.0, off[:-1]))
    aberrant = (off > far) & (off > beside)
    return np.where(aberrant[:, None], between, positions), aberrant


def running_median(values: Array, width: int) -> Array:
    """(n,) the median of an odd number of neighbours, of fewer at the ends, where the outermost value is repeated."""
    padded = np.pad(values, width // 2, mode="edge")
    return np.asarray(np.sort(np.lib.stride_tricks.sliding_window_view(padded, width), axis=-1)[:, width // 2])


def running_mean(values: Array, reach: int) -> Array:
    """(n, width) the mean of values up to `reach` away on either side; beyond the ends the outermost is repeated."""
    if reach < 1:
        return values
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    # Sums of differences from the first place: far from the origin they would cost digits.
    sums = np.cumsum(np.concatenate([np.zeros((1, values.shape[1])), padded - padded[:1]]), axis=0)
    width = 2 * reach + 1
    return np.asarray(padded[:1] + (sums[width:] - sums[:-width]) / width)


def running_maximum(values: Array, reach: int) -> Array:
    """(n,) the largest of the values up to `reach` away on either side."""
    width = 2 * reach + 1
    result = np.pad(values, reach, mode="edge")
    covered = 1
    while covered < width:
        step = min(covered, width - covered)
        result = np.maximum(result[:-step], result[step:])
        covered += step
    return result
