# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves out keys as long as smooth curves through the others stay within a tolerance of every frame.

Between two keys a curve is the cubic polynomial with the keys' values and slopes: in Blender a Bézier segment whose
handles are a third of the way to the other key. Each key has one slope per curve, so the curves are smooth at keys. The
slopes minimize the sum of squared distances to all frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .arrays import Array, BoolArray, IntArray

_ROUNDING = 1e-7
"""Relative rounding error of the value of a key, which Blender stores in single precision."""

_SWEEPS = 12
"""Gauss-Seidel sweeps over the slopes. Each reduces the error to less than 0.6 of it; after these, less than a
thousandth is left, which needs no further key."""

_REGULARIZATION = 1e-6
"""Weight of the slope at the frames around a key, which determines the slope where no frame lies between keys."""

_APART = 3
"""Every third key is tried out for removal at once, so that no two neighbours are."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Curves that share their keys."""

    keyed: BoolArray
    """(frames,) which frames have a key."""
    slopes: Array | None
    """(keys, curves) per unit of time; None where the curves are linear between keys."""
    curve_values: Array
    """(frames, curves)"""


def every_frame(values: Array) -> Fit:
    """Curves with a key at every frame and linear interpolation; values (frames, curves)."""
    return Fit(np.ones(len(values), dtype=bool), None, values)


def thinned(times: Array, values: Array, tolerances: Array) -> Fit:
    """Smooth curves with few keys that stay within tolerances (frames or 1, curves) of values (frames, curves)."""
    if len(times) < 2:
        return every_frame(values)
    curves = _Curves(times, values, tolerances)
    keys, fit = curves.refined(np.array([0, len(times) - 1]))
    rounds_without_removal, phase = 0, 0
    while rounds_without_removal < _APART and len(keys) > 2:
        # Remove keys that are not neighbours together, then add those again that were needed.
        out = keys[1:-1][phase % _APART :: _APART]
        fewer = np.setdiff1d(keys, out)
        bad = curves.worst_frames(fewer, curves.fitted(fewer))
        after = np.searchsorted(fewer, bad, side="right")
        begin, end = fewer[np.maximum(after - 2, 0)], fewer[np.minimum(after + 1, len(fewer) - 1)]
        needed = ((out[:, None] > begin) & (out[:, None] < end)).any(axis=1)
        fewer, found = curves.refined(np.union1d(fewer, out[needed]))
        rounds_without_removal, phase = rounds_without_removal + 1, phase + 1
        if len(fewer) < len(keys):
            keys, fit, rounds_without_removal = fewer, found, 0
    return fit


def with_keys(times: Array, values: Array, tolerances: Array, fit: Fit, frames: IntArray) -> Fit:
    """Curves as those of `fit`, with keys at more frames."""
    return _Curves(times, values, tolerances).refined(np.union1d(np.flatnonzero(fit.keyed), frames))[1]


@dataclass(frozen=True, eq=False)
class _Curves:
    times: Array
    """(frames,)"""
    values: Array
    """(frames, curves)"""
    tolerances: Array
    """(frames or 1, curves)"""

    @cached_property
    def slopes(self) -> Array:
        """Finite differences of neighbouring frames, (frames, curves)."""
        return np.asarray(np.gradient(self.values, self.times, axis=0))

    @cached_property
    def allowed(self) -> Array:
        """The tolerances (frames or 1, curves) with a margin for rounding, so that a tolerance of zero can be met."""
        return self.tolerances + _ROUNDING * np.abs(self.values).max(axis=0, initial=1.0)

    def refined(self, keys: IntArray) -> tuple[IntArray, Fit]:
        """The keys, with as many added as bring every frame within tolerance, and the curves through them."""
        while True:
            fit = self.fitted(keys)
            worst = self.worst_frames(keys, fit)
            if worst.size == 0:
                return keys, fit
            keys = np.union1d(keys, worst)

    def worst_frames(self, keys: IntArray, fit: Fit) -> IntArray:
        """The frame with the largest error of each segment in which a frame is out of tolerance."""
        off = (np.abs(fit.curve_values - self.values) / self.allowed).max(axis=1)[: keys[-1]]
        sizes = np.diff(keys)
        by_segment = np.lexsort((off, np.repeat(np.arange(len(sizes)), sizes)))
        worst = by_segment[np.cumsum(sizes) - 1]
        return np.asarray(worst[off[worst] > 1.0])

    def fitted(self, keys: IntArray) -> Fit:
        """The curves with keys at some frames: indices (keys,), ascending, with the first and the last frame."""
        times, values, around = self.times, self.values, self.slopes
        segment = np.repeat(np.arange(len(keys) - 1), np.diff(keys))
        inside = np.arange(keys[-1])
        length = np.diff(times[keys])
        u = ((times[inside] - times[keys[segment]]) / length[segment])[:, None]
        step = values[keys[1:]] - values[keys[:-1]]
        line = values[keys[segment]] + (u * u * (3.0 - 2.0 * u)) * step[segment]
        # How much the value of a frame depends on the slope at either end of its segment.
        leave, reach = length[segment, None] * u * (1.0 - u) ** 2, -length[segment, None] * u * u * (1.0 - u)
        missing = values[inside] - line

        def segment_sums(terms: Array) -> Array:
            return np.asarray(np.add.reduceat(terms, keys[:-1], axis=0))

        regularization = _REGULARIZATION * length[:, None] ** 2
        weight, right_side = np.zeros((len(keys), 1)), np.zeros((len(keys), values.shape[1]))
        weight[:-1] += segment_sums(leave * leave) + regularization
        weight[1:] += segment_sums(reach * reach) + regularization
        right_side[:-1] += segment_sums(leave * missing) + regularization * around[keys[:-1]]
        right_side[1:] += segment_sums(reach * missing) + regularization * around[keys[1:]]
        shared = segment_sums(leave * reach)
        slopes = around[keys]
        for sweep in range(2 * _SWEEPS):
            # Even and odd keys alternate, so that neighbours are fixed while a slope is updated.
            coupling = np.zeros_like(slopes)
            coupling[:-1] += shared * slopes[1:]
            coupling[1:] += shared * slopes[:-1]
            some = slice(sweep % 2, None, 2)
            slopes[some] = ((right_side - coupling) / weight)[some]
        curve_values = values.copy()
        curve_values[inside] = line + leave * slopes[segment] + reach * slopes[segment + 1]
        keyed = np.zeros(len(times), dtype=bool)
        keyed[keys] = True
        return Fit(keyed, slopes, curve_values)
