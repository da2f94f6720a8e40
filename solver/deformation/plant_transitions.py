# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions between constraints of one effector: the farther apart their targets, the more time between them.

Plants of one foot may follow each other at once, in places that differ. Then the foot would have to be in two places
within a frame. So both give up some frames: the transition between them has the accelerations of a motion that can be
seen without a jolt. Heel and ball of a foot give up the same frames, since they are parts of one body.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from ..constraints import Constraint, Footplant, Source, Track
from ..core.arrays import Array
from .continuation import ACCELERATION

PEAK = 5.77
"""The largest acceleration of the smooth step from 0 to 1 within a unit of time."""

LARGEST_CUT = 1.0 / 3.0
"""The share of its duration that a plant gives up at most at either end."""


def transition_frames(distance: float, fps: float) -> float:
    """The least frames of a transition over a distance in sizes of the character, or radians."""
    return fps * float(np.sqrt(PEAK * distance / ACCELERATION))


def with_transitions(tracks: Sequence[Track], constraints: Iterable[Constraint], source: Source) -> list[Track]:
    """The tracks of all constraints, the hold intervals of plants shortened where the next plant of the same foot
    leaves too little time for the way between them."""
    plants = [constraint for constraint in constraints if isinstance(constraint, Footplant)]
    own_tracks: dict[int, list[Track]] = {}
    for track in tracks:
        own_tracks.setdefault(id(track.constraint), []).append(track)
    windows: dict[int, tuple[float, float]] = {}
    for foot in ("left", "right"):
        own = sorted((plant for plant in plants if plant.foot == foot), key=_begin)
        for before, after in pairwise(own):
            leaving, arriving = _end(before), _begin(after)
            missing = transition_frames(_distance(before, after, own_tracks, source), source.clip.fps) - (
                arriving - leaving
            )
            if missing <= 0.0 or leaving > _end(after) or before.priority != after.priority:
                continue
            cut_before = min(0.5 * missing, LARGEST_CUT * (leaving - _begin(before)))
            cut_after = min(0.5 * missing, LARGEST_CUT * (_end(after) - arriving))
            windows[id(before)] = (windows.get(id(before), (-np.inf, np.inf))[0], leaving - cut_before)
            windows[id(after)] = (arriving + cut_after, np.inf)
    return [_shortened(track, *windows.get(id(track.constraint), (-np.inf, np.inf))) for track in tracks]


def _begin(plant: Footplant) -> float:
    return min(begin for begin, _ in plant.stays.values())


def _end(plant: Footplant) -> float:
    return max(end for _, end in plant.stays.values())


def _distance(one: Footplant, other: Footplant, tracks: dict[int, list[Track]], source: Source) -> float:
    """How much the displacements of a foot differ between the end of a plant and the begin of another, in sizes of the
    character."""
    ends = {track.effector: _at(track, _end(one)) for track in tracks[id(one)]}
    begins = {track.effector: _at(track, _begin(other)) for track in tracks[id(other)]}
    ways = [begins[effector] - ends[effector] for effector in ends.keys() & begins.keys()]
    return max((float(np.linalg.norm(way)) for way in ways), default=0.0) / source.clip.skeleton.size


def _at(track: Track, time: float) -> Array:
    """(3,) the displacement of a track at the nearest moment of its hold interval."""
    ((begin, end),) = track.hold_intervals
    frame = min(max(round(min(max(time, begin), end)), track.begin), track.end)
    return track.part(frame, frame)[0]


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
