# SPDX-License-Identifier: GPL-3.0-or-later
"""The geometry of a noise pattern: lanes of signals with thresholds, and bars of examples and of what was found.

Computed with NumPy alone. Across, places are frames of the scene; up, pixels at a scale of 1 from the bottom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...solver import NoiseSignal
from ..workflows.noise_patterns import NoisePattern, Span

Points = NDArray[np.float32]

LANE, GAP, BARS, TITLE = 44.0, 4.0, 11.0, 18.0
"""Heights in pixels at a scale of 1: of a lane, between lanes, of a row of bars, and of the title."""

DEPTH, HEADROOM = 6.0, 6.0
"""Ratios: how far below the smallest threshold, and above the largest, a lane reaches; values beyond lie on its
edges."""

TITLES = {"rotation": "Turn", "translation": "Move", "slip": "Slip"}
"""What the signals are called. A slip is a move along the axis that something turns about."""


@dataclass(frozen=True, eq=False)
class Lane:
    """One signal over time, on a scale of ratios: what counts is whether it is below the threshold, and how far."""

    title: str
    is_angle: bool
    bottom: float
    still: Points
    """(3 n, 2) triangles under the signal where it is below its threshold."""
    moving: Points
    """(3 n, 2) triangles under the signal elsewhere."""
    threshold: Points
    """(n, 2) the line of the threshold."""
    signal: NoiseSignal


@dataclass(frozen=True, eq=False)
class Plot:
    """All of a noise pattern."""

    lanes: tuple[Lane, ...]
    examples: Points
    """(6 n, 2) triangles of the bars of examples."""
    found: Points
    """(6 n, 2) triangles of the bars of what was found."""
    height: float

    @property
    def rows(self) -> tuple[tuple[str, float], ...]:
        """The names of the rows of bars, and their bottoms."""
        return ("Examples", BARS), ("Found", 0.0)


def plot_of(pattern: NoisePattern) -> Plot:
    """The geometry of a noise pattern; the first signal is on top."""
    above = 2.0 * BARS + GAP
    count = len(pattern.signals)
    lanes = tuple(
        _lane(signal, above + (count - 1 - number) * (LANE + GAP)) for number, signal in enumerate(pattern.signals)
    )
    return Plot(
        lanes,
        _bars(pattern.examples, BARS),
        _bars(pattern.found, 0.0),
        above + count * (LANE + GAP) + TITLE,
    )


def _lane(signal: NoiseSignal, bottom: float) -> Lane:
    least, most = float(signal.thresholds.min()) / DEPTH, float(signal.thresholds.max()) * HEADROOM

    def height(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels above the bottom of the plot."""
        share = np.log(np.clip(values, least, most) / least) / np.log(most / least)
        return bottom + LANE * share

    tops, lines = height(signal.values), height(signal.thresholds)
    is_still = signal.values <= signal.thresholds
    return Lane(
        TITLES[signal.measure],
        signal.measure == "rotation",
        bottom,
        _columns(signal.times, tops, bottom, is_still),
        _columns(signal.times, tops, bottom, ~is_still),
        np.stack([signal.times, lines], axis=1).astype(np.float32),
        signal,
    )


def _columns(times: NDArray[np.float64], tops: NDArray[np.float64], bottom: float, chosen: NDArray[np.bool_]) -> Points:
    """(6 n, 2) triangles of columns, each halfway to its neighbours, of the chosen values."""
    step = float(times[1] - times[0]) if len(times) > 1 else 1.0
    return _boxes(
        times[chosen] - 0.5 * step, times[chosen] + 0.5 * step, bottom, np.maximum(tops[chosen], bottom + 1.0)
    )


def _bars(spans: tuple[Span, ...], bottom: float) -> Points:
    """(6 n, 2) triangles of bars from the first to the last frame of each span."""
    begins, ends = np.array([span.begin for span in spans]), np.array([span.end for span in spans])
    return _boxes(begins, ends, bottom + 1.0, np.full(len(spans), bottom + BARS - 1.0))


def _boxes(begins: NDArray[np.float64], ends: NDArray[np.float64], bottom: float, tops: NDArray[np.float64]) -> Points:
    floor = np.full(len(begins), bottom)
    corners = [(begins, floor), (ends, floor), (ends, tops), (begins, floor), (ends, tops), (begins, tops)]
    return np.stack([np.stack(corner, axis=1) for corner in corners], axis=1).reshape(-1, 2).astype(np.float32)
