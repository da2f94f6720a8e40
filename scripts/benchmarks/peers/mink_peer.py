# SPDX-License-Identifier: GPL-3.0-or-later
"""The work in mink: tasks with costs in one quadratic program, or the feet as its equality constraints."""

from __future__ import annotations

from importlib.metadata import version
from typing import ClassVar

import mink
import mujoco
import numpy as np

from ..workload import Workload
from .base import COSTS, InfeasibleError, Peer, Reached
from .models import mjcf, mujoco_configurations

QP_SOLVER = "daqp"
"""The one in mink's own examples."""

TIME_STEP = 1.0
"""Seconds; displacements do not depend on it as long as nothing limits velocities."""

INFEASIBLE_DAMPING = 1.0
"""The Levenberg-Marquardt factor of the hand's task, as mink's examples have it."""


class MinkPeer(Peer):
    """See `Peer`."""

    label: ClassVar[str] = "mink"

    def __init__(self, workload: Workload, feet_are_constraints: bool) -> None:
        super().__init__(workload, feet_are_constraints)
        model = mujoco.MjModel.from_xml_string(mjcf(workload.skeleton))
        self._postures = mujoco_configurations(workload.skeleton, workload.start)
        self._configuration = mink.Configuration(model, q=self._postures[0])
        self._feet = [mink.FrameTask(foot, "body", COSTS.feet, COSTS.feet) for foot in workload.feet]
        self._balance = mink.ComTask(COSTS.balance * self.horizontal)
        self._hand = mink.FrameTask(workload.hand, "body", COSTS.hand, 0.0, lm_damping=INFEASIBLE_DAMPING)
        self._pose = mink.PostureTask(model, COSTS.pose)
        self._tasks = [self._balance, self._hand, self._pose]
        if not feet_are_constraints:
            self._tasks += self._feet
        self._constraints = self._feet if feet_are_constraints else None

    @property
    def version(self) -> str:
        return f"{version('mink')}, {QP_SOLVER} {version(QP_SOLVER)}"

    def begin(self, frame: int) -> None:
        work = self.workload
        self._configuration.update(self._postures[frame])
        for index, foot in enumerate(self._feet):
            pose = np.concatenate([work.foot_rotations[frame, index], work.foot_positions[frame, index]])
            foot.set_target(mink.SE3(pose))
        self._balance.set_target(work.center_of_mass[frame])
        self._hand.set_target(mink.SE3.from_translation(work.hand_target[frame]))
        self._pose.set_target(self._postures[frame])

    def iterate(self) -> None:
        try:
            velocity = mink.solve_ik(
                self._configuration,
                self._tasks,
                TIME_STEP,
                solver=QP_SOLVER,
                limits=[],
                constraints=self._constraints,
            )
        except mink.NoSolutionFound as error:
            raise InfeasibleError("mink finds no solution") from error
        self._configuration.integrate_inplace(velocity, TIME_STEP)

    def reached(self) -> Reached:
        feet = [self._configuration.get_transform_frame_to_world(foot, "body") for foot in self.workload.feet]
        return Reached(
            np.array([foot.translation() for foot in feet]),
            np.array([foot.rotation().as_matrix() for foot in feet]),
            np.array(self._configuration.data.subtree_com[1]),
            np.array(self._configuration.get_transform_frame_to_world(self.workload.hand, "body").translation()),
        )
