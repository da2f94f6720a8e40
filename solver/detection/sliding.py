# SPDX-License-Identifier: GPL-3.0-or-later
"""Points that slide along a line or on a plane, which the documents leave out (003, 6.1; 004, 3.1).

From one frame to the next every motion is straight, so there are no instantaneous constraints to merge. Instead, the
longest stretches of the path that keep to a line or to a plane are found at once, and judged: a smooth curve keeps to a
line for a while, too, but it leaves it gently, and the more is allowed the longer it keeps to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from ..body.clip import Clip
from ..core import rotations
from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.errors import ConstraintError
from ..core.numbers import is_number
from .displacements import Body, track
from .sliding_fits import EVEN_SPREAD, SlideFit, bend_of, bends, breadth, fitted, off_conic, through, turned
from .sliding_moments import Slide, Stretches
from .sliding_paths import SlidingPath

SLIDES: tuple[Slide, ...] = get_args(Slide)

LEAST_MOVES = 4
"""Frames in which a point must move to slide: fewer say nothing about noise."""

SPREAD_OF_NOISE = 1.5
"""How many times its estimate the noise may be in the stretches that are looked at."""

LOOSER, GROWN = 4.0, 0.25
"""Where this many times as much may stray, a slide becomes longer by this share of its way at the most: an arc becomes
twice as long, an inflexion half as long again, whatever the noise and the size."""

ABERRANT_SHARE = 0.3
"""Of the frames by which it becomes longer, this share may be off the line or the plane by accident."""

ON_IT = 3.5
"""Standard deviations of noise on one axis up to which a frame is on the line or on the plane."""

LINES_FIRST = 1.3
"""A plane must last so many times as long as a line in it to be taken instead."""

TAKEN = 0.5
"""The share of its frames that a stretch may have in common with what is found already."""

COVERED = 0.5
"""In each half of its frames a plane must be at least this share as broad as is asked of all: a line with a turn at its
end is no plane."""

OFF_CONIC = 3.0
"""How many times as far from any conic in it as from the plane the path must be."""

TURNED = 3.0 * np.pi
"""Radians that a path on a plane turns in all: one that bends to and fro a little lies in some plane by itself."""

LOOKED_AHEAD = 1.0
"""Seconds before and after a stretch in which its line or its plane is looked for, as often as it is found there."""


@dataclass(frozen=True)
class SlidingSettings:
    """What counts as sliding. Times are in seconds, lengths in sizes of the character, so that they suit any clip."""

    shortest: float = 0.5
    """For how long a point must move at least: less of any smooth curve is as good as straight."""
    extent: float = 0.15
    """How far a point must slide along a line at least."""
    breadth: float = 0.1
    """How far it must slide on a plane at least, in the direction in which it slides less far."""
    straight: float = 0.02
    """How much a line may bend: a share of its own spread. A hand that swings freely bends by 0.03 and more."""
    flat: float = 0.03
    """How much a plane may bend: a share of the spread in the direction in which it spreads less."""
    tolerance: float = 0.0015
    """How far from a line or a plane is always on it, even where the motion has no noise at all."""
    bridged: float = 0.2
    """What interrupts a slide for less is passed over."""
    pause: float = 0.5
    """A point that stays where it is for less than this still slides."""

    def __post_init__(self) -> None:
        for name in ("shortest", "extent", "breadth", "straight", "flat", "tolerance", "bridged", "pause"):
            value = getattr(self, name)
            if not is_number(value) or value < 0.0:
                raise ConstraintError(
                    f"The setting {name} of a detection must be a finite number that is not negative, not {value!r}."
                )


@dataclass(frozen=True, eq=False)
class DetectedSlide:
    """A point slides along a line or on a plane from frame `begin` to frame `end`, both included.

    Places and directions are in the world or, where the motion was seen from a reference, in the reference's frame.
    """

    kind: Slide
    begin: int
    end: int
    position: Array
    """(3,) on the line or on the plane, in the middle of where the point slides."""
    direction: Array
    """(3,) unit: along the line, or out of the plane."""
    extent: float
    """How far the point slides along the line, or on the plane in the direction in which it slides less far."""
    residual: float
    """How far the point strays from the line or the plane: the root of the mean square, in the clip's units."""

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1


