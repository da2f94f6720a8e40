# SPDX-License-Identifier: GPL-3.0-or-later
"""The work in mink, on MuJoCo."""

from __future__ import annotations

from types import ModuleType
from typing import Any, ClassVar

import mink
import mujoco
import numpy as np

from poise.solver.core.arrays import Array

from ..workload import Workload
from .base import COSTS
from .models import mjcf, mujoco_configurations
from .quadratic import QuadraticPeer


class MinkPeer(QuadraticPeer):
    """See `Peer`."""

    label: ClassVar[str] = "mink"
    library: ClassVar[ModuleType] = mink
    tasks: ClassVar[ModuleType] = mink.tasks
    package: ClassVar[str] = "mink"
    frame_kind: ClassVar[tuple[str, ...]] = ("body",)

    def __init__(self, workload: Workload, feet_are_constraints: bool) -> None:
        model = mujoco.MjModel.from_xml_string(mjcf(workload.skeleton))
        postures = mujoco_configurations(workload.skeleton, workload.start)
        configuration = mink.Configuration(model, q=postures[0])
        super().__init__(
            workload, feet_are_constraints, configuration, postures, mink.tasks.PostureTask(model, COSTS.pose)
        )

    @staticmethod
    def transform(rotation: Array, position: Array) -> Any:
        return mink.SE3(np.concatenate([rotation, position]))

    def placed(self, name: str) -> tuple[Array, Array]:
        frame = self._configuration.get_transform_frame_to_world(name, *self.frame_kind)
        return frame.rotation().as_matrix(), frame.translation()

    def center_of_mass(self) -> Array:
        return self._configuration.data.subtree_com[1]
