# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet in the air: between two plants the joints of a leg go smoothly from one displacement to the other.

While a foot stands, the world holds it. In the air nothing does, and a foot that had to follow a path in the world
would make its leg cancel every tremor of the pelvis: near full extension the knee would shake. So the path of the
foot is used to find where the body is, and then the leg, from the hip down, is let swing by its joints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .arrays import Array, IntArray
from .constraints import Source
from .constraints.bridges import bridge
from .filters import Displacement, displacement
from .legs import leg_joints
from .motion import Motion
from .timeline import Timeline, runs

SLOPE_SPAN = 0.05
"""Seconds over which the velocity of a displacement is taken at the ends of a swing: frame to frame it is noise."""


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


def swings(timeline: Timeline) -> Iterable[Swing]:
    """Every swing of every planted foot: where it is on its way, and nothing else moves its leg."""
    skeleton = timeline.source.clip.skeleton
    legs: dict[int, IntArray] = {}
    for channel in timeline.channels:
        joint = channel.effector.moved_joint
        if joint is not None and any(not track.constraint.holds_its_way for track in channel.tracks):
            joints = leg_joints(skeleton, joint)
            legs[int(joints[0])] = joints
    for joints in legs.values():
        on_its_way = np.zeros(timeline.frames, dtype=bool)
        held = np.zeros(timeline.frames, dtype=bool)
        for channel in timeline.channels:
            if channel.effector.moved_joint in joints:
                free = channel.active & channel.on_the_way
                on_its_way |= free
                held |= channel.active & ~free
        for first, last in runs(on_its_way & ~held):
            before, after = max(first - 1, 0), min(last + 1, timeline.frames - 1)
            yield Swing(joints, first, last, before, after)


def swung(source: Source, swinging: Iterable[Swing], motion: Motion) -> Motion:
    """The motion with the legs of some swings let swing."""
    original = source.clip.motion
    turned = motion.rotations.copy()
    span = max(1, round(SLOPE_SPAN * source.clip.fps))
    for swing in swinging:
        frames = np.arange(swing.first, swing.last + 1)
        window = np.arange(max(swing.before - span, 0), min(swing.after + span, source.frames - 1) + 1)
        around = np.ix_(window, swing.joints)
        turns = displacement(
            Motion(original.rotations[around], original.translations[around]),
            Motion(motion.rotations[around], motion.translations[around]),
        ).turns
        way = _way(turns, swing.before - window[0], swing.after - window[0], frames - window[0], span, source.ease)
        inside = np.ix_(frames, swing.joints)
        some = Motion(original.rotations[inside], original.translations[inside])
        turned[inside] = Displacement(way, np.zeros_like(some.translations)).applied(some).rotations
    return Motion(turned, motion.translations)


def _way(turns: Array, begin: int, end: int, frames: IntArray, span: int, ease: float) -> Array:
    """(frames, joints, 3) the way of displacements from one frame to another, with the velocities they have outside."""
    flat = turns.reshape(len(turns), -1)
    earlier, later = max(begin - span, 0), min(end + span, len(flat) - 1)
    leaving = (flat[begin] - flat[earlier]) / max(begin - earlier, 1)
    arriving = (flat[later] - flat[end]) / max(later - end, 1)
    way = bridge(frames, begin, end, flat[begin], flat[end], leaving, arriving, ease)
    return way.reshape(len(frames), *turns.shape[1:])
