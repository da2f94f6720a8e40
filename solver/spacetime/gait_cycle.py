# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a gait cyclic and repeats it (Popović 1999, section 6.4.1).

A cycle leads from a posture to the same posture farther along: moved over the ground and, on a curved path, turned
about the vertical. Captured cycles only nearly close. What is missing is added as a smooth displacement of each joint
near both ends, so that the detail of the motion stays. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..body.clip import Clip
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..constraints import Footplant
from ..core import rotations
from ..core.arrays import Array, IntArray
from ..core.errors import MotionError
from ..core.numbers import is_number
from ..core.sentences import Frame
from ..core.smooth_steps import smooth_step

SHORTEST = 8
"""Frames of the shortest cycle: the velocities at its ends must be those of different frames."""

VELOCITY_SECONDS = 0.1
"""Seconds by which velocities are multiplied when postures are compared: a difference that grows for a tenth of a
second counts as much as one that is there from the beginning."""

STEP_SECONDS = 1.0 / 60.0
"""Seconds before and after a frame between which its velocity is measured: the noise of captures at higher rates would
count otherwise."""

SEARCHED = 1.0 / 30.0
"""Seconds by which the end of a cycle may lie before or after the detected strike: what events are sure to."""

STRAIGHT = np.deg2rad(5.0)
"""A path that turns by less in a cycle is straight. Captured walks and runs straight ahead seem to turn by up to 2.5
degrees (CMU 02_01, 09_01, 35_29), which would add up to a curve when the cycle is repeated."""

BLEND = 0.15
"""Seconds from either end within which a cycle is closed. In CMU 02_01 and 09_01 planted feet then slide by 0.3 % of
the size more than in the source. With 0.05 it is 1.1 %, and joints accelerate by 1.3 times as much as in the source;
with half of the cycle it is 0.8 %."""

CLOSES = 1e-6
"""The largest difference between the first posture of a cycle, moved along, and its last: radians, and sizes."""


@dataclass(frozen=True)
class GaitCycle:
    """One cycle of a gait: from a strike of a foot to the next strike of the same foot."""

    begin: int
    """The frame of the first strike."""
    end: int
    """The frame of the next one."""
    foot: str
    mismatch: float
    """Of the postures and velocities at both ends, in sizes of the character; 0 where they are the same."""


@dataclass(frozen=True, eq=False)
class Advance:
    """A displacement over the ground: a turn about the vertical, then a translation."""

    turn: float
    """Radians, counter-clockwise seen from above."""
    displacement: Array
    """(3,) horizontal, in the clip's units."""
    up_axis: int

    @property
    def rotation(self) -> Array:
        """(4,) the turn."""
        return rotations.exp(self.turn * np.eye(3)[self.up_axis])

    @property
    def inverse(self) -> Advance:
        """The displacement back."""
        back = rotations.rotate(rotations.conjugate(self.rotation), -self.displacement)
        return Advance(-self.turn, back, self.up_axis)

    def then(self, other: Advance) -> Advance:
        """This displacement followed by another."""
        moved = rotations.rotate(other.rotation, self.displacement) + other.displacement
        return Advance(self.turn + other.turn, moved, self.up_axis)

    def of(self, motion: Motion, skeleton: Skeleton) -> Motion:
        """A motion, displaced as a whole."""
        roots = np.flatnonzero(skeleton.parents < 0)
        rotated, moved = motion.rotations.copy(), motion.translations.copy()
        rotated[:, roots] = rotations.multiply(self.rotation, rotated[:, roots])
        moved[:, roots] = rotations.rotate(self.rotation, moved[:, roots]) + self.displacement
        return Motion(rotated, moved)


# Finding -------------------------------------------------------------------------------------------------------------


