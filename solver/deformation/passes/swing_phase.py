# SPDX-License-Identifier: GPL-3.0-or-later
"""The swing phase: between two plants the joints of a leg are interpolated from one displacement to the other.

In its stance phase a foot is constrained in the world. In the swing phase it is not: a foot that had to follow a path
in the world would make its leg cancel every tremor of the pelvis. Near full extension the knee would shake, and the
body would bend to reach a path that no constraint requires. So the displacement of the body goes from that of the last
stance frame before the swing to that of the first one after it, and so does the leg's, joint by joint.
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
from ..displacement import Displacement
from ..timeline import Timeline

SLOPE_SPAN = 0.017
"""Seconds over which the velocity of a displacement is measured at the ends of a swing: a heel that strikes is stopped
within a few hundredths of a second, and the swing must end with the velocity before that."""

LONGEST_SWING = 0.8
"""Seconds: stance frames that are farther apart say too little about the frames between them. A step of a walk takes
half of that."""


@dataclass(frozen=True, eq=False)
class SwingPhase:
    """The frames between two plants of a foot, or between one and the end of its activity."""

    joints: IntArray
    """Of its leg, from the hip down."""
    first: int
    last: int
    before: int
    """The frame from which it is interpolated: the last one in which the foot stands, or is not constrained."""
    after: int
    """The frame to which it is interpolated."""

    @property
    def frames(self) -> IntArray:
        """From `first` to `last`."""
        return np.arange(self.first, self.last + 1)

    def end_frames(self, span: int) -> tuple[int, int, int, int]:
        """The frames that give displacement and velocity at both ends: the ends, and those `span` frames outside."""
        return self.before - span, self.before, self.after, self.after + span


def slope_span(fps: float) -> int:
    """The number of frames over which a velocity is measured at the ends of a swing."""
    return max(1, round(SLOPE_SPAN * fps))


def swing_phases(timeline: Timeline) -> Iterable[SwingPhase]:
    """The swing phases of all planted feet."""
    for leg in timeline.legs:
        for first, last in runs(leg.in_swing):
            before, after = max(first - 1, 0), min(last + 1, timeline.frames - 1)
            yield SwingPhase(leg.joints, first, last, before, after)


def swing_frames(timeline: Timeline) -> BoolArray:
    """(frames,) where any foot is in its swing phase, so that the body is interpolated between stance frames.

    In a run some foot always is: there the middle of each stance phase counts as a stance frame.
    """
    in_swing = np.zeros(timeline.frames, dtype=bool)
    for leg in timeline.legs:
        in_swing |= leg.in_swing
    for first, last in runs(in_swing):
        if last - first < LONGEST_SWING * timeline.source.clip.fps:
            continue
        for leg in timeline.legs:
            for begin, end in runs(leg.constrained[first : last + 1]):
                in_swing[first + (begin + end) // 2] = False
    return in_swing


def interpolate_swings(source: Source, phases: Iterable[SwingPhase], motion: Motion) -> Motion:
    """The motion with the legs of some swing phases, at least one, interpolated between the ends of each phase."""
    original = source.clip.motion.rotations
    rotated = motion.rotations.copy()
    span = slope_span(source.clip.fps)
    listed = list(phases)
    vectors = np.concatenate([_interpolated(original, motion.rotations, each, span, source.ease) for each in listed])
    # All phases are applied together: there are many, and each is short.
    frames = np.concatenate([np.repeat(each.frames, len(each.joints)) for each in listed])
    joints = np.concatenate([np.tile(each.joints, len(each.frames)) for each in listed])
    none = np.zeros_like(vectors)
    applied = Displacement(vectors, none).applied(Motion(original[frames, joints], none))
    rotated[frames, joints] = applied.rotations
    return Motion(rotated, motion.translations)


def _interpolated(source: Array, result: Array, phase: SwingPhase, span: int, ease: float) -> Array:
    """(frames of the phase * joints of its leg, 3) rotation vectors from the displacement at its begin to that at its
    end.

    `source` and `result` (frames, joints, 4) give these displacements, and their velocities outside the phase.
    """
    ends = np.clip(phase.end_frames(span), 0, len(source) - 1)
    at_ends = np.ix_(ends, phase.joints)
    vectors = rotations.log(rotations.quotient(result[at_ends], source[at_ends])).reshape(4, -1)
    leaving = (vectors[1] - vectors[0]) / max(ends[1] - ends[0], 1)
    arriving = (vectors[3] - vectors[2]) / max(ends[3] - ends[2], 1)
    return bridge(phase.frames, ends[1], ends[2], vectors[1], vectors[2], leaving, arriving, ease).reshape(-1, 3)
