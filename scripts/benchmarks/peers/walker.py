# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface of a peer that solves a whole walk: frame after frame, each from the last result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from poise import solver
from poise.solver.core.arrays import Array
from poise.solver.deformation.settings import Tolerances

from ..planted_walk import WalkTargets

MOST_ITERATIONS = 30
"""Of one frame; a walk needs three or four."""

AT_REST = 100.0 * solver.DeformSettings().tolerance
"""Radians, or sizes: a step that moves no joint by more is the last one that Poise takes."""


class Walker(ABC):
    """A library with the model and the tasks of one walk.

    Heels and toes are position tasks on the targets that Poise compiles, on their way from plant to plant too: followed
    only while they stand, they make the peers' ankles accelerate 2.9 times as much as in the source. They are either
    the dearest of all tasks or constraints. Where no joint lies between heel and toe, two of their six constraints
    would contradict each other: as in Poise, the heel of a foot whose toe is led too is only led across the line
    between them. The centre of mass comes next, then a hand, where there is one, and the posture of the source last.

    A frame begins with the source's posture displaced as the frame before was: begun from the source itself, it takes
    a third to a half more iterations. It ends as soon as all heels and toes hold by Poise's own standard. `to_rest`
    goes on until Poise, too, would take the frame to be at rest.
    """

    label: ClassVar[str]

    def __init__(self, targets: WalkTargets, feet_are_constraints: bool, to_rest: bool) -> None:
        self.targets = targets
        self.feet_are_constraints = feet_are_constraints
        self.to_rest = to_rest
        self.iterations = 0
        """Of all frames of the last walk together."""
        self.horizontal: Array = np.ones(3)
        """(3,) 1 along the axes that count for balance."""
        self.horizontal[targets.skeleton.up_axis] = 0.0
        self.across = _across(targets)
        """(frames, feet, 3, 3) for each foot two unit rows across the line from heel to toe, and one along it."""
        pairs = zip(targets.points[::2], targets.points[1::2], strict=True)
        rigid = np.array([_is_rigid(targets.skeleton, heel, toe) for heel, toe in pairs])
        self.is_dependent = rigid & targets.active[:, ::2] & targets.active[:, 1::2]
        """(frames, feet) where a heel may only be led across that line."""

    @property
    @abstractmethod
    def version(self) -> str:
        """The library's version and the solver of quadratic programs that it uses."""

    @property
    @abstractmethod
    def motion(self) -> solver.Motion:
        """The result of the last walk."""

    @abstractmethod
    def begin(self, frame: int) -> None:
        """Take the starting posture and the targets of a frame."""

    @abstractmethod
    def iterate(self) -> float:
        """Solve once and move; returns how much the joint that moves most does, in radians or sizes."""

    @abstractmethod
    def place(self, point: int) -> Array:
        """(3,) where one of the walk's points is."""

    @abstractmethod
    def end(self, frame: int) -> None:
        """Keep the posture of a frame."""

    def walk(self) -> int:
        """Solve all frames; returns how many there are."""
        self.iterations = 0
        for frame in range(self.targets.frames):
            self.begin(frame)
            points, places = np.flatnonzero(self.targets.active[frame]), self.targets.positions[frame]
            for _ in range(MOST_ITERATIONS):
                moved = self.iterate()
                self.iterations += 1
                if self.to_rest and moved > AT_REST:
                    continue
                missed = [self.place(point) - places[point] for point in points]
                if all(miss @ miss <= Tolerances().met ** 2 for miss in missed):
                    break
            self.end(frame)
        return self.targets.frames


def _is_rigid(skeleton: solver.Skeleton, heel: solver.BodyPoint, toe: solver.BodyPoint) -> bool:
    """Whether no joint lies between two points; every joint of the peers can turn."""
    is_origin = not any(toe.offset)
    return heel.joint == toe.joint or (is_origin and int(skeleton.parents[int(toe.joint)]) == heel.joint)


def _across(targets: WalkTargets) -> Array:
    along = targets.positions[:, 1::2] - targets.positions[:, ::2]
    along = along / np.linalg.norm(along, axis=-1, keepdims=True)
    first = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=-1)])
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return np.stack([first, np.cross(along, first), along], axis=-2)
