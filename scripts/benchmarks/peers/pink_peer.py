# SPDX-License-Identifier: GPL-3.0-or-later
"""The work in pink, on Pinocchio."""

from __future__ import annotations

from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pink
import pinocchio

from poise.solver.core.arrays import Array

from ..workload import Workload
from .base import COSTS
from .models import pinocchio_configurations, pinocchio_model
from .quadratic import QuadraticPeer

PACKAGE = "pin-pink"


class PinkPeer(QuadraticPeer):
    """See `Peer`."""

    label: ClassVar[str] = "pink"
    library: ClassVar[ModuleType] = pink
    tasks: ClassVar[ModuleType] = pink.tasks
    package: ClassVar[str] = PACKAGE
    solving: ClassVar[dict[str, Any]] = {"safety_break": False}

    def __init__(self, workload: Workload, feet_are_constraints: bool) -> None:
        model = pinocchio_model(workload.skeleton)
        postures = pinocchio_configurations(workload.start)
        configuration = pink.Configuration(model, model.createData(), postures[0], copy_data=False)
        super().__init__(workload, feet_are_constraints, configuration, postures, pink.tasks.PostureTask(COSTS.pose))

    @staticmethod
    def transform(rotation: Array, position: Array) -> Any:
        return pinocchio.XYZQUATToSE3(np.concatenate([position, np.roll(rotation, -1)]))

    def placed(self, name: str) -> tuple[Array, Array]:
        frame = self._configuration.get_transform_frame_to_world(name)
        return frame.rotation, frame.translation

    def center_of_mass(self) -> Array:
        here = self._configuration
        return pinocchio.centerOfMass(here.model, here.data, here.q)
