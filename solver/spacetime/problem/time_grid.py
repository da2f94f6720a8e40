# SPDX-License-Identifier: GPL-3.0-or-later
"""The instants at which the equations of motion hold: events of stances, and evenly spaced instants between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...core.arrays import Array, ArrayLike

SHORTEST = 0.4
"""Of events closer than this share of the usual spacing, only the first is a point; at the end of the grid, none."""

LOBATTO = 0.5 - 0.5 / np.sqrt(5.0)
"""Where in an interval the first of two inner nodes of Lobatto's quadrature is; the other is as far from its end."""


@dataclass(frozen=True, eq=False)
class TimeGrid:
    """Instants in any unit of time: `points`, at which all equations hold, and two instants between each two of them,
    at which the moments about the centre of mass do."""

    points: Array
    """(points,) ascending, from the begin to the end."""
    source: Array
    """(points,) the time in the source that each corresponds to: the same, unless the motion was retimed."""

    @property
    def between(self) -> Array:
        """(2 · (points - 1),) the two instants between each two points, ascending."""
        inner = np.array([LOBATTO, 1.0 - LOBATTO])
        return np.asarray(self.points[:-1, None] + self.spacing[:, None] * inner).ravel()

    @property
    def spacing(self) -> Array:
        """(points - 1,) the time between two points."""
        return np.diff(self.points)

    @property
    def weights(self) -> Array:
        """(points,) the time that each point stands for, in sums over time (the trapezoidal rule)."""
        half = self.spacing / 2.0
        return np.concatenate([half, [0.0]]) + np.concatenate([[0.0], half])

    def in_source(self, times: ArrayLike) -> Array:
        """The times of the source that correspond to times of this grid; outside, those of its begin and end."""
        return _interpolated(times, self.points, self.source)

    def from_source(self, times: ArrayLike) -> Array:
        """The times of this grid that correspond to times of the source; outside, those of its begin and end."""
        return _interpolated(times, self.source, self.points)

    def nearest(self, time: float) -> int:
        """The point nearest to a time."""
        return int(np.argmin(np.abs(self.points - time)))

    def retimed(self, events: ArrayLike, moved: ArrayLike) -> TimeGrid:
        """The grid in which the times `events` of the source have become the times `moved`, both ascending.

        The times between two events are stretched; those before the first and after the last keep their distance.
        """
        events = np.asarray(events, dtype=np.float64)
        inside = np.clip(self.source, events[0], events[-1])
        return TimeGrid(_interpolated(inside, events, moved) + self.source - inside, self.source)


def _interpolated(times: ArrayLike, known: ArrayLike, values: ArrayLike) -> Array:
    """Values at times, linear between known ones (n,) at known times (n,), constant outside."""
    times, known, values = (np.asarray(each, dtype=np.float64) for each in (times, known, values))
    return np.asarray(np.interp(times, known, values))


def time_grid(begin: float, end: float, events: Iterable[float], rate: float) -> TimeGrid:
    """The grid from `begin` to `end` with a point at each event between them and about `rate` points a unit of time."""
    spacing = 1.0 / rate
    kept = [begin]
    for event in sorted(events):
        if event > kept[-1] + SHORTEST * spacing and event < end - SHORTEST * spacing:
            kept.append(float(event))
    kept.append(end)
    parts = []
    for first, last in pairwise(kept):
        count = max(1, round((last - first) / spacing))
        parts.append(np.linspace(first, last, count + 1)[:-1])
    points = np.concatenate([*parts, [end]])
    return TimeGrid(points, points)
