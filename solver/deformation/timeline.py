# SPDX-License-Identifier: GPL-3.0-or-later
"""All constraints of a motion on one time line: for every effector one target a frame, and who asks for it.

Constraints on the same effector that overlap in time are connected in time and space by priority (document 003,
algorithm 1): the more important one keeps its way, the others leave and rejoin it, and equals meet each other directly.
So the rows of a level belong to effectors, not to constraints: a walk of eighty plants is no wider than one of two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby, pairwise

import numpy as np

from ..body.legs import leg_joints
from ..constraints import Constraint, Footplant, Source, Track
from ..constraints.eases import bridge, cubic_step, departure, smooth_step
from ..constraints.effectors import Effector
from ..core.arrays import TINY, Array, BoolArray, IntArray, runs, span
from .task_specifications import Wishes

SHORTEST_TRANSIT = 0.5
"""Of the usual ease, the least time that is left to go from one constraint to another that would follow at once."""


@dataclass(frozen=True, eq=False)
class Channel:
    """One effector over the whole clip."""

    effector: Effector
    tracks: tuple[Track, ...]
    active: BoolArray
    """(frames,)"""
    displacement: Array
    """(frames, 3) from the source's values to the targets; zero where it is not active."""
    owner: IntArray
    """(frames,) whose frame it is: an index into `tracks`; -1 where it is not active."""
    held: BoolArray
    """(frames,) where the target is what a user asked for, not on its way."""
    leads: Array
    """(frames,) 1.0 where it is the more important effector of its constraint, 0.0 where not, smooth between."""
    bridged: BoolArray
    """(frames,) where it is on its way from one constraint to another: neither of them has asked for that."""

    @cached_property
    def is_careless(self) -> BoolArray:
        """(frames,) where whoever has it does not mind its way."""
        careless = np.array([not track.constraint.constrains_path for track in self.tracks] + [False])
        return careless[self.owner] | (self.bridged & bool(careless.any()))

    @cached_property
    def on_the_way(self) -> BoolArray:
        """(frames,) where it is on the way and nobody minds how."""
        return self.is_careless & ~self.held

    @cached_property
    def wishes(self) -> Wishes:
        """How it is to be met at which frames."""
        return Wishes.of(self.tracks, self.owner, self.leads)

    def without(self, frames: BoolArray) -> Channel:
        """The same, not active at some frames (frames,)."""
        if not (self.active & frames).any():
            return self
        return replace(self, active=self.active & ~frames, owner=np.where(frames, -1, self.owner))

    def stretches(self) -> list[Stretch]:
        """The runs of active frames."""
        return [Stretch(self, first, last) for first, last in runs(self.active)]


