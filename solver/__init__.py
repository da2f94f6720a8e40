# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender-independent solver: these names are its public face, and keep their meaning."""

from .bvh import read_bvh, write_bvh
from .cleanup.metrics import FootMetrics, PlantMetrics, foot_metrics
from .clip import Clip
from .constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    DirectionConstraint,
    Footplant,
    Ground,
    MovingObject,
    OrientationConstraint,
    ShapeConstraint,
)
from .deform import Deformation, deform, deforming
from .detection import (
    Detected,
    DetectedFootplant,
    DetectionSettings,
    Template,
    detect,
    detect_by_speed_and_height,
    detect_by_squared_displacement,
    detect_footplants,
    detect_stays,
)
from .errors import PoiseError, RecruitingWarning
from .joints import BodyPoint, JointKind, Load
from .limits import BallLimit, HingeLimit, SwingCone, SwingPolygon
from .motion import Motion, Pose
from .posture import Posture, Postures, solve_posture, solve_postures
from .recruiting import RecruitingBreach
from .report import Advice, Conflict, Report, Residual, StretchedLimb
from .settings import SolveSettings
from .skeleton import Skeleton
from .splines import Spline
from .tasks import (
    AttachmentTask,
    BalanceTask,
    CenterOfMassTask,
    DirectionTask,
    HalfSpaceTask,
    OrientationTask,
    PoseTask,
    PositionTask,
    Task,
)
from .workspace import DeformSettings, Progress

__all__ = [
    "Advice",
    "AttachmentTask",
    "Balance",
    "BalanceTask",
    "BallLimit",
    "BodyPoint",
    "CenterOfMassTask",
    "Clip",
    "Conflict",
    "Constraint",
    "ConstraintPoint",
    "DeformSettings",
    "Deformation",
    "Detected",
    "DetectedFootplant",
    "DetectionSettings",
    "DirectionConstraint",
    "DirectionTask",
    "FootMetrics",
    "Footplant",
    "Ground",
    "HalfSpaceTask",
    "HingeLimit",
    "JointKind",
    "Load",
    "Motion",
    "MovingObject",
    "OrientationConstraint",
    "OrientationTask",
    "PlantMetrics",
    "PoiseError",
    "Pose",
    "PoseTask",
    "PositionTask",
    "Posture",
    "Postures",
    "Progress",
    "RecruitingBreach",
    "RecruitingWarning",
    "Report",
    "Residual",
    "ShapeConstraint",
    "Skeleton",
    "SolveSettings",
    "Spline",
    "StretchedLimb",
    "SwingCone",
    "SwingPolygon",
    "Task",
    "Template",
    "deform",
    "deforming",
    "detect",
    "detect_by_speed_and_height",
    "detect_by_squared_displacement",
    "detect_footplants",
    "detect_stays",
    "foot_metrics",
    "read_bvh",
    "solve_posture",
    "solve_postures",
    "write_bvh",
]
