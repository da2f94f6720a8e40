# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of pink and mink: the same tasks under the same names, with costs in one quadratic program."""

from __future__ import annotations

from abc import abstractmethod
from importlib.metadata import version
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from poise.solver.core.arrays import Array

from ..workload import Workload
from .base import COSTS, InfeasibleError, Peer, Reached

QP_SOLVER = "daqp"
"""The one in mink's own examples, and the fastest here of those that pink's documentation names."""

TIME_STEP = 1.0
"""Seconds; displacements do not depend on it as long as nothing limits velocities."""

INFEASIBLE_DAMPING = 1.0
"""The Levenberg-Marquardt factor of the hand's task: pink's documentation recommends it for unfeasible targets, mink's
examples have it."""

UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])


class QuadraticPeer(Peer):
    """Tasks with costs in one quadratic program, or the feet as its equality constraints."""

    library: ClassVar[ModuleType]
    tasks: ClassVar[ModuleType]
    """The part of the library that has all tasks."""
    package: ClassVar[str]
    """Name of the library's package."""
    frame_kind: ClassVar[tuple[str, ...]] = ()
    """Further arguments of the library's frame task."""
    solving: ClassVar[dict[str, Any]] = {}
    """Further arguments of `solve_ik`."""

    def __init__(
        self, workload: Workload, feet_are_constraints: bool, configuration: Any, postures: Array, pose: Any
    ) -> None:
        """`configuration` and `pose`, the posture task, are made by the library; `postures` (frames, …) are its own."""
        super().__init__(workload, feet_are_constraints)
        tasks, kind = self.tasks, self.frame_kind
        self._configuration, self._postures, self._pose = configuration, postures, pose
        self._feet = [tasks.FrameTask(foot, *kind, COSTS.feet, COSTS.feet) for foot in workload.feet]
        self._balance = tasks.ComTask(COSTS.balance * self.horizontal)
        self._hand = tasks.FrameTask(workload.hand, *kind, COSTS.hand, 0.0, lm_damping=INFEASIBLE_DAMPING)
        self._tasks = [self._balance, self._hand, self._pose]
        if not feet_are_constraints:
            self._tasks += self._feet
        self._constraints = self._feet if feet_are_constraints else None

    @staticmethod
    @abstractmethod
    def transform(rotation: Array, position: Array) -> Any:
        """The library's own, of a quaternion w, x, y, z and a place."""

    @abstractmethod
    def placed(self, name: str) -> tuple[Array, Array]:
        """The rotation (3, 3) and the place (3,) of the frame of a joint."""

    @abstractmethod
    def center_of_mass(self) -> Array:
        """(3,)"""

    @property
    def version(self) -> str:
        return versions(self.package)

    def begin(self, frame: int) -> None:
        work = self.workload
        self._configuration.update(self._postures[frame])
        for foot, rotation, position in zip(
            self._feet, work.foot_rotations[frame], work.foot_positions[frame], strict=True
        ):
            foot.set_target(self.transform(rotation, position))
        self._balance.set_target(work.center_of_mass[frame])
        self._hand.set_target(self.transform(UNTURNED, work.hand_target[frame]))
        self._pose.set_target(self._postures[frame])

    def iterate(self) -> None:
        try:
            velocity = self.library.solve_ik(
                self._configuration,
                self._tasks,
                TIME_STEP,
                solver=QP_SOLVER,
                limits=[],
                constraints=self._constraints,
                **self.solving,
            )
        except self.library.NoSolutionFound as error:
            raise InfeasibleError(f"{self.label} finds no solution") from error
        self._configuration.integrate_inplace(velocity, TIME_STEP)

    def reached(self) -> Reached:
        turned, placed = zip(*(self.placed(foot) for foot in self.workload.feet), strict=True)
        _, hand = self.placed(self.workload.hand)
        return Reached(np.array(placed), np.array(turned), np.array(self.center_of_mass()), np.array(hand))


def versions(package: str) -> str:
    """Of a library and of the solver of quadratic programs that it uses here."""
    return f"{version(package)}, {QP_SOLVER} {version(QP_SOLVER)}"
