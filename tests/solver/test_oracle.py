# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics and inertia against Pinocchio, which shares nothing with Poise: a mistake would have to be made twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from poise.solver.body.clip import Clip
from poise.solver.body.joints import BodyPoint, JointKind
from poise.solver.body.kinematics import WorldState
from poise.solver.body.mass_matrix import mass_matrix, whole_inertia
from poise.solver.body.motion import Motion, Pose
from poise.solver.body.skeleton import Skeleton
from poise.solver.core import rotations
from poise.solver.core.arrays import Array

from .characters import matrix, random_motion

pytestmark = pytest.mark.peers

RELATIVE_TOLERANCE = 1e-9
FRAMES = 5


class Oracle:
    """A skeleton as a Pinocchio model.

    A free joint is a free-flyer, a ball a spherical joint, a hinge a revolute one about its axis; each is placed where
    the skeleton rests. Pinocchio has no joint that does not move: a fixed one is a frame on the joint above it.
    """

    def __init__(self, skeleton: Skeleton, points: tuple[BodyPoint, ...]) -> None:
        import pinocchio

        self.pinocchio = pinocchio
        self.skeleton = skeleton
        self.model = pinocchio.Model()
        self.support: list[int] = []
        """For each joint, the Pinocchio joint that it moves with."""
        placement: list[Any] = []
        """For each joint, where it is on its support."""
        for joint, kind in enumerate(skeleton.kinds):
            parent = int(skeleton.parents[joint])
            above, place = (0, pinocchio.SE3.Identity()) if parent < 0 else (self.support[parent], placement[parent])
            place = place * pinocchio.SE3(matrix(skeleton.rest_rotations[joint]), np.array(skeleton.offsets[joint]))
            if kind is not JointKind.FIXED:
                above = self.model.addJoint(above, self._joint_model(joint, kind), place, skeleton.names[joint])
                place = pinocchio.SE3.Identity()
            self.support.append(above)
            placement.append(place)
            body = pinocchio.Inertia(
                skeleton.masses[joint], np.array(skeleton.mass_centers[joint]), np.array(skeleton.inertias[joint])
            )
            self.model.appendBodyToJoint(above, body, place)
        # Mass that hangs on nothing that moves: Pinocchio does not count it.
        self.still = [joint for joint, support in enumerate(self.support) if support == 0]
        self.frame_ids = [self._add_frame(BodyPoint(joint), placement) for joint in range(len(skeleton))]
        self.point_ids = [self._add_frame(point, placement) for point in points]
        self.data = self.model.createData()

    def _joint_model(self, joint: int, kind: JointKind) -> Any:
        if kind is JointKind.FREE:
            return self.pinocchio.JointModelFreeFlyer()
        if kind is JointKind.BALL:
            return self.pinocchio.JointModelSpherical()
        return self.pinocchio.JointModelRevoluteUnaligned(np.array(self.skeleton.hinge_axes[joint]))

    def _add_frame(self, point: BodyPoint, placement: list[Any]) -> int:
        pinocchio, joint = self.pinocchio, int(point.joint)
        place = placement[joint] * pinocchio.SE3(np.eye(3), point.local)
        name = f"frame {self.model.nframes}"
        frame = pinocchio.Frame(name, self.support[joint], 0, place, pinocchio.FrameType.OP_FRAME)
        return int(self.model.addFrame(frame))

    def pose(self, pose: Pose) -> None:
        """Take on one posture, and evaluate everything."""
        pinocchio, skeleton = self.pinocchio, self.skeleton
        configuration = pinocchio.neutral(self.model)
        for joint, kind in enumerate(skeleton.kinds):
            if kind is JointKind.FIXED:
                continue
            first = self.model.joints[self.support[joint]].idx_q
            rest = skeleton.rest_rotations[joint]
            relative = rotations.multiply(rotations.conjugate(rest), pose.rotations[joint])
            w, x, y, z = relative
            if kind is JointKind.HINGE:
                configuration[first] = rotations.twist_angle(relative, skeleton.hinge_axes[joint])
            elif kind is JointKind.BALL:
                configuration[first : first + 4] = x, y, z, w
            else:
                configuration[first : first + 3] = matrix(rest).T @ (pose.translations[joint] - skeleton.offsets[joint])
                configuration[first + 3 : first + 7] = x, y, z, w
        self.configuration = configuration
        pinocchio.computeJointJacobians(self.model, self.data, configuration)
        pinocchio.updateFramePlacements(self.model, self.data)

    def columns(self) -> Array:
        """(Pinocchio's columns, ours): from the world's axes to those of each joint's own frame, in which it counts."""
        skeleton = self.skeleton
        dofs = skeleton.dofs
        change = np.zeros((self.model.nv, dofs.count))

        def own_axes(joint: int) -> Array:
            return np.array(self.data.oMf[self.frame_ids[joint]].rotation).T

        for position, joint in enumerate(dofs.translating):
            first = self.model.joints[self.support[joint]].idx_v
            change[first : first + 3, 3 * position : 3 * position + 3] = own_axes(joint)
        for position, joint in enumerate(dofs.rotating):
            first = self.model.joints[self.support[joint]].idx_v
            first += 3 if skeleton.kinds[joint] is JointKind.FREE else 0
            column = dofs.rotation_columns.start + 3 * position
            change[first : first + 3, column : column + 3] = own_axes(joint)
        for position, joint in enumerate(dofs.hinged):
            change[self.model.joints[self.support[joint]].idx_v, dofs.hinge_columns.start + position] = 1.0
        return change

    def placement(self, frame: int) -> tuple[Array, Array]:
        """Rotation matrix and position."""
        place = self.data.oMf[frame]
        return np.array(place.rotation), np.array(place.translation)

    def jacobian(self, frame: int) -> Array:
        """(6, our columns): velocity and angular velocity of a frame along the world's axes."""
        reference = self.pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobian = self.pinocchio.getFrameJacobian(self.model, self.data, frame, reference)
        return self._in_our_columns(jacobian, 6)

    def _in_our_columns(self, jacobian: Array, rows: int) -> Array:
        return (
            np.reshape(jacobian, (rows, self.model.nv)) @ self.columns()
        )  # one column comes as a plain row of numbers

    def center_of_mass(self) -> tuple[Array, Array]:
        """The place (3,) and its Jacobian (3, our columns), both with the mass that does not move."""
        skeleton = self.skeleton
        jacobian = self.pinocchio.jacobianCenterOfMass(self.model, self.data, self.configuration, False)
        jacobian = self._in_our_columns(jacobian, 3)
        moving, still = float(self.data.mass[0]), 0.0
        moment = moving * np.array(self.data.com[0])
        for joint in self.still:
            rotation, position = self.placement(self.frame_ids[joint])
            still += skeleton.masses[joint]
            moment = moment + skeleton.masses[joint] * (position + rotation @ skeleton.mass_centers[joint])
        return moment / (moving + still), jacobian * (moving / (moving + still))

    def mass_matrix(self) -> Array:
        """(our columns, our columns): the forces of unit accelerations, without gravity.

        Composite rigid bodies (`crba`) would be quicker, but Pinocchio's need the joints in depth-first order.
        """
        self.model.gravity.setZero()
        still = np.zeros(self.model.nv)
        forces = [
            np.array(self.pinocchio.rnea(self.model, self.data, self.configuration, still, acceleration))
            for acceleration in np.eye(self.model.nv)
        ]
        return np.asarray(self.columns().T @ np.array(forces).T @ self.columns())

    def kinetic_energy(self, velocities: Array) -> float:
        """Of velocities (our columns,)."""
        own = self.columns() @ velocities
        return float(self.pinocchio.computeKineticEnergy(self.model, self.data, self.configuration, own))

    def centroidal_inertia(self) -> Array:
        """(3, 3) of the mass that moves, about its centre, in world axes."""
        self.pinocchio.ccrba(self.model, self.data, self.configuration, np.zeros(self.model.nv))
        return np.array(self.data.Ig.inertia)


