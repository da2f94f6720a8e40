# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels: the targets of one effector over a whole clip, and the constraint that owns each frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..constraints import Track
from ..constraints.eases import velocity_blend
from ..constraints.effectors import Effector
from ..core.arrays import Array, BoolArray, IntArray, runs
from ..core.smooth_steps import cubic_step
from .task_specifications import TaskSpecifications


@dataclass(frozen=True, eq=False)
class Channel:
    """One effector over the whole clip.

    In a hold interval the target is exactly what a user asked for; in all other active frames the effector is in
    transit. A transit is bridged where it goes from one constraint to another, on a path that belongs to neither. It is
    free where no constraint constrains its path: between the plants of a foot, or on any bridge of a channel that has
    plants.
    """

    effector: Effector
    tracks: tuple[Track, ...]
    active: BoolArray
    """(frames,)"""
    displacement: Array
    """(frames, 3) from the source's values to the targets; zero where it is not active."""
    owner: IntArray
    """(frames,) the track that owns the frame, an index into `tracks`; -1 where the channel is not active."""
    in_hold: BoolArray
    """(frames,) whether the frame lies in a hold interval of its owner; elsewhere the effector is in transit."""
    outranks_partner: Array
    """(frames,) 1.0 where it ranks above its partner, 0.0 where below, smooth between; heel and ball of a foot are
    partners, the roll of the foot has -1.0, and an effector without a partner 1.0."""
    bridged: BoolArray
    """(frames,) where it is in transit from one constraint to another."""

    @cached_property
    def only_holds_constrained(self) -> BoolArray:
        """(frames,) where the owner constrains its hold intervals alone, not the path between them."""
        free = np.array([not track.constraint.constrains_path for track in self.tracks] + [False])
        return free[self.owner] | (self.bridged & bool(free.any()))

    @cached_property
    def in_free_transit(self) -> BoolArray:
        """(frames,) where it is in free transit."""
        return self.only_holds_constrained & ~self.in_hold

    @cached_property
    def task_specifications(self) -> TaskSpecifications:
        """Priority, weight and recruited joints of its task in each frame."""
        return TaskSpecifications.of(self.tracks, self.owner, self.outranks_partner)

    def without(self, frames: BoolArray) -> Channel:
        """The same channel, not active in the marked frames (frames,)."""
        if not (self.active & frames).any():
            return self
        return replace(self, active=self.active & ~frames, owner=np.where(frames, -1, self.owner))

    def owned_runs(self) -> list[tuple[int, int]]:
        """The first and the last frame of every run of active frames with the same owner."""
        changes = np.flatnonzero(np.diff(self.owner)) + 1
        edges = np.concatenate([[0], changes, [len(self.owner)]])
        return [(int(a), int(b) - 1) for a, b in pairwise(edges) if self.active[a]]

    def active_runs(self) -> list[ActiveRun]:
        """The runs of active frames."""
        return [ActiveRun(self, first, last) for first, last in runs(self.active)]


@dataclass(frozen=True, eq=False)
class ActiveRun:
    """A run of active frames of a channel, from `first` to `last`."""

    channel: Channel
    first: int
    last: int

    def first_hold(self) -> int:
        """The first frame in a hold interval."""
        return self.first + int(np.argmax(self.channel.in_hold[self.first : self.last + 1]))

    def last_hold(self) -> int:
        """The last frame in a hold interval."""
        return self.last - int(np.argmax(self.channel.in_hold[self.first : self.last + 1][::-1]))


def boundary_offsets(
    run: ActiveRun, before: Array, slope_before: Array, after: Array, slope_after: Array, ease: float
) -> Array:
    """(frames of the run, 3) offsets by which the displacements of a run begin and end at those of the motion around.

    `before` and `slope_before` (3,) are the effector's displacement in the frame before the first, and its change per
    frame; `after` and `slope_after` those in the frame after the last. The offsets are zero between the first and the
    last hold interval.
    """
    frames = np.arange(run.first, run.last + 1)
    offsets = np.zeros((len(frames), 3))
    first_hold, last_hold = run.first_hold(), run.last_hold()
    if first_hold > run.first:
        duration = first_hold - (run.first - 1)
        elapsed = frames - (run.first - 1)
        offsets += (1.0 - cubic_step(elapsed / duration))[:, None] * before
        offsets += velocity_blend(elapsed, min(ease, duration)) * slope_before
    if last_hold < run.last:
        duration = (run.last + 1) - last_hold
        ahead = (run.last + 1) - frames
        offsets += (1.0 - cubic_step(ahead / duration))[:, None] * after
        offsets -= velocity_blend(ahead, min(ease, duration)) * slope_after
    return offsets
