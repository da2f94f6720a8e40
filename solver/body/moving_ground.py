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

VELOCITY_RATE = 30.0
"""Velocities are differences over 1 / this many seconds, at least one frame: noise does not shrink with the time
between frames, distances do."""

STANCE_HEIGHT = 0.03
"""Sizes of the character above its lowest position up to which a heel, or a ball, counts as low."""

SLOWEST_GROUND = 0.25
"""Sizes of the character a second: slower ground counts as still. Feet in stance on still ground move at up to half of
that in captures."""

VELOCITY_TOLERANCE = 0.25
"""The share of the ground's speed by which the velocity of a foot in stance may differ from that of the ground: in a
walk in place the hips are kept still, so the changes of the walker's speed appear in the feet."""

LEAST_AGREEMENT = 0.6
"""The least share of the frames in which a foot is low in which it has the ground's velocity. The feet of dancers, and
of people who shift their weight, are low at many other velocities."""

SHORTEST_SLIDE = 0.1
"""Sizes of the character: the least distance that each foot moves with the ground in one piece."""

LEAST_LOW = 0.1
"""The least share of the time in which each foot is low: sprinters stand on each for a fifth of it."""

LARGEST_DRIFT, LARGEST_HIP_SPEED = 0.2, 0.5
"""Shares of the ground's speed. A character whose hips have a larger mean velocity than the first does not stay in
place; one whose hips have a larger median speed than the second while a foot is low moves as a whole."""

CANDIDATES = 200
"""About the largest number of velocities from which the most common one is chosen."""

ROUNDS = 5
"""How often the mean of the velocities near the previous mean is taken."""


def ground_velocity(clip: Clip) -> Array:
    """(3,) the velocity of the ground, in the clip's units a second, horizontal; zeros where the ground is still.

    The ground moves if the character stays in place and both feet have one common velocity while they are low. Under a
    character without known feet it is still.
    """
    still = np.zeros(3)
    feet = [_LowFoot.of(clip, side) for side in SIDES]
    known = [foot for foot in feet if foot is not None]
    if len(known) < len(feet) or any(foot.low.any(axis=1).mean() < LEAST_LOW or foot.is_still for foot in known):
        return still
    velocity = _most_common(np.concatenate([foot.velocities[foot.low] for foot in known]))
    speed = float(np.linalg.norm(velocity))
    if speed < SLOWEST_GROUND or not all(foot.moves_with_ground(velocity) for foot in known):
        return still
    hips = _Hips.of(clip)
    if hips.drift > LARGEST_DRIFT * speed or any(
        hips.speed_while(foot.low.any(axis=1)) > LARGEST_HIP_SPEED * speed for foot in known
    ):
        return still
    # Both feet have the same weight, however long each is low; the median ignores the frames of strike and roll-off.
    direction = velocity / speed
    near = [foot.velocities[foot.low & foot.is_near(velocity)] @ direction for foot in known]
    return np.asarray(np.mean([float(np.median(speeds)) for speeds in near]) * clip.skeleton.size * direction)


def over_ground(clip: Clip, velocity: Array, seconds: Array | None = None) -> Clip:
    """The clip as seen from ground that moves with a velocity (3,), in the clip's units a second.

    At time 0 both frames of reference agree; `seconds` (frames,) are the times of the frames, by default
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
    """The horizontal velocities of heel and ball of one foot, and when each is low."""

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
        is_low = heights <= heights.min(axis=0) + STANCE_HEIGHT
        velocities = _level(places[stride:] - places[:-stride], up) * (clip.fps / stride)
        return _LowFoot(velocities, is_low[stride:] & is_low[:-stride], 1.0 / clip.fps)

    @property
    def is_still(self) -> bool:
        """Whether it is slow in too many of the steps in which it is low to have the velocity of moving ground."""
        speeds = np.linalg.norm(self.velocities[self.low], axis=-1)
        return bool((speeds < (1.0 - VELOCITY_TOLERANCE) * SLOWEST_GROUND).mean() > 1.0 - LEAST_AGREEMENT)

    def is_near(self, velocity: Array) -> BoolArray:
        """(steps, 2) where the velocities of heel and ball are within the tolerance of a velocity (3,)."""
        away = np.linalg.norm(self.velocities - velocity, axis=-1)
        return np.asarray(away <= VELOCITY_TOLERANCE * np.linalg.norm(velocity))

    def moves_with_ground(self, velocity: Array) -> bool:
        """Whether the foot has the ground's velocity (3,) in most steps in which it is low, and for a least distance in
        one piece."""
        like = self.low & self.is_near(velocity)
        if like.sum() < LEAST_AGREEMENT * self.low.sum():
            return False
        longest = max((last - first + 1 for part in like.T for first, last in runs(part)), default=0)
        return bool(longest * self.seconds * np.linalg.norm(velocity) >= SHORTEST_SLIDE)


@dataclass(frozen=True, eq=False)
class _Hips:
    """The horizontal speeds of the hips, in sizes of the character a second."""

    drift: float
    """The mean velocity from the first frame to the last."""
    speeds: Array
    """(steps,)"""

    @staticmethod
    def of(clip: Clip) -> _Hips:
        hips = clip.skeleton.landmarks.hips
        path = _level(clip.world.positions[:, 0 if hips is None else hips], clip.skeleton.up_axis) / clip.skeleton.size
        stride = _stride(clip)
        ways = path[stride:-1] - path[: -stride - 1]
        drift = float(np.linalg.norm(path[-1] - path[0])) * clip.fps / (clip.frames - 1)
        return _Hips(drift, np.linalg.norm(ways, axis=1) * (clip.fps / stride))

    def speed_while(self, chosen: BoolArray) -> float:
        """The median speed in chosen steps (steps,)."""
        return float(np.median(self.speeds[chosen]))


def _stride(clip: Clip) -> int:
    """The number of frames over which velocities are taken."""
    return max(1, round(clip.fps / VELOCITY_RATE))


def _most_common(velocities: Array) -> Array:
    """(3,) the velocity that the most velocities (n, 3) are near to."""
    candidates = velocities[:: max(1, len(velocities) // CANDIDATES)]
    tolerance = np.maximum(VELOCITY_TOLERANCE * np.linalg.norm(candidates, axis=1), VELOCITY_TOLERANCE * SLOWEST_GROUND)
    best, most = candidates[0], 0
    for candidate, nearby in zip(candidates, tolerance, strict=True):
        count = int((np.linalg.norm(velocities - candidate, axis=1) <= nearby).sum())
        if count > most:
            best, most = candidate, count
    for _ in range(ROUNDS):
        nearby = max(VELOCITY_TOLERANCE * float(np.linalg.norm(best)), VELOCITY_TOLERANCE * SLOWEST_GROUND)
        near = velocities[np.linalg.norm(velocities - best, axis=1) <= nearby]
        if not len(near):
            break
        best = near.mean(axis=0)
    return np.asarray(best)


def _level(vectors: Array, up: int) -> Array:
    """(..., 3) vectors with their vertical component set to zero."""
    level = vectors.copy()
    level[..., up] = 0.0
    return level
