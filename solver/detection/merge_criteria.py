# SPDX-License-Identifier: GPL-3.0-or-later
"""When two detected constraints are merged to one (Le Callennec 2006, section 6.4.3: "connected in time")."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, BoolArray, runs
from .settings import DEFAULT_DETECTION


@dataclass(frozen=True)
class MergeCriteria:
    """When two detected constraints are merged, and which are kept: in frames, radians and the clip's units."""

    most_frames: int
    """Frames that may lie between two constraints in the same place."""
    merge_distance: float
    """Constraints further apart than this are never merged, however close in time."""
    angle: float
    """Lines up to this angle apart are parallel."""
    distance: float
    """Lines and points up to this far apart intersect."""
    shortest: int
    """Constraints of fewer frames are dropped."""
    point_evidence: float = DEFAULT_DETECTION.point_evidence
    """A point constraint lasts at least this many times `shortest`."""
    refit_growth: float = DEFAULT_DETECTION.refit_growth
    """A segment is fitted again when it has grown this many times longer."""


def frame_tolerance(distance: float, most_frames: int, merge_distance: float) -> int:
    """How many frames may lie between two constraints at a distance from each other for them to be one.

    It falls exponentially from `most_frames` in the same place to 1 at `merge_distance`, and is 0 beyond.
    """
    if distance > merge_distance or most_frames < 1:
        return 0
    if distance <= 0.0:
        return most_frames
    # Rounding must not make the 1 at `merge_distance` a 0.
    return math.floor(most_frames * math.exp(-distance * math.log(most_frames) / merge_distance) + 1e-9)


def are_mergeable(gap: int, distance: float, criteria: MergeCriteria) -> bool:
    """Whether two constraints with `gap` frames between them are near enough in time, for their distance, to be merged;
    with a common frame they are."""
    return gap < 0 or gap < frame_tolerance(distance, criteria.most_frames, criteria.merge_distance)


def merged_runs(flags: BoolArray, positions: Array, stride: int, criteria: MergeCriteria) -> list[tuple[int, int]]:
    """First and last frame of each interval in one place: algorithm 3 on flags (n,) of stationary displacements.

    `positions` (frames, 3) are those of the body. A run is merged with the interval before it where few frames lie
    between them for the distance between their mean positions.
    """
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(positions - positions[:1], axis=0)])
    found: list[tuple[int, int]] = []
    active_sum, active_count = np.zeros(3), 0
    for first, last in runs(flags):
        begin, end = int(first), int(last) + stride
        total, count = sums[end + 1] - sums[begin], end + 1 - begin
        if found:
            distance = float(np.linalg.norm(total / count - active_sum / active_count))
            if are_mergeable(begin - found[-1][1] - 1, distance, criteria):
                found[-1] = (found[-1][0], end)
                active_sum, active_count = active_sum + total, active_count + count
                continue
        found.append((begin, end))
        active_sum, active_count = total, count
    return found
