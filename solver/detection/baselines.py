# SPDX-License-Identifier: GPL-3.0-or-later
"""Simple detectors from the literature with fixed thresholds, for comparison.

Both look at one point; their thresholds must be tuned to each kind of motion.
"""

from __future__ import annotations

import numpy as np

from ..body.clip import Clip
from ..core.arrays import Array, BoolArray, runs
from .detected import Detected
from .displacements import TrackedBody, track
from .merging import space_constraints

SPEED = 0.55
"""Sizes of the character a second: half a metre a second for an adult, a usual threshold for foot skating."""

LOWEST = 0.02
"""Share of the frames that may be below the floor, so that a single outlier does not define it."""

VOTING_TIME = 0.05
"""Seconds before and after a frame whose flags are counted for a majority: 6 frames at 120 a second, as published."""

SQUARED_DISPLACEMENT = 0.02
"""In the clip's own units and between its own frames, whatever they are, as in papers on learnt motion."""


def detect_by_speed_and_height(
    clip: Clip, joint: TrackedBody, *, speed: float = SPEED, height: float | None = None, voters: float = VOTING_TIME
) -> list[Detected]:
    """Where a point is slow in most of the frames within `voters` seconds (Li and Hao 2006, section 4), at any height.

    With a `height`, in sizes of the character, it must also be within it of the lowest positions of the point in the
    clip. This is usual for skating figures, is not in the paper, and finds nothing on stairs.
    """
    body = track(clip, joint)
    if clip.frames < 2:
        return []
    size = clip.skeleton.size
    flags = _step_lengths(body.positions) * clip.fps <= speed * size
    if height is not None:
        heights = body.positions[:, clip.skeleton.up_axis]
        flags &= heights - np.quantile(heights, LOWEST) <= height * size
    return space_constraints(body, runs(majority(flags, round(voters * clip.fps))))


def detect_by_squared_displacement(
    clip: Clip, joint: TrackedBody, *, threshold: float = SQUARED_DISPLACEMENT
) -> list[Detected]:
    """Where the squared displacement of a point from one frame to the next is below a threshold."""
    body = track(clip, joint)
    if clip.frames < 2:
        return []
    flags = _step_lengths(body.positions) ** 2 < threshold
    return space_constraints(body, runs(flags))


def majority(flags: BoolArray, reach: int) -> BoolArray:
    """(frames,) true where more than half of the flags up to `reach` frames before and after are true."""
    if reach < 1:
        return flags
    counts = np.concatenate([[0], np.cumsum(flags)])
    frames = np.arange(len(flags))
    first, last = np.maximum(frames - reach, 0), np.minimum(frames + reach, len(flags) - 1) + 1
    return np.asarray(2 * (counts[last] - counts[first]) > last - first)


def _step_lengths(positions: Array) -> Array:
    """(frames,) the distance to the position in the next frame; of the last frame, from the one before."""
    lengths = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    return np.append(lengths, lengths[-1:])
