# SPDX-License-Identifier: GPL-3.0-or-later
"""Task specifications: priority, weight and recruited joints of the task of a channel in each frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..constraints import Track
from ..constraints.base import Recruit
from ..core.arrays import Array, BoolArray, IntArray


@dataclass(frozen=True)
class TaskSpecification:
    """How a channel becomes a task."""

    priority: int
    """Of the constraint."""
    outranks_partner: int
    """Whether the effector, heel or ball of a foot, ranks above its partner, the other one of the two: 1 or 0. The roll
    of a foot, below both, has -1."""
    weight: float
    recruit: Recruit

    @property
    def rank(self) -> tuple[int, int]:
        """The larger is the more important."""
        return self.priority, self.outranks_partner


@dataclass(frozen=True, eq=False)
class TaskSpecifications:
    """The task specification of one channel in every frame; tracks with equal specifications share one."""

    codes: IntArray
    """(frames,) an index into `distinct`; -1 where the channel is not active."""
    distinct: list[TaskSpecification]
    labels: list[str]
    """For each of `distinct`, the label of a constraint that has it."""

    @cached_property
    def ignoring_rank(self) -> IntArray:
        """(distinct + 1,) for each specification the index of the first one with the same weight and recruited joints;
        the last entry is -1, for the code -1."""
        first: dict[tuple[float, Recruit], int] = {}
        indices = [first.setdefault((each.weight, each.recruit), number) for number, each in enumerate(self.distinct)]
        return np.array([*indices, -1])

    def differs_from(self, other: TaskSpecifications) -> BoolArray:
        """(frames,) where the specification is not equal to that of another channel over the same frames."""
        numbers: dict[TaskSpecification, int] = {}
        mine, others = (
            np.array([*(numbers.setdefault(spec, len(numbers)) for spec in each.distinct), -1])[each.codes]
            for each in (self, other)
        )
        return np.asarray(mine != others)

    @staticmethod
    def of(tracks: Sequence[Track], owner: IntArray, outranks_partner: Array) -> TaskSpecifications:
        """Those of the tracks that own the frames: `owner` (frames,) is an index into `tracks`, -1 for none, and
        `outranks_partner` (frames,) is at least 0.5 where the owner's effector ranks above its partner, and
        negative for rolls: see `Channel.outranks_partner`."""
        # Three times the track's index, plus one more than the rank beside its partner; -1 for no owner.
        ranks = np.floor(outranks_partner + 0.5).astype(np.int64)
        keys = np.where(owner >= 0, 3 * owner + 1 + ranks, -1)
        code_of = np.full(3 * len(tracks) + 1, -1)
        codes: dict[TaskSpecification, int] = {}
        labels: list[str] = []
        for key in np.unique(keys[keys >= 0]):
            constraint = tracks[key // 3].constraint
            rank = int(key % 3) - 1
            spec = TaskSpecification(int(constraint.priority), rank, constraint.weight, constraint.recruit)
            if spec not in codes:
                codes[spec] = len(labels)
                labels.append(constraint.label)
            code_of[key] = codes[spec]
        return TaskSpecifications(code_of[keys], list(codes), labels)