def assert_close(found: Array, expected: Array, what: str) -> None:
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    worst = float(np.abs(found - expected).max(initial=0.0)) / scale
    assert worst < RELATIVE_TOLERANCE, f"{what} is off by {worst:.2g}"


def compare(skeleton: Skeleton, motion: Motion, rng: np.random.Generator) -> None:
    points = tuple(BodyPoint(joint, tuple(skeleton.size * rng.standard_normal(3))) for joint in range(len(skeleton)))
    oracle = Oracle(skeleton, points)
    state, dofs = WorldState.of(skeleton, motion), skeleton.dofs
    center, center_jacobian = state.center_of_mass(), state.center_of_mass_jacobian(dofs)
    for frame in range(motion.frames):
        alone = state.at(np.array([frame]))
        oracle.pose(motion.pose(frame))
        for joint, name in enumerate(skeleton.names):
            rotation, position = oracle.placement(oracle.frame_ids[joint])
            assert_close(state.positions[frame, joint], position, f"the position of {name}")
            assert_close(matrix(state.rotations[frame, joint]), rotation, f"the rotation of {name}")
            _, place = oracle.placement(oracle.point_ids[joint])
            assert_close(alone.point(points[joint])[0], place, f"a point on {name}")
            jacobian = oracle.jacobian(oracle.point_ids[joint])
            assert_close(
                alone.point_jacobian(points[joint], dofs)[0], jacobian[:3], f"the Jacobian of a point on {name}"
            )
            assert_close(alone.rotation_jacobian(joint, dofs)[0], jacobian[3:], f"the angular Jacobian of {name}")
        place, jacobian = oracle.center_of_mass()
        assert_close(center[frame], place, "the centre of mass")
        assert_close(center_jacobian[frame], jacobian, "the centre of mass's Jacobian")


