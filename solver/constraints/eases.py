# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth ways between two displacements."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Array, ArrayLike


def smooth_step(share: ArrayLike) -> Array:
    """From 0 to 1 over a share of 0 to 1, at rest and without acceleration at both ends (a quintic)."""
    x = _within_unit(np.asarray(share, dtype=np.float64))
    return np.asarray(x * x * x * (10.0 + x * (6.0 * x - 15.0)))


def cubic_step(share: ArrayLike) -> Array:
    """From 0 to 1 over a share of 0 to 1, at rest at both ends: as a spline goes between two points where it rests."""
    x = _within_unit(np.asarray(share, dtype=np.float64))
    return np.asarray(x * x * (3.0 - 2.0 * x))


def departure(times: ArrayLike, duration: float) -> Array:
    """(n, 1) how far something has come that starts with velocity 1 and is back at rest at 0 after a duration.

    It hands over a velocity without adding a lasting displacement; at negative times and for no duration it is 0.
    """
    elapsed = np.asarray(times, dtype=np.float64)[:, None]
    if duration <= 0.0:
        return np.zeros_like(elapsed)
    x = _within_unit(elapsed / duration)
    rest = 1.0 - x
    return np.asarray(duration * x * (rest * rest * rest))


def bridge(
    times: ArrayLike,
    begin: float,
    end: float,
    first: Array,
    last: Array,
    leaving: Array,
    arriving: Array,
    ease: float,
) -> Array:
    """(n, 3) a way from the displacement `first` at time `begin` to `last` at `end`.

    It leaves with the velocity `leaving` and arrives with `arriving` (3,), each handed over within `ease` frames.
    """
    duration = end - begin
    at = np.asarray(times, dtype=np.float64)
    if duration <= 0.0:
        return np.tile(last, (len(at), 1))
    way = first + smooth_step((at - begin) / duration)[:, None] * (last - first)
    short = min(ease, duration)
    return way + departure(at - begin, short) * leaving - departure(end - at, short) * arriving


def _within_unit(share: Array) -> Array:
    """Clipped to 0 to 1: `np.clip` takes thrice as long for few numbers."""
    return np.asarray(np.minimum(np.maximum(share, 0.0), 1.0))
