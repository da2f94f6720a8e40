# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk in placo: soft tasks with weights, or heels and toes as hard ones."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import placo

from poise import solver
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from ..planted_walk import HAND_POINT, POINTS, WalkTargets
from .base import COSTS, InfeasibleError
from .models import EULER_ORDER, urdf, urdf_angles, urdf_joints
from .placo_peer import REGULARIZATION_OUT_OF_REACH, placo_version
from .walker import Walker

REGULARIZATION = 1e-6
"""Of all velocities: of 1e-2 to 1e-8 the one that comes to rest soonest; until the feet hold they hardly differ."""


class PlacoWalker(Walker):
    """See `Walker`."""

    label: ClassVar[str] = "placo"

    def __init__(self, targets: WalkTargets, feet_are_constraints: bool, to_rest: bool) -> None:
        super().__init__(targets, feet_are_constraints, to_rest)
        skeleton, source = targets.skeleton, targets.source
        self._robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, urdf(skeleton, targets.named_points))
        self._solver = placo.KinematicsSolver(self._robot)
        self._solver.enable_joint_limits(False)
        self._solver.enable_velocity_limits(False)

        names = urdf_joints(skeleton)
        angles = np.unwrap(urdf_angles(source), axis=0)  # so that differences between frames are small
        self._columns = [self._robot.get_joint_offset(name) for name in names]
        self._sources = np.tile(np.array(self._robot.state.q), (targets.frames, 1))
        self._sources[:, :3] = source.root_translation
        self._sources[:, 3:7] = np.roll(source.rotations[:, 0], -1, axis=-1)  # x, y, z, w
        self._sources[:, self._columns] = angles
        self._results = self._sources.copy()
        self._joint_targets = [dict(zip(names, frame, strict=True)) for frame in angles.tolist()]

        self._points = [self._solver.add_position_task(name, np.zeros(3)) for name in POINTS]
        self._hand = None if targets.hand is None else self._solver.add_position_task(HAND_POINT, np.zeros(3))
        self._balance = self._solver.add_com_task(np.zeros(3))
        self._balance.mask.set_axises(skeleton.horizontal_axes)
        self._balance.configure("balance", "soft", COSTS.balance**2)
        self._pose = self._solver.add_joints_task()
        self._pose.configure("pose", "soft", COSTS.pose**2)
        self._solver.add_regularization_task(REGULARIZATION if targets.hand is None else REGULARIZATION_OUT_OF_REACH)

    @property
    def version(self) -> str:
        return placo_version()

    @property
    def motion(self) -> solver.Motion:
        angles = self._results[:, self._columns].reshape(self.targets.frames, -1, 3)
        root = np.roll(self._results[:, None, 3:7], 1, axis=-1)
        turned = np.concatenate([root, rotations.from_euler(angles, EULER_ORDER)], axis=1)
        return solver.Motion.from_root(self.targets.skeleton, turned, self._results[:, :3])

    def begin(self, frame: int) -> None:
        start = source = self._sources[frame]
        if frame > 0:
            before, reached = self._sources[frame - 1], self._results[frame - 1]
            start = source + (reached - before)
            start[3:7] = _carried_on(source[3:7], before[3:7], reached[3:7])
        self._robot.state.q = start
        self._robot.update_kinematics()
        active, positions = self.targets.active[frame], self.targets.positions[frame]
        for number, task in enumerate(self._points):
            task.target_world = positions[number]
            if not active[number]:
                task.configure(POINTS[number], "soft", 0.0)
            else:
                task.configure(POINTS[number], "hard" if self.feet_are_constraints else "soft", COSTS.feet**2)
        if self.feet_are_constraints:
            for foot, heel in enumerate((0, 2)):
                mask = self._points[heel].mask
                if self.is_dependent[frame, foot]:
                    mask.R_custom_world = self.across[frame, foot]
                    mask.set_axises("xy", "custom")
                else:
                    mask.set_axises("xyz", "task")
        if self._hand is not None and self.targets.hand is not None:
            self._hand.target_world = self.targets.hand.positions[frame]
            self._hand.configure(HAND_POINT, "soft", COSTS.hand**2 if self.targets.hand.active[frame] else 0.0)
        self._balance.target_world = self.targets.center_of_mass[frame]
        self._pose.set_joints(self._joint_targets[frame])

    def iterate(self) -> float:
        try:
            moved = self._solver.solve(True)
        except RuntimeError as error:
            raise InfeasibleError(str(error)) from error
        self._robot.update_kinematics()
        return float(np.abs(moved).max())

    def place(self, point: int) -> Array:
        return self._robot.get_T_world_frame(POINTS[point])[:3, 3]

    def end(self, frame: int) -> None:
        self._results[frame] = self._robot.state.q


def _carried_on(source: Array, source_before: Array, reached_before: Array) -> Array:
    """(4,) as x, y, z, w: the source turned as the frame before was, in the body's own frame."""
    now, before, reached = (np.roll(turned, 1) for turned in (source, source_before, reached_before))
    displaced = rotations.multiply(rotations.conjugate(before), reached)
    return np.roll(rotations.normalize(rotations.multiply(now, displaced)), -1)
