# SPDX-License-Identifier: GPL-3.0-or-later
"""An axis of a joint points at a place: a gaze at a ball, a finger at a button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..core import rotations
from ..core.arrays import Array, ArrayLike
from ..core.errors import TaskError
from .base import GoalStep, shortened, target_array
from .point import PointTask

NEAREST = 1e-3
"""Sizes of the character: a place nearer to the eye than this counts as this far away, since there the direction to it
turns by any angle however little the eye moves."""


@dataclass(frozen=True, eq=False)
class AimTask(PointTask):
    """The local `axis` of a joint, through the point `offset` on it, the eye, points at `place`: error = direction to
    the place minus current direction, of unit vectors.

    The direction is that from where the point is in the posture being solved. As in `DirectionTask` the error is a
    chord, and the spin about the axis stays free.
    """

    axis: ArrayLike
    """(3,) in the joint's local frame, of any length but zero."""
    place: ArrayLike
    """(3,) or (frames, 3) in the world."""

    is_angular: ClassVar[bool] = True
    frame_field: ClassVar[str] = "place"

    def __post_init__(self) -> None:
        super().__post_init__()
        axis = target_array(self.label, self.axis, 3, "axis")
        if axis.ndim != 1:
            raise TaskError(f"{self.label}: the axis is fixed to the joint, so it must be three numbers.")
        if not axis.any():
            raise TaskError(f"{self.label}: the axis has no length.")
        object.__setattr__(self, "axis", axis / np.linalg.norm(axis))

    @property
    def label(self) -> str:
        return self.name or f"Aim of {self.joint}"

    def _pointing(self, state: WorldState) -> Array:
        """(frames, 3) the axis in the world."""
        return rotations.rotate(state.rotations[:, state.skeleton.index(self.joint)], cast(Array, self.axis))

    def _sight(self, state: WorldState) -> tuple[Array, Array]:
        """(frames, 3) the direction from the eye to the place, and (frames, 1) their distance."""
        eye = state.point(self._point(state.skeleton))
        return line_of_sight(eye, cast(Array, self.place), NEAREST * state.skeleton.size)

    def error(self, state: WorldState) -> Array:
        return self._sight(state)[0] - self._pointing(state)

    def goal(self, state: WorldState, step: GoalStep) -> Array:
        # Along the great circle, as for a direction.
        pointing = self._pointing(state)
        arc = rotations.log(rotations.between(pointing, self._sight(state)[0]))
        return np.cross(shortened(arc, step.angle), pointing)

    def jacobian(self, state: WorldState, dofs: Dofs) -> Array:
        skeleton = state.skeleton
        spin = state.rotation_jacobian(skeleton.index(self.joint), dofs)
        jacobian: Array = -np.cross(self._pointing(state)[:, :, None], spin, axis=1)
        # As the eye moves across the line of sight, the direction to the place turns against it.
        direction, distance = self._sight(state)
        eye = state.point_jacobian(self._point(skeleton), dofs) / distance[:, :, None]
        unit = np.where(distance > NEAREST * skeleton.size, direction, 0.0)
        jacobian += eye - unit[:, :, None] * np.einsum("fk,fkc->fc", unit, eye)[:, None]
        return jacobian

    def null_rows(self, state: WorldState) -> Array:
        # Of the part that the axis adds; that of the eye vanishes as the axis comes to point at the place.
        return self._pointing(state)


def line_of_sight(eye: Array, place: Array, nearest: float) -> tuple[Array, Array]:
    """(frames, 3) unit directions from eyes to places (frames, 3), and (frames, 1) their distances, at least `nearest`.

    The direction to a place that is nearer is shorter than 1, and has no jump where the eye passes through the place.
    """
    way = place - eye
    distance = np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), nearest)
    return way / distance, distance
