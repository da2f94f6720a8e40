# SPDX-License-Identifier: GPL-3.0-or-later
"""When any part of a foot touches the ground, toes included.

A foot touches the ground before its heel, or its ball, is at rest, and after: the heel rolls as it lands, and the toes
still roll on the floor when the ball is carried off. Force plates show that a foot leaves the ground about when its
ball has risen by `contact_reach`, in walks, runs and jumps alike (docs/derivations.md, "Contact of the foot").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..body.clip import Clip
from ..core import rotations
from ..core.arrays import Array, median
from .rest_intervals import RestInterval, leading
from .settings import DEFAULT_FOOTPLANTS, FootplantSettings
from .speed_profile import steady_positions
from .stances import Foot, Stance


def with_contact(
    stances: Sequence[Stance], clip: Clip, settings: FootplantSettings = DEFAULT_FOOTPLANTS
) -> list[Stance]:
    """The stances, each with its `contact`; those of one foot have no frame in common. The ground does not move."""
    found = {id(stance): stance for stance in stances}
    for foot in {stance.foot for stance in stances}:
        own = sorted((stance for stance in stances if stance.foot == foot), key=lambda stance: stance.begin)
        paths = _FootPaths.of(clip, foot, settings)
        firsts = [0, *(stance.end + 1 for stance in own[:-1])]
        lasts = [*(stance.begin - 1 for stance in own[1:]), clip.frames - 1]
        contacts = [paths.contact(*each) for each in zip(own, firsts, lasts, strict=True)]
        for stance, contact in zip(own, _apart(contacts), strict=True):
            found[id(stance)] = replace(stance, contact=contact)
    return [found[id(stance)] for stance in stances]


def _apart(contacts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Contacts in the order of time; where two have common frames, each has half of them."""
    begins, ends = [begin for begin, _ in contacts], [end for _, end in contacts]
    for number, (begin, end) in enumerate(zip(begins[1:], ends[:-1], strict=True)):
        if begin <= end:
            ends[number] = (begin + end) // 2
            begins[number + 1] = ends[number] + 1
    return list(zip(begins, ends, strict=True))


@dataclass(frozen=True, eq=False)
class _FootPaths:
    """The positions of heel and ball of a foot, (frames, 3) each, and the distances within which they touch."""

    heel: Array
    ball: Array
    up: int
    reach: float
    """How far from its place a part touches already."""
    toes: float
    """The length of the toes: the ball is at most as far from its place while their tips are in theirs."""
    sample: int
    """Frames that give a place, at the most: feet slide a little at rest."""

    @staticmethod
    def of(clip: Clip, foot: Foot, settings: FootplantSettings) -> _FootPaths:
        skeleton, marks = clip.skeleton, clip.skeleton.landmarks
        heel, ball = (
            steady_positions(clip, skeleton.resolve(marks.require(f"{foot}_{part}")), settings.rest)[0]
            for part in ("heel", "ball")
        )
        reach, tip = settings.contact_reach * skeleton.size, getattr(marks, f"{foot}_toe_tip")
        lengths = np.zeros(1) if tip is None else rotations.lengths(clip.position(tip) - ball)
        toes = max(float(median(lengths)), reach)
        return _FootPaths(heel, ball, skeleton.up_axis, reach, toes, round(0.5 * settings.rest.noise_sample * clip.fps))

    def contact(self, stance: Stance, first: int, last: int) -> tuple[int, int]:
        """The first and the last frame, between these two, in which the foot of a stance touches the ground."""
        begin, end = stance.begin, stance.end
        for positions, interval in ((self.heel, stance.heel), (self.ball, stance.ball)):
            if interval is None:
                continue
            arrived, leaving = self._places(positions, interval)
            before, after = positions[first : interval.begin][::-1], positions[interval.end + 1 : last + 1]
            begin = min(begin, interval.begin - leading(rotations.lengths(before - arrived) <= self.reach))
            if interval is stance.ball:
                touches = (after - leaving)[:, self.up] <= self.reach
                touches &= rotations.lengths(after - leaving) <= self.toes
            else:
                touches = rotations.lengths(after - leaving) <= self.reach
            end = max(end, interval.end + leading(touches))
        return begin, end

    def _places(self, positions: Array, interval: RestInterval) -> tuple[Array, Array]:
        """(3,) each: where a part is at the begin of a rest interval, and at its end."""
        half = min((interval.end - interval.begin) // 2, self.sample)
        begin, end = interval.begin, interval.end
        return positions[begin : begin + half + 1].mean(axis=0), positions[end - half : end + 1].mean(axis=0)
