# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocity of the ground under a character that walks in place.

Games move a character themselves, so their walks and runs stay in place: a foot in stance slides backwards with the
speed at which the character would walk. The velocity that all feet in stance share is that of the ground.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, BoolArray, runs
from .clip import Clip
from .joints import SIDES
from .kinematics import WorldState
from .motion import Motion

STEPS_A_SECOND = 30.0
"""Velocities are taken over as many frames as there are in this part of a second: noise does not shrink with the time
from one frame to the next, distances do."""

LOW = 0.03
"""Sizes of the character above its lowest place up to which a heel, or a ball, may stand."""

SLOWEST = 0.25
"""Sizes of the character a second: ground that is slower is taken as still. Feet that stand on still ground move at up
to half of that in captures."""

ALIKE = 0.25
"""A share of the ground's speed by which the velocity of a foot that stands may differ from that of the ground: hips
that are kept in their place take the changes of a walker's speed away from them and give them to the feet."""

MOST_LOW = 0.6
"""The share of the frames in which a foot is low in which it must have the ground's velocity. Dancers and people who
shift their weight put their feet down, and have them low at many other velocities."""

CARRIED = 0.1
"""Sizes of the character along which each of the two feet is carried at once, at the least."""

OFTEN = 0.1
"""The share of the time in which each foot is low, at the least: sprinters stand on each for a fifth of it."""

STAYS, LEANS = 0.2, 0.5
"""Shares of the ground's speed: a character whose hips have a larger mean velocity than the first does not stay in its
place, and one whose hips are faster than the second for most of the time that a foot is low moves as a whole."""

CANDIDATES = 200
"""Velocities, at the most about so many, of which the most common one is chosen."""

ROUNDS = 5
"""How often the mean of velocities that are alike is taken of those that are like the mean before."""


def ground_velocity(clip: Clip) -> Array:
    """(3,) the velocity of the ground, in the clip's units a second, horizontal; zeros where the ground is still.

    It moves where the character stays in its place and both feet, whenever they are low, share one velocity. A
    character whose feet are not known stands on still ground.
    """
    still = np.zeros(3)
    feet = [_LowFoot.of(clip, side) for side in SIDES]
    known = [foot for foot in feet if foot is not None]
    if len(known) < len(feet) or any(foot.low.any(axis=1).mean() < OFTEN or foot.rests for foot in known):
        return still
    velocity = _most_common(np.concatenate([foot.velocities[foot.low] for foot in known]))
    speed = float(np.linalg.norm(velocity))
    if speed < SLOWEST or not all(foot.is_carried(velocity) for foot in known):
        return still
    hips = _Hips.of(clip)
    if hips.travel > STAYS * speed or any(hips.speed_while(foot.low.any(axis=1)) > LEANS * speed for foot in known):
        return still
    # Both feet count alike, whichever is low for longer; the median leaves out where they strike and roll off.
    direction = velocity / speed
    alike = [foot.velocities[foot.low & foot.is_like(velocity)] @ direction for foot in known]
    return np.asarray(np.mean([float(np.median(speeds)) for speeds in alike]) * clip.skeleton.size * direction)


def over_ground(clip: Clip, velocity: Array, seconds: Array | None = None) -> Clip:
    """The clip as seen from ground that moves with a velocity (3,), in the clip's units a second.

    The ground is where it is in the world at the time 0; `seconds` (frames,) are the times of the frames, by default
    from 0 on at the clip's own rate. The opposite velocity gives the original clip back.
    """
    if not np.any(velocity):
        return clip
    times = np.arange(clip.frames) / clip.fps if seconds is None else seconds
    roots = [joint for joint, parent in enumerate(clip.skeleton.parents) if parent < 0]
    translations = clip.motion.translations.copy()
    translations[:, roots] -= (times[:, None] * np.asarray(velocity, dtype=np.float64))[:, None]
    return clip.with_motion(Motion(clip.motion.rotations, translations))


