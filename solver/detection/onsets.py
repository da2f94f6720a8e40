# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame in which a point at rest departs, or has arrived, as a change of its speed.

A fixed threshold is crossed the later the more a capture slides and trembles. Here the speed, relative to the slide of
the point at rest, is fitted by a constant followed by a linear rise or by a step to a higher constant; the breakpoint
with the least squared error is the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..core.arrays import Array
from ..core.robust import geometric_median
from .settings import DEFAULT_REST, RestSettings

PARTS = 4
"""Parts of a frame in which breakpoints are distinguished: a point that departs between two frames is still at rest in
the first of them."""

FEWEST = 4
"""Speeds that a line with a breakpoint needs at least."""


@dataclass(frozen=True, eq=False)
class Onsets:
    """Finds departures and arrivals of a point at positions (frames, 3)."""

    positions: Array
    stride: int
    """Frames over which velocities are taken."""
    fps: float
    settings: RestSettings = DEFAULT_REST

    def departure(self, last: int, middle: int) -> int:
        """The last frame of rest, of a point that departs about frame `last` and is at rest at `middle`, before it.

        It is `last` itself where that cannot be determined: at the end of the motion, and after a rest of which half is
        shorter than half of what is fitted.
        """
        settings = self.settings
        durations = settings.onset_before, settings.onset_after, settings.onset_search
        fitted_before, fitted_after, searched = (max(1, round(each * self.fps)) for each in durations)
        before, after = min(fitted_before, last - middle), min(fitted_after, len(self.positions) - 1 - last)
        count = before + after + 1 - self.stride
        if 2 * before < fitted_before or min(before, after) < self.stride or count < FEWEST:
            return last
        window = self.positions[last - before : last + after + 1]
        displacements = window[self.stride :] - window[: -self.stride]
        # It departs `searched` frames earlier at the most: less than half of what the slide is learnt from.
        rest = self.positions[last - min(before + searched, last - middle) : last + 1]
        displacements = displacements - geometric_median(rest[self.stride :] - rest[: -self.stride])
        speeds = np.sqrt(np.einsum("ni,ni->n", displacements, displacements))
        breaks, lines = broken_lines(count, self.stride, before, searched)
        return last + int(np.floor(breaks[int(np.argmax(lines @ speeds))])) if len(breaks) else last

    def arrival(self, first: int, middle: int) -> int:
        """The first frame of rest, of a point that arrives about frame `first`: a departure in reversed time."""
        end = len(self.positions) - 1
        reverse = Onsets(self.positions[::-1], self.stride, self.fps, self.settings)
        return end - reverse.departure(end - first, end - middle)


@lru_cache(maxsize=256)
def broken_lines(count: int, stride: int, before: int, searched: int) -> tuple[Array, Array]:
    """The possible breakpoints (m,) of a line through `count` speeds, and the normalised shape (m, count) of each.

    Breakpoints are in frames, relative to the frame that is `before` frames after the first, at most `searched` away.
    A shape is the rise, or the step, after its breakpoint, without its mean and of length one: the square of its
    product with the speeds is by how much it reduces the squared error of a constant.
    """
    times = np.arange(count) + 0.5 * stride - before
    earliest, latest = max(-searched, 1 - before), min(searched, count + stride - 2 - before)
    steps = np.arange(earliest, latest + 1, dtype=np.float64)
    rises = np.arange(PARTS * earliest, PARTS * latest + 1) / PARTS
    after = np.concatenate([np.maximum(times - rises[:, None], 0.0), 1.0 * (times > steps[:, None])])
    after -= after.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(after, axis=1)
    kept = lengths > 0.0
    return np.concatenate([rises, steps])[kept], after[kept] / lengths[kept, None]