def compare_inertia(skeleton: Skeleton, motion: Motion, rng: np.random.Generator) -> None:
    oracle = Oracle(skeleton, ())
    state, dofs = WorldState.of(skeleton, motion), skeleton.dofs
    found, whole = mass_matrix(state, dofs), whole_inertia(state)
    unit = skeleton.mass_unit * skeleton.size**2
    for frame in range(motion.frames):
        oracle.pose(motion.pose(frame))
        assert_close(found[frame], oracle.mass_matrix(), "the mass matrix")
        velocities = rng.standard_normal(dofs.count)
        energy = 0.5 * velocities @ found[frame] @ velocities
        assert energy == pytest.approx(oracle.kinetic_energy(velocities), rel=RELATIVE_TOLERANCE)
        if not oracle.still:
            assert_close(whole[frame] / unit, oracle.centroidal_inertia() / unit, "the inertia of the whole body")


def test_random_postures_of_every_character(character: Skeleton, rng: np.random.Generator) -> None:
    compare(character, random_motion(rng, character, FRAMES, on_bones=True), rng)


def test_characters_whose_roots_are_of_any_kind(character: Skeleton, rng: np.random.Generator) -> None:
    for kind in ("ball", "hinge", "fixed"):
        roots = {int(joint): kind for joint in np.flatnonzero(character.parents < 0)}
        limited = character.with_kinds(roots)
        if not limited.dofs.count:
            continue  # Pinocchio crashes on a model that cannot move
        compare(limited, random_motion(rng, limited, 2, on_bones=True), rng)


def test_inertia_in_random_postures_of_every_character(character: Skeleton, rng: np.random.Generator) -> None:
    compare_inertia(character, random_motion(rng, character, FRAMES, on_bones=True), rng)
    some = {int(joint): rng.uniform(1.0, 1.9, 3) for joint in rng.permutation(len(character))[:3]}
    changed = character.with_inertias(some).with_load(BodyPoint(0, (0.3, -0.2, 0.9)), 7.0)
    compare_inertia(changed, random_motion(rng, character, 2, on_bones=True), rng)


def test_inertia_in_frames_of_a_captured_walk(walk: Clip, rng: np.random.Generator) -> None:
    some = np.linspace(0, walk.frames - 1, FRAMES).astype(int)
    compare_inertia(walk.skeleton, Motion(walk.motion.rotations[some], walk.motion.translations[some]), rng)


def test_frames_of_a_captured_walk(walk: Clip, rng: np.random.Generator) -> None:
    some = np.linspace(0, walk.frames - 1, FRAMES).astype(int)
    motion = Motion(walk.motion.rotations[some], walk.motion.translations[some])
    only_free_joints_translate = [kind is JointKind.FREE for kind in walk.skeleton.kinds]
    still = np.where(np.array(only_free_joints_translate)[:, None], motion.translations, walk.skeleton.offsets)
    np.testing.assert_allclose(motion.translations, still, atol=1e-9, err_msg="this clip stretches its bones")
    compare(walk.skeleton, motion, rng)


def test_a_captured_walk_with_an_umbrella(walk: Clip, rng: np.random.Generator) -> None:
    loaded = walk.skeleton.with_load(BodyPoint("RightHand", (0.0, 0.5 * walk.skeleton.size, 0.0)), 8.0)
    compare(loaded, Motion(walk.motion.rotations[:2], walk.motion.translations[:2]), rng)
