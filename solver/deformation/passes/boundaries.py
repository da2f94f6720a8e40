# SPDX-License-Identifier: GPL-3.0-or-later
"""Joining the ends of constraints to the motion around them.

In document 003 a shape-constraint begins and ends on the source. But what other constraints do to the body has moved
the effector away from there, and switching the constraint on would make it jump back. So the frames right outside its
activity are solved first, and the way begins and ends where they have the effector (docs/derivations.md).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass

import numpy as np

from ...body.kinematics import WorldState
from ...constraints.effectors import Effector
from ...core.arrays import Array, IntArray
from ..frame_tasks import Enforcement
from ..timeline import Channel, Stretch, Timeline, eased_from
from ..workspace import Progress, Workspace
from .swing_phase import flown, swings

ROUNDS = 2
"""How often the ends are joined: once, and again because joining one may have moved another."""

SeamKey = tuple[Effector, int, int, int, int]
"""Effector, first and last frame, arrival and departure of a stretch."""


@dataclass(frozen=True, eq=False)
class Seam:
    """A stretch of a channel and the frames outside it that tell where the motion is there."""

    channel: int
    stretch: Stretch
    before: IntArray
    """The nearest frame before the stretch first, then the next; empty where nothing needs to be joined."""
    after: IntArray

    @property
    def outside(self) -> IntArray:
        """Both."""
        return np.concatenate([self.before, self.after])

    @property
    def key(self) -> SeamKey:
        """What tells it from others, also from those of another solve."""
        stretch = self.stretch
        return stretch.channel.effector, stretch.first, stretch.last, stretch.arrival(), stretch.departure()


@dataclass(frozen=True, eq=False)
class Joined:
    """What to enforce, before and after the ends of constraints were joined to the motion around them."""

    unjoined: Enforcement
    joined: Enforcement
    added: dict[SeamKey, Array]
    """For each seam, (frames of its stretch, 3): what joining has added to the displacements."""


def joining(enforcement: Enforcement, work: Workspace, before: Joined | None) -> Generator[Progress, None, Joined]:
    """Let every constraint begin and end where the rest of the motion has brought its effector.

    Of what was joined `before`, for other constraints on the same clip, all is kept that has not changed.
    """
    timeline = enforcement.timeline
    everywhere = np.ones(timeline.frames, dtype=bool)
    stale = enforcement.changed(before.unjoined) if before else everywhere
    added: dict[SeamKey, Array] = {}
    open_seams = []
    for seam in (seam for number, channel in enumerate(timeline.channels) for seam in _seams(number, channel)):
        if before and seam.key in before.added and not stale[seam.outside].any():
            added[seam.key] = before.added[seam.key]
        else:
            open_seams.append(seam)
    joined = _with_added(enforcement, added)
    outside = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(seam.outside for seam in open_seams)]))
    for _ in range(ROUNDS if open_seams else 0):
        stale = joined.changed(before.joined) if before else everywhere
        yield from _solving_outside(joined, work, outside[stale[outside]])
        world = WorldState.of(enforcement.skeleton, work.at(outside))
        for seam in open_seams:
            effector = timeline.channels[seam.channel].effector
            reached = effector.displacement(timeline.source.values(effector)[outside], effector.value(world))
            value_before, slope_before = _trend(reached, outside, seam.before)
            value_after, slope_after = _trend(reached, outside, seam.after)
            added[seam.key] = eased_from(
                seam.stretch, value_before, -slope_before, value_after, slope_after, timeline.source.ease
            )
        joined = _with_added(enforcement, added)
    return Joined(enforcement, joined, added)


def _solving_outside(enforcement: Enforcement, work: Workspace, frames: IntArray) -> Generator[Progress, None, None]:
    """Solve some frames; those in which a foot is in the air need the frames between which it is."""
    timeline = enforcement.timeline
    flying = flown(timeline)[frames]
    ends = [
        end
        for swing in swings(timeline)
        if ((frames >= swing.first) & (frames <= swing.last)).any()
        for end in (swing.before, swing.after)
    ]
    firm = np.union1d(frames[~flying], np.array(ends, dtype=np.int64))
    aground = Enforcement(timeline.aground(), enforcement.targets)
    work.restore(np.union1d(firm, frames))
    yield from work.solve(aground, firm, "joining")
    in_the_air = frames[flying]
    if in_the_air.size and firm.size:
        reference = work.between(firm, in_the_air)
        work.put(in_the_air, reference)
        work.refer(in_the_air, reference)
        yield from work.solve(aground, in_the_air, "joining")


def _with_added(enforcement: Enforcement, added: Mapping[SeamKey, Array]) -> Enforcement:
    """With something added to the displacements of some stretches."""
    if not added:
        return enforcement
    by_effector: dict[Effector, list[tuple[SeamKey, Array]]] = {}
    for key, part in added.items():
        by_effector.setdefault(key[0], []).append((key, part))
    displacements = []
    for channel in enforcement.timeline.channels:
        whole = channel.displacement.copy()
        for (_, first, last, *_), part in by_effector.get(channel.effector, []):
            whole[first : last + 1] += part
        displacements.append(whole)
    timeline: Timeline = enforcement.timeline.with_displacements(displacements)
    return Enforcement(timeline)


def _seams(number: int, channel: Channel) -> list[Seam]:
    seams = []
    frames = len(channel.active)
    careless = channel.on_the_way
    for stretch in channel.stretches():
        first, last = stretch.first, stretch.last
        # What nobody minds needs no care at its ends either.
        before = [first - 1, first - 2] if stretch.arrival() > first and not careless[first] else []
        after = [last + 1, last + 2] if stretch.departure() < last and not careless[last] else []
        sides = []
        for side in (np.array(before, dtype=np.int64), np.array(after, dtype=np.int64)):
            inside = side[(side >= 0) & (side < frames)]
            sides.append(inside[~channel.active[inside]])
        if sides[0].size or sides[1].size:
            seams.append(Seam(number, stretch, *sides))
    return seams


def _trend(reached: Array, frames: IntArray, outside: IntArray) -> tuple[Array, Array]:
    """The displacement (3,) at the first of some frames, and how much more it is at the next one."""
    if not outside.size:
        return np.zeros(3), np.zeros(3)
    at = np.searchsorted(frames, outside)
    value = reached[at[0]]
    return value, reached[at[1]] - value if len(at) > 1 else np.zeros(3)
