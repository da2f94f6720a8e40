# SPDX-License-Identifier: GPL-3.0-or-later
"""A low-pass filter and a smooth envelope for values over frames."""

from __future__ import annotations

import operator

import numpy as np

from ..core.arrays import Array, ArrayLike, BoolArray, runs
from ..core.errors import PoiseError


def kernel(radius: int) -> Array:
    """(radius + 1,) the filter's weights from its centre outward: a Hann window over 2 radius + 1 frames.

    No weight is negative, and their sum over the window is one, so the filter does not overshoot. Among windows of this
    width it spreads a jump almost as evenly as a triangle (the best), and has no corner itself.
    """
    radius = _checked_radius(radius)
    return (1.0 + np.cos(np.pi * np.arange(radius + 1) / (radius + 1))) / (2.0 * (radius + 1))


def lowpass(values: ArrayLike, radius: int) -> Array:
    """The channels (frames, ...) averaged with the kernel over `radius` frames to each side.

    Beyond the ends the channels are mirrored through the end values, so that the ends and all linear channels stay as
    they are. A kernel that is wider than the clip is narrowed to it.
    """
    channels = np.asarray(values, dtype=np.float64)
    radius = min(_checked_radius(radius), len(channels) - 1)
    if radius <= 0:
        return channels.copy()
    before = 2.0 * channels[:1] - channels[radius:0:-1]
    after = 2.0 * channels[-1:] - channels[-2 : -radius - 2 : -1]
    return _averaged(np.concatenate([before, channels, after]), radius)


def envelope(values: Array, radius: int, within: BoolArray | None = None) -> Array:
    """(frames,) a smooth upper bound of non-negative values (frames,); 0 beyond twice `radius` from positive ones.

    It is the low-passed maximum of the values within `radius` frames: a mean of such maxima is nowhere less than the
    values. With `within` (frames,) each run of that mask has an envelope of its own; elsewhere the result is 0.
    """
    if within is not None:
        separate = np.zeros_like(values)
        for first, last in runs(within):
            separate[first : last + 1] = envelope(values[first : last + 1], radius)
        return separate
    if not values.any() or radius <= 0:
        return values.copy()
    padded = np.pad(values, radius)
    widest = np.max([padded[step : step + len(values)] for step in range(2 * radius + 1)], axis=0)
    return np.maximum(lowpass(widest[:, None], radius)[:, 0], values)


def _averaged(padded: Array, radius: int) -> Array:
    """(frames, ...) the channels averaged with the kernel; `padded` has `radius` more frames at each end.

    The weights multiply differences, so that constants come back bit for bit.
    """
    frames = len(padded) - 2 * radius
    center = padded[radius : radius + frames]
    total = center.copy()
    for distance, weight in enumerate(kernel(radius)[1:], start=1):
        for begin in (radius - distance, radius + distance):
            total += weight * (padded[begin : begin + frames] - center)
    return total


def _checked_radius(radius: int) -> int:
    try:
        frames = operator.index(radius)
    except TypeError:
        frames = -1
    if frames < 0:
        raise PoiseError(f"The radius of the filter must be a whole number of frames from 0, not {radius!r}.")
    return frames
