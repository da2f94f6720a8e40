# SPDX-License-Identifier: GPL-3.0-or-later
"""Letting what cannot be met ask for what it can have, smoothly.

A target that leaves the reach of its limb at speed straightens the limb like the root of the distance: it pops. So what
is missing is given up in a smooth curve that begins before the reach ends and lies nowhere below it: the limb comes to
its end slowly, and gets as far.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ...body.kinematics import WorldState
from ...core.arrays import TINY, BoolArray, IntArray
from ..displacement_filter import envelope, lowpass
from ..frame_tasks import HOLDS, Enforcement
from ..workspace import Progress, Steps, Workspace

HALVINGS = 4
"""How often the way that is let to somebody who was left out is halved to find how far all can be met: to a 16th."""

LOST = 1e-3
"""Sizes of the character, or radians: what misses by less has not lost, it has only not been put right yet."""

REACH = 0.1
"""Seconds, to either side, over which what is given up is smoothed."""


@dataclass(frozen=True, eq=False)
class Yielded:
    """What is enforced once losers have given way."""

    enforcement: Enforcement
    winners: Enforcement
    """The same without the losers, where they lose: smoothness goes before what cannot be had anyway."""


def insisting(enforcement: Enforcement, work: Workspace, frames: IntArray) -> Steps:
    """Where something more important is missed beside something less important, solve without the latter.

    Strict priorities leave no such frames, unless the solver was blocked on its way: by joint limits, or by tasks that
    may not move all that serves them.
    """
    timeline = enforcement.timeline
    frames = frames[~work.met[frames]]
    if not frames.size:
        return
    world = WorldState.of(enforcement.skeleton, work.at(frames))
    lowest = np.iinfo(np.int64).min
    priorities = np.full((len(frames), len(timeline.channels)), lowest)
    missing = np.zeros(priorities.shape, dtype=bool)
    for number, channel in enumerate(timeline.channels):
        of_track = np.array([track.constraint.priority for track in channel.tracks])
        active = channel.active[frames]
        priorities[active, number] = of_track[channel.owner[frames[active]]]
        missing[:, number] = active & (enforcement.missing(number, world, frames) > LOST)
    highest = np.where(missing, priorities, lowest).max(axis=1)
    lower = (priorities < highest[:, None]) & (priorities > lowest)
    blocked = np.flatnonzero((highest > lowest) & lower.any(axis=1))
    if not blocked.size:
        return
    channels = []
    for number, channel in enumerate(timeline.channels):
        dropped = np.zeros(timeline.frames, dtype=bool)
        dropped[frames[blocked]] = lower[blocked, number]
        channels.append(channel.without(dropped))
    alone = Enforcement(replace(timeline, channels=tuple(channels)), enforcement.targets)
    work.reset(frames[blocked])
    yield from work.solve(alone, frames[blocked], "insisting")
    yield from _letting_in(enforcement, work, frames[blocked], lower[blocked])
    work.met[frames[blocked]] = False


def _letting_in(enforcement: Enforcement, work: Workspace, frames: IntArray, lower: BoolArray) -> Steps:
    """Let what was left out, (frames, channels), come as far from where it is toward its targets as all can be met."""
    timeline = enforcement.timeline
    world = WorldState.of(enforcement.skeleton, work.at(frames))
    reached = [channel.effector.value(world) for channel in timeline.channels]
    least, most = np.zeros(len(frames)), np.ones(len(frames))
    for _ in range(HALVINGS):
        share = 0.5 * (least + most)
        targets = list(enforcement.targets)
        for number in np.flatnonzero(lower.any(axis=0)):
            effector, some = timeline.channels[number].effector, lower[:, number]
            values = timeline.source.values(effector)[frames]
            here, there = (effector.displacement(values, each) for each in (reached[number], targets[number][frames]))
            nearer = effector.displaced(values, here + share[:, None] * (there - here))
            targets[number] = targets[number].copy()
            targets[number][frames[some]] = nearer[some]
        solved = Enforcement(timeline, targets).solved_unordered(
            frames, work.motion, work.reference, work.settings.solving()
        )
        work.take(solved.at(np.flatnonzero(solved.met)))
        least, most = np.where(solved.met, share, least), np.where(solved.met, most, share)
        yield work.progress("insisting", 1.0)


def yielding(enforcement: Enforcement, work: Workspace, frames: IntArray) -> Generator[Progress, None, Yielded]:
    """Where something is missed in some frames, ask for less, and solve again."""
    missed = np.zeros(len(work.met), dtype=bool)
    missed[frames] = ~work.met[frames]
    if not missed.any():
        return Yielded(enforcement, enforcement)
    timeline = enforcement.timeline
    radius = work.source.frames_in(REACH)
    world = WorldState.of(enforcement.skeleton, work.motion)
    targets, winners = list(enforcement.targets), list(timeline.channels)
    concerned, everywhere = np.zeros_like(missed), np.arange(timeline.frames)
    for number, channel in enumerate(timeline.channels):
        effector, values = channel.effector, timeline.source.values(channel.effector)
        reached = effector.value(world)
        missing = enforcement.missing(number, world, everywhere) * (missed & channel.active)
        if missing.max(initial=0.0) <= LOST:
            continue
        lost = missing > HOLDS
        wanted = effector.displacement(values, targets[number])
        short = (wanted - effector.displacement(values, reached)) * lost[:, None]
        lengths = np.linalg.norm(short, axis=1)
        given_up = envelope(lengths, radius) * channel.active
        along = lowpass(short, 2 * radius)
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), TINY)
        # Where it was short it goes on asking in the direction in which it was.
        along[lost] = short[lost] / np.maximum(lengths[lost, None], TINY)
        yields = given_up > 0.0
        targets[number] = targets[number].copy()
        targets[number][yields] = effector.displaced(
            values[yields], wanted[yields] - given_up[yields, None] * along[yields]
        )
        winners[number] = channel.without(yields)
        concerned |= yields
    asking_less = Enforcement(timeline, targets)
    yield from work.solve(asking_less, np.flatnonzero(concerned), "giving way")
    return Yielded(asking_less, Enforcement(replace(timeline, channels=tuple(winners)), targets))