def detect_sliding(
    clip: Clip,
    joint: Body,
    reference: Body | None = None,
    kinds: Slide | tuple[Slide, ...] = SLIDES,
    settings: SlidingSettings | None = None,
) -> list[DetectedSlide]:
    """When a joint, a point on one or an object slides along a line or on a plane, in the order of time; no examples
    are needed, the motion shows its own noise.

    With a `reference` (a joint or an object) the line or the plane moves with it: a hand on the rail of a cart. A point
    at rest does not slide, and neither does one that swings freely, however short a part of its way is looked at.
    """
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in kinds:
        if kind not in SLIDES:
            raise ConstraintError(f"There is no kind of slide {kind!r}: it is 'line' or 'plane'.")
    settings = settings or SlidingSettings()
    size = clip.skeleton.size
    body = track(clip, joint, reference)
    path = SlidingPath.of(body.positions / size, clip.fps)
    found = _Search(path, settings, clip.fps).slides(kinds)
    origin = body.positions[0]
    return [_in_units(each, size, origin) for each in sorted(found, key=lambda each: each.begin)]


def _in_units(slide: DetectedSlide, size: float, origin: Array) -> DetectedSlide:
    return replace(
        slide,
        position=slide.position * size + origin,
        extent=slide.extent * size,
        residual=slide.residual * size,
    )


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A stretch of frames that keeps to a line or a plane, and how far it reaches where more may stray."""

    kind: Slide
    begin: int
    end: int
    first: int
    last: int

    @property
    def worth(self) -> float:
        return (self.end - self.begin) * (LINES_FIRST if self.kind == "line" else 1.0)


@dataclass(frozen=True, eq=False)
class _Search:
    """Everything in frames and in sizes of the character."""

    path: SlidingPath
    settings: SlidingSettings
    fps: float

    @property
    def shortest(self) -> int:
        return max(LEAST_MOVES, round(self.settings.shortest * self.fps))

    @property
    def pause(self) -> int:
        return round(self.settings.pause * self.fps)

    @property
    def near(self) -> float:
        """How far from a line or a plane is on it."""
        return max(ON_IT * self.path.noise, self.settings.tolerance)

    def slides(self, kinds: tuple[Slide, ...]) -> list[DetectedSlide]:
        """Of all that could be one, the longest first, those that are not part of another."""
        moves = np.flatnonzero(self.path.moving)
        if len(moves) < self.shortest:
            return []
        stretches = Stretches.of(self.path.places[moves])
        candidates = [each for kind in kinds for each in self._candidates(kind, moves, stretches)]
        taken = np.zeros(len(self.path.places), dtype=bool)
        found = []
        for each in sorted(candidates, key=lambda each: -each.worth):
            frames = taken[each.begin : each.end + 1]
            if np.count_nonzero(frames) > TAKEN * len(frames):
                continue
            slide = self._slide(each, taken) if self._grows(each) <= GROWN else None
            if slide is not None:
                taken[slide.begin : slide.end + 1] = True
                found.append(slide)
        return found

    def _candidates(self, kind: Slide, moves: IntArray, stretches: Stretches) -> list[_Candidate]:
        """The stretches that keep to a line or to a plane, are long, do not bend, and end where they end."""
        pauses = np.flatnonzero(np.diff(moves) > self.pause)
        number = np.searchsorted(pauses, np.arange(len(moves)))
        limits = np.append(pauses + 1, len(moves))[number]
        dimensions = 2 if kind == "line" else 1
        tolerance = np.sqrt(dimensions) * max(SPREAD_OF_NOISE * self.path.noise, self.settings.tolerance)
        found = stretches.longest(kind, tolerance, limits)
        counts = found.count
        ends = np.arange(len(moves)) + counts - 1
        begins = np.flatnonzero((np.diff(ends, prepend=-1) > 0) & (counts >= self.shortest))
        if not len(begins):
            return []
        bend, along = bends(
            kind, found.at(begins).covariance, stretches.stepping(begins, counts[begins]), counts[begins]
        )
        begins = begins[(EVEN_SPREAD * along >= self._extent(kind)) & (bend <= self._evenness(kind) * along)]
        if not len(begins):
            return []
        given, floors = found.at(begins), np.append(0, pauses + 1)[number]
        ends = ends[begins]
        # Twice as long is more than enough to know.
        limits, floors = (
            np.minimum(limits[begins], ends + given.count),
            np.maximum(floors[begins], begins - given.count),
        )
        later = stretches.lengthened(kind, LOOSER * tolerance, begins, given, limits)
        earlier = stretches.lengthened(kind, LOOSER * tolerance, begins, given, floors, backward=True)
        spans = (begins, ends, ends - earlier.count + 1, begins + later.count - 1)
        return [_Candidate(kind, *frames) for frames in zip(*(moves[each].tolist() for each in spans), strict=True)]

    def _grows(self, given: _Candidate) -> float:
        """By what share of its way a stretch becomes longer, where more may stray.

        Where most of what is added is on its line or its plane, the slide itself goes on after a few aberrant frames.
        """
        frames = np.arange(given.first, given.last + 1)[self.path.moving[given.first : given.last + 1]]
        places = self.path.places[frames]
        inside = (frames >= given.begin) & (frames <= given.end)
        off = through(given.kind, places[inside]).distances(places[~inside]) > self.near
        if np.count_nonzero(off) <= ABERRANT_SHARE * len(off):
            return 0.0
        steps = rotations.lengths(np.diff(places, axis=0, prepend=places[:1]))
        return float(steps[~inside].sum() / max(float(steps[inside].sum()), TINY))

    def _extent(self, kind: Slide) -> float:
        return self.settings.extent if kind == "line" else self.settings.breadth

    def _evenness(self, kind: Slide) -> float:
        return self.settings.straight if kind == "line" else self.settings.flat

    def _slide(self, given: _Candidate, taken: BoolArray) -> DetectedSlide | None:
        """The line or the plane of a candidate, with all the frames before and after that are on it, too."""
        path = self.path
        begin, end = given.begin, given.end
        while True:
            low = max(begin - round(LOOKED_AHEAD * self.fps), 0)
            chosen = slice(low, end + round(LOOKED_AHEAD * self.fps) + 1)
            places, moving = path.places[chosen], path.moving[chosen] & ~taken[chosen]
            core = np.zeros(len(places), dtype=bool)
            core[begin - low : end - low + 1] = True
            if np.count_nonzero(core & moving) < self.shortest:
                return None
            fit = fitted(given.kind, places, core & moving, self.settings.tolerance)
            on_it = fit.distances(places) <= self.near
            chain = self._chained(on_it, moving, core)
            if chain is None:
                return None
            before = begin, end
            begin, end = low + chain[0], low + chain[1]
            if begin >= before[0] and end <= before[1]:
                break
        if not self._speaks_for(fit, begin, end):
            return None
        begin, end = self._without_rests(begin, end)
        if end - begin + 1 < self.shortest:
            return None
        strays = fit.distances(path.places[begin : end + 1])
        residual = float(np.sqrt((strays**2).mean()))
        return DetectedSlide(given.kind, begin, end, fit.place, fit.direction, fit.extent, residual)

    def _chained(self, on_it: BoolArray, moving: BoolArray, core: BoolArray) -> tuple[int, int] | None:
        """First and last of the frames that move on it, with what is best known of them in their midst.

        Between two of them, a rest on it may be a pause long, and frames that are elsewhere as few as are bridged.
        """
        good = np.flatnonzero(on_it & moving)
        if not core[good].any():
            return None
        elsewhere = np.concatenate([[0], np.cumsum(~on_it)])
        between = np.diff(good) - 1
        lost = elsewhere[good[1:]] - elsewhere[good[:-1]]
        broken = between >= np.where(lost > 0, max(round(self.settings.bridged * self.fps), 1), self.pause + 1)
        chains = np.concatenate([[0], np.cumsum(broken)])
        longest_chain = int(np.argmax(np.bincount(chains[core[good]])))
        members = good[chains == longest_chain]
        return int(members[0]), int(members[-1])

    def _speaks_for(self, fit: SlideFit, begin: int, end: int) -> bool:
        """Whether the frames that move on a line or a plane show that it is one."""
        path, settings = self.path, self.settings
        frames = np.arange(begin, end + 1)[path.moving[begin : end + 1]]
        places = path.places[frames]
        places = places[fit.distances(places) <= self.near]
        if len(places) < self.shortest:
            return False
        bend, along = bend_of(fit.kind, places)
        if EVEN_SPREAD * along < self._extent(fit.kind) or bend > self._evenness(fit.kind) * along:
            return False
        if fit.kind == "line":
            return True
        if min(breadth(half) for half in np.array_split(places, 2)) < COVERED * settings.breadth:
            return False
        strays = fit.distances(places)
        off_plane = max(float(np.sqrt((strays**2).mean())), settings.tolerance)
        is_no_arc = off_conic(fit, places) > OFF_CONIC * off_plane
        return is_no_arc and turned(fit, places[:: 2 * path.half_step]) >= TURNED

    def _without_rests(self, begin: int, end: int) -> tuple[int, int]:
        """The frames from which on, and up to which, the point is not where it rests before and after."""
        path, step = self.path, self.path.half_step
        after = np.arange(max(end - 2 * step, begin), min(end + 8 * step, len(path.places) - 1) + 1)
        before = np.arange(min(begin + 2 * step, end), max(begin - 8 * step, 0) - 1, -1)
        rested, rests = path.first_at_rest(before), path.first_at_rest(after)
        return (begin if rested is None else rested), (end if rests is None else rests)
