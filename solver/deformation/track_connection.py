# SPDX-License-Identifier: GPL-3.0-or-later
"""Connecting the tracks of one effector in time and space by priority (Le Callennec 2006, algorithm 1).

The track with the higher priority keeps its path, those with lower priorities leave and rejoin it, and tracks of equal
priority are connected directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from ..constraints import Source, Track
from ..constraints.eases import bridge
from ..core.arrays import TINY, Array, IntArray, runs, span
from ..core.smooth_steps import smooth_step
from .channel import Channel
from .plant_transitions import transition_frames


def channel_from_tracks(tracks: Sequence[Track], source: Source) -> Channel:
    """The channel of one effector, connected from all of its tracks."""
    frames = source.frames
    channel = Channel(
        tracks[0].effector,
        tuple(tracks),
        np.zeros(frames, dtype=bool),
        np.zeros((frames, 3)),
        np.full(frames, -1),
        np.zeros(frames, dtype=bool),
        np.ones(frames),
        np.zeros(frames, dtype=bool),
    )
    by_priority = sorted(range(len(tracks)), key=lambda number: -tracks[number].constraint.priority)
    for _, equals in groupby(by_priority, key=lambda number: tracks[number].constraint.priority):
        numbers = list(equals)
        claimed = np.zeros(frames, dtype=bool)
        for number in numbers:
            claimed[tracks[number].begin : tracks[number].end + 1] = True
        for first, last in runs(claimed & ~channel.active):
            _fill(channel, numbers, first, last, source)
    return channel


@dataclass
class _Hold:
    """Frames, the first and the last included, in which a track is in a hold interval."""

    track: int
    begin: int
    end: int


@dataclass(frozen=True)
class _PathEnd:
    """The end of a transit."""

    time: float
    displacement: Array
    """(3,)"""
    velocity: Array
    """(3,) of the displacement, per frame."""
    outranks_partner: float
    """See `Channel.outranks_partner`."""


def _fill(channel: Channel, numbers: Sequence[int], first: int, last: int, source: Source) -> None:
    """Assign the frames first to last of a channel to some of its tracks, which have equal priority."""
    tracks = channel.tracks
    joins_before = first > 0 and bool(channel.active[first - 1])
    joins_after = last + 1 < len(channel.active) and bool(channel.active[last + 1])
    holds = _holds(channel, numbers, first, last, source)
    if not holds:
        return
    if not joins_before:
        first = max(first, tracks[holds[0].track].begin)
    if not joins_after:
        last = min(last, tracks[holds[-1].track].end)
    section = _Section(channel, first, last, holds[0].track, source.ease)
    for hold in holds:
        section.assign_hold(hold)
    for before, after in pairwise(holds):
        section.assign_transit(before, after)
    if joins_before:
        section.connect(_end_of_filled(channel, first - 1, -1), _end_of_hold(tracks, holds[0], 0))
    else:
        section.follow(holds[0], span(section.frames, first, holds[0].begin - 1))
    afterwards = span(section.frames, holds[-1].end + 1, last)
    section.owner[afterwards] = holds[-1].track
    if joins_after:
        section.connect(_end_of_hold(tracks, holds[-1], 1), _end_of_filled(channel, last + 1, 1))
    else:
        section.follow(holds[-1], afterwards)
    section.write()


class _Section:
    """The frames first to last of a channel while they are assigned to tracks."""

    def __init__(self, channel: Channel, first: int, last: int, owner: int, ease: float) -> None:
        self.channel = channel
        self.first = first
        self.ease = ease
        self.frames: IntArray = np.arange(first, last + 1)
        self.displacement = np.zeros((len(self.frames), 3))
        self.owner = np.full(len(self.frames), owner)
        self.in_hold = np.zeros(len(self.frames), dtype=bool)
        self.outranks_partner = np.ones(len(self.frames))

    def assign_hold(self, hold: _Hold) -> None:
        """Assign the frames of a hold to its track."""
        during = span(self.frames, hold.begin, hold.end)
        self.follow(hold, during)
        self.in_hold[during] = True

    def assign_transit(self, before: _Hold, after: _Hold) -> None:
        """Assign the frames between two holds: half to each track, as far as it is active there, connected where they
        are different ones."""
        tracks = self.channel.tracks
        between = span(self.frames, before.end + 1, after.begin - 1)
        half = min(max(0.5 * (before.end + after.begin), tracks[after.track].begin), tracks[before.track].end + 1)
        self.owner[between] = np.where(self.frames[between] < half, before.track, after.track)
        if before.track == after.track:
            self.follow(before, between)
        else:
            self.connect(_end_of_hold(tracks, before, 1), _end_of_hold(tracks, after, 0))

    def follow(self, hold: _Hold, chosen: slice) -> None:
        """Assign a slice of the frames to the track of a hold, with the track's own displacements."""
        track = self.channel.tracks[hold.track]
        begin, end = self.first + chosen.start, self.first + chosen.stop
        if begin == end:
            return
        self.displacement[chosen] = track.part(begin, end - 1)
        self.owner[chosen] = hold.track
        if track.outranks_partner is None:
            self.outranks_partner[chosen] = 1.0
        else:
            self.outranks_partner[chosen] = track.outranks_partner[begin - track.begin : end - track.begin]

    def connect(self, begin: _PathEnd, end: _PathEnd) -> None:
        """Write a smooth transit between two ends, both excluded."""
        between = span(self.frames, begin.time + 1.0, end.time - 1.0)
        frames = self.frames[between]
        self.displacement[between] = bridge(
            frames,
            begin.time,
            end.time,
            begin.displacement,
            end.displacement,
            begin.velocity,
            end.velocity,
            self.ease,
        )
        self.channel.bridged[frames] = True
        share = smooth_step((frames - begin.time) / max(end.time - begin.time, TINY))
        self.outranks_partner[between] = (1.0 - share) * begin.outranks_partner + share * end.outranks_partner

    def write(self) -> None:
        """Write the frames into the channel."""
        written = slice(self.first, self.first + len(self.frames))
        self.channel.active[written] = True
        self.channel.displacement[written] = self.displacement
        self.channel.owner[written] = self.owner
        self.channel.in_hold[written] = self.in_hold
        self.channel.outranks_partner[written] = self.outranks_partner