@dataclass(frozen=True, eq=False)
class Stretch:
    """A run of active frames of a channel: it is switched on at `first` and off after `last`."""

    channel: Channel
    first: int
    last: int

    def arrival(self) -> int:
        """The first frame that a user asked for."""
        return self.first + int(np.argmax(self.channel.held[self.first : self.last + 1]))

    def departure(self) -> int:
        """The last frame that a user asked for."""
        return self.last - int(np.argmax(self.channel.held[self.first : self.last + 1][::-1]))


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg whose foot is planted at some time."""

    joints: IntArray
    """From the hip down."""
    channels: tuple[int, ...]
    """Of everything that is asked of it."""
    airborne: BoolArray
    """(frames,) where its foot is on its way, and nothing else is asked of the leg."""
    held: BoolArray
    """(frames,) where something is."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """What holds in every frame."""

    source: Source
    channels: tuple[Channel, ...]
    pairs: tuple[tuple[int, int], ...]
    """Channels of heel and toe of one foot, which lie as far apart as on the character."""
    constraints: tuple[Constraint, ...]

    @staticmethod
    def of(source: Source, constraints: Iterable[Constraint]) -> Timeline:
        """Compile constraints on a motion; a `ConstraintError` where one of them cannot be."""
        constraints = tuple(constraints)
        by_effector: dict[Effector, list[Track]] = {}
        pairs: dict[tuple[Effector, Effector], None] = {}
        source.begin_compilation()
        for constraint in constraints:
            for track in source.tracks(constraint):
                by_effector.setdefault(track.effector, []).append(track)
            if isinstance(constraint, Footplant) and (pair := constraint.pair(source)):
                pairs[pair] = None
        channels = _uncontested([_connected_once(tuple(tracks), source) for tracks in by_effector.values()], source)
        position = {channel.effector: number for number, channel in enumerate(channels)}
        return Timeline(source, channels, tuple((position[a], position[b]) for a, b in pairs), constraints)

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return self.source.frames

    @property
    def active(self) -> BoolArray:
        """(frames,) where anything is active."""
        active = np.zeros(self.frames, dtype=bool)
        for channel in self.channels:
            active |= channel.active
        return active

    def with_displacements(self, displacements: Sequence[Array]) -> Timeline:
        """The same with other displacements (frames, 3) for each channel."""
        channels = [
            replace(channel, displacement=given) for channel, given in zip(self.channels, displacements, strict=True)
        ]
        return replace(self, channels=tuple(channels))

    @cached_property
    def legs(self) -> tuple[Leg, ...]:
        """The legs of all feet that are planted at some time."""
        skeleton = self.source.clip.skeleton
        legs = {}
        for channel in self.channels:
            joint = channel.effector.moved_joint
            if joint is not None and channel.on_the_way.any():
                joints = leg_joints(skeleton, joint)
                legs[int(joints[0])] = joints
        return tuple(self._leg(joints) for joints in legs.values())

    def _leg(self, joints: IntArray) -> Leg:
        numbers = [n for n, channel in enumerate(self.channels) if channel.effector.moved_joint in joints]
        on_its_way = np.zeros(self.frames, dtype=bool)
        held = np.zeros(self.frames, dtype=bool)
        for channel in (self.channels[number] for number in numbers):
            free = channel.active & channel.on_the_way
            on_its_way |= free
            held |= channel.active & ~free
        return Leg(joints, tuple(numbers), on_its_way & ~held, held)

    def aground(self) -> Timeline:
        """The same without feet in the air: nothing holds these."""
        channels = list(self.channels)
        for leg in self.legs:
            for number, channel in zip(leg.channels, self._grounded(leg), strict=True):
                channels[number] = channel
        return replace(self, channels=tuple(channels))

    def _grounded(self, leg: Leg) -> list[Channel]:
        """The channels of a leg without it being in the air; who moves one foot leaves the other as it was."""
        channels = tuple(self.channels[number] for number in leg.channels)
        return self.source.cached(
            ("grounded", channels),
            lambda: [channel.without(leg.airborne & channel.on_the_way) for channel in channels],
        )

    def targets(self) -> list[Array]:
        """(frames, width) for each channel; what it says where a channel is not active means nothing."""
        targets = [
            self.source.cached(("targets", channel), partial(self._displaced, channel)) for channel in self.channels
        ]
        for heel, toe in self.pairs:
            pair = self.channels[heel], self.channels[toe]
            targets[heel], targets[toe] = self.source.cached(
                ("coupled targets", pair), partial(self._coupled, pair, targets[heel], targets[toe])
            )
        return targets

    def _displaced(self, channel: Channel) -> Array:
        return channel.effector.displaced(self.source.values(channel.effector), channel.displacement)

    def _coupled(self, pair: tuple[Channel, Channel], heel_targets: Array, toe_targets: Array) -> tuple[Array, Array]:
        """The targets (frames, 3) of heel and toe, the follower of the two as far from the leader as on the character.

        Interpolated apart they would contradict each other, and neither would hold.
        """
        first, second = pair
        frames = np.flatnonzero(first.active & second.active)
        apart = toe_targets[frames] - heel_targets[frames]
        length = np.linalg.norm(apart, axis=1)
        values = [self.source.values(channel.effector)[frames] for channel in (first, second)]
        wanted = np.linalg.norm(values[1] - values[0], axis=1)
        # Where the source's foot is not quite rigid, it is as long as it stands while it stands.
        standing = np.flatnonzero((first.held & second.held)[frames])
        if standing.size:
            nearest = _nearest(standing, len(frames))
            away = smooth_step(np.abs(nearest - np.arange(len(frames))) / max(self.source.ease, 1.0))
            wanted = away * wanted + (1.0 - away) * length[nearest]
        excess = length - wanted
        along = apart / np.maximum(length, TINY)[:, None]
        heel_leads = _leading(first, second)[frames]
        heel_targets, toe_targets = heel_targets.copy(), toe_targets.copy()
        heel_targets[frames] += ((1.0 - heel_leads) * excess)[:, None] * along
        toe_targets[frames] -= (heel_leads * excess)[:, None] * along
        return heel_targets, toe_targets


def _uncontested(channels: Sequence[Channel], source: Source) -> tuple[Channel, ...]:
    """The channels without feet on their way where something else moves the same leg."""
    skeleton = source.clip.skeleton
    uncontested = []
    for channel in channels:
        joint, on_the_way = channel.effector.moved_joint, channel.on_the_way
        if joint is not None and on_the_way.any():
            others = [each for each in channels if each is not channel and not each.is_careless[each.active].all()]
            contested = np.zeros_like(on_the_way)
            for other in others:
                if other.effector.moved_joint is not None and other.effector.moved_joint in leg_joints(skeleton, joint):
                    contested |= other.active & ~other.on_the_way & ~other.is_careless
            channel = channel.without(on_the_way & contested)
        uncontested.append(channel)
    return tuple(uncontested)


def _connected_once(tracks: tuple[Track, ...], source: Source) -> Channel:
    """`connected`, as before for tracks that are as before."""
    return source.cached(("connected", tracks), lambda: connected(tracks, source))


def connected(tracks: Sequence[Track], source: Source) -> Channel:
    """One channel from all tracks of one effector."""
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
            _fill(channel, numbers, first, last, source.ease)
    return channel


@dataclass
class _Stop:
    """Frames in which a track is held, the first and the last too."""

    track: int
    begin: int
    end: int


def _fill(channel: Channel, numbers: Sequence[int], first: int, last: int, ease: float) -> None:
    """Write the frames first to last of a channel, which some tracks of equal priority may use, to them."""
    tracks = channel.tracks
    joins_before = first > 0 and bool(channel.active[first - 1])
    joins_after = last + 1 < len(channel.active) and bool(channel.active[last + 1])
    transit = int(np.ceil(ease * SHORTEST_TRANSIT))
    stops = _stops(tracks, numbers, first, last, transit, joins_before, joins_after)
    if not stops:
        return
    if not joins_before:
        first = max(first, tracks[stops[0].track].begin)
    if not joins_after:
        last = min(last, tracks[stops[-1].track].end)
    frames = np.arange(first, last + 1)
    displacement = np.zeros((len(frames), 3))
    owner = np.full(len(frames), stops[0].track)
    held = np.zeros(len(frames), dtype=bool)
    leads = np.ones(len(frames))

    def own(stop: _Stop, chosen: slice) -> None:
        track = tracks[stop.track]
        begin, end = first + chosen.start, first + chosen.stop
        if begin == end:
            return
        displacement[chosen] = track.part(begin, end - 1)
        owner[chosen] = stop.track
        leads[chosen] = 1.0 if track.leads is None else track.leads[begin - track.begin : end - track.begin]

    def end_of(stop: _Stop, side: int) -> tuple[float, Array, Array, float]:
        """Time, displacement, its velocity and the leading share at the begin (side 0) or the end (side 1) of a stop.

        The velocity is the one inside the stop: outside, the track's own way may turn at once.
        """
        track = tracks[stop.track]
        at, is_stay = (stop.begin, stop.end)[side], stop.end > stop.begin
        low = at if is_stay and side == 0 else max(at - 1, track.begin)
        high = at if is_stay and side == 1 else min(at + 1, track.end)
        near = track.part(low, high)
        slope = (near[-1] - near[0]) / max(high - low, 1)
        leading = 1.0 if track.leads is None else float(track.leads[at - track.begin])
        return float(at), near[at - low], slope, leading

    def connect(begin: tuple[float, Array, Array, float], end: tuple[float, Array, Array, float]) -> None:
        between = span(frames, begin[0] + 1.0, end[0] - 1.0)
        displacement[between] = bridge(frames[between], begin[0], end[0], begin[1], end[1], begin[2], end[2], ease)
        channel.bridged[frames[between]] = True
        share = smooth_step((frames[between] - begin[0]) / max(end[0] - begin[0], TINY))
        leads[between] = (1.0 - share) * begin[3] + share * end[3]

    for stop in stops:
        during = span(frames, stop.begin, stop.end)
        own(stop, during)
        held[during] = True
    for before, after in pairwise(stops):
        between = span(frames, before.end + 1, after.begin - 1)
        owner[between] = np.where(frames[between] < 0.5 * (before.end + after.begin), before.track, after.track)
        if before.track == after.track:
            own(before, between)
        else:
            connect(end_of(before, 1), end_of(after, 0))
    if joins_before:
        connect(_joint(channel, first - 1, -1), end_of(stops[0], 0))
    else:
        own(stops[0], span(frames, first, stops[0].begin - 1))
    afterwards = span(frames, stops[-1].end + 1, last)
    owner[afterwards] = stops[-1].track
    if joins_after:
        connect(end_of(stops[-1], 1), _joint(channel, last + 1, 1))
    else:
        own(stops[-1], afterwards)
    written = slice(first, last + 1)
    channel.active[written] = True
    channel.displacement[written] = displacement
    channel.owner[written] = owner
    channel.held[written] = held
    channel.leads[written] = leads


def _joint(channel: Channel, frame: int, inward: int) -> tuple[float, Array, Array, float]:
    """Time, displacement, its velocity and the leading share where a more important constraint is joined.

    `inward` is the direction in time, 1 or -1, in which that constraint goes on.
    """
    beside = frame + inward
    known = 0 <= beside < len(channel.active) and bool(channel.active[beside])
    slope = inward * (channel.displacement[beside] - channel.displacement[frame]) if known else np.zeros(3)
    return float(frame), channel.displacement[frame], slope, float(channel.leads[frame])


def _stops(
    tracks: Sequence[Track],
    numbers: Sequence[int],
    first: int,
    last: int,
    transit: int,
    joins_before: bool,
    joins_after: bool,
) -> list[_Stop]:
    """The stays of some tracks within [first, last] in the order of time, none overlapping another."""
    stops = []
    for number in numbers:
        track = tracks[number]
        for begin, end in track.hold_intervals:
            earliest, latest = _frames_within(track, begin, end)
            if latest < first or earliest > last:
                continue
            earliest = max(earliest, first + transit if joins_before else first)
            latest = min(latest, last - transit if joins_after else last)
            if earliest <= latest:
                stops.append(_Stop(number, earliest, latest))
    stops.sort(key=lambda stop: (stop.begin, stop.end))
    kept: list[_Stop] = []
    while stops:
        stop = stops.pop(0)
        if kept and kept[-1].track != stop.track and stop.begin - kept[-1].end < transit:
            before = kept[-1]
            # What lies before that one's begin has been given away already.
            stop.begin = max(stop.begin, before.begin)
            if stop.end < stop.begin:
                continue
            if stop.end < before.end:
                # The later of two equals lies inside the earlier, which is left for it and taken up again.
                halfway = (stop.begin + stop.end) // 2
                stops.append(_Stop(before.track, halfway, before.end))
                stops.sort(key=lambda stop: (stop.begin, stop.end))
                before.end = halfway
            # Equals that leave each other no time give way alike; but nobody gives up more than all of its stay.
            leaves = max(min((before.end + stop.begin - transit) // 2, before.end), before.begin)
            stop.begin = min(max(leaves + transit, stop.begin), stop.end)
            before.end = max(min(stop.begin - transit, leaves), before.begin)
            if stop.begin <= before.end:
                continue
        kept.append(stop)
    return kept


def _frames_within(track: Track, begin: float, end: float) -> tuple[int, int]:
    """The first and the last frame of a track within times; twice the nearest one where they lie between two."""
    first, last = int(np.ceil(begin)), int(np.floor(end))
    if first > last:
        first = last = round(begin)
    return max(min(first, track.end), track.begin), max(min(last, track.end), track.begin)


def eased_from(stretch: Stretch, before: Array, slope: Array, after: Array, slope_after: Array, ease: float) -> Array:
    """(frames of the stretch, 3) what to add so that a stretch begins and ends where the motion around it is.

    `before` and `slope` (3,) are how far the effector is displaced in the frame before the first, and by how much more
    in each frame; `after` and `slope_after` the same for the frame after the last.
    """
    frames = np.arange(stretch.first, stretch.last + 1)
    added = np.zeros((len(frames), 3))
    arrival, leave = stretch.arrival(), stretch.departure()
    if arrival > stretch.first:
        span = arrival - (stretch.first - 1)
        elapsed = frames - (stretch.first - 1)
        added += (1.0 - cubic_step(elapsed / span))[:, None] * before + departure(elapsed, min(ease, span)) * slope
    if leave < stretch.last:
        span = (stretch.last + 1) - leave
        ahead = (stretch.last + 1) - frames
        added += (1.0 - cubic_step(ahead / span))[:, None] * after - departure(ahead, min(ease, span)) * slope_after
    return added


def _leading(heel: Channel, toe: Channel) -> Array:
    """(frames,) 1.0 where the heel leads its toe, 0.0 where the toe leads.

    Who stands does not yield to who is on its way. While both stand it does not matter; in the air the lead passes
    smoothly from who left the ground last to who touches it first.
    """
    known = np.flatnonzero(heel.held | toe.held)
    if not known.size:
        return heel.leads
    leads = np.where(heel.held & toe.held, heel.leads, heel.held.astype(np.float64))
    frames = np.arange(len(leads))
    after = np.searchsorted(known, frames)
    left, right = known[np.maximum(after - 1, 0)], known[np.minimum(after, len(known) - 1)]
    share = smooth_step((frames - left) / np.maximum(right - left, 1))
    return np.asarray((1.0 - share) * leads[left] + share * leads[right])


def distances_to(mask: BoolArray) -> Array:
    """(frames,) how many frames away the nearest true value is; at least one is true."""
    return np.abs(_nearest(np.flatnonzero(mask), len(mask)) - np.arange(len(mask))).astype(np.float64)


def _nearest(marked: IntArray, count: int) -> IntArray:
    """(count,) which of some marked indices, in rising order, is nearest to each index below a count."""
    positions = np.arange(count)
    after = marked[np.minimum(np.searchsorted(marked, positions), len(marked) - 1)]
    before = marked[np.maximum(np.searchsorted(marked, positions, side="right") - 1, 0)]
    return np.where(np.abs(positions - before) <= np.abs(after - positions), before, after)