def find_gait_cycle(clip: Clip, plants: Sequence[Footplant]) -> GaitCycle:
    """The cycle of a gait whose ends match best: from a strike of a foot to the next strike of the same foot.

    `plants` are the footplants of the clip, as `detect_footplants` finds them. A plant that begins with the clip,
    within `SEARCHED`, has no strike. The end is moved by up to as much from its strike, to where postures and
    velocities match best.
    """
    cycles = [
        _best_cycle(clip, foot, first, second)
        for foot in ("left", "right")
        for first, second in pairwise(_strikes(clip, plants, foot))
    ]
    cycles = [cycle for cycle in cycles if cycle.end - cycle.begin >= SHORTEST]
    if not cycles:
        raise MotionError("No foot strikes the ground twice in this clip, so it has no whole cycle: take a longer one.")
    return min(cycles, key=lambda cycle: cycle.mismatch)


def _strikes(clip: Clip, plants: Sequence[Footplant], foot: str) -> list[int]:
    """The frames in which plants of a foot begin, except those that begin with the clip: there, a foot may have stood
    before, and the first frame of a capture may be a calibration pose."""
    begins = {round(min(begin for begin, _ in plant.stays.values())) for plant in plants if plant.foot == foot}
    return sorted(begin for begin in begins if 1 + round(SEARCHED * clip.fps) < begin < clip.frames)


def _best_cycle(clip: Clip, foot: str, begin: int, strike: int) -> GaitCycle:
    reach = round(SEARCHED * clip.fps)
    ends = np.arange(max(strike - reach, begin + 1), min(strike + reach, clip.frames - 1) + 1)
    mismatches = _mismatches(clip, begin, ends)
    best = int(np.argmin(mismatches))
    return GaitCycle(begin, int(ends[best]), foot, float(mismatches[best]))


def _mismatches(clip: Clip, begin: int, ends: IntArray) -> Array:
    """(ends,) how far postures and velocities at some frames differ from those at `begin`, after the path was removed:
    the root mean square over joints, in sizes of the character."""
    places = clip.world.positions / clip.skeleton.size
    frames = np.append(begin, ends)
    slopes = [_slope(places.__getitem__, frame, clip.frames - 1, _frames_of_step(clip)) for frame in frames]
    speeds = VELOCITY_SECONDS * clip.fps * np.stack(slopes)
    # Postures are compared about the middle of their joints, velocities as they are.
    level = places[frames].mean(axis=1, keepdims=True)
    level[..., clip.skeleton.up_axis] = 0.0
    found = np.empty(len(ends))
    for number, end in enumerate(ends):
        back = rotations.exp(-_turn(clip, begin, int(end)) * np.eye(3)[clip.skeleton.up_axis])
        pairs = ((places[frames] - level)[[0, number + 1]], speeds[[0, number + 1]])
        squares = [((rotations.rotate(back, pair[1]) - pair[0]) ** 2).sum(axis=-1).mean() for pair in pairs]
        found[number] = np.sqrt(sum(squares))
    return found


def _slope(values: Callable[[int], Array], frame: int, last: int, step: int) -> Array:
    """(…) the change per frame, at a frame, of values (…) given for any frame from 0 to `last`.

    It is of second order: central or, at the ends of the clip, one-sided.
    """
    if frame >= step and frame + step <= last:
        return np.asarray((values(frame + step) - values(frame - step)) / (2 * step))
    inward = step if frame < step else -step
    ahead = 4.0 * values(frame + inward) - values(frame + 2 * inward) - 3.0 * values(frame)
    return np.asarray(ahead / (2 * inward))


