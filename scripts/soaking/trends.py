# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a series of measurements grows: a robust slope (Theil 1950, Sen 1968)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MOST_POINTS = 400
"""Of a longer series every nth point is taken, since all pairs are compared."""


def slope(values: Sequence[float], warm_up: float = 0.2) -> float:
    """The median slope, per item, between all pairs of a series without its first share `warm_up`.

    Single jumps, as of an allocator that takes another block, do not change it; steady growth does.
    """
    series = np.asarray(values[int(warm_up * len(values)) :], dtype=np.float64)
    step = max(1, len(series) // MOST_POINTS)
    series = series[::step]
    if len(series) < 2:
        return 0.0
    first, second = np.triu_indices(len(series), k=1)
    return float(np.median((series[second] - series[first]) / (second - first))) / step
