# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface of all peers, and the costs that replace priorities in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poise.solver.core.arrays import Array

from ..workload import Workload


@dataclass(frozen=True)
class Costs:
    """What an error of one size of the character, or of one radian, costs; the libraries square it."""

    feet: float
    balance: float
    hand: float
    pose: float


COSTS = Costs(feet=100.0, balance=10.0, hand=1.0, pose=0.01)
"""Weights instead of priorities: each task has ten times the cost of the next, and the posture so little that the hand
still reaches its target."""


class InfeasibleError(Exception):
    """A library found no solution."""


@dataclass(frozen=True, eq=False)
class Reached:
    """Positions and rotations of the body by a library's own kinematics."""

    foot_positions: Array
    """(2, 3)"""
    foot_rotations: Array
    """(2, 3, 3)"""
    center_of_mass: Array
    """(3,)"""
    hand: Array
    """(3,)"""


class Peer(ABC):
    """A library with the model and the tasks of one workload. Objects are made once and used for all frames."""

    label: ClassVar[str]

    def __init__(self, workload: Workload, feet_are_constraints: bool) -> None:
        self.workload = workload
        self.feet_are_constraints = feet_are_constraints
        across = np.ones(3)
        across[workload.skeleton.up_axis] = 0.0
        self.horizontal: Array = across
        """(3,) 1 along the axes that count for balance."""

    @property
    @abstractmethod
    def version(self) -> str:
        """The library's version and the solver of quadratic programs that it uses."""

    @abstractmethod
    def begin(self, frame: int) -> None:
        """Take the starting posture and the targets of a frame."""

    @abstractmethod
    def iterate(self) -> None:
        """Solve once and move; raises `InfeasibleError` where there is no solution."""

    @abstractmethod
    def reached(self) -> Reached:
        """The current state of the body."""

    def solve(self, frame: int, iterations: int) -> None:
        """All iterations of one frame."""
        self.begin(frame)
        for _ in range(iterations):
            self.iterate()
