# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet in the air: between two plants the joints of a leg go smoothly from one displacement to the other.

While a foot stands, the world holds it. In the air nothing does, and a foot that had to follow a path in the world
would make its leg cancel every tremor of the pelvis: near full extension the knee would shake, and the body bend to
reach what nobody has asked for. So the body goes from the displacement that it has when a foot leaves the ground to the
one that it has when the foot touches it again, and so does the leg, joint by joint.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...body.motion import Motion
from ...constraints import Source
from ...constraints.eases import bridge
from ...core import rotations
from ...core.arrays import Array, BoolArray, IntArray, runs
from ..displacement_filter import Displacement
from ..timeline import Timeline

SLOPE_SPAN = 0.017
"""Seconds over which the velocity of a displacement is taken at the ends of a swing: a heel that strikes is stopped
within a few hundredths, and what comes before must know how fast it was."""


LONGEST_FLIGHT = 0.8
"""Seconds: what lies further apart says too little about what is between. A step of a walk takes half of that."""


@dataclass(frozen=True, eq=False)
class Swing:
    """A time in which a foot that stands before or after it is in the air."""

    joints: IntArray
    """Of its leg, from the hip down."""
    first: int
    last: int
    before: int
    """The frame at which it begins: the last one in which the foot stands, or that nothing holds."""
    after: int
    """The frame at which it ends."""

    @property
    def frames(self) -> IntArray:
        """Those in which the foot is in the air."""
        return np.arange(self.first, self.last + 1)

    def ends(self, span: int) -> tuple[int, int, int, int]:
        """The frames that say where it begins and ends, and how fast: those at its ends, and some frames further."""
        return self.before - span, self.before, self.after, self.after + span


def slope_span(fps: float) -> int:
    """How many frames apart two displacements are that tell a velocity."""
    return max(1, round(SLOPE_SPAN * fps))


def swings(timeline: Timeline) -> Iterable[Swing]:
    """Every swing of every planted foot."""
    for leg in timeline.legs:
        for first, last in runs(leg.airborne):
            before, after = max(first - 1, 0), min(last + 1, timeline.frames - 1)
            yield Swing(leg.joints, first, last, before, after)


def flown(timeline: Timeline) -> BoolArray:
    """(frames,) where a foot is in the air, so that the body goes from what it was before to what it is after.

    In a run some foot always is: there the middles of the times at which a foot stands count as firm.
    """
    flying = np.zeros(timeline.frames, dtype=bool)
    for leg in timeline.legs:
        flying |= leg.airborne
    for first, last in runs(flying):
        if last - first < LONGEST_FLIGHT * timeline.source.clip.fps:
            continue
        for leg in timeline.legs:
            for begin, end in runs(leg.held[first : last + 1]):
                flying[first + (begin + end) // 2] = False
    return flying


def swung(source: Source, swinging: Iterable[Swing], motion: Motion) -> Motion:
    """The motion with the legs of some swings, at least one, let swing."""
    original = source.clip.motion.rotations
    turned = motion.rotations.copy()
    span = slope_span(source.clip.fps)
    found = list(swinging)
    ways = [_way(original, motion.rotations, swing, span, source.ease) for swing in found]
    # All of them together: there are many, and each is short.
    frames = np.concatenate([np.repeat(swing.frames, len(swing.joints)) for swing in found])
    joints = np.concatenate([np.tile(swing.joints, len(swing.frames)) for swing in found])
    turns = np.concatenate(ways)
    swaying = Displacement(turns, np.zeros_like(turns)).applied(Motion(original[frames, joints], np.zeros_like(turns)))
    turned[frames, joints] = swaying.rotations
    return Motion(turned, motion.translations)


def _way(source: Array, result: Array, swing: Swing, span: int, ease: float) -> Array:
    """(frames of the swing * joints of its leg, 3) rotation vectors that lead from one displacement to the other.

    `source` and `result` (frames, joints, 4) have these displacements at the ends, and their velocities outside.
    """
    ends = np.clip(swing.ends(span), 0, len(source) - 1)
    there = np.ix_(ends, swing.joints)
    turns = rotations.log(rotations.quotient(result[there], source[there])).reshape(4, -1)
    leaving = (turns[1] - turns[0]) / max(ends[1] - ends[0], 1)
    arriving = (turns[3] - turns[2]) / max(ends[3] - ends[2], 1)
    return bridge(swing.frames, ends[1], ends[2], turns[1], turns[2], leaving, arriving, ease).reshape(-1, 3)
