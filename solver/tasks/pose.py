# SPDX-License-Identifier: GPL-3.0-or-later
"""The body stays near a reference posture: the optimisation vector of Le Callennec 2006."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.joints import JointKind
from ..body.kinematics import WorldState
from ..body.motion import Motion, Pose
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray
from ..core.errors import TaskError
from .base import GoalStep, Task, shortened


@dataclass(frozen=True, eq=False)
class PoseTask(Task):
    """Every recruited joint has the local rotation, and every free one the place, that `pose` gives it.

    Its rows are those of the recruited joints' degrees of freedom. A rotation's error is log(reference * current⁻¹)
    in the parent's frame, a hinge's is the angle about its axis, a free joint's translation is in units of the
    skeleton's size, so that one weight fits all.
    """

    pose: Pose | Motion
    """The reference: one posture for all frames, or one for each."""
    translations: bool = True
    """Whether free joints are attracted to the reference's place too."""

    is_angular: ClassVar[bool] = True

    @property
    def label(self) -> str:
        return self.name or "Pose"

    @property
    def _reference(self) -> Motion:
        return self.pose.motion if isinstance(self.pose, Pose) else self.pose

    def _own_dofs(self, skeleton: Skeleton) -> Dofs:
        return Dofs(skeleton.kinds, self.recruited(skeleton))

    def _local(self, state: WorldState, dofs: Dofs) -> tuple[Array, Array, Array]:
        """Errors per joint in parents' frames: translations / size, rotation vectors, hinge angles."""
        skeleton, reference = state.skeleton, self._reference
        local = state.motion.rotations
        turns = rotations.log(rotations.quotient(reference.rotations[:, dofs.rotating], local[:, dofs.rotating]))
        bends = np.zeros((state.frames, len(dofs.hinged)))
        if dofs.hinged.size:
            bends = rotations.twist_angle(
                rotations.quotient(
                    rotations.conjugate(local[:, dofs.hinged]), rotations.conjugate(reference.rotations[:, dofs.hinged])
                ),
                skeleton.hinge_axes[dofs.hinged],
            )
        places = state.motion.translations[:, dofs.translating]
        moves = (reference.translations[:, dofs.translating] - places) / skeleton.size
        return (moves if self.translations else np.zeros_like(moves)), turns, bends

    def error(self, state: WorldState) -> Array:
        return _in_columns(*self._local(state, self._own_dofs(state.skeleton)))

    def goal(self, state: WorldState, step: GoalStep) -> Array:
        errors = self.cached_error(state)
        return shortened(errors, step.angle * np.sqrt(errors.shape[1]))

    def attraction(self, state: WorldState, dofs: Dofs) -> Array:
        """The velocity (frames, columns) to the reference; zero in columns that the task does not attract.

        It is the solution of `jacobian` and `error`, in which each row has its own column.
        """
        return self.velocity(state, dofs) * self.attracted_columns(state.skeleton, dofs)

    def velocity(self, state: WorldState, dofs: Dofs) -> Array:
        """`attraction` that is not yet zero in columns that the task does not attract."""
        moves, turns, bends = self._local(state, dofs)
        moves = state.from_parents(dofs.translating, moves * state.skeleton.size)
        turns = state.from_parents(dofs.rotating, turns)
        return _in_columns(moves, turns, bends)

    def attracted_columns(self, skeleton: Skeleton, dofs: Dofs) -> BoolArray:
        """(columns,) the columns that the task attracts."""
        attracted = dofs.spread(self.recruited(skeleton))
        if not self.translations:
            attracted[dofs.translation_columns] = False
        return attracted

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        own = self._own_dofs(state.skeleton)
        jacobian = np.zeros((state.frames, own.count, dofs.count))
        size = state.skeleton.size
        _, turns, _ = self._local(state, own)
        if self.translations:
            blocks = rotations.to_matrix(rotations.conjugate(state.parent_rotations(own.translating))) / size
            _scatter(jacobian, blocks, 0, own.translating, dofs.translation_columns.start, dofs.translating)
        blocks = rotations.exp_jacobian_inverse(-turns) @ rotations.to_matrix(
            rotations.conjugate(state.parent_rotations(own.rotating))
        )
        _scatter(jacobian, blocks, own.rotation_columns.start, own.rotating, dofs.rotation_columns.start, dofs.rotating)
        column_of = {int(joint): column for column, joint in enumerate(dofs.hinged)}
        for row, joint in enumerate(own.hinged):
            if int(joint) in column_of:
                jacobian[:, own.hinge_columns.start + row, dofs.hinge_columns.start + column_of[int(joint)]] = 1.0
        return jacobian

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        return self.recruited(skeleton)  # it has rows only for the joints that it recruits

    def recruited(self, skeleton: Skeleton) -> BoolArray:
        if self.recruit is None:
            return np.array([kind is not JointKind.FIXED for kind in skeleton.kinds])
        return super().recruited(skeleton)

    def at(self, frames: IntArray) -> Self:
        if isinstance(self.pose, Pose) or self.pose.frames == 1:
            return self
        return replace(self, pose=self.pose.at(frames))

    def check(self, skeleton: Skeleton, frames: int) -> None:
        super().check(skeleton, frames)
        reference = self._reference.checked(skeleton)
        if reference.frames not in (1, frames):
            raise TaskError(f"{self.label}: the reference has {reference.frames} frames, but the motion has {frames}.")


def _in_columns(moves: Array, turns: Array, bends: Array) -> Array:
    """Vectors of translating and of rotating joints (frames, joints, 3), and hinge angles, in the order of columns."""
    flat = [vectors.reshape(len(vectors), 3 * vectors.shape[1]) for vectors in (moves, turns)]
    return np.concatenate([*flat, bends], axis=1)


def _scatter(
    jacobian: Array, blocks: Array, first_row: int, rows: IntArray, first_column: int, columns: IntArray
) -> None:
    """Write 3 by 3 blocks (frames, joints, 3, 3): the rows of each joint against the columns of the same joint."""
    position_of = {int(joint): position for position, joint in enumerate(columns)}
    for position, joint in enumerate(rows):
        if int(joint) in position_of:
            row, column = first_row + 3 * position, first_column + 3 * position_of[int(joint)]
            jacobian[:, row : row + 3, column : column + 3] = blocks[:, position]
