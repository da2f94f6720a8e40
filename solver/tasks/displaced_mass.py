# SPDX-License-Identifier: GPL-3.0-or-later
"""As little mass as possible is displaced from where it is in a reference posture (Popović 1999, section 5.2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Self

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.inertia import second_moments_of
from ..body.kinematics import WorldState
from ..body.mass_matrix import carrying, mass_matrix, own_centers
from ..body.mass_tensors import MassPoints
from ..body.motion import Motion, Pose
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray
from ..core.errors import TaskError
from .base import Task

CACHED_SKELETONS = 8
"""Skeletons whose weighted points are cached: a solve has one."""


@dataclass(frozen=True, eq=False)
class DisplacedMassTask(Task):
    """Every part of the body is where it is in `pose`, each by its mass: the squared error is the integral of |p - p̄|²
    over all mass, divided by the whole mass, with p and p̄ the places of the same matter now and in the reference.

    Each body has three rows for the centre of its mass and three for each principal axis along which it has extent:
    their squares add up to its integral. A joint that carries no mass does not matter.
    """

    pose: Pose | Motion
    """The reference: one posture for all frames, or one for each."""
    relative: bool = True
    """Whether places are relative to the frame of joint 0, so that neither the place nor the rotation of the whole body
    matters; otherwise they are places in the world."""

    is_objective: ClassVar[bool] = True

    @property
    def label(self) -> str:
        return self.name or "Displaced mass"

    def error(self, state: WorldState) -> Array:
        points, now, reference = self._points(state.skeleton), self._placed(state), self._reference(state.skeleton)
        centers = (reference.centers - now.centers)[:, points.point_joints] * points.weights[:, None]
        turns = (reference.turns - now.turns)[:, points.direction_joints]
        directions = (turns @ points.directions[:, :, None])[..., 0]
        rows = np.concatenate([centers, directions], axis=1) / np.sqrt(state.skeleton.mass_unit)
        return rows.reshape(state.frames, 3 * rows.shape[1])

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        skeleton, points = state.skeleton, self._points(state.skeleton)
        joints = np.concatenate([points.point_joints, points.direction_joints])
        carried = carrying(skeleton.tree, self.relative)[joints]
        is_point = np.arange(len(joints)) < len(points.point_joints)
        places = state.positions - state.positions[:, :1]
        centers = own_centers(state)[:, points.point_joints]
        directions = rotations.rotate(state.rotations[:, points.direction_joints], points.directions)
        ends = np.concatenate([centers, directions], axis=1)
        weights = np.concatenate([points.weights, np.ones(len(points.directions))])

        def arms(turning: IntArray) -> Array:
            """(frames, points, joints, 3) from joints to points, and directions as they are; weighted."""
            whole = ends[:, :, None] - is_point[:, None, None] * places[:, None, turning]
            return np.asarray(whole * (weights[:, None] * carried[:, turning])[..., None])

        jacobian = np.zeros((state.frames, len(joints), 3, dofs.count))
        shifts = (weights * is_point)[:, None] * carried[:, dofs.translating]
        for axis in range(3):
            jacobian[:, :, axis, axis : dofs.translation_columns.stop : 3] = shifts
        x, y, z = np.moveaxis(arms(dofs.rotating), -1, 0)
        turned = jacobian[..., dofs.rotation_columns]
        turned[:, :, 1, 0::3], turned[:, :, 2, 0::3] = -z, y
        turned[:, :, 0, 1::3], turned[:, :, 2, 1::3] = z, -x
        turned[:, :, 0, 2::3], turned[:, :, 1, 2::3] = -y, x
        if dofs.hinged.size:
            velocities = np.cross(state.hinge_axes(dofs.hinged)[:, None], arms(dofs.hinged))
            jacobian[..., dofs.hinge_columns] = velocities.swapaxes(2, 3)
        jacobian /= np.sqrt(skeleton.mass_unit)
        if self.relative:
            jacobian = rotations.to_matrix(rotations.conjugate(state.rotations[:, 0]))[:, None] @ jacobian
        return jacobian.reshape(state.frames, 3 * len(joints), dofs.count)

    def quadratic_model(self, state: WorldState, dofs: Dofs) -> tuple[Array, Array]:
        # From moments of bodies instead of rows, of which there are far more than columns.
        skeleton, now, reference = state.skeleton, self._placed(state), self._reference(state.skeleton)
        # Differences first: where there are none, rounding must not move anything.
        displacements, changes = reference.centers - now.centers, reference.turns - now.turns
        if self.relative:
            root = rotations.to_matrix(state.rotations[:, :1])
            displacements, changes = (root @ displacements[..., None])[..., 0], root @ changes
        own, current = own_centers(state), rotations.to_matrix(state.rotations)
        forces = skeleton.masses[:, None] * displacements
        # ∫ x (p̄ - p)ᵀ dm of each body, with x from joint 0.
        products = current @ second_moments_of(skeleton.inertias) @ changes.swapaxes(2, 3)
        products += own[..., None] * forces[..., None, :]
        torques = (products - products.swapaxes(2, 3))[..., [1, 2, 0], [2, 0, 1]]
        carried = carrying(skeleton.tree, self.relative).T
        forces, torques = carried @ forces, carried @ torques
        torques -= rotations.cross(state.positions - state.positions[:, :1], forces)
        descent = np.empty((state.frames, dofs.count))
        for columns, vectors in (
            (dofs.translation_columns, forces[:, dofs.translating]),
            (dofs.rotation_columns, torques[:, dofs.rotating]),
        ):
            descent[:, columns] = vectors.reshape(state.frames, 3 * vectors.shape[1])
        descent[:, dofs.hinge_columns] = rotations.dot(torques[:, dofs.hinged], state.hinge_axes(dofs.hinged))
        return descent / skeleton.mass_unit, mass_matrix(state, dofs, self.relative) / skeleton.mass_unit

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        points = self._points(skeleton)
        joints = np.concatenate([points.point_joints, points.direction_joints])
        return np.asarray(carrying(skeleton.tree, self.relative)[joints].any(axis=0))

    def _points(self, skeleton: Skeleton) -> MassPoints:
        return _weighted_points(skeleton, self.relative)

    def _placed(self, state: WorldState) -> _Placed:
        return _Placed.of(state, self.relative)

    def _reference(self, skeleton: Skeleton) -> _Placed:
        """Where the bodies of a skeleton are in the reference."""
        known = self._references.get(skeleton)
        if known is None:
            known = self._references[skeleton] = self._placed(WorldState.of(skeleton, self._motion))
        return known

    @cached_property
    def _references(self) -> dict[Skeleton, _Placed]:
        return {}

    @property
    def _motion(self) -> Motion:
        return self.pose.motion if isinstance(self.pose, Pose) else self.pose

    def at(self, frames: IntArray) -> Self:
        if self._motion.frames == 1:
            return self
        references = {skeleton: placed.at(frames) for skeleton, placed in self._references.items()}
        return self._copy(pose=self._motion.at(frames), _references=references)

    def check(self, skeleton: Skeleton, frames: int) -> None:
        super().check(skeleton, frames)
        reference = self._motion.checked(skeleton)
        if reference.frames not in (1, frames):
            raise TaskError(f"{self.label}: the reference has {reference.frames} frames, but the motion has {frames}.")


@lru_cache(maxsize=CACHED_SKELETONS)
def _weighted_points(skeleton: Skeleton, relative: bool) -> MassPoints:
    # Relative to joint 0 its own matter never moves.
    return MassPoints.of(skeleton, without=(0,) if relative else ())


@dataclass(frozen=True, eq=False)
class _Placed:
    """Where bodies are, in the world or relative to the frame of joint 0."""

    centers: Array
    """(frames, joints, 3) the centres of the joints' masses."""
    turns: Array
    """(frames, joints, 3, 3) the rotations of the joints."""

    @staticmethod
    def of(state: WorldState, relative: bool) -> _Placed:
        centers, world_rotations = own_centers(state), state.rotations
        if relative:
            into_root = rotations.conjugate(state.rotations[:, :1])
            return _Placed(
                rotations.rotate(into_root, centers),
                rotations.to_matrix(rotations.multiply(into_root, world_rotations)),
            )
        return _Placed(state.positions[:, :1] + centers, rotations.to_matrix(world_rotations))

    def at(self, frames: IntArray) -> _Placed:
        """That of some of the frames."""
        return _Placed(self.centers[frames], self.turns[frames])
