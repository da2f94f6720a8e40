# SPDX-License-Identifier: GPL-3.0-or-later
"""The postures of Le Callennec 2006, chapter 3 and figure 5.10, on synthetic characters: each a start with its tasks.

Priorities and recruiting levels are those of appendix B of the thesis; targets are our own, for our own character. All
bodies have y up and face z, their left toward x.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..solver.body.joints import BodyPoint
from ..solver.body.kinematics import WorldState
from ..solver.body.motion import Pose
from ..solver.body.skeleton import Skeleton
from ..solver.core import rotations
from ..solver.core.arrays import Array
from ..solver.posture.settings import SolveSettings
from ..solver.posture.solve import Posture, solve_posture
from ..solver.synthetic.chains import bent, chain
from ..solver.synthetic.hanim import human
from ..solver.tasks import CenterOfMassTask, OrientationTask, PoseTask, PositionTask, Task
from .comparison_methods import damped_least_squares, iterate_posture

JointRotations = Mapping[str, tuple[float, float, float]]
"""Rotation vectors in degrees, by joint."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A posture to start from, and the tasks to solve."""

    skeleton: Skeleton
    start: Pose
    tasks: tuple[Task, ...]
    settings: SolveSettings | None = None
    damping: float | None = None
    """A fixed factor, in sizes of the character: solve by damped least squares with it, not by `solve_posture`."""

    def solve(self, record: bool = False) -> Posture:
        """The solved posture; `record` keeps every task's error over the iterations."""
        if self.damping is not None:
            method, settings = damped_least_squares(1.0, self.damping), self.settings or SolveSettings()
            return iterate_posture(self.skeleton, self.start, self.tasks, method, settings)
        return solve_posture(self.skeleton, self.start, self.tasks, settings=self.settings, record=record)


