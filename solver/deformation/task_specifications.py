# SPDX-License-Identifier: GPL-3.0-or-later
"""How the tracks of an effector wish it to be met, at which frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..constraints import Track
from ..constraints.base import Recruit
from ..core.arrays import Array, IntArray


@dataclass(frozen=True)
class Wish:
    """How a channel is to be met at some frames."""

    priority: int
    leads: bool
    """Whether it is the more important of a constraint's effectors."""
    weight: float
    recruit: Recruit

    @property
    def rank(self) -> tuple[int, bool]:
        """The larger is the more important."""
        return self.priority, self.leads


@dataclass(frozen=True, eq=False)
class Wishes:
    """What is wished of one channel over time, tracks that wish the same in the same way counted as one."""

    codes: IntArray
    """(frames,) an index into `distinct`; -1 where the channel is not active."""
    distinct: list[Wish]
    names: list[str]
    """For each wish, the label of a constraint that has it."""

    @cached_property
    def unordered(self) -> IntArray:
        """(distinct + 1,) for each wish the first that differs in rank at most; the last entry is -1, for none."""
        first: dict[tuple[float, Recruit], int] = {}
        kept = [first.setdefault((wish.weight, wish.recruit), number) for number, wish in enumerate(self.distinct)]
        return np.array([*kept, -1])

    @cached_property
    def hashes(self) -> IntArray:
        """(frames,) numbers that are equal where wishes are, also between channels; 0 where there is none."""
        return np.array([*(hash(repr(wish)) for wish in self.distinct), 0])[self.codes]

    @staticmethod
    def of(tracks: Sequence[Track], owner: IntArray, leads: Array) -> Wishes:
        """For the owner among some tracks, (frames,), -1 for none, and how much it leads, (frames,)."""
        # Twice the track's number, and one more where it leads; -1 for none.
        voices = np.where(owner >= 0, 2 * owner + (leads >= 0.5), -1)
        codes = np.full(2 * len(tracks) + 1, -1)
        numbers: dict[Wish, int] = {}
        names: list[str] = []
        for voice in np.unique(voices[voices >= 0]):
            constraint = tracks[voice // 2].constraint
            wish = Wish(int(constraint.priority), bool(voice % 2), constraint.weight, constraint.recruit)
            if wish not in numbers:
                numbers[wish] = len(names)
                names.append(constraint.label)
            codes[voice] = numbers[wish]
        return Wishes(codes[voices], list(numbers), names)