@dataclass(frozen=True, eq=False)
class _LowFoot:
    """Heel and ball of one foot: their horizontal velocities, and where they are low enough to stand."""

    velocities: Array
    """(steps, 2, 3) of heel and ball, in sizes of the character a second."""
    low: BoolArray
    """(steps, 2)"""
    seconds: float
    """From one step to the next."""

    @staticmethod
    def of(clip: Clip, side: str) -> _LowFoot | None:
        """None where heel or ball are not known, or the clip is too short."""
        skeleton, up = clip.skeleton, clip.skeleton.up_axis
        marks = [getattr(skeleton.landmarks, f"{side}_{part}") for part in ("heel", "ball")]
        stride = _stride(clip)
        if any(mark is None for mark in marks) or clip.frames <= stride + 2:
            return None
        world: WorldState = clip.world
        # The last step is left out: where a file's length is no whole number of frames, it is shorter than the others.
        places = np.stack([world.point(skeleton.resolve(mark)) for mark in marks], axis=1)[:-1] / skeleton.size
        heights = places[..., up]
        is_low = heights <= heights.min(axis=0) + LOW
        velocities = _level(places[stride:] - places[:-stride], up) * (clip.fps / stride)
        return _LowFoot(velocities, is_low[stride:] & is_low[:-stride], 1.0 / clip.fps)

    @property
    def rests(self) -> bool:
        """Whether it is so often slow while it is low that it cannot have the velocity of any ground that moves."""
        speeds = np.linalg.norm(self.velocities[self.low], axis=-1)
        return bool((speeds < (1.0 - ALIKE) * SLOWEST).mean() > 1.0 - MOST_LOW)

    def is_like(self, velocity: Array) -> BoolArray:
        """(steps, 2) where heel and ball have nearly a velocity (3,)."""
        away = np.linalg.norm(self.velocities - velocity, axis=-1)
        return np.asarray(away <= ALIKE * np.linalg.norm(velocity))

    def is_carried(self, velocity: Array) -> bool:
        """Whether the foot has the ground's velocity (3,) nearly always when it is low, and for some way at once."""
        like = self.low & self.is_like(velocity)
        if like.sum() < MOST_LOW * self.low.sum():
            return False
        longest = max((last - first + 1 for part in like.T for first, last in runs(part)), default=0)
        return bool(longest * self.seconds * np.linalg.norm(velocity) >= CARRIED)


@dataclass(frozen=True, eq=False)
class _Hips:
    """How the hips move along the ground, in sizes of the character a second."""

    travel: float
    """How fast they leave their place on the average."""
    speeds: Array
    """(steps,)"""

    @staticmethod
    def of(clip: Clip) -> _Hips:
        hips = clip.skeleton.landmarks.hips
        path = _level(clip.world.positions[:, 0 if hips is None else hips], clip.skeleton.up_axis) / clip.skeleton.size
        stride = _stride(clip)
        ways = path[stride:-1] - path[: -stride - 1]
        travel = float(np.linalg.norm(path[-1] - path[0])) * clip.fps / (clip.frames - 1)
        return _Hips(travel, np.linalg.norm(ways, axis=1) * (clip.fps / stride))

    def speed_while(self, chosen: BoolArray) -> float:
        """The median speed in chosen steps (steps,)."""
        return float(np.median(self.speeds[chosen]))


def _stride(clip: Clip) -> int:
    """Frames of a step."""
    return max(1, round(clip.fps / STEPS_A_SECOND))


def _most_common(velocities: Array) -> Array:
    """(3,) the velocity that most of some velocities (n, 3) are like."""
    candidates = velocities[:: max(1, len(velocities) // CANDIDATES)]
    tolerance = np.maximum(ALIKE * np.linalg.norm(candidates, axis=1), ALIKE * SLOWEST)
    best, most = candidates[0], 0
    for candidate, nearby in zip(candidates, tolerance, strict=True):
        count = int((np.linalg.norm(velocities - candidate, axis=1) <= nearby).sum())
        if count > most:
            best, most = candidate, count
    for _ in range(ROUNDS):
        nearby = max(ALIKE * float(np.linalg.norm(best)), ALIKE * SLOWEST)
        alike = velocities[np.linalg.norm(velocities - best, axis=1) <= nearby]
        if not len(alike):
            break
        best = alike.mean(axis=0)
    return np.asarray(best)


def _level(vectors: Array, up: int) -> Array:
    """(..., 3) without their heights."""
    level = vectors.copy()
    level[..., up] = 0.0
    return level
