# SPDX-License-Identifier: GPL-3.0-or-later
"""All constraints of a motion on one time line: for every effector one target a frame.

Constraints on the same effector share one channel (see `track_connection`). So the rows of a level belong to effectors,
not to constraints: a walk of eighty plants is no wider than one of two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..body.legs import leg_joints
from ..constraints import Constraint, Footplant, Source, Track
from ..constraints.effectors import Effector
from ..core.arrays import TINY, Array, BoolArray, IntArray, nearest_of
from ..core.smooth_steps import smooth_step
from .channel import Channel
from .plant_transitions import transition_frames, with_transitions
from .track_connection import channel_from_tracks


@dataclass(frozen=True, eq=False)
class Timeline:
    """The channels of all effectors that constraints have."""

    source: Source
    channels: tuple[Channel, ...]
    pairs: tuple[tuple[int, int], ...]
    """The channels of heel and ball of each foot of which both are planted at once."""
    constraints: tuple[Constraint, ...]
    left_to_source: BoolArray | None = None
    """(frames,) where a channel is not active because the ends of the clip are kept; None where they are not."""

    @staticmethod
    def of(source: Source, constraints: Iterable[Constraint]) -> Timeline:
        """Compile constraints on a source; raises a `ConstraintError` where one of them cannot be."""
        constraints = tuple(constraints)
        by_effector: dict[Effector, list[Track]] = {}
        pairs: dict[tuple[Effector, Effector], None] = {}
        source.begin_compilation(constraints)
        compiled = [track for constraint in constraints for track in constraint.compiled(source)]
        for track in source.cached(
            ("transitions", *compiled), partial(with_transitions, compiled, constraints, source)
        ):
            by_effector.setdefault(track.effector, []).append(track)
        for constraint in constraints:
            if isinstance(constraint, Footplant) and (pair := constraint.pair(source)):
                pairs[pair] = None
        channels = _without_contested_transits(
            [_cached_channel(tuple(tracks), source) for tracks in by_effector.values()], source
        )
        position = {channel.effector: number for number, channel in enumerate(channels)}
        return Timeline(source, channels, tuple((position[a], position[b]) for a, b in pairs), constraints)

    @property
    def frames(self) -> int:
        """The number of frames."""
        return self.source.frames

    @property
    def active(self) -> BoolArray:
        """(frames,) where any channel is active."""
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

    def events(self) -> IntArray:
        """The first and the last frame of every run in which one constraint owns a channel, in rising order."""
        found = [frame for channel in self.channels for run in channel.owned_runs() for frame in run]
        return np.unique(np.array(found, dtype=np.int64))

    def without_free_transits(self) -> Timeline:
        """The same without the frames in which a channel is in free transit: no constraint constrains it there."""
        channels = [
            self.source.cached(("constrained", channel), partial(channel.without, channel.in_free_transit))
            for channel in self.channels
        ]
        return replace(self, channels=tuple(channels))

    def with_kept_ends(self) -> Timeline:
        """The same for a part of a longer motion, whose first and last frame stay as they are: near these, no channel
        is active in the frames that the way from the source to its target takes."""
        unit, fps, last = self.source.clip.skeleton.size, self.source.clip.fps, self.frames - 1
        channels, left = [], np.zeros(self.frames, dtype=bool)
        for channel in self.channels:
            ends = np.zeros(self.frames, dtype=bool)
            lengths = np.linalg.norm(channel.displacement, axis=1) / (1.0 if channel.effector.is_angular else unit)
            active = np.flatnonzero(channel.active)
            if active.size:
                before, after = (transition_frames(float(lengths[active[side]]), fps) for side in (0, -1))
                ends[: 1 + int(np.ceil(before)) if active[0] <= before else 1] = True
                ends[last - (int(np.ceil(after)) if active[-1] >= last - after else 0) :] = True
            channels.append(channel.without(ends))
            left |= ends & channel.active
        return replace(self, channels=tuple(channels), left_to_source=left)

    def targets(self) -> list[Array]:
        """(frames, width) the targets of each channel; without meaning where the channel is not active."""
        targets = [
            self.source.cached(("targets", channel), partial(self._displaced, channel)) for channel in self.channels
        ]
        for heel, ball in self.pairs:
            pair = self.channels[heel], self.channels[ball]
            targets[heel], targets[ball] = self.source.cached(
                ("coupled targets", pair), partial(self._coupled, pair, targets[heel], targets[ball])
            )
        return targets

    def _displaced(self, channel: Channel) -> Array:
        return channel.effector.displaced(self.source.values(channel.effector), channel.displacement)

    def _coupled(self, pair: tuple[Channel, Channel], heel_targets: Array, ball_targets: Array) -> tuple[Array, Array]:
        """The targets (frames, 3) of heel and ball, with the lower-ranking one moved so that they are as far apart as
        on the character.

        Interpolated separately they would contradict each other, and neither would be met.
        """
        heel, ball = pair
        frames = np.flatnonzero(heel.active & ball.active)
        apart = ball_targets[frames] - heel_targets[frames]
        length = np.linalg.norm(apart, axis=1)
        values = [self.source.values(channel.effector)[frames] for channel in pair]
        wanted = np.linalg.norm(values[1] - values[0], axis=1)
        # Where the source's foot is not quite rigid, it has the length of its targets while it stands.
        standing = np.flatnonzero((heel.in_hold & ball.in_hold)[frames])
        if standing.size:
            nearest = nearest_of(standing, len(frames))
            away = smooth_step(np.abs(nearest - np.arange(len(frames))) / max(self.source.ease, 1.0))
            wanted = away * wanted + (1.0 - away) * length[nearest]
        excess = length - wanted
        along = apart / np.maximum(length, TINY)[:, None]
        heel_outranks_ball = _heel_outranks_ball(heel, ball)[frames]
        heel_targets, ball_targets = heel_targets.copy(), ball_targets.copy()
        heel_targets[frames] += ((1.0 - heel_outranks_ball) * excess)[:, None] * along
        ball_targets[frames] -= (heel_outranks_ball * excess)[:, None] * along
        return heel_targets, ball_targets


def _without_contested_transits(channels: Sequence[Channel], source: Source) -> tuple[Channel, ...]:
    """The channels, not active in free transits of feet (see `Channel`) while another one constrains the same leg."""
    skeleton = source.clip.skeleton
    uncontested = []
    for channel in channels:
        joint, in_transit = channel.effector.moved_joint, channel.in_free_transit
        if joint is not None and in_transit.any():
            others = [
                each for each in channels if each is not channel and not each.only_holds_constrained[each.active].all()
            ]
            contested = np.zeros_like(in_transit)
            for other in others:
                if other.effector.moved_joint is not None and other.effector.moved_joint in leg_joints(skeleton, joint):
                    contested |= other.active & ~other.in_free_transit & ~other.only_holds_constrained
            channel = channel.without(in_transit & contested)
        uncontested.append(channel)
    return tuple(uncontested)


def _cached_channel(tracks: tuple[Track, ...], source: Source) -> Channel:
    """As `channel_from_tracks`, cached by its tracks."""
    return source.cached(("channel", tracks), lambda: channel_from_tracks(tracks, source))


def _heel_outranks_ball(heel: Channel, ball: Channel) -> Array:
    """(frames,) 1.0 where the heel ranks above the ball of its foot, 0.0 where the ball does, smooth between.

    The one that stands ranks above the one in transit. While both stand, the footplant's own ranks apply. In the air
    the rank passes smoothly from the one that left the ground last to the one that touches it first.
    """
    known = np.flatnonzero(heel.in_hold | ball.in_hold)
    if not known.size:
        return heel.outranks_partner
    known_ranks = np.where(heel.in_hold & ball.in_hold, heel.outranks_partner, heel.in_hold.astype(np.float64))
    frames = np.arange(len(known_ranks))
    after = np.searchsorted(known, frames)
    left, right = known[np.maximum(after - 1, 0)], known[np.minimum(after, len(known) - 1)]
    share = smooth_step((frames - left) / np.maximum(right - left, 1))
    return np.asarray((1.0 - share) * known_ranks[left] + share * known_ranks[right])
