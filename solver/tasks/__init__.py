# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks: requirements on a posture, one kind a file."""

from .aim import AimTask
from .attachment import AttachmentTask
from .balance import BalanceTask
from .base import GoalStep, Task
from .center_of_mass import CenterOfMassTask
from .direction import DirectionTask
from .displaced_mass import DisplacedMassTask
from .half_space import HalfSpaceTask
from .masked import MaskedTask
from .orientation import OrientationTask
from .pose import PoseTask
from .position import PositionTask
from .roll import RollTask

__all__ = [
    "AimTask",
    "AttachmentTask",
    "BalanceTask",
    "CenterOfMassTask",
    "DirectionTask",
    "DisplacedMassTask",
    "GoalStep",
    "HalfSpaceTask",
    "MaskedTask",
    "OrientationTask",
    "PoseTask",
    "PositionTask",
    "RollTask",
    "Task",
]
