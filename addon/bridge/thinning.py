# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: those between which straight lines stay within a tolerance of every frame."""

from __future__ import annotations

import numpy as np

from .arrays import Array, BoolArray


def keys_needed(times: Array, values: Array, tolerances: Array) -> BoolArray:
    """(frames,) which of the frames need a key, for curves (frames, curves) that share their keys.

    Between keys, a straight line is within each curve's tolerance, (curves,), of the value of every frame.
    """
    needed = np.zeros(len(times), dtype=bool)
    needed[[0, -1]] = True
    spans = [(0, len(times) - 1)]
    while spans:
        begin, end = spans.pop()
        if end - begin < 2:
            continue
        inside = slice(begin + 1, end)
        part = ((times[inside] - times[begin]) / (times[end] - times[begin]))[:, None]
        line = values[begin] + part * (values[end] - values[begin])
        # Tolerances may be zero, where a curve must be met to rounding.
        off = (np.abs(values[inside] - line) - tolerances).max(axis=1)
        worst = int(off.argmax())
        if off[worst] > _ROUNDING * np.abs(values).max(initial=1.0):
            middle = begin + 1 + worst
            needed[middle] = True
            spans += [(begin, middle), (middle, end)]
    return needed


_ROUNDING = 1e-7
"""Of a key's value, which Blender stores in single precision."""
