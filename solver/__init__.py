# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender-independent solver: these names are its public face, and keep their meaning."""

from .bvh import read_bvh, write_bvh
from .clip import Clip
from .errors import PoiseError, RecruitingWarning
from .joints import BodyPoint, JointKind, Load
from .limits import BallLimit, HingeLimit, SwingCone, SwingPolygon
from .motion import Motion, Pose
from .posture import Posture, Postures, solve_posture, solve_postures
from .recruiting import RecruitingBreach
from .settings import SolveSettings
from .skeleton import Skeleton
from .tasks import (
    CenterOfMassTask,
    DirectionTask,
    HalfSpaceTask,
    OrientationTask,
    PoseTask,
    PositionTask,
    Task,
)

__all__ = [
    "BallLimit",
    "BodyPoint",
    "CenterOfMassTask",
    "Clip",
    "DirectionTask",
    "HalfSpaceTask",
    "HingeLimit",
    "JointKind",
    "Load",
    "Motion",
    "OrientationTask",
    "PoiseError",
    "Pose",
    "PoseTask",
    "PositionTask",
    "Posture",
    "Postures",
    "RecruitingBreach",
    "RecruitingWarning",
    "Skeleton",
    "SolveSettings",
    "SwingCone",
    "SwingPolygon",
    "Task",
    "read_bvh",
    "solve_posture",
    "solve_postures",
    "write_bvh",
]
