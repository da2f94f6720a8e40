# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip sampled at other times: slower, faster, or warped (Popović 1999, section 6.4.6, runs a motion slower).

Translations, and quaternions as vectors of four numbers, follow a cubic spline through all frames: position,
velocity and acceleration are continuous, so a clip that is slowed down has no kinks at its old frames.
"""

from __future__ import annotations

import numpy as np

from ...body.clip import Clip
from ...body.motion import Motion
from ...core import rotations
from ...core.arrays import Array, ArrayLike
from ...core.errors import MotionError
from ...core.sentences import Frame

POLE = np.sqrt(3.0) - 2.0
"""How the second derivatives of a cubic spline with evenly spaced knots answer to one value: they fall by this factor
from knot to knot."""

TAPS = 28
"""Knots after which that answer is below rounding: |POLE|²⁸ is 1e-16."""


def warped(clip: Clip, times: ArrayLike) -> Clip:
    """The clip sampled at times (frames of the result,), in frames of the clip, at the same frame rate.

    Whole frames come back bit for bit.
    """
    moments = _checked_times(times, clip.frames)
    motion = clip.motion
    sampled = sampled_spline(motion.translations, moments), sampled_spline(_connected(motion.rotations), moments)
    whole = moments == np.floor(moments)
    frames = moments[whole].astype(np.int64)
    translations, turned = sampled[0], rotations.normalize(sampled[1])
    translations[whole], turned[whole] = motion.translations[frames], motion.rotations[frames]
    return clip.with_motion(Motion(turned, translations))


def sampled_spline(values: Array, times: Array) -> Array:
    """(times, …) the cubic spline through values (frames, …), at times (times,) in frames between the first and
    the last one."""
    last = len(values) - 1
    before = np.clip(times.astype(np.int64), 0, max(last - 1, 0))
    after = np.minimum(before + 1, last)
    share = (times - before).reshape(-1, *[1] * (values.ndim - 1))
    rest = 1.0 - share
    bends = _second_derivatives(values)
    line = values[before] + share * (values[after] - values[before])
    return np.asarray(
        line + ((rest**3 - rest) * bends[before] + (share**3 - share) * bends[after]) / 6.0,
    )


def _second_derivatives(values: Array) -> Array:
    """(frames, …) those of the cubic spline through values (frames, …), per frame squared; the first and the last ones
    are those of their neighbours, so that parabolas stay what they are.

    They solve the system (m₋ + 4 m + m₊) / 6 = second difference, whose inverse is the kernel √3 POLE^|k|. Mirroring
    the second differences at both ends makes each end equal to its neighbour.
    """
    bends = np.zeros_like(values)
    if len(values) < 3:
        return bends
    known = np.diff(values, 2, axis=0)
    mirrored = np.concatenate([known, known[::-1]])
    whole = np.sqrt(3.0) * mirrored
    for step in range(1, TAPS + 1):
        both = np.roll(mirrored, step, axis=0) + np.roll(mirrored, -step, axis=0)
        whole += np.sqrt(3.0) * POLE**step * both
    bends[1:-1] = whole[: len(known)]
    bends[0], bends[-1] = bends[1], bends[-2]
    return bends


def _connected(turns: Array) -> Array:
    """Quaternions (frames, joints, 4) of the same rotations, each with the sign that is nearer to the one before."""
    products = np.einsum("fjk,fjk->fj", turns[1:], turns[:-1])
    signs = np.ones(turns.shape[:2])
    signs[1:] = np.cumprod(np.where(products < 0.0, -1.0, 1.0), axis=0)
    return turns * signs[:, :, None]


def _checked_times(given: ArrayLike, frames: int) -> Array:
    try:
        times = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise MotionError("The times of a warped clip must be numbers.") from None
    if times.ndim != 1 or not times.size:
        raise MotionError(f"A clip is sampled at one row of times, one or more, not at an array {times.shape}.")
    if not np.isfinite(times).all():
        raise MotionError("The times of a warped clip must be finite.")
    outside = times[(times < 0.0) | (times > frames - 1)]
    if outside.size:
        raise MotionError(
            "The time ", Frame(float(outside[0])), " lies outside the clip, whose frames are ", Frame(0), " to ",
            Frame(frames - 1), ".",
        )  # fmt: skip
    return times
