# SPDX-License-Identifier: GPL-3.0-or-later
"""Means and maxima over the frames around each frame of a clip, summed in the order in which a stream sums them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...core.arrays import Array, BoolArray

SPREAD = 0.5
"""The standard deviation of a Gaussian as a share of its half width."""


def gaussian(window: int) -> list[float]:
    """(2 window + 1,) the weights of a Gaussian, from the earliest to the latest frame; they are not normalised."""
    spread = SPREAD * max(window, 1)
    return [math.exp(-0.5 * (shift / spread) ** 2) for shift in range(-window, window + 1)]


def hann(window: int) -> list[float]:
    """(2 window + 1,) the weights of a Hann window, from the earliest to the latest frame; they add up to 1."""
    weights = [1.0 + math.cos(math.pi * shift / (window + 1)) for shift in range(-window, window + 1)]
    return [weight / sum(weights) for weight in weights]


def halves(window: int) -> tuple[int, int]:
    """The window for the largest around and the one for smoothing it, which is not the wider one.

    Then every frame of the kernel has seen the frame in its middle: smoothed, nothing is less than it was.
    """
    return window - window // 2, window // 2


def smoothed(values: tuple[Array, ...], weights: list[float], counts: BoolArray | None = None) -> tuple[Array, ...]:
    """The weighted means of values (frames,) over the frames around, or those that count; 0 where none does."""
    frames = len(values[0])
    summed, total = tuple(np.zeros(frames) for _ in values), np.zeros(frames)
    for weight, here, there in _shifted(frames, weights):
        weighs = weight if counts is None else np.where(counts[there], weight, 0.0)
        total[here] += weighs
        for sums, value in zip(summed, values, strict=True):
            sums[here] += weighs * value[there]
    total = np.where(total > 0.0, total, 1.0)
    return tuple(sums / total for sums in summed)


def largest(values: tuple[Array, ...], window: int) -> tuple[Array, ...]:
    """In each frame the largest of the vectors so many frames around; of equals, the earliest."""
    frames = len(values[0])
    sizes = np.zeros(frames)
    for value in values:
        sizes = sizes + value * value
    most, found = np.full(frames, -1.0), tuple(np.zeros(frames) for _ in values)
    for _, here, there in _shifted(frames, [1.0] * (2 * window + 1)):
        better = sizes[there] > most[here]
        most[here] = np.where(better, sizes[there], most[here])
        for kept, value in zip(found, values, strict=True):
            kept[here] = np.where(better, value[there], kept[here])
    return found


def _shifted(frames: int, weights: list[float]) -> Iterator[tuple[float, slice, slice]]:
    """For each weight of a kernel the frames to which it applies, and those that it weighs."""
    window = len(weights) // 2
    for shift, weight in zip(range(-window, window + 1), weights, strict=True):
        begin, end = max(0, -shift), min(frames, frames - shift)
        if begin < end:
            yield weight, slice(begin, end), slice(begin + shift, end + shift)
