# SPDX-License-Identifier: GPL-3.0-or-later
"""Continuation: what a target requires is continued, smoothly, into the frames around in which it is not active.

A foot that stops standing must not be let go from one frame to the next. So the residual that is corrected in the
active frames goes on beyond them, with its value and its velocity, and vanishes: as the curve with the least second
differences does that is also attracted to zero (docs/derivations.md). The larger the residual, the longer it takes.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray, distances_to, runs

SHORTEST = 0.085
"""Seconds, the least time constant of a continuation. Between half and twice as long results are the same (30 clips of
the public CMU library, subjects 1 to 60)."""

ACCELERATION = 20.0
"""Sizes of the character per second squared, twice that of gravity for a person: the accelerations that a continuation
may add to a motion. A residual r has a time constant of at least √(2 r / this)."""


def continued(residual: Array, active: BoolArray, fps: float) -> Array:
    """(frames, rows) a residual, in sizes of the character or radians, that is continued into the frames in which its
    target is not `active` (frames,)."""
    result = residual * active[:, None]
    if not active.any():
        return result
    for first, last in runs(~active):
        left = _run_end(active, first - 1, -1)
        right = _run_end(active, last + 1, 1)
        largest = float(np.linalg.norm(residual[left + right], axis=1).max())
        rate = 1.0 / (fps * max(SHORTEST, np.sqrt(2.0 * largest / ACCELERATION)))
        ends = (first - 1 if left else None, last + 1 if right else None)
        known = _curves(np.array(left + right), ends, rate)
        between = _curves(np.arange(first, last + 1), ends, rate)
        result[first : last + 1] = between @ np.linalg.lstsq(known, residual[left + right], rcond=1e-9)[0]
    return result


def distances(active: BoolArray) -> Array:
    """(frames,) how many frames away the nearest active one is; infinite where there is none."""
    return distances_to(active) if active.any() else np.full(len(active), np.inf)


def _run_end(active: BoolArray, frame: int, inward: int) -> list[int]:
    """The active frame at the end of a run and its neighbour inside, which give value and velocity; as far as there
    are any."""
    found = []
    for each in (frame, frame + inward):
        if not 0 <= each < len(active) or not active[each]:
            break
        found.append(each)
    return found


def _curves(frames: IntArray, ends: tuple[int | None, int | None], rate: float) -> Array:
    """(frames, curves) the decaying solutions of y'''' = -4 rate⁴ y: two for each end of a gap, seen from there."""
    curves = []
    for end, direction in zip(ends, (1.0, -1.0), strict=True):
        if end is not None:
            away = rate * direction * (frames - end)
            decay = np.exp(-away)
            curves += [decay * np.cos(away), decay * np.sin(away)]
    return np.stack(curves, axis=1)
