# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of a point as sliding is looked for in it: how noisy it is, which frames are aberrant, when it moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray
from .pivots import median

BETWEEN = np.array([-1.0, 4.0, 0.0, 4.0, -1.0]) / 6.0
"""What four neighbours say about the place between them: exact for cubics, so that a smooth motion drops out."""

NOISE_OF_ONE = 0.4663
"""Standard deviations of noise on one axis in the median distance between a place and what its neighbours say: that is
(1 + 34/36)^½ of them on each of three axes, and 1.5382 is the median length of three normal numbers."""

ABERRANT = 6.0
"""Standard deviations by which a frame is off what its neighbours say to be aberrant."""

LEAST_JUMP = 0.01
"""Sizes of the character that it is off at least: where a motion changes its mind, smooth curves are off by less."""

LEAST_SPEED = 0.05
"""Sizes of the character a second: what is slower is at rest."""

UNNOTICED_WAY = 5.7
"""Standard deviations of noise on one axis that two places at rest may be apart: 4 times 2^½, where 999 of 1000 are
nearer."""

HALF_STEP = 0.05
"""Seconds before and after a frame between which its way is measured."""

AT_THE_PLACE = 4.0
"""Standard deviations of noise on one axis within which a point is where it rests."""

SAME_PLACE = 1e-4
"""Sizes of the character: the same where there is no noise."""


@dataclass(frozen=True, eq=False)
class SlidingPath:
    """Where a point is, in sizes of the character, and what is known of it."""

    places: Array
    """(frames, 3)"""
    noise: float
    """The standard deviation of its noise on one axis."""
    aberrant: BoolArray
    """(frames,) single frames that jump."""
    moving: BoolArray
    """(frames,) where it is on its way; aberrant frames are not."""
    half_step: int
    """Frames before and after within which it is seen to move."""

    @staticmethod
    def of(places: Array, fps: float) -> SlidingPath:
        """Of places (frames, 3) in sizes of the character."""
        places = places - places[:1]
        noise, aberrant = noise_and_jumps(places)
        half_step = max(1, round(HALF_STEP * fps))
        # What lies between aberrant frames and their neighbours is no motion.
        clean = np.where(aberrant[:, None], _between_neighbours(places), places)
        padded = np.concatenate(
            [np.repeat(clean[:1], half_step, axis=0), clean, np.repeat(clean[-1:], half_step, axis=0)]
        )
        ways = rotations.lengths(padded[2 * half_step :] - padded[: -2 * half_step])
        moving = ways > max(LEAST_SPEED * 2.0 * half_step / fps, UNNOTICED_WAY * noise)
        return SlidingPath(places, noise, aberrant, moving & ~aberrant, half_step)

    def first_at_rest(self, frames: IntArray) -> int | None:
        """The first of some frames, in the order given, in which the point is where it is in the last of them; None
        where it does not rest there."""
        last = frames[-3 * self.half_step :]
        if self.moving[last].any():
            return None
        place = np.median(self.places[last], axis=0)
        there = rotations.lengths(self.places[frames] - place) <= max(AT_THE_PLACE * self.noise, SAME_PLACE)
        # Two frames in a row, lest one that only passes by counts.
        both = np.flatnonzero(there[:-1] & there[1:])
        return int(frames[both[0]]) if len(both) else None


def noise_and_jumps(places: Array) -> tuple[float, BoolArray]:
    """The standard deviation of the noise of places (frames, 3) on one axis, and (frames,) which single ones jump."""
    aberrant = np.zeros(len(places), dtype=bool)
    if len(places) < len(BETWEEN):
        return 0.0, aberrant
    off = np.zeros(len(places))
    off[2:-2] = rotations.lengths(places[2:-2] - _between_neighbours(places)[2:-2])
    noise = NOISE_OF_ONE * median(off[2:-2])
    high = np.maximum.reduce([off[number : len(off) - 4 + number] for number in (0, 1, 3, 4)])
    jump = max(ABERRANT * noise / NOISE_OF_ONE, LEAST_JUMP)
    aberrant[2:-2] = (off[2:-2] > jump) & (off[2:-2] > high)
    return noise, aberrant


def _between_neighbours(places: Array) -> Array:
    """(frames, 3) where the neighbours of each frame say that it is; at the ends, where it is itself."""
    result = places.copy()
    if len(places) >= len(BETWEEN):
        result[2:-2] = (4.0 * (places[1:-3] + places[3:-1]) - places[:-4] - places[4:]) / 6.0
    return result
