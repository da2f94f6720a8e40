# SPDX-License-Identifier: GPL-3.0-or-later
"""Slides: points that move along a line or on a plane, which Le Callennec 2006 leaves out (section 6.1).

From one frame to the next every motion is straight, so there are no instantaneous constraints to merge. Instead the
longest stretches of the path that lie on a line or a plane are found at once. A smooth free curve lies on a line for a
while, too, but leaves it gradually: the larger the tolerance, the longer its stretch. A slide ends abruptly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..body.clip import Clip
from ..core import rotations
from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.errors import ConstraintError
from .displacements import TrackedBody, track
from .settings import SLIDE_KINDS, SlideKind, SlidingSettings
from .sliding_fits import EVEN_SPREAD, SlideFit, bend_of, bends, breadth, fitted, off_conic, through, total_turning
from .sliding_moments import Stretches
from .sliding_paths import SlidingPath


@dataclass(frozen=True, eq=False)
class DetectedSlide:
    """A point slides along a line or on a plane from frame `begin` to frame `end`, both included.

    Positions and directions are in the world or, where a reference was given, in the reference's frame.
    """

    kind: SlideKind
    begin: int
    end: int
    position: Array
    """(3,) on the line or on the plane, the mean of the path."""
    direction: Array
    """(3,) unit: along the line, or normal to the plane."""
    extent: float
    """The extent of the path along the line, or along the shorter axis of the plane, in the clip's units."""
    residual: float
    """The root mean square distance of the point from the line or the plane, in the clip's units."""

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.end - self.begin + 1


def detect_sliding(
    clip: Clip,
    joint: TrackedBody,
    reference: TrackedBody | None = None,
    kinds: SlideKind | tuple[SlideKind, ...] = SLIDE_KINDS,
    settings: SlidingSettings | None = None,
) -> list[DetectedSlide]:
    """The slides of a joint, of a point on one or of an object, in the order of time, found without templates.

    With a `reference` (a joint or an object) the line or the plane moves with it: a hand on the rail of a cart. A point
    at rest does not slide, and neither does one that swings freely, however short the part of its path.
    """
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in kinds:
        if kind not in SLIDE_KINDS:
            raise ConstraintError(f"There is no kind of slide {kind!r}: it is 'line' or 'plane'.")
    settings = settings or SlidingSettings()
    size = clip.skeleton.size
    body = track(clip, joint, reference)
    path = SlidingPath.of(body.positions / size, clip.fps, settings)
    found = _Search(path, settings, clip.fps).slides(kinds)
    origin = body.positions[0]
    return [_in_clip_units(each, size, origin) for each in sorted(found, key=lambda each: each.begin)]


