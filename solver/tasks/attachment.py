# SPDX-License-Identifier: GPL-3.0-or-later
"""A point of the body is at a position fixed to another joint: a hand on the other arm, an elbow at the waist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.joints import BodyPoint
from ..body.kinematics import WorldState
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, ArrayLike, BoolArray
from ..core.errors import TaskError
from .point import PointTask


@dataclass(frozen=True, eq=False)
class AttachmentTask(PointTask):
    """A joint, or a point on it, is at `target` in the frame of the joint `reference`: error = target - position,
    in world axes.

    The reference moves as the body is solved, and the task follows it. Without `recruit`, only the joints
    of the effector's side move for it: the effector follows the reference.
    """

    reference: str | int
    """The joint whose local frame the target is in."""
    target: ArrayLike
    """(3,) or (frames, 3) in the reference's local frame."""

    frame_field: ClassVar[str] = "target"

    @property
    def label(self) -> str:
        return self.name or f"Attachment of {self.joint} to {self.reference}"

    def _arm(self, state: WorldState) -> Array:
        """(frames, 3) from the reference joint to the target, in the world."""
        reference = state.rotations[:, state.skeleton.index(self.reference)]
        return rotations.rotate(reference, np.broadcast_to(cast(Array, self.target), (state.frames, 3)))

    def error(self, state: WorldState) -> Array:
        target = state.positions[:, state.skeleton.index(self.reference)] + self._arm(state)
        return target - state.point(self._point(state.skeleton))

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        # The target is a point fixed to the reference: it translates and rotates with that joint.
        skeleton = state.skeleton
        reference = skeleton.index(self.reference)
        jacobian = state.point_jacobian(self._point(skeleton), dofs)
        jacobian -= state.point_jacobian(BodyPoint(reference), dofs)
        spin = state.rotation_jacobian(reference, dofs)
        jacobian += np.cross(self._arm(state)[:, :, None], spin, axis=1)
        return jacobian

    def influencing_joints(self, skeleton: Skeleton) -> BoolArray:
        # Joints above both move neither relative to the other.
        effector, reference = self._carriers(skeleton)
        return effector ^ reference

    def recruited(self, skeleton: Skeleton) -> BoolArray:
        if self.recruit is not None:
            return super().recruited(skeleton)
        effector, reference = self._carriers(skeleton)
        own = effector & ~reference
        return own if own.any() else reference & ~effector

    def _carriers(self, skeleton: Skeleton) -> tuple[BoolArray, BoolArray]:
        joint, reference = skeleton.index(self.joint), skeleton.index(self.reference)
        if joint == reference:
            raise TaskError(f"{self.label}: a joint cannot be attached to itself.")
        return skeleton.tree.carriers(joint), skeleton.tree.carriers(reference)


def place_on(state: WorldState, reference: int, positions: Array) -> Array:
    """(frames, 3) world positions in the local frame of a joint."""
    away = positions - state.positions[:, reference]
    return rotations.rotate(rotations.conjugate(state.rotations[:, reference]), away)
