# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances of a foot: the rest intervals of its heel and of its ball, paired."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .rest_intervals import RestInterval

Foot = Literal["left", "right"]


@dataclass(frozen=True)
class Stance:
    """One plant of a foot: the rest intervals of its heel and of its ball, at least one of them, which overlap."""

    foot: Foot
    heel: RestInterval | None
    ball: RestInterval | None
    contact: tuple[float, float] | None = None
    """The first and the last frame in which any part of the foot touches the ground; None before `with_contact`."""

    @property
    def parts(self) -> list[RestInterval]:
        """The intervals that there are."""
        return [part for part in (self.heel, self.ball) if part is not None]

    @property
    def begin(self) -> int:
        """The first frame in which one of them rests."""
        return min(part.begin for part in self.parts)

    @property
    def end(self) -> int:
        """The last frame in which one of them rests."""
        return max(part.end for part in self.parts)

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1

    def height(self, up: int) -> float:
        """The height of its lower part, along the axis `up`."""
        return min(part.place[up] for part in self.parts)


@dataclass(frozen=True)
class _Part:
    """A rest interval, and whether it is of the heel (or else of the ball)."""

    interval: RestInterval
    is_heel: bool


def stances_of_foot(
    foot: Foot, heels: Sequence[RestInterval], balls: Sequence[RestInterval], up: int, lift: float, shortest: int = 1
) -> list[Stance]:
    """The stances of a foot from the rest intervals of its heel and of its ball, in the order of time.

    Where one of them rests while the other is lifted and put down again, these are two stances, cut midway; parts that
    are cut to fewer than `shortest` frames are dropped. Intervals in which a part rests more than `lift` higher along
    the axis `up` than in its longest interval of the same group are dropped.
    """
    parts = [_Part(each, True) for each in heels] + [_Part(each, False) for each in balls]
    stances: list[Stance] = []
    group: list[_Part] = []
    for part in sorted(parts, key=lambda each: each.interval.begin):
        if group and part.interval.begin > max(each.interval.end for each in group):
            stances += _separated(foot, _on_one_floor(group, up, lift), shortest)
            group = []
        group.append(part)
    return stances + (_separated(foot, _on_one_floor(group, up, lift), shortest) if group else [])


def _on_one_floor(group: list[_Part], up: int, lift: float) -> list[_Part]:
    """The parts of a group without those that are higher than the longest interval of the same part."""
    highest = {}
    for is_heel in {part.is_heel for part in group}:
        intervals = [part.interval for part in group if part.is_heel is is_heel]
        highest[is_heel] = max(intervals, key=lambda each: each.end - each.begin).place[up] + lift
    return [part for part in group if part.interval.place[up] <= highest[part.is_heel]]


def _separated(foot: Foot, group: list[_Part], shortest: int) -> list[Stance]:
    """The stances of parts that follow each other without a gap: cut midway between any two intervals of one part."""
    heels, balls = ([part.interval for part in group if part.is_heel is is_heel] for is_heel in (True, False))
    more, fewer = (heels, balls) if len(heels) >= len(balls) else (balls, heels)
    cuts = [(one.end + other.begin) // 2 for one, other in itertools.pairwise(more)]
    for one, other in itertools.pairwise(fewer):
        if not any(one.end <= cut < other.begin for cut in cuts):
            cuts.append((one.end + other.begin) // 2)
    cuts.sort()
    begins = [min(part.interval.begin for part in group), *(cut + 1 for cut in cuts)]
    ends = [*cuts, max(part.interval.end for part in group)]
    stances = []
    for begin, end in zip(begins, ends, strict=True):
        heel, ball = (_longest_within(part, begin, end, shortest) for part in (heels, balls))
        # Parts that do not overlap are two stances.
        if heel is not None and ball is not None and heel.begin <= ball.end and ball.begin <= heel.end:
            stances.append(Stance(foot, heel, ball))
            continue
        stances += [Stance(foot, heel, None)] if heel is not None else []
        stances += [Stance(foot, None, ball)] if ball is not None else []
    return stances


def _longest_within(intervals: list[RestInterval], begin: int, end: int, shortest: int) -> RestInterval | None:
    """The longest of the intervals after trimming to frames `begin` to `end`; None where all are trimmed too short."""
    trimmed = [
        (each, replace(each, begin=max(each.begin, begin), end=min(each.end, end)))
        for each in intervals
        if each.end >= begin and each.begin <= end
    ]
    kept = [cut for whole, cut in trimmed if cut == whole or cut.frames >= shortest]
    return max(kept, key=lambda each: each.end - each.begin, default=None)
