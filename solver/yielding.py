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

from .arrays import TINY, IntArray
from .enforcement import HOLDS, Enforcement
from .filters import envelope, lowpass
from .kinematics import WorldState
from .workspace import Progress, Workspace

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


def yielding(enforcement: Enforcement, work: Workspace, frames: IntArray) -> Generator[Progress, None, Yielded]:
    """Where something is missed in some frames, ask for less, and solve again."""
    missed = np.zeros(len(work.met), dtype=bool)
    missed[frames] = ~work.met[frames]
    if not missed.any():
        return Yielded(enforcement, enforcement)
    timeline = enforcement.timeline
    radius = max(1, round(REACH * work.source.clip.fps))
    world = WorldState.of(enforcement.skeleton, work.motion)
    targets, winners = list(enforcement.targets), list(timeline.channels)
    concerned = np.zeros_like(missed)
    for number, channel in enumerate(timeline.channels):
        effector, values = channel.effector, timeline.source.values(channel.effector)
        unit = 1.0 if effector.is_angular else enforcement.skeleton.size
        reached = effector.value(world)
        missing = effector.miss(reached, targets[number]) * (missed & channel.active) / unit
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