def _in_clip_units(slide: DetectedSlide, size: float, origin: Array) -> DetectedSlide:
    return replace(
        slide,
        position=slide.position * size + origin,
        extent=slide.extent * size,
        residual=slide.residual * size,
    )


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A stretch of frames on a line or a plane, and its growth with a looser tolerance."""

    kind: SlideKind
    begin: int
    end: int
    first: int
    """The first frame with the looser tolerance."""
    last: int
    """The last frame with the looser tolerance."""


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for slides in one path, in frames and in sizes of the character."""

    path: SlidingPath
    settings: SlidingSettings
    fps: float

    @property
    def shortest(self) -> int:
        """The fewest frames in which a slide moves."""
        return max(self.settings.least_moving_frames, round(self.settings.shortest * self.fps))

    @property
    def pause(self) -> int:
        """The most frames of a rest within a slide."""
        return round(self.settings.pause * self.fps)

    @property
    def near(self) -> float:
        """The distance from a line or a plane up to which a place is on it."""
        return max(self.settings.inlier_deviations * self.path.noise, self.settings.tolerance)

    def slides(self, kinds: tuple[SlideKind, ...]) -> list[DetectedSlide]:
        """The slides among all candidates, the longest first, without those that overlap a longer one too much."""
        settings, moves = self.settings, np.flatnonzero(self.path.moving)
        if len(moves) < self.shortest:
            return []
        stretches = Stretches.of(self.path.places[moves])
        candidates = [each for kind in kinds for each in self._candidates(kind, moves, stretches)]
        taken = np.zeros(len(self.path.places), dtype=bool)
        found = []
        for each in sorted(candidates, key=lambda each: -self._preference(each)):
            frames = taken[each.begin : each.end + 1]
            if np.count_nonzero(frames) > settings.overlap_share * len(frames):
                continue
            slide = self._slide(each, taken) if self._growth(each) <= settings.largest_growth else None
            if slide is not None:
                taken[slide.begin : slide.end + 1] = True
                found.append(slide)
        return found

    def _preference(self, candidate: _Candidate) -> float:
        """The length of a candidate; lines are preferred to planes that are only a little longer."""
        frames = candidate.end - candidate.begin
        return frames * (self.settings.line_preference if candidate.kind == "line" else 1.0)

    def _candidates(self, kind: SlideKind, moves: IntArray, stretches: Stretches) -> list[_Candidate]:
        """The stretches on a line or a plane that are long and do not bend, each with its growth.

        `moves` (n,) are the moving frames, `stretches` those of their places.
        """
        settings = self.settings
        pauses = np.flatnonzero(np.diff(moves) > self.pause)
        number = np.searchsorted(pauses, np.arange(len(moves)))
        limits = np.append(pauses + 1, len(moves))[number]
        dimensions = 2 if kind == "line" else 1
        tolerance = np.sqrt(dimensions) * max(settings.noise_ratio * self.path.noise, settings.tolerance)
        found = stretches.longest(kind, tolerance, limits)
        counts = found.count
        ends = np.arange(len(moves)) + counts - 1
        begins = np.flatnonzero((np.diff(ends, prepend=-1) > 0) & (counts >= self.shortest))
        if not len(begins):
            return []
        covariance, stepping = found.at(begins).covariance, stretches.stepping(begins, counts[begins])
        bend, along = bends(kind, covariance, stepping, counts[begins], settings.bend_errors)
        begins = begins[(EVEN_SPREAD * along >= self._extent(kind)) & (bend <= self._largest_bend(kind) * along)]
        if not len(begins):
            return []
        given, floors = found.at(begins), np.append(0, pauses + 1)[number]
        ends = ends[begins]
        # A growth to twice the length is more than any slide may have.
        limits, floors = (
            np.minimum(limits[begins], ends + given.count),
            np.maximum(floors[begins], begins - given.count),
        )
        later = stretches.lengthened(kind, settings.looser_ratio * tolerance, begins, given, limits)
        earlier = stretches.lengthened(kind, settings.looser_ratio * tolerance, begins, given, floors, backward=True)
        spans = (begins, ends, ends - earlier.count + 1, begins + later.count - 1)
        return [_Candidate(kind, *frames) for frames in zip(*(moves[each].tolist() for each in spans), strict=True)]

    def _growth(self, given: _Candidate) -> float:
        """The share of its path by which a stretch grows with the looser tolerance.

        It is 0 where most added frames are on the line or the plane: then the slide goes on after a few outliers.
        """
        frames = np.arange(given.first, given.last + 1)[self.path.moving[given.first : given.last + 1]]
        places = self.path.places[frames]
        inside = (frames >= given.begin) & (frames <= given.end)
        off = through(given.kind, places[inside]).distances(places[~inside]) > self.near
        if np.count_nonzero(off) <= self.settings.outlier_share * len(off):
            return 0.0
        steps = rotations.lengths(np.diff(places, axis=0, prepend=places[:1]))
        return float(steps[~inside].sum() / max(float(steps[inside].sum()), TINY))

    def _extent(self, kind: SlideKind) -> float:
        """The least extent of a slide."""
        return self.settings.extent if kind == "line" else self.settings.breadth

    def _largest_bend(self, kind: SlideKind) -> float:
        """The largest bend of a slide, as a share of its spread."""
        return self.settings.straight if kind == "line" else self.settings.flat

    def _slide(self, given: _Candidate, taken: BoolArray) -> DetectedSlide | None:
        """The slide of a candidate, extended by the frames before and after that are on its line or plane; None where
        its frames do not determine one. `taken` (frames,) are frames of other slides."""
        path, margin = self.path, round(self.settings.search_margin * self.fps)
        begin, end = given.begin, given.end
        while True:
            low = max(begin - margin, 0)
            chosen = slice(low, end + margin + 1)
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
        if not self._is_determined(fit, begin, end):
            return None
        begin, end = self._without_rests(begin, end)
        if end - begin + 1 < self.shortest:
            return None
        distances = fit.distances(path.places[begin : end + 1])
        residual = float(np.sqrt((distances**2).mean()))
        return DetectedSlide(given.kind, begin, end, fit.place, fit.direction, fit.extent, residual)

    def _chained(self, on_it: BoolArray, moving: BoolArray, core: BoolArray) -> tuple[int, int] | None:
        """First and last of the frames that move on a line or plane, in the chain with the most frames of the core;
        None where there is none. All arguments are flags (n,) of frames.

        Between two frames of a chain the point may rest on the line or plane for a pause, or be off it for the few
        frames that are bridged.
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

    def _is_determined(self, fit: SlideFit, begin: int, end: int) -> bool:
        """Whether the frames that move on a line or a plane are long, straight or flat, and varied enough for it."""
        path, settings = self.path, self.settings
        frames = np.arange(begin, end + 1)[path.moving[begin : end + 1]]
        places = path.places[frames]
        places = places[fit.distances(places) <= self.near]
        if len(places) < self.shortest:
            return False
        bend, along = bend_of(fit.kind, places, settings.bend_errors)
        if EVEN_SPREAD * along < self._extent(fit.kind) or bend > self._largest_bend(fit.kind) * along:
            return False
        if fit.kind == "line":
            return True
        if min(breadth(half) for half in np.array_split(places, 2)) < settings.half_breadth_share * settings.breadth:
            return False
        distances = fit.distances(places)
        off_plane = max(float(np.sqrt((distances**2).mean())), settings.tolerance)
        is_no_arc = off_conic(fit, places) > settings.conic_ratio * off_plane
        return is_no_arc and total_turning(fit, places[:: 2 * path.half_step]) >= settings.plane_turning

    def _without_rests(self, begin: int, end: int) -> tuple[int, int]:
        """First and last frame of a slide without frames in which the point is in its place of rest before or after."""
        path, step = self.path, self.path.half_step
        after = np.arange(max(end - 2 * step, begin), min(end + 8 * step, len(path.places) - 1) + 1)
        before = np.arange(min(begin + 2 * step, end), max(begin - 8 * step, 0) - 1, -1)
        rest_before, rest_after = path.first_at_rest(before), path.first_at_rest(after)
        return (begin if rest_before is None else rest_before), (end if rest_after is None else rest_after)