def posed(
    skeleton: Skeleton, joint_rotations: JointRotations, shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Pose:
    """The rest pose with some joints rotated about the body's axes and the root translated."""
    pose = Pose.rest(skeleton)
    for name, degrees in joint_rotations.items():
        joint = skeleton.index(name)
        pose.rotations[joint] = rotations.multiply(pose.rotations[joint], rotations.exp(np.deg2rad(degrees)))
    pose.translations[0] += shift
    return pose


def place(skeleton: Skeleton, pose: Pose, point: str | BodyPoint) -> Array:
    """(3,) the world position of a joint, or of a point on one, in a pose."""
    return WorldState.of(skeleton, pose.motion).point(skeleton.resolve(point))[0]


# Figure 3.3 and table B.1: The Thinker ------------------------------------------------------------------------------

HIP_HEIGHT = 0.44
"""Metres from the floor to the hip joints of a sitting body."""

_SITTING: JointRotations = {
    **dict.fromkeys(("l_hip", "r_hip"), (-88.0, 0.0, 0.0)),
    **dict.fromkeys(("l_knee", "r_knee"), (86.0, 0.0, 0.0)),
    **dict.fromkeys(("l_talocrural", "r_talocrural"), (2.0, 0.0, 0.0)),
}
_BROODING: JointRotations = {
    **_SITTING,
    "HumanoidRoot": (38.0, 0.0, 0.0),
    "sacroiliac": (-38.0, 0.0, 0.0),
    **dict.fromkeys(("vl5", "vl2", "vt11", "vt6", "vt1"), (10.0, 0.0, 0.0)),
    **dict.fromkeys(("vc4", "skullbase"), (2.0, 0.0, 0.0)),
    "l_shoulder": (-60.0, 0.0, 0.0),
    "r_shoulder": (-70.0, 0.0, 0.0),
    "l_elbow": (-65.0, 0.0, 0.0),
    "r_elbow": (-140.0, 0.0, 0.0),
    "l_talocrural": (-14.0, 0.0, 0.0),
    "r_talocrural": (-20.0, 0.0, 0.0),
}
"""Bent forward with a round back and bent arms: the attractor of the joints that the tasks leave free."""


def thinker() -> Scene:
    """From sitting upright to Rodin's Thinker: right elbow on the left thigh, chin on the back of the right hand."""
    skeleton = human()
    onto_the_seat = (0.0, HIP_HEIGHT - float(place(skeleton, Pose.rest(skeleton), "l_hip")[1]), 0.0)
    sitting, brooding = (posed(skeleton, joint_rotations, onto_the_seat) for joint_rotations in (_SITTING, _BROODING))
    left_wrist, right_elbow = np.array((0.11, 0.56, 0.47)), np.array((0.07, 0.59, 0.41))
    left_elbow = left_wrist + _forearm(skeleton, (0.5, 0.12, -0.85))
    right_wrist = right_elbow + _forearm(skeleton, (-0.10, 1.0, 0.08))
    hand_under_chin = _hand(fingers=(0.25, -0.05, -0.95), palm=(0.0, -1.0, 0.0), palm_at_rest=1.0)
    hand_over_knee = _hand(fingers=(-0.3, -0.9, 0.1), palm=(-0.3, -0.1, -1.0), palm_at_rest=-1.0)
    tasks = (
        PositionTask("l_talocrural", (0.11, 0.075, 0.32), priority=15, recruit=4),
        PositionTask("r_talocrural", (-0.13, 0.090, 0.24), priority=15, recruit=4),
        PositionTask("l_hip", place(skeleton, sitting, "l_hip"), priority=10, recruit=2),
        PositionTask("r_hip", place(skeleton, sitting, "r_hip"), priority=10, recruit=2),
        PositionTask("l_wrist", left_wrist, priority=9, recruit=9),
        PositionTask("HumanoidRoot", place(skeleton, sitting, "HumanoidRoot"), priority=9, recruit=0),
        PositionTask("r_elbow", right_elbow, priority=8, recruit=8),
        PositionTask("l_elbow", left_elbow, priority=7, recruit=8),
        PositionTask("r_wrist", right_wrist, priority=4, recruit=1),
        OrientationTask("r_wrist", hand_under_chin, priority=1, recruit=0),
        OrientationTask("l_wrist", hand_over_knee, priority=1, recruit=0),
        PoseTask(brooding, priority=0),
    )
    return Scene(skeleton, sitting, tasks)


def _forearm(skeleton: Skeleton, direction: tuple[float, float, float]) -> Array:
    """(3,) a vector of the length of a forearm: both of its ends have targets, and both must be reachable."""
    length = np.linalg.norm(skeleton.offsets[skeleton.index("l_wrist")])
    return np.asarray(length / np.linalg.norm(direction) * np.array(direction))


def _hand(fingers: tuple[float, float, float], palm: tuple[float, float, float], palm_at_rest: float) -> Array:
    """(4,) the world rotation of a hand with given directions of fingers and palm; `palm_at_rest` is the sign of the x
    that the palm faces at rest."""
    down = np.array(fingers) / np.linalg.norm(fingers)
    across = palm_at_rest * (np.array(palm) - (np.array(palm) @ down) * down)
    across /= np.linalg.norm(across)
    return rotations.from_matrix(np.stack([across, -down, np.cross(across, -down)], axis=-1))


# Figure 3.4 and table B.2: reaching, and staying balanced -----------------------------------------------------------

UMBRELLA_MASS = 8.0
"""Kilograms: a heavy one, so that its effect shows."""

UMBRELLA = BodyPoint("l_middle1", (0.10, 0.0, 0.45))
"""The umbrella's centre of mass, up its stick from the left hand."""

_HOLDING_UMBRELLA: JointRotations = {"l_shoulder": (0.0, 0.0, 50.0), "l_elbow": (-75.0, 0.0, 0.0)}
FAR_OUT_OF_REACH = (-2.0, 1.45, 0.5)


_FEET = {"left_heel": 5, "left_toe_tip": 7, "right_toe_tip": 7, "right_heel": 5}
"""The landmarks that stay on the floor, in order around the feet, with their recruiting levels up to the root."""


def reaching(balanced: bool, umbrella: float = 0.0) -> Scene:
    """The right hand reaches for a target that is far out of reach, with both feet on the floor.

    If `balanced`, the centre of mass stays above the middle between the feet. `umbrella` is the mass in kilograms of
    the umbrella in the left hand. (The text of the thesis fixes the right foot only, its table "heels" and "toes": with
    both feet fixed, the middle between them is a place to balance over.)
    """
    skeleton = human()
    standing = posed(skeleton, _HOLDING_UMBRELLA if umbrella else {})
    if umbrella:
        skeleton = skeleton.with_load(UMBRELLA, umbrella)
    tasks: list[Task] = []
    for mark, level in _FEET.items():
        point: BodyPoint = skeleton.landmarks.require(mark)
        target = place(skeleton, standing, point)
        name = mark.replace("_", " ").capitalize()
        tasks.append(PositionTask(point.joint, target, offset=point.offset, priority=15, recruit=level, name=name))
    if balanced:
        tasks.append(CenterOfMassTask(support(skeleton, standing).mean(axis=0), priority=10))
    tasks.append(PositionTask("r_middle1", FAR_OUT_OF_REACH, priority=5, recruit=10, name="Right hand"))
    tasks.append(PoseTask(standing, priority=0))
    return Scene(skeleton, standing, tuple(tasks))


def support(skeleton: Skeleton, pose: Pose) -> Array:
    """(4, 3) heels and tips of the toes, in order around the feet."""
    return np.array([place(skeleton, pose, skeleton.landmarks.require(mark)) for mark in _FEET])


# Figure 3.5: two recruiting levels ----------------------------------------------------------------------------------

ARM_ONLY = 3
"""Recruiting level of a wrist up to its sternoclavicular joint."""
ARM_AND_SPINE = 8
"""Up to the lowest joint of the spine."""


def left_reach(recruit: int) -> Scene:
    """The left hand reaches across the body with the given recruiting level."""
    skeleton = human()
    standing = posed(skeleton, {})
    wrist = PositionTask("l_wrist", (-0.20, 1.10, 0.45), recruit=recruit)
    joints = np.flatnonzero(wrist.recruited(skeleton))
    return Scene(skeleton, standing, (wrist, PoseTask(standing, priority=0, recruit=joints)))


# Figure 3.2: two arms in conflict -----------------------------------------------------------------------------------


def two_arms(preferred: Literal["left", "right"] | None) -> Scene:
    """Both wrists are pulled apart, farther than the arms reach together; the trunk can lean to one side only.

    The wrist on the `preferred` side has the higher priority; None: both have the same priority and weight.
    """
    skeleton = human()
    standing = posed(skeleton, {})
    tasks: list[Task] = [
        PositionTask(f"{side[0]}_wrist", (x, 1.40, 0.05), priority=2 if preferred == side else 1, recruit=ARM_AND_SPINE)
        for side, x in (("left", 0.95), ("right", -0.95))
    ]
    joints = np.flatnonzero(tasks[0].recruited(skeleton) | tasks[1].recruited(skeleton))
    return Scene(skeleton, standing, (*tasks, PoseTask(standing, priority=0, recruit=joints)))


# Figure 5.10: three constraints on three degrees of freedom ---------------------------------------------------------


def three_constraints() -> Scene:
    """Tip, centre of mass and last joint of a planar chain of three hinges, each with a target x of its own.

    The chain leans to the right. The targets of the centre of mass and of the joint lie farther to the right, that of
    the tip to the left. Small intermediate goals and a fixed damping, as in the thesis, show how the lower levels
    converge after the higher ones.
    """
    skeleton = chain(3, kind="hinge")
    tip = skeleton.tips[0]
    tasks = (
        PositionTask(tip.joint, (-0.10, 0.0, 0.0), offset=tip.offset, axes="x", priority=3, name="C1"),
        CenterOfMassTask((0.15, 0.0, 0.0), axes="x", priority=2, name="C2"),
        PositionTask("joint 3", (0.22, 0.0, 0.0), axes="x", priority=1, name="C3"),
    )
    settings = SolveSettings(iterations=1000, goal_length=0.01)
    return Scene(skeleton, bent(skeleton, -0.3), tasks, settings, damping=0.25)
