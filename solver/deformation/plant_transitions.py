# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions between constraints of one effector: the farther apart their targets, the more time between them.

Plants of one foot may follow each other at once, in places that differ. Then the foot would have to be in two places
within a frame. So both give up some frames: the transition between them has the accelerations of a motion that can be
seen without a jolt. Heel and ball of a foot give up the same frames, since they are parts of one body; its roll gives
up its own. Detection gives plants this time already, and cleanup asks here for that of plants that a user has placed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from ..constraints import Constraint, Footplant, Source, Track
from ..core.arrays import Array
from .continuation import ACCELERATION

PEAK = 5.77
"""The largest acceleration of the smooth step from 0 to 1 within a unit of time."""

LARGEST_CUT = 1.0 / 3.0
"""The share of its duration that a plant gives up at most at either end."""


Window = tuple[float, float]
"""The first and the last time at which a plant may hold its foot."""

ALWAYS: Window = (-np.inf, np.inf)
"""The window of a plant that gives up nothing."""


def transition_frames(distance: float, fps: float) -> float:
    """The least frames of a transition over a distance in sizes of the character, or radians."""
    return float(_transition_frames(np.array(distance), fps))


def _transition_frames(distances: Array, fps: float) -> Array:
    """As `transition_frames`, for distances of any shape."""
    return fps * np.sqrt(PEAK * distances / ACCELERATION)


def with_transitions(tracks: Sequence[Track], constraints: Iterable[Constraint], source: Source) -> list[Track]:
    """The tracks of all constraints, the hold intervals of plants shortened where the next plant of the same foot
    leaves too little time for the way between them. For the way of its roll, a plant holds its roll alone for less
    time."""
    constraints = tuple(constraints)
    windows = {id(plant): window for plant, window in hold_windows(constraints, source)}
    roll_windows = {id(plant): window for plant, window in _hold_windows(constraints, source, Footplant.roll_tracks)}
    shortened = []
    for track in tracks:
        own = _shortened(track, *windows.get(id(track.constraint), ALWAYS))
        is_roll = track.effector.is_angular
        shortened.append(_shortened(own, *roll_windows.get(id(track.constraint), ALWAYS)) if is_roll else own)
    return shortened


def hold_windows(constraints: Iterable[Constraint], source: Source) -> list[tuple[Footplant, Window]]:
    """The plants that give up time for the way of heel and ball to the next plant of the same foot, or from the one
    before, each with its window."""
    return _hold_windows(constraints, source, Footplant.point_tracks)


def _hold_windows(
    constraints: Iterable[Constraint], source: Source, tracks_of: Callable[[Footplant, Source], list[Track]]
) -> list[tuple[Footplant, Window]]:
    """As `hold_windows`, for the ways of some of the tracks of each plant."""
    plants = [constraint for constraint in constraints if isinstance(constraint, Footplant)]
    windows: dict[int, Window] = {}
    for foot in ("left", "right"):
        own = [(plant, tracks_of(plant, source)) for plant in plants if plant.foot == foot]
        own = sorted(((plant, tracks) for plant, tracks in own if tracks), key=lambda each: _begin(each[1]))
        for (before, leaves), (after, arrives) in pairwise(own):
            leaving, arriving = _end(leaves), _begin(arrives)
            if leaving > _end(arrives) or before.priority != after.priority:
                continue
            cut_before, cut_after = _cuts(leaves, arrives, source)
            if cut_before:
                windows[id(before)] = windows.get(id(before), ALWAYS)[0], leaving - cut_before
            if cut_after:
                windows[id(after)] = arriving + cut_after, np.inf
    return [(plant, windows[id(plant)]) for plant in plants if id(plant) in windows]


def _cuts(before: Sequence[Track], after: Sequence[Track], source: Source) -> tuple[int, int]:
    """The frames that tracks of a plant give up at their end, and those of the next one of its foot at their begin: the
    fewest that leave time for the way between them, and about as many each; all that they may give up where that is too
    little."""
    leaving, arriving = _end(before), _begin(after)
    own, others = ({track.effector: track for track in tracks} for tracks in (before, after))

    def missing(cuts_before: Array, cuts_after: Array) -> Array:
        """(cuts before, cuts after) the frames that are still missing after each pair of cuts."""
        farthest = np.zeros((len(cuts_before), len(cuts_after)))
        for effector in own.keys() & others.keys():
            ends = _at(own[effector], leaving - cuts_before)
            begins = _at(others[effector], arriving + cuts_after)
            unit = 1.0 if effector.is_angular else source.clip.skeleton.size
            farthest = np.maximum(farthest, np.linalg.norm(begins - ends[:, None], axis=2) / unit)
        needed = _transition_frames(farthest, source.clip.fps)
        return np.asarray(needed - (arriving - leaving) - cuts_before[:, None] - cuts_after)

    at_first = float(missing(np.zeros(1), np.zeros(1))[0, 0])
    if at_first <= 0.0:
        return 0, 0
    durations = leaving - _begin(before), _end(after) - arriving
    cuts = [np.arange(np.floor(min(np.ceil(at_first), LARGEST_CUT * duration)) + 1.0) for duration in durations]
    given, uneven = cuts[0][:, None] + cuts[1], np.abs(cuts[0][:, None] - cuts[1])
    costs = np.where(missing(cuts[0], cuts[1]) <= 0.0, given + uneven / (1.0 + given.max()), np.inf)
    row, column = np.unravel_index(costs.argmin() if np.isfinite(costs).any() else costs.size - 1, costs.shape)
    return int(cuts[0][row]), int(cuts[1][column])


def _begin(tracks: Sequence[Track]) -> float:
    return min(begin for track in tracks for begin, _ in track.hold_intervals)


def _end(tracks: Sequence[Track]) -> float:
    return max(end for track in tracks for _, end in track.hold_intervals)


def _at(track: Track, times: Array) -> Array:
    """(times, 3) the displacements of a track at the frames of its hold interval that are nearest to times (times,)."""
    ((begin, end),) = track.hold_intervals
    frames = np.clip(np.rint(np.clip(times, begin, end)), track.begin, track.end).astype(np.int64)
    first = int(frames.min())
    return track.part(first, int(frames.max()))[frames - first]


def _shortened(track: Track, begin: float, end: float) -> Track:
    """A track whose hold intervals lie within times; one that lies outside becomes its nearest moment."""
    if np.isneginf(begin) and np.isposinf(end):
        return track
    shortened = copy.copy(track)
    intervals = []
    for first, last in track.hold_intervals:
        intervals.append((min(max(first, begin), last), max(min(last, end), first)))
    object.__setattr__(shortened, "hold_intervals", tuple(intervals))
    return shortened