def _end_of_hold(tracks: Sequence[Track], hold: _Hold, side: int) -> _PathEnd:
    """The begin (side 0) or the end (side 1) of a hold.

    The velocity is the one inside the hold: outside, the track's own path may change direction at once.
    """
    track = tracks[hold.track]
    at, lasts = (hold.begin, hold.end)[side], hold.end > hold.begin
    low = at if lasts and side == 0 else max(at - 1, track.begin)
    high = at if lasts and side == 1 else min(at + 1, track.end)
    near = track.part(low, high)
    velocity = (near[-1] - near[0]) / max(high - low, 1)
    outranks_partner = 1.0 if track.outranks_partner is None else float(track.outranks_partner[at - track.begin])
    return _PathEnd(float(at), near[at - low], velocity, outranks_partner)


def _end_of_filled(channel: Channel, frame: int, inward: int) -> _PathEnd:
    """The frame at which the path of a constraint of higher priority, written before, is joined.

    `inward` is the direction in time, 1 or -1, in which that constraint goes on.
    """
    beside = frame + inward
    known = 0 <= beside < len(channel.active) and bool(channel.active[beside])
    velocity = inward * (channel.displacement[beside] - channel.displacement[frame]) if known else np.zeros(3)
    return _PathEnd(float(frame), channel.displacement[frame], velocity, float(channel.outranks_partner[frame]))


def _holds(channel: Channel, numbers: Sequence[int], first: int, last: int, source: Source) -> list[_Hold]:
    """The holds of some tracks within [first, last] in the order of time, shortened so that none overlaps another and
    there is time for the transit between those of different tracks, as far as there is: see `transition_frames`."""
    tracks = channel.tracks
    unit = 1.0 if channel.effector.is_angular else source.clip.skeleton.size

    def transit(before: Array, after: Array) -> int:
        """The least frames between two displacements (3,)."""
        distance = float(np.linalg.norm(after - before)) / unit
        return max(1, int(np.ceil(transition_frames(distance, source.clip.fps))))

    def at(track: int, frame: int) -> Array:
        return tracks[track].part(frame, frame)[0]

    holds = []
    for number in numbers:
        track = tracks[number]
        for begin, end in track.hold_intervals:
            earliest, latest = _frames_within(track, begin, end)
            if latest < first or earliest > last:
                continue
            earliest, latest = max(earliest, first), min(latest, last)
            if earliest <= latest and first > 0 and channel.active[first - 1]:
                earliest = max(earliest, first - 1 + transit(channel.displacement[first - 1], at(number, earliest)))
            if earliest <= latest and last + 1 < source.frames and channel.active[last + 1]:
                latest = min(latest, last + 1 - transit(at(number, latest), channel.displacement[last + 1]))
            if earliest <= latest:
                holds.append(_Hold(number, earliest, latest))
    holds.sort(key=lambda hold: (hold.begin, hold.end))
    kept: list[_Hold] = []
    while holds:
        hold = holds.pop(0)
        needed = 0
        if kept and kept[-1].track != hold.track:
            needed = transit(at(kept[-1].track, kept[-1].end), at(hold.track, hold.begin))
        if kept and hold.begin - kept[-1].end < needed:
            before = kept[-1]
            # Frames before the begin of that one belong to others already.
            hold.begin = max(hold.begin, before.begin)
            if hold.end < hold.begin:
                continue
            if hold.end < before.end:
                # The later of two holds lies inside the earlier one, which is left for it and resumed afterwards.
                halfway = (hold.begin + hold.end) // 2
                holds.append(_Hold(before.track, halfway, before.end))
                holds.sort(key=lambda hold: (hold.begin, hold.end))
                before.end = halfway
            # Both holds are shortened by the same time, but neither by more than its length; beside a path, a plant
            # keeps its time.
            stands, will_stand = (not tracks[each.track].constraint.constrains_path for each in (before, hold))
            leaves = (before.end + hold.begin - needed) // 2
            if stands != will_stand:
                leaves = before.end if stands else hold.begin - needed
            leaves = max(min(leaves, before.end), before.begin)
            if stands or not will_stand:
                hold.begin = min(max(leaves + needed, hold.begin), hold.end)
            if will_stand or not stands:
                before.end = max(min(hold.begin - needed, leaves), before.begin)
            if hold.begin <= before.end:
                continue
        kept.append(hold)
    return kept


def _frames_within(track: Track, begin: float, end: float) -> tuple[int, int]:
    """The first and the last frame of a track within times; twice the nearest frame where none lies between."""
    first, last = int(np.ceil(begin)), int(np.floor(end))
    if first > last:
        first = last = round(begin)
    return max(min(first, track.end), track.begin), max(min(last, track.end), track.begin)
