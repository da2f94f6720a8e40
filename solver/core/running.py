# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of sliding windows over a sequence."""

from __future__ import annotations

import numpy as np

from .arrays import Array


def running_median(values: Array, width: int) -> Array:
    """(n,) medians of windows of `width` values, an odd number, centred on each value; beyond the ends the first and
    the last value are repeated."""
    padded = np.pad(values, width // 2, mode="edge")
    return np.asarray(np.sort(np.lib.stride_tricks.sliding_window_view(padded, width), axis=-1)[:, width // 2])


def running_mean(values: Array, reach: int) -> Array:
    """(n, width) means of the values (n, width) up to `reach` rows before and after each one; beyond the ends the first
    and the last row are repeated."""
    if reach < 1:
        return values
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    # Sums of differences from the first row: sums of values far from zero would lose digits.
    sums = np.cumsum(np.concatenate([np.zeros((1, values.shape[1])), padded - padded[:1]]), axis=0)
    width = 2 * reach + 1
    return np.asarray(padded[:1] + (sums[width:] - sums[:-width]) / width)


def running_maximum(values: Array, reach: int) -> Array:
    """(n,) the largest of the values up to `reach` before and after each one."""
    width = 2 * reach + 1
    result = np.pad(values, reach, mode="edge")
    covered = 1
    while covered < width:
        step = min(covered, width - covered)
        result = np.maximum(result[:-step], result[step:])
        covered += step
    return result
