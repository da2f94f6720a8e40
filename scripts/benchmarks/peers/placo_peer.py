# SPDX-License-Identifier: GPL-3.0-or-later
"""The work in placo: soft tasks with weights, or the feet as hard ones; the whole solver is C++."""

from __future__ import annotations

from importlib.metadata import version
from typing import ClassVar

import numpy as np
import placo

from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from ..workload import Workload
from .base import COSTS, InfeasibleError, Peer, Reached
from .models import urdf, urdf_angles, urdf_joints

REGULARIZATION = 1e-2
"""Of all velocities; the fastest convergence on this work. Smaller ones let singular postures overshoot."""

REGULARIZATION_OUT_OF_REACH = 1.0
"""Smaller ones do not come to rest before a target that cannot be reached: placo has no damping that adapts."""


def placo_version() -> str:
    """Of the library and of the solver of quadratic programs that it uses."""
    return f"{version('placo')}, EiQuadProg"


class PlacoPeer(Peer):
    """See `Peer`."""

    label: ClassVar[str] = "placo"

    def __init__(self, workload: Workload, feet_are_constraints: bool) -> None:
        super().__init__(workload, feet_are_constraints)
        skeleton = workload.skeleton
        self._robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, urdf(skeleton))
        self._solver = placo.KinematicsSolver(self._robot)
        self._solver.enable_joint_limits(False)
        self._solver.enable_velocity_limits(False)

        self._foot_poses = _affine(rotations.to_matrix(workload.foot_rotations), workload.foot_positions)
        names, angles = urdf_joints(skeleton), urdf_angles(workload.start)
        self._postures = np.tile(np.array(self._robot.state.q), (workload.frames, 1))
        self._postures[:, :3] = workload.start.root_translation
        self._postures[:, 3:7] = np.roll(workload.start.rotations[:, 0], -1, axis=-1)  # x, y, z, w
        self._postures[:, [self._robot.get_joint_offset(name) for name in names]] = angles
        self._joint_targets = [dict(zip(names, frame, strict=True)) for frame in angles.tolist()]

        priority = "hard" if feet_are_constraints else "soft"
        self._feet = [self._solver.add_frame_task(foot, np.eye(4)) for foot in workload.feet]
        for name, foot in zip(workload.feet, self._feet, strict=True):
            foot.configure(name, priority, COSTS.feet**2, COSTS.feet**2)  # placo's weights multiply squares
        self._balance = self._solver.add_com_task(np.zeros(3))
        self._balance.mask.set_axises(skeleton.horizontal_axes)
        self._balance.configure("balance", "soft", COSTS.balance**2)
        self._hand = self._solver.add_position_task(workload.hand, np.zeros(3))
        self._hand.configure("hand", "soft", COSTS.hand**2)
        self._pose = self._solver.add_joints_task()
        self._pose.configure("pose", "soft", COSTS.pose**2)
        self._solver.add_regularization_task(REGULARIZATION if workload.hand_can_reach else REGULARIZATION_OUT_OF_REACH)

    @property
    def version(self) -> str:
        return placo_version()

    def begin(self, frame: int) -> None:
        work = self.workload
        self._robot.state.q = self._postures[frame]
        self._robot.update_kinematics()
        for index, foot in enumerate(self._feet):
            foot.T_world_frame = self._foot_poses[frame, index]
        self._balance.target_world = work.center_of_mass[frame]
        self._hand.target_world = work.hand_target[frame]
        self._pose.set_joints(self._joint_targets[frame])

    def iterate(self) -> None:
        try:
            self._solver.solve(True)
        except RuntimeError as error:
            raise InfeasibleError(str(error)) from error
        self._robot.update_kinematics()

    def reached(self) -> Reached:
        feet = np.array([self._robot.get_T_world_frame(foot) for foot in self.workload.feet])
        return Reached(
            feet[:, :3, 3],
            feet[:, :3, :3],
            np.array(self._robot.com_world()),
            np.array(self._robot.get_T_world_frame(self.workload.hand)[:3, 3]),
        )


def _affine(matrices: Array, positions: Array) -> Array:
    """(…, 4, 4) of rotations (…, 3, 3) and positions (…, 3)."""
    affine = np.zeros((*positions.shape[:-1], 4, 4))
    affine[..., :3, :3] = matrices
    affine[..., :3, 3] = positions
    affine[..., 3, 3] = 1.0
    return affine
