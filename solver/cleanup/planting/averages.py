# SPDX-License-Identifier: GPL-3.0-or-later
"""Weighted means and maxima over the frames around each frame."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Array, BoolArray, IntArray

SPREAD = 0.5
"""The standard deviation of a Gaussian as a share of its half width."""

DOUBT = 0.05
"""Squared frames that are added to the spread of the frames to which a line is fitted: the slope of a line through few
noisy values is not to be trusted."""


def gaussian(window: int) -> Array:
    """(2 window + 1,) the weights of a Gaussian; they are not normalised."""
    shifts = np.arange(-window, window + 1)
    return np.asarray(np.exp(-0.5 * (shifts / (SPREAD * max(window, 1))) ** 2))


def hann(window: int) -> Array:
    """(2 window + 1,) the weights of a Hann window; they add up to 1."""
    weights = 1.0 + np.cos(np.pi * np.arange(-window, window + 1) / (window + 1))
    return np.asarray(weights / weights.sum())


def split_window(window: int) -> tuple[int, int]:
    """The half widths for `largest` and for smoothing its result, which add up to `window`.

    Smoothing has the narrower one: then every frame that it weighs has seen the frame in the middle, and the result is
    nowhere smaller than the values were.
    """
    return window - window // 2, window // 2


def smoothed(values: Array, weights: Array, mask: BoolArray | None = None) -> Array:
    """The weighted means of values (frames,) or (frames, n) over the frames around, those of the mask if it is given.

    The weights (2 window + 1,) are symmetric; at the ends of the values fewer frames count. 0 where no frame counts.
    """
    frames, window = len(values), len(weights) // 2
    if not frames:
        return values.copy()
    inside = np.ones(frames) if mask is None else mask.astype(np.float64)
    columns = (values * inside if values.ndim == 1 else values * inside[:, None]).reshape(frames, -1)
    total = np.convolve(inside, weights)[window : window + frames]
    total = np.where(total > 0.0, total, 1.0)
    sums = [np.convolve(column, weights)[window : window + frames] / total for column in columns.T]
    return np.stack(sums, axis=1).reshape(values.shape)


def largest(values: Array, window: int) -> Array:
    """For each frame the longest of the vectors (frames, n), or the largest magnitude (frames,), so many frames around.

    Of equal ones the earliest.
    """
    frames = len(values)
    squares = (values.reshape(frames, -1) ** 2).sum(axis=1)
    padded = np.pad(squares, window, constant_values=-1.0)
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * window + 1)
    return np.asarray(values[np.arange(frames) - window + around.argmax(axis=1)])


def local_lines(values: Array, weights: Array, mask: BoolArray) -> tuple[Array, Array]:
    """The values and the slopes per frame, shaped as `values` (frames,) or (frames, n), of lines fitted around frames.

    The line of a frame has the least squared distances, by symmetric weights (2 window + 1,), from the values of the
    mask's frames around it. Unlike a mean it follows a steady change up to the end of the mask, and beyond. Values are
    0 where no frame counts; slopes are 0 where only one does, and small where few do.
    """
    frames, window = len(values), len(weights) // 2
    shifts = np.arange(window, -window - 1, -1)
    inside = mask.astype(np.float64)
    columns = values.reshape(frames, -1)

    def moments(kernel: Array) -> tuple[Array, Array]:
        """(frames, 1) of the mask, and (frames, n) of the values there."""
        own, *others = (
            np.convolve(column, kernel)[window : window + frames] for column in (inside, *(columns * inside[:, None]).T)
        )
        return own[:, None], np.stack(others, axis=1) if others else np.zeros((frames, 0))

    (total, sums), (first, products) = moments(weights), moments(weights * shifts)
    second, _ = moments(weights * shifts * shifts)
    known = np.where(total > 0.0, total, 1.0)
    spread = second - first * first / known + DOUBT * known
    slopes = (products - first * sums / known) / spread
    return ((sums - slopes * first) / known).reshape(values.shape), slopes.reshape(values.shape)


def believed(faulty: BoolArray) -> IntArray:
    """The frames that count in a mean: those that are not faulty (n,), or all if they all are."""
    good = np.flatnonzero(~faulty)
    return good if good.size else np.arange(len(faulty))
