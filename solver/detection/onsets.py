# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame in which a point that stands begins to leave, or has arrived, as a change of how it moves.

A threshold is crossed the later the more a capture slides and trembles. Here the speed, against the slide that the
point has while it stands, is taken for a line that is level and then rises, or is level again but higher; the break
that leaves the least squares is the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..core.arrays import Array, median

STANDING, LEAVING = 0.15, 0.15
"""Seconds before and after a break over which the line is laid: what is further into the stay may slide another way,
and what is further out no longer gains speed evenly."""

SLIDING = 2
"""As many times as long, before a break, is its slide learnt: a median, of which less than half may already leave."""

SEARCHED = 0.1
"""Seconds by which a break may be earlier or later than where it is looked for."""

PARTS = 4
"""Of a frame, in which breaks are told apart: who leaves between two frames still stands in the first of them."""

FEWEST = 4
"""Velocities below which there is no line to be broken."""


@dataclass(frozen=True, eq=False)
class Onsets:
    """Where a point that is at positions (frames, 3) begins to move, or comes to stand."""

    positions: Array
    stride: int
    """Frames over which velocities are taken."""
    fps: float

    def departure(self, last: int, middle: int) -> int:
        """The last frame in which the point stands, if it leaves about frame `last` and stands at `middle`, before it.

        It is `last` itself where that cannot be told: at the end of the motion, and after a short stay, of which half
        would not last for the half of what is asked.
        """
        standing, leaving, searched = (max(1, round(each * self.fps)) for each in (STANDING, LEAVING, SEARCHED))
        before, after = min(standing, last - middle), min(leaving, len(self.positions) - 1 - last)
        count = before + after + 1 - self.stride
        if 2 * before < standing or min(before, after) < self.stride or count < FEWEST:
            return last
        window = self.positions[last - before : last + after + 1]
        ways = window[self.stride :] - window[: -self.stride]
        stood = self.positions[last - min(SLIDING * standing, last - middle) : last + 1]
        ways = ways - median(stood[self.stride :] - stood[: -self.stride])
        speeds = np.sqrt(np.einsum("ni,ni->n", ways, ways))
        breaks, lines = broken_lines(count, self.stride, before, searched)
        return last + int(np.floor(breaks[int(np.argmax(lines @ speeds))])) if len(breaks) else last

    def arrival(self, first: int, middle: int) -> int:
        """The first frame in which the point stands, if it comes about frame `first`: a departure in reverse."""
        end = len(self.positions) - 1
        return end - Onsets(self.positions[::-1], self.stride, self.fps).departure(end - first, end - middle)


@lru_cache(maxsize=256)
def broken_lines(count: int, stride: int, before: int, searched: int) -> tuple[Array, Array]:
    """Where a line through `count` speeds may break, (m,), and what each break is worth, (m, count).

    Breaks are in frames from the one that is `before` frames after the first. Each row is what follows a break, a rise
    or a step, without its mean and of length one: its product with the speeds, squared, is by how much the break
    lessens the squares that a level line leaves.
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
