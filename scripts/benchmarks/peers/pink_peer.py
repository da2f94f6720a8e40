# SPDX-License-Identifier: GPL-3.0-or-later
"""The work in pink: tasks with costs in one quadratic program, or the feet as its equality constraints."""

from __future__ import annotations

from importlib.metadata import version
from typing import ClassVar

import numpy as np
import pink
import pinocchio

from poise.solver import rotations

from ..workload import Workload
from .base import COSTS, InfeasibleError, Peer, Reached
from .models import pinocchio_configurations, pinocchio_model

QP_SOLVER = "daqp"
"""The fastest here of those that pink's documentation names."""

TIME_STEP = 1.0
"""Seconds; displacements do not depend on it as long as nothing limits velocities."""

INFEASIBLE_DAMPING = 1.0
"""The Levenberg-Marquardt factor of the hand's task, which pink's documentation recommends for unfeasible targets."""


class PinkPeer(Peer):
    """See `Peer`."""

    label: ClassVar[str] = "pink"

    def __init__(self, workload: Workload, feet_are_constraints: bool) -> None:
        super().__init__(workload, feet_are_constraints)
        model = pinocchio_model(workload.skeleton)
        self._postures = pinocchio_configurations(workload.start)
        self._foot_matrices = rotations.to_matrix(workload.foot_rotations)
        self._configuration = pink.Configuration(model, model.createData(), self._postures[0], copy_data=False)
        self._feet = [pink.tasks.FrameTask(foot, COSTS.feet, COSTS.feet) for foot in workload.feet]
        self._balance = pink.tasks.ComTask(COSTS.balance * self.horizontal)
        self._hand = pink.tasks.FrameTask(workload.hand, COSTS.hand, 0.0, lm_damping=INFEASIBLE_DAMPING)
        self._pose = pink.tasks.PostureTask(COSTS.pose)
        self._tasks = [self._balance, self._hand, self._pose]
        if not feet_are_constraints:
            self._tasks += self._feet
        self._constraints = self._feet if feet_are_constraints else None

    @property
    def version(self) -> str:
        return f"{version('pin-pink')}, {QP_SOLVER} {version(QP_SOLVER)}"

    def begin(self, frame: int) -> None:
        work = self.workload
        self._configuration.update(self._postures[frame])
        for index, foot in enumerate(self._feet):
            foot.set_target(pinocchio.SE3(self._foot_matrices[frame, index], work.foot_positions[frame, index]))
        self._balance.set_target(work.center_of_mass[frame])
        self._hand.set_target(pinocchio.SE3(np.eye(3), work.hand_target[frame]))
        self._pose.set_target(self._postures[frame])

    def iterate(self) -> None:
        try:
            velocity = pink.solve_ik(
                self._configuration,
                self._tasks,
                TIME_STEP,
                solver=QP_SOLVER,
                limits=[],
                constraints=self._constraints,
                safety_break=False,
            )
        except pink.NoSolutionFound as error:
            raise InfeasibleError("pink finds no solution") from error
        self._configuration.integrate_inplace(velocity, TIME_STEP)

    def reached(self) -> Reached:
        here = self._configuration
        feet = [here.get_transform_frame_to_world(foot) for foot in self.workload.feet]
        return Reached(
            np.array([foot.translation for foot in feet]),
            np.array([foot.rotation for foot in feet]),
            np.array(pinocchio.centerOfMass(here.model, here.data, here.q)),
            np.array(here.get_transform_frame_to_world(self.workload.hand).translation),
        )
