# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk in pink: tasks with costs in one quadratic program, or heels and toes as its equality constraints."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pink
import pinocchio

from poise import solver
from poise.solver.core.arrays import Array

from ..planted_walk import HAND_POINT, POINTS, WalkTargets
from .base import COSTS, InfeasibleError
from .models import pinocchio_configurations, pinocchio_model, pinocchio_motion
from .pink_peer import PACKAGE
from .quadratic import QP_SOLVER, TIME_STEP, versions
from .walker import Walker

DAMPING_OUT_OF_REACH = 1.0
"""Of the hand's task, relative to its squared error: with a tenth of it the feet leave their places by 3 to 9 % of the
size, and frames need five times as many iterations (CMU 02_01)."""


class _PointTask(pink.tasks.Task):  # type: ignore[misc]
    """A frame's position alone: pink's own task has rows for the orientation, which a constraint would hold too."""

    def __init__(self, model: Any, name: str, cost: float, damping: float = 0.0) -> None:
        super().__init__(cost=cost, lm_damping=damping)
        self.frame_id = model.getFrameId(name)
        self.target: Array = np.zeros(3)
        self.rows: Array = np.eye(3)
        """(rows, 3) the directions that count."""

    def place(self, configuration: Any) -> Array:
        """(3,) where it is."""
        return configuration.data.oMf[self.frame_id].translation

    def compute_error(self, configuration: Any) -> Array:
        return self.rows @ (self.place(configuration) - self.target)

    def compute_jacobian(self, configuration: Any) -> Array:
        turned = configuration.data.oMf[self.frame_id].rotation
        local = pinocchio.getFrameJacobian(configuration.model, configuration.data, self.frame_id, pinocchio.LOCAL)
        return self.rows @ turned @ local[:3]

    def __repr__(self) -> str:
        return f"_PointTask({self.frame_id})"


class PinkWalker(Walker):
    """See `Walker`."""

    label: ClassVar[str] = "pink"

    def __init__(self, targets: WalkTargets, feet_are_constraints: bool, to_rest: bool) -> None:
        super().__init__(targets, feet_are_constraints, to_rest)
        model = pinocchio_model(targets.skeleton, targets.named_points)
        self._sources = pinocchio_configurations(targets.source)
        self._results = self._sources.copy()
        self._configuration = pink.Configuration(model, model.createData(), self._sources[0], copy_data=False)
        self._points = [_PointTask(model, name, COSTS.feet) for name in POINTS]
        self._hand = None if targets.hand is None else _PointTask(model, HAND_POINT, COSTS.hand, DAMPING_OUT_OF_REACH)
        self._balance = pink.tasks.ComTask(COSTS.balance * self.horizontal)
        self._pose = pink.tasks.PostureTask(COSTS.pose)
        self._led: list[_PointTask] = []
        self._soft: list[Any] = []

    @property
    def version(self) -> str:
        return versions(PACKAGE)

    @property
    def motion(self) -> solver.Motion:
        return pinocchio_motion(self.targets.skeleton, self._results)

    def begin(self, frame: int) -> None:
        source, configuration = self._sources[frame], self._configuration
        if frame > 0:
            displaced = pinocchio.difference(configuration.model, self._sources[frame - 1], configuration.q)
            configuration.update(pinocchio.integrate(configuration.model, source, displaced))
        else:
            configuration.update(source)
        active = self.targets.active[frame]
        self._led = [task for task, is_active in zip(self._points, active, strict=True) if is_active]
        for task, place in zip(self._points, self.targets.positions[frame], strict=True):
            task.target = place
        if self.feet_are_constraints:
            for foot, heel in enumerate((0, 2)):
                is_dependent = self.is_dependent[frame, foot]
                self._points[heel].rows = self.across[frame, foot, :2] if is_dependent else np.eye(3)
        self._balance.set_target(self.targets.center_of_mass[frame])
        self._pose.set_target(source)
        self._soft = [self._balance, self._pose]
        if self._hand is not None and self.targets.hand is not None and self.targets.hand.active[frame]:
            self._hand.target = self.targets.hand.positions[frame]
            self._soft.append(self._hand)

    def iterate(self) -> float:
        try:
            velocity = pink.solve_ik(
                self._configuration,
                self._soft if self.feet_are_constraints else self._soft + self._led,
                TIME_STEP,
                solver=QP_SOLVER,
                limits=[],
                constraints=self._led if self.feet_are_constraints else None,
                safety_break=False,
            )
        except pink.NoSolutionFound as error:
            raise InfeasibleError("pink finds no solution") from error
        self._configuration.integrate_inplace(velocity, TIME_STEP)
        return float(np.abs(velocity).max())

    def place(self, point: int) -> Array:
        return self._points[point].place(self._configuration)

    def end(self, frame: int) -> None:
        self._results[frame] = self._configuration.q
