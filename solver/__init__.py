# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender-independent solver: these names are its public face, and keep their meaning."""

from . import rotations
from .bvh import read_bvh, write_bvh
from .cleanup.clean import CleanMethod, clean, cleaned
from .cleanup.cleaned import Cleaned
from .cleanup.limbs import Limb, limb, limbs_of
from .cleanup.metrics import FootMetrics, PlantMetrics, foot_metrics
from .cleanup.planting.stream import CleanedFrame
from .cleanup.plants import PlantedPoint, planted_points
from .cleanup.rigid.stream import RigidStream
from .cleanup.settings import CleanSettings
from .cleanup.stretch.stream import CleanStream
from .clip import Clip
from .constraint_files import constraints_as_dict, constraints_from_dict, read_constraints, write_constraints
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
    estimate_ground,
    ground_gaps,
)
from .correcting import correct_and_deform, correcting_and_deforming
from .deform import Deformation, deform, deforming
from .detached_feet import feet_beside_legs
from .detection import (
    Detected,
    DetectedFootplant,
    DetectedHandplant,
    DetectedSlide,
    DetectionSettings,
    SlidingSettings,
    Template,
    detect,
    detect_by_speed_and_height,
    detect_by_squared_displacement,
    detect_footplants,
    detect_handplants,
    detect_sliding,
    detect_stays,
)
from .errors import PoiseError, RecruitingWarning
from .joints import BodyPoint, JointKind, Load
from .limits import BallLimit, HingeLimit, SwingCone, SwingPolygon
from .loops import is_cyclic
from .motion import Motion, Pose
from .moving_ground import ground_velocity
from .plausibility import why_implausible
from .posture import Posture, Postures, solve_posture, solve_postures
from .proportions import implausible_landmarks
from .recruiting import RecruitingBreach
from .report import Advice, Conflict, Report, Residual, StretchedLimb
from .settings import SolveSettings
from .skeleton import Skeleton
from .skin import Skin
from .splines import Spline
from .steps import finished
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
    "CleanMethod",
    "CleanSettings",
    "CleanStream",
    "Cleaned",
    "CleanedFrame",
    "Clip",
    "Conflict",
    "Constraint",
    "ConstraintPoint",
    "DeformSettings",
    "Deformation",
    "Detected",
    "DetectedFootplant",
    "DetectedHandplant",
    "DetectedSlide",
    "DetectionSettings",
    "DirectionConstraint",
    "DirectionTask",
    "FootMetrics",
    "Footplant",
    "Ground",
    "HalfSpaceTask",
    "HingeLimit",
    "JointKind",
    "Limb",
    "Load",
    "Motion",
    "MovingObject",
    "OrientationConstraint",
    "OrientationTask",
    "PlantMetrics",
    "PlantedPoint",
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
    "RigidStream",
    "ShapeConstraint",
    "Skeleton",
    "Skin",
    "SlidingSettings",
    "SolveSettings",
    "Spline",
    "StretchedLimb",
    "SwingCone",
    "SwingPolygon",
    "Task",
    "Template",
    "clean",
    "cleaned",
    "constraints_as_dict",
    "constraints_from_dict",
    "correct_and_deform",
    "correcting_and_deforming",
    "deform",
    "deforming",
    "detect",
    "detect_by_speed_and_height",
    "detect_by_squared_displacement",
    "detect_footplants",
    "detect_handplants",
    "detect_sliding",
    "detect_stays",
    "estimate_ground",
    "feet_beside_legs",
    "finished",
    "foot_metrics",
    "ground_gaps",
    "ground_velocity",
    "implausible_landmarks",
    "is_cyclic",
    "limb",
    "limbs_of",
    "planted_points",
    "read_bvh",
    "read_constraints",
    "rotations",
    "solve_posture",
    "solve_postures",
    "why_implausible",
    "write_bvh",
    "write_constraints",
]
