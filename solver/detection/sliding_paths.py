# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a point in which slides are looked for: its noise, its outliers, and the frames in which it moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray, median
from ..core.robust import geometric_median
from .settings import DEFAULT_SLIDING, SlidingSettings

NEIGHBOURHOOD = 5
"""Frames of a prediction: two neighbours before a frame and two after. It is exact for cubics, so that a smooth motion
has no prediction error, only noise has."""

DEVIATIONS_PER_ERROR = 0.4663
"""The standard deviation of noise on one axis over the median prediction error: the error has (1 + 34/36)^½ standard
deviations on each of three axes, and the median length of three normal numbers is 1.5382."""


@dataclass(frozen=True, eq=False)
class SlidingPath:
    """The positions of a point in sizes of the character, its noise, and when it moves."""

    places: Array
    """(frames, 3), relative to the first frame."""
    noise: float
    """The standard deviation of its noise on one axis."""
    outliers: BoolArray
    """(frames,) single frames that jump."""
    moving: BoolArray
    """(frames,) where it moves; outliers do not count as moving."""
    half_step: int
    """Frames before and after a frame between which its displacement is measured."""
    settings: SlidingSettings = DEFAULT_SLIDING

    @staticmethod
    def of(places: Array, fps: float, settings: SlidingSettings = DEFAULT_SLIDING) -> SlidingPath:
        """The path of places (frames, 3) in sizes of the character."""
        places = places - places[:1]
        noise, outliers = noise_and_outliers(places, settings)
        half_step = max(1, round(settings.half_step * fps))
        # A jump to an outlier and back is no motion.
        clean = np.where(outliers[:, None], _predicted(places), places)
        padded = np.concatenate(
            [np.repeat(clean[:1], half_step, axis=0), clean, np.repeat(clean[-1:], half_step, axis=0)]
        )
        lengths = rotations.lengths(padded[2 * half_step :] - padded[: -2 * half_step])
        moving = lengths > max(settings.least_speed * 2.0 * half_step / fps, settings.rest_deviations * noise)
        return SlidingPath(places, noise, outliers, moving & ~outliers, half_step, settings)

    def first_at_rest(self, frames: IntArray) -> int | None:
        """The first of the frames, in the order given, in which the point is in its place of the last of them; None
        where it does not rest there."""
        last = frames[-3 * self.half_step :]
        if self.moving[last].any():
            return None
        place = geometric_median(self.places[last])
        distance = max(self.settings.place_deviations * self.noise, self.settings.same_place)
        there = rotations.lengths(self.places[frames] - place) <= distance
        # Two frames in a row, since a single one may only pass through the place.
        both = np.flatnonzero(there[:-1] & there[1:])
        return int(frames[both[0]]) if len(both) else None


def noise_and_outliers(places: Array, settings: SlidingSettings = DEFAULT_SLIDING) -> tuple[float, BoolArray]:
    """The standard deviation of the noise of places (frames, 3) on one axis, and (frames,) which are outliers."""
    outliers = np.zeros(len(places), dtype=bool)
    if len(places) < NEIGHBOURHOOD:
        return 0.0, outliers
    errors = np.zeros(len(places))
    errors[2:-2] = rotations.lengths(places[2:-2] - _predicted(places)[2:-2])
    noise = DEVIATIONS_PER_ERROR * float(median(errors[2:-2]))
    beside = np.maximum.reduce([errors[number : len(errors) - 4 + number] for number in (0, 1, 3, 4)])
    jump = max(settings.outlier_deviations * noise / DEVIATIONS_PER_ERROR, settings.least_jump)
    outliers[2:-2] = (errors[2:-2] > jump) & (errors[2:-2] > beside)
    return noise, outliers


def _predicted(places: Array) -> Array:
    """(frames, 3) each place as the cubic through its four neighbours has it; at the ends, the place itself."""
    result = places.copy()
    if len(places) >= NEIGHBOURHOOD:
        result[2:-2] = (4.0 * (places[1:-3] + places[3:-1]) - places[:-4] - places[4:]) / 6.0
    return result
