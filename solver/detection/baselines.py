# SPDX-License-Identifier: GPL-3.0-or-later
"""The simple detectors that others use, in the same interface, to be compared with.

Both look at one point, and their thresholds are fixed: they must be tuned to each kind of motion.
"""

from __future__ import annotations

import numpy as np

from ..body.clip import Clip
from ..core.arrays import Array, BoolArray, runs
from .displacements import Body, track
from .kinds import Detected
from .merging import stationary

SPEED = 0.55
"""Sizes of the character a second, half a metre a second for an adult: what skating is measured with."""

HEIGHT = 0.055
"""Sizes of the character above the lowest places of the point in the clip: five centimetres."""

LOWEST = 0.02
"""The share of frames that may be lower: a single aberrant one must not make the floor."""

VOTERS = 0.05
"""Seconds on either side of a frame whose flags are counted."""

SQUARED_DISPLACEMENT = 0.02
"""In the clip's own units and between its own frames, whatever they are: so the learning papers have it."""


def detect_by_speed_and_height(
    clip: Clip, joint: Body, *, speed: float = SPEED, height: float = HEIGHT, voters: float = VOTERS
) -> list[Detected]:
    """Where a point is slow and low in most of the frames around (document 002, section 4)."""
    body = track(clip, joint)
    if clip.frames < 2:
        return []
    size, up = clip.skeleton.size, clip.skeleton.up_axis
    slow = _speeds(body.positions) * clip.fps <= speed * size
    heights = body.positions[:, up]
    low = heights - np.quantile(heights, LOWEST) <= height * size
    flags = voted(slow & low, round(voters * clip.fps))
    return stationary(body, runs(flags))


def detect_by_squared_displacement(
    clip: Clip, joint: Body, *, threshold: float = SQUARED_DISPLACEMENT
) -> list[Detected]:
    """Where the squared way of a point from one frame to the next is small."""
    body = track(clip, joint)
    if clip.frames < 2:
        return []
    flags = _speeds(body.positions) ** 2 < threshold
    return stationary(body, runs(flags))


def voted(flags: BoolArray, reach: int) -> BoolArray:
    """(frames,) true where more than half of the frames up to `reach` away, those that there are, have true flags."""
    if reach < 1:
        return flags
    counts = np.concatenate([[0], np.cumsum(flags)])
    frames = np.arange(len(flags))
    first, last = np.maximum(frames - reach, 0), np.minimum(frames + reach, len(flags) - 1) + 1
    return np.asarray(2 * (counts[last] - counts[first]) > last - first)


def _speeds(positions: Array) -> Array:
    """(frames,) the way to the next frame; of the last frame, from the one before."""
    ways = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    return np.append(ways, ways[-1:])
