# SPDX-License-Identifier: GPL-3.0-or-later
"""The libraries that Poise is compared with can be imported and do solve: here an arm of two links that must bend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.peers("pinocchio", "pink", "mink", "mujoco", "placo", "qpsolvers")

LINK = """
<link name="{name}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
"""
JOINT = """
<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="{offset} 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="10"/></joint>
"""
ARM_URDF = (
    '<robot name="arm">'
    + "".join(LINK.format(name=name) for name in ("base", "upper", "lower", "hand"))
    + JOINT.format(name="shoulder", kind="revolute", parent="base", child="upper", offset=0)
    + JOINT.format(name="elbow", kind="revolute", parent="upper", child="lower", offset=1)
    + JOINT.format(name="wrist", kind="fixed", parent="lower", child="hand", offset=1)
    + "</robot>"
)
ARM_MJCF = """
<mujoco><worldbody>
  <body name="upper"><joint name="shoulder" axis="0 0 1"/><geom size=".1" mass="1"/>
    <body name="lower" pos="1 0 0"><joint name="elbow" axis="0 0 1"/><geom size=".1" mass="1"/>
      <body name="hand" pos="1 0 0"><geom size=".1" mass="1"/></body></body></body>
</worldbody></mujoco>
"""
BENT = np.array([0.3, 0.5])  # the arm starts here: a straight one cannot tell which way to bend
TARGET = np.array([0.5, 1.2, 0.0])
STEPS, STEP = 200, 0.05  # iterations, seconds
NEAR = 1e-3


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM_URDF)
    return path


def test_pinocchio_and_pink_reach(urdf: Path) -> None:
    import pink
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(urdf))
    configuration = pink.Configuration(model, model.createData(), BENT)
    task = pink.FrameTask("hand", position_cost=1.0, orientation_cost=0.0)
    task.set_target(pinocchio.SE3(np.eye(3), TARGET))
    for _ in range(STEPS):
        configuration.integrate_inplace(pink.solve_ik(configuration, [task], STEP, solver="proxqp"), STEP)
    hand = configuration.get_transform_frame_to_world("hand").translation
    assert np.linalg.norm(hand - TARGET) < NEAR


def test_mujoco_and_mink_reach() -> None:
    import mink
    import mujoco

    configuration = mink.Configuration(mujoco.MjModel.from_xml_string(ARM_MJCF), q=BENT)
    task = mink.FrameTask("hand", "body", position_cost=1.0, orientation_cost=0.0)
    task.set_target(mink.SE3.from_translation(TARGET))
    for _ in range(STEPS):
        configuration.integrate_inplace(mink.solve_ik(configuration, [task], STEP, solver="daqp"), STEP)
    hand = configuration.get_transform_frame_to_world("hand", "body").translation()
    assert np.linalg.norm(hand - TARGET) < NEAR


def test_placo_reaches(urdf: Path) -> None:
    import placo

    robot = placo.RobotWrapper(str(urdf), placo.Flags.ignore_collisions)
    for joint, angle in zip(("shoulder", "elbow"), BENT, strict=True):
        robot.set_joint(joint, angle)
    robot.update_kinematics()
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    solver.add_position_task("hand", TARGET).configure("hand", "soft", 1.0)
    for _ in range(STEPS):
        solver.solve(True)
        robot.update_kinematics()
    assert np.linalg.norm(robot.get_T_world_frame("hand")[:3, 3] - TARGET) < NEAR
