# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton as the models that the peers read: a free root and three rotations a joint, with the same masses.

Pinocchio and MuJoCo know ball joints. URDF does not: there a joint is three revolute ones at one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree

import numpy as np

from poise import solver
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

SMALLEST_SHARE = 1e-12
"""Share of the body's mass that massless bodies get in MuJoCo, which refuses zero."""

EULER_ORDER = "ZYX"
"""The axes of the three revolute joints, the outermost first."""

HUGE = 1e6
"""A limit without effect, in radians, newton metres and radians a second: URDF requires one."""


Points = Mapping[str, solver.BodyPoint]
"""Further points of the body, whose joints are indices, that get frames with these names."""

NO_POINTS: Points = MappingProxyType({})


def pinocchio_model(skeleton: solver.Skeleton, points: Points = NO_POINTS) -> Any:
    """A pinocchio.Model; the frame of each joint has the joint's name."""
    import pinocchio

    model = pinocchio.Model()
    ids: list[int] = []
    for joint, parent in enumerate(skeleton.parents):
        is_root = parent < 0
        kind = pinocchio.JointModelFreeFlyer() if is_root else pinocchio.JointModelSpherical()
        offset = np.zeros(3) if is_root else skeleton.offsets[joint]
        transform = pinocchio.SE3(np.eye(3), offset)
        joint_id = model.addJoint(0 if is_root else ids[parent], kind, transform, f"{skeleton.names[joint]} joint")
        inertia = pinocchio.Inertia(skeleton.masses[joint], skeleton.mass_centers[joint], np.zeros((3, 3)))
        model.appendBodyToJoint(joint_id, inertia, pinocchio.SE3.Identity())
        frame = pinocchio.Frame(skeleton.names[joint], joint_id, pinocchio.SE3.Identity(), pinocchio.FrameType.OP_FRAME)
        model.addFrame(frame)
        ids.append(joint_id)
    for name, point in points.items():
        there = pinocchio.SE3(np.eye(3), point.local)
        model.addFrame(pinocchio.Frame(name, ids[int(point.joint)], there, pinocchio.FrameType.OP_FRAME))
    return model


def pinocchio_configurations(motion: solver.Motion) -> Array:
    """(frames, 4 joints + 3) of the model above: quaternions as x, y, z, w."""
    turned = np.roll(motion.rotations, -1, axis=-1).reshape(motion.frames, -1)
    return np.concatenate([motion.root_translation, turned], axis=1)


def pinocchio_motion(skeleton: solver.Skeleton, configurations: Array) -> solver.Motion:
    """The motion of configurations (frames, 4 joints + 3) of the model above."""
    turned = np.roll(configurations[:, 3:].reshape(len(configurations), -1, 4), 1, axis=-1)
    return solver.Motion.from_root(skeleton, turned, configurations[:, :3])


def mjcf(skeleton: solver.Skeleton) -> str:
    """An MJCF document; the body of each joint has the joint's name."""
    root = ElementTree.Element("mujoco", model="character")
    world = ElementTree.SubElement(root, "worldbody")
    bodies: list[ElementTree.Element] = []
    smallest = SMALLEST_SHARE * float(skeleton.masses.sum())
    for joint, parent in enumerate(skeleton.parents):
        above = world if parent < 0 else bodies[parent]
        offset = np.zeros(3) if parent < 0 else skeleton.offsets[joint]
        body = ElementTree.SubElement(above, "body", name=skeleton.names[joint], pos=_numbers(offset))
        mass = max(float(skeleton.masses[joint]), smallest)
        center = _numbers(skeleton.mass_centers[joint])
        ElementTree.SubElement(body, "joint", type="free" if parent < 0 else "ball")
        ElementTree.SubElement(body, "inertial", pos=center, mass=repr(mass), diaginertia=_numbers([mass] * 3))
        bodies.append(body)
    return ElementTree.tostring(root, encoding="unicode")


def mujoco_configurations(skeleton: solver.Skeleton, motion: solver.Motion) -> Array:
    """(frames, 4 joints + 3) of the model above: quaternions as w, x, y, z, in MuJoCo's order, which is depth first."""
    children: dict[int, list[int]] = {}
    for joint, parent in enumerate(skeleton.parents.tolist()):
        children.setdefault(parent, []).append(joint)
    order: list[int] = []
    waiting = [0]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += reversed(children.get(joint, []))
    return np.concatenate([motion.root_translation, motion.rotations[:, order].reshape(motion.frames, -1)], axis=1)


def urdf(skeleton: solver.Skeleton, points: Points = NO_POINTS) -> str:
    """A URDF document whose root link floats; the link of each joint has the joint's name."""
    root = ElementTree.Element("robot", name="character")
    for joint, parent in enumerate(skeleton.parents):
        name = skeleton.names[joint]
        link = ElementTree.SubElement(root, "link", name=name)
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "origin", xyz=_numbers(skeleton.mass_centers[joint]))
        ElementTree.SubElement(inertial, "mass", value=repr(float(skeleton.masses[joint])))
        moments = dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), "0")
        ElementTree.SubElement(inertial, "inertia", moments)
        if parent < 0:
            continue
        above, offset = skeleton.names[parent], skeleton.offsets[joint]
        for axis, child in zip(EULER_ORDER, (f"{name} Z", f"{name} Y", name), strict=True):
            if child != name:
                ElementTree.SubElement(root, "link", name=child)
            _revolute(root, f"{name} turns about {axis}", above, child, offset, axis)
            above, offset = child, np.zeros(3)
    for name, point in points.items():
        ElementTree.SubElement(root, "link", name=name)
        weld = ElementTree.SubElement(root, "joint", name=f"{name} is fixed", type="fixed")
        ElementTree.SubElement(weld, "parent", link=skeleton.names[int(point.joint)])
        ElementTree.SubElement(weld, "child", link=name)
        ElementTree.SubElement(weld, "origin", xyz=_numbers(point.local))
    return ElementTree.tostring(root, encoding="unicode")


def urdf_joints(skeleton: solver.Skeleton) -> list[str]:
    """The names of the revolute joints, three for each joint but the root."""
    return [f"{name} turns about {axis}" for name in skeleton.names[1:] for axis in EULER_ORDER]


def urdf_angles(motion: solver.Motion) -> Array:
    """(frames, 3 (joints - 1)) angles of `urdf_joints`."""
    return rotations.to_euler(motion.rotations[:, 1:], EULER_ORDER).reshape(motion.frames, -1)


def _revolute(root: ElementTree.Element, name: str, above: str, below: str, offset: Array, axis: str) -> None:
    joint = ElementTree.SubElement(root, "joint", name=name, type="revolute")
    ElementTree.SubElement(joint, "parent", link=above)
    ElementTree.SubElement(joint, "child", link=below)
    ElementTree.SubElement(joint, "origin", xyz=_numbers(offset))
    ElementTree.SubElement(joint, "axis", xyz=_numbers([axis == letter for letter in "XYZ"]))
    huge = repr(HUGE)
    ElementTree.SubElement(joint, "limit", lower=f"-{huge}", upper=huge, effort=huge, velocity=huge)


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
