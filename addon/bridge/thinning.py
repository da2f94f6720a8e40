# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: those between which smooth curves stay within a tolerance of every frame.

Between two keys a curve is the cubic polynomial with the keys' values and slopes: in Blender a Bézier segment whose
handles are a third of the way to the other key. Each key has one slope per curve, so that nothing bends at keys, and
slopes are the ones that come nearest to all frames, in the sense of least squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .arrays import Array, BoolArray, IntArray

_ROUNDING = 1e-7
"""Of a key's value, which Blender stores in single precision."""

_SWEEPS = 12
"""How often slopes are improved in turn with those of the neighbours. Each sweep leaves less than 0.6 of what was
missing, and the last thousandth is worth no further key."""

_TIE = 1e-6
"""How much a slope is drawn to the one of the frames around its key, where no frame between keys tells it."""

_APART = 3
"""Of how many keys one is taken out at a time, to see whether it was needed: so none of its neighbours is."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Curves that share their keys."""

    keyed: BoolArray
    """(frames,) which frames have a key."""
    slopes: Array | None
    """(keys, curves) per unit of time; None where straight lines join the keys."""
    shown: Array
    """(frames, curves) what the curves are at each frame."""


def every_frame(values: Array) -> Fit:
    """Curves (frames, curves) with a key at every frame, and straight lines between them."""
    return Fit(np.ones(len(values), dtype=bool), None, values)


def thinned(times: Array, values: Array, tolerances: Array) -> Fit:
    """Smooth curves with few keys that stay within each curve's tolerance, (curves,), of the value of every frame."""
    if len(times) < 2:
        return every_frame(values)
    curves = _Curves(times, values, tolerances)
    keys, fit = curves.refined(np.array([0, len(times) - 1]))
    in_vain, phase = 0, 0
    while in_vain < _APART and len(keys) > 2:
        # Keys that are no neighbours are taken out together, and those that were needed put back.
        out = keys[1:-1][phase % _APART :: _APART]
        fewer = np.setdiff1d(keys, out)
        bad = curves.worst_frames(fewer, curves.fitted(fewer))
        place = np.searchsorted(fewer, bad, side="right")
        begin, end = fewer[np.maximum(place - 2, 0)], fewer[np.minimum(place + 1, len(fewer) - 1)]
        needed = ((out[:, None] > begin) & (out[:, None] < end)).any(axis=1)
        fewer, found = curves.refined(np.union1d(fewer, out[needed]))
        in_vain, phase = in_vain + 1, phase + 1
        if len(fewer) < len(keys):
            keys, fit, in_vain = fewer, found, 0
    return fit


@dataclass(frozen=True, eq=False)
class _Curves:
    times: Array
    """(frames,)"""
    values: Array
    """(frames, curves)"""
    tolerances: Array
    """(curves,)"""

    @cached_property
    def slopes(self) -> Array:
        """(frames, curves) as the neighbouring frames tell them."""
        return np.asarray(np.gradient(self.values, self.times, axis=0))

    @cached_property
    def allowed(self) -> Array:
        """(curves,) tolerances, which may be zero where a curve must be met to rounding."""
        return self.tolerances + _ROUNDING * np.abs(self.values).max(axis=0, initial=1.0)

    def refined(self, keys: IntArray) -> tuple[IntArray, Fit]:
        """The keys, with so many more that every frame is met, and the curves through them."""
        while True:
            fit = self.fitted(keys)
            worst = self.worst_frames(keys, fit)
            if worst.size == 0:
                return keys, fit
            keys = np.union1d(keys, worst)

    def worst_frames(self, keys: IntArray, fit: Fit) -> IntArray:
        """Of each segment in which some frames are off by too much, the worst one."""
        off = (np.abs(fit.shown - self.values) / self.allowed).max(axis=1)[: keys[-1]]
        sizes = np.diff(keys)
        by_segment = np.lexsort((off, np.repeat(np.arange(len(sizes)), sizes)))
        worst = by_segment[np.cumsum(sizes) - 1]
        return np.asarray(worst[off[worst] > 1.0])

    def fitted(self, keys: IntArray) -> Fit:
        """The curves with keys at some frames, (keys,) ascending, the first and the last among them."""
        times, values, around = self.times, self.values, self.slopes
        segment = np.repeat(np.arange(len(keys) - 1), np.diff(keys))
        inside = np.arange(keys[-1])
        length = np.diff(times[keys])
        u = ((times[inside] - times[keys[segment]]) / length[segment])[:, None]
        step = values[keys[1:]] - values[keys[:-1]]
        line = values[keys[segment]] + (u * u * (3.0 - 2.0 * u)) * step[segment]
        # How much the slope at either end of a segment moves a frame.
        leave, reach = length[segment, None] * u * (1.0 - u) ** 2, -length[segment, None] * u * u * (1.0 - u)
        missing = values[inside] - line

        def gathered(terms: Array) -> Array:
            return np.asarray(np.add.reduceat(terms, keys[:-1], axis=0))

        tie = _TIE * length[:, None] ** 2
        weight, wish = np.zeros((len(keys), 1)), np.zeros((len(keys), values.shape[1]))
        weight[:-1] += gathered(leave * leave) + tie
        weight[1:] += gathered(reach * reach) + tie
        wish[:-1] += gathered(leave * missing) + tie * around[keys[:-1]]
        wish[1:] += gathered(reach * missing) + tie * around[keys[1:]]
        shared = gathered(leave * reach)
        slopes = around[keys]
        for sweep in range(2 * _SWEEPS):
            # Every second key is improved at a time: neighbours have what the others are from the sweep before.
            pull = np.zeros_like(slopes)
            pull[:-1] += shared * slopes[1:]
            pull[1:] += shared * slopes[:-1]
            some = slice(sweep % 2, None, 2)
            slopes[some] = ((wish - pull) / weight)[some]
        shown = values.copy()
        shown[inside] = line + leave * slopes[segment] + reach * slopes[segment + 1]
        keyed = np.zeros(len(times), dtype=bool)
        keyed[keys] = True
        return Fit(keyed, slopes, shown)