def _frames_of_step(clip: Clip) -> int:
    return max(1, min(round(STEP_SECONDS * clip.fps), (clip.frames - 1) // 4))


def _turn(clip: Clip, begin: int, end: int) -> float:
    """The angle about the vertical from the posture in one frame to that in another: the best fit of all joints, or 0
    where it is less than `STRAIGHT`."""
    up = clip.skeleton.up_axis
    # The other two axes in the order in which a turn from the first to the second is counter-clockwise.
    one, two = (up + 1) % 3, (up + 2) % 3
    places = clip.world.positions[[begin, end]]
    places = places - places.mean(axis=1, keepdims=True)
    (x, y), (u, v) = (each[:, [one, two]].T for each in places)
    turn = float(np.arctan2((x * v - y * u).sum(), (x * u + y * v).sum()))
    return turn if abs(turn) >= STRAIGHT else 0.0


# Closing -------------------------------------------------------------------------------------------------------------


def make_cyclic(clip: Clip, begin: int, end: int, *, blend: float = BLEND) -> Clip:
    """The frames `begin` to `end` of a clip, both included, as one cycle that closes.

    The last frame is the first one moved along, with all velocities: `repeat` continues it. The cycle advances by as
    much as the root over the ground, and turns if the path does (`STRAIGHT`). What is missing is added within `blend`
    seconds from either end, and within half of the cycle at most.
    """
    last, frames = clip.frames - 1, end - begin
    if not 0 <= begin < end <= last:
        raise MotionError("A cycle lies within its clip: give frames of it from 0 to ", Frame(last), ", begin first.")
    if frames < SHORTEST:
        raise MotionError(f"A cycle has {SHORTEST} frames or more, not {frames}: give a later end.")
    if not (is_number(blend) and blend > 0.0):
        raise MotionError(f"The blend of a cycle must be a finite, positive number of seconds, not {blend!r}.")
    width = min(blend * clip.fps, 0.5 * frames)
    advance = _advance_between(clip, begin, end)
    # Moved back by the advance, the end has to meet the begin.
    parts = (clip.motion, advance.inverse.of(clip.motion, clip.skeleton))
    step = _frames_of_step(clip)
    gaps = _gaps(_State.of(parts[0], begin, step), _State.of(parts[1], end, step))
    elapsed = np.arange(frames + 1)
    first = elapsed[: frames // 2]
    second = elapsed[frames // 2 :]
    opened = _displaced(parts[0].at(begin + first), gaps[0], first, width)
    closed = _displaced(parts[1].at(begin + second), gaps[1], second - frames, width)
    motion = _joined((opened, advance.of(closed, clip.skeleton)))
    return clip.with_motion(Motion(rotations.continuous(motion.rotations), motion.translations))


def _advance_between(clip: Clip, begin: int, end: int) -> Advance:
    """The displacement over the ground that takes the root's place in one frame to that in another."""
    turn, up = _turn(clip, begin, end), clip.skeleton.up_axis
    root = clip.motion.root_translation
    way = root[end] - rotations.rotate(rotations.exp(turn * np.eye(3)[up]), root[begin])
    way[up] = 0.0
    return Advance(turn, np.asarray(way), up)


@dataclass(frozen=True, eq=False)
class _State:
    """All joints in one frame: in their parents' frames, with their changes per frame."""

    rotations: Array
    """(joints, 4)"""
    turning: Array
    """(joints, 3) angular velocities: rotation vectors on the left."""
    places: Array
    """(joints, 3)"""
    moving: Array
    """(joints, 3)"""

    @staticmethod
    def of(motion: Motion, frame: int, step: int) -> _State:
        """That of a motion, with velocities over `step` frames."""
        own, last = motion.rotations[frame], motion.frames - 1

        def turned(other: int) -> Array:
            return rotations.log(rotations.quotient(motion.rotations[other], own))

        moving = _slope(motion.translations.__getitem__, frame, last, step)
        return _State(own, _slope(turned, frame, last, step), motion.translations[frame], moving)


@dataclass(frozen=True, eq=False)
class _Gap:
    """What must be added to a state, (joints, 3) each: rotation vectors on the left and translations, with their
    changes per frame."""

    turn: Array
    turning: Array
    shift: Array
    moving: Array


def _gaps(one: _State, other: _State) -> tuple[_Gap, _Gap]:
    """From each of two states to the state halfway between them."""
    half = 0.5 * rotations.log(rotations.quotient(other.rotations, one.rotations))
    turning = [rotations.rotate(rotations.exp(turn), state.turning) for turn, state in ((half, one), (-half, other))]

    def gap(state: _State, turn: Array, carried: Array) -> _Gap:
        missing = 0.5 * (turning[0] + turning[1]) - carried
        return _Gap(
            turn,
            np.einsum("jkl,jl->jk", rotations.exp_jacobian_inverse(turn), missing),
            0.5 * (one.places + other.places) - state.places,
            0.5 * (one.moving + other.moving) - state.moving,
        )

    return gap(one, half, turning[0]), gap(other, -half, turning[1])


def _displaced(motion: Motion, gap: _Gap, elapsed: IntArray, width: float) -> Motion:
    """The motion with the gap added at time 0, fading out within `width` frames; `elapsed` (frames,) are its times."""
    share = np.abs(elapsed) / width
    held = (1.0 - smooth_step(share))[:, None, None]
    running = (elapsed * _fading_slope(share))[:, None, None]
    turns = rotations.exp(held * gap.turn + running * gap.turning)
    return Motion(
        rotations.multiply(turns, motion.rotations),
        motion.translations + held * gap.shift + running * gap.moving,
    )


def _fading_slope(share: Array) -> Array:
    """(…) factors that make a ramp fade out over shares from 0 to 1: 1 at first and 0 at last, both smoothly.

    The ramp times this factor, s (1 - 6 s² + 8 s³ - 3 s⁴), begins with slope 1 and no curvature and ends with neither.
    """
    x = np.minimum(share, 1.0)
    return np.asarray(1.0 - x * x * (6.0 - x * (8.0 - 3.0 * x)))


def _joined(motions: Sequence[Motion]) -> Motion:
    return Motion(
        np.concatenate([motion.rotations for motion in motions]),
        np.concatenate([motion.translations for motion in motions]),
    )


# Repeating -----------------------------------------------------------------------------------------------------------


def cycle_advance(clip: Clip) -> Advance:
    """The displacement over the ground from the first to the last frame of a cycle, as `make_cyclic` returns it.

    A `MotionError` says that the last posture is not the first one moved along.
    """
    up, motion = clip.skeleton.up_axis, clip.motion
    vertical = np.eye(3)[up]
    turn = float(rotations.twist_angle(rotations.quotient(motion.rotations[-1, 0], motion.rotations[0, 0]), vertical))
    way = motion.translations[-1, 0] - rotations.rotate(rotations.exp(turn * vertical), motion.translations[0, 0])
    way[up] = 0.0
    advance = Advance(turn, np.asarray(way), up)
    moved = advance.of(motion.at(np.array([0])), clip.skeleton)
    turned = rotations.lengths(rotations.log(rotations.quotient(moved.rotations[0], motion.rotations[-1])))
    shifted = rotations.lengths(moved.translations[0] - motion.translations[-1]) / clip.skeleton.size
    if max(float(turned.max()), float(shifted.max())) > CLOSES:
        joint = clip.skeleton.names[int(np.argmax(np.maximum(turned, shifted)))]
        raise MotionError(
            f"The clip is no cycle: joint {joint!r} ends otherwise than it begins; use make_cyclic first."
        )
    return advance


def repeat(clip: Clip, times: int) -> Clip:
    """A cycle, as `make_cyclic` returns it, so many times in a row, each moved along from the one before.

    The last frame of each is the first one of the next, so there are `times` (frames - 1) + 1 frames.
    """
    if isinstance(times, bool) or not isinstance(times, (int, np.integer)) or times < 1:
        raise MotionError(f"A cycle is repeated once or more, not {times!r} times.")
    advance = cycle_advance(clip)
    still = Advance(0.0, np.zeros(3), advance.up_axis)
    whole = clip.motion.at(np.arange(clip.frames - 1))
    parts = []
    for _ in range(times):
        parts.append(still.of(whole, clip.skeleton))
        still = still.then(advance)
    parts.append(still.of(clip.motion.at(np.array([0])), clip.skeleton))
    motion = _joined(parts)
    return clip.with_motion(Motion(rotations.continuous(motion.rotations), motion.translations))
