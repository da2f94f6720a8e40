# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender-independent solver: these names are its public face, and keep their meaning."""

from . import spacetime, synthetic
from .body.anatomical_limits import with_anatomical_limits
from .body.axis_limits import with_axis_limits
from .body.clip import Clip
from .body.detached_feet import feet_beside_legs
from .body.gravity import earth_gravity
from .body.joints import BodyPoint, JointKind, Load
from .body.landmarks.proportions import implausible_landmarks
from .body.limits import BallLimit, HingeLimit, SwingCone, SwingPolygon
from .body.masses import AVERAGE_MASS
from .body.motion import Motion, Pose
from .body.moving_ground import ground_velocity
from .body.skeleton import Skeleton
from .body.skin import Skin
from .cleanup.clean import CleanMethod, clean, cleaned
from .cleanup.cleaned import VISIBLE_ERROR, Cleaned
from .cleanup.limbs import Limb, limb, limbs_of
from .cleanup.live import LiveStream
from .cleanup.metrics import FootMetrics, JointJump, PlantMetrics, foot_metrics, joint_jumps
from .cleanup.planting.stream import CleanedFrame
from .cleanup.plants import PlantedPoint, planted_points
from .cleanup.rigid.stream import RigidStream
from .cleanup.settings import CleanSettings
from .cleanup.stretch.stream import CleanStream
from .constraints import (
    Balance,
    Constraint,
    ConstraintPoint,
    DirectionConstraint,
    Footplant,
    Ground,
    Handplant,
    HeldPose,
    LookAtConstraint,
    MovingObject,
    OrientationConstraint,
    Plane,
    ShapeConstraint,
    estimate_ground,
    ground_gaps,
)
from .core import rotations
from .core.errors import PoiseError, RecruitingWarning
from .core.progress import Stage, converted, finished
from .core.smooth_steps import smooth_step
from .core.splines import Spline
from .deformation.deform import Deformation, deform, deforming
from .deformation.live import LiveDeformation
from .deformation.loops import is_cyclic
from .deformation.plausibility import why_implausible
from .deformation.progress import Preview, Progress
from .deformation.report import Advice, Cause, Conflict, Report, Residual, RuleBreach, StretchedLimb
from .deformation.settings import DeformSettings
from .deformation.targets import PointTargets, point_targets
from .detection import (
    CaptureFault,
    Detected,
    DetectedFootplant,
    DetectedHandplant,
    DetectedSlide,
    DetectionSettings,
    Examination,
    FootplantSettings,
    FootplantStream,
    HandplantSettings,
    NoiseSignal,
    RestSettings,
    SlidingSettings,
    StreamedPlant,
    Template,
    detect,
    detect_by_speed_and_height,
    detect_by_squared_displacement,
    detect_footplants,
    detect_handplants,
    detect_sliding,
    detect_stays,
    examine,
    faulty_joints,
    find_faults,
    repair,
)
from .files.bvh import read_bvh, write_bvh
from .files.constraint_files import (
    constraints_as_dict,
    constraints_from_dict,
    read_constraint_entries,
    read_constraints,
    write_constraints,
)
from .files.constraint_records import ConstraintEntry
from .posture.recruiting import RecruitingBreach
from .posture.settings import SolveSettings
from .posture.solve import Posture, Postures, solve_posture, solve_postures
from .tasks import (
    AimTask,
    AttachmentTask,
    BalanceTask,
    CenterOfMassTask,
    DirectionTask,
    DisplacedMassTask,
    HalfSpaceTask,
    OrientationTask,
    PoseTask,
    PositionTask,
    Task,
)

__all__ = [
    "AVERAGE_MASS",
    "VISIBLE_ERROR",
    "Advice",
    "AimTask",
    "AttachmentTask",
    "Balance",
    "BalanceTask",
    "BallLimit",
    "BodyPoint",
    "CaptureFault",
    "Cause",
    "CenterOfMassTask",
    "CleanMethod",
    "CleanSettings",
    "CleanStream",
    "Cleaned",
    "CleanedFrame",
    "Clip",
    "Conflict",
    "Constraint",
    "ConstraintEntry",
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
    "DisplacedMassTask",
    "Examination",
    "FootMetrics",
    "Footplant",
    "FootplantSettings",
    "FootplantStream",
    "Ground",
    "HalfSpaceTask",
    "Handplant",
    "HandplantSettings",
    "HeldPose",
    "HingeLimit",
    "JointJump",
    "JointKind",
    "Limb",
    "LiveDeformation",
    "LiveStream",
    "Load",
    "LookAtConstraint",
    "Motion",
    "MovingObject",
    "NoiseSignal",
    "OrientationConstraint",
    "OrientationTask",
    "Plane",
    "PlantMetrics",
    "PlantedPoint",
    "PointTargets",
    "PoiseError",
    "Pose",
    "PoseTask",
    "PositionTask",
    "Posture",
    "Postures",
    "Preview",
    "Progress",
    "RecruitingBreach",
    "RecruitingWarning",
    "Report",
    "Residual",
    "RestSettings",
    "RigidStream",
    "RuleBreach",
    "ShapeConstraint",
    "Skeleton",
    "Skin",
    "SlidingSettings",
    "SolveSettings",
    "Spline",
    "Stage",
    "StreamedPlant",
    "StretchedLimb",
    "SwingCone",
    "SwingPolygon",
    "Task",
    "Template",
    "clean",
    "cleaned",
    "constraints_as_dict",
    "constraints_from_dict",
    "converted",
    "deform",
    "deforming",
    "detect",
    "detect_by_speed_and_height",
    "detect_by_squared_displacement",
    "detect_footplants",
    "detect_handplants",
    "detect_sliding",
    "detect_stays",
    "earth_gravity",
    "estimate_ground",
    "examine",
    "faulty_joints",
    "feet_beside_legs",
    "find_faults",
    "finished",
    "foot_metrics",
    "ground_gaps",
    "ground_velocity",
    "implausible_landmarks",
    "is_cyclic",
    "joint_jumps",
    "limb",
    "limbs_of",
    "planted_points",
    "point_targets",
    "read_bvh",
    "read_constraint_entries",
    "read_constraints",
    "repair",
    "rotations",
    "smooth_step",
    "solve_posture",
    "solve_postures",
    "spacetime",
    "synthetic",
    "why_implausible",
    "with_anatomical_limits",
    "with_axis_limits",
    "write_bvh",
    "write_constraints",
]
