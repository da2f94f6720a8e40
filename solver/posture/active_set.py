# SPDX-License-Identifier: GPL-3.0-or-later
"""The active set of joint limits: boundaries that a step would pass become equality rows above all levels.

Every boundary of a limit is a possible row: the gradient of its excess. It is activated where a step would violate it,
and its residual then leads exactly to the boundary. Measuring the distance to a boundary is expensive, so a lower bound
of that distance is computed for all joints first; only boundaries that a step might reach are measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..body.degrees_of_freedom import Dofs
from ..body.kinematics import WorldState
from ..body.limits import HingeLimit
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..body.stacked_limits import FEW, StackedLimits
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class ActiveSet:
    """The boundaries of all limited joints in a batch of frames: which are measured, and which are active."""

    boundaries: LimitBoundaries
    column_scale: Array
    """(columns,)"""
    relative: Array
    """(frames, limits, 4) the rotation of each limited joint relative to its rest."""
    to_world: Array
    """(frames, limits, 4) the rotations from the rest frames to the world."""
    room: Array
    """(frames, limits) a lower bound of the radians to its nearest boundary; -inf where the frames are few."""
    measured: BoolArray
    """(frames, limits) whether its boundaries are measured."""
    excess: Array
    """(frames, boundaries) radians beyond the boundary; negative inside, -inf where it is not measured."""
    gradients: Array
    """(frames, boundaries, 3) of the excess, over the boundary's three columns (a hinge's are one and two zeros)."""
    active: BoolArray
    """(frames, boundaries)"""

    @property
    def columns(self) -> IntArray:
        """(boundaries, 3) the columns of the gradients."""
        return self.boundaries.columns

    @property
    def any_active(self) -> bool:
        """Whether any boundary is active in any frame."""
        return bool(self.active.any())

    def at(self, frames: IntArray) -> ActiveSet:
        """The active set of some of the frames."""
        return replace(
            self,
            relative=self.relative[frames],
            to_world=self.to_world[frames],
            room=self.room[frames],
            measured=self.measured[frames],
            excess=self.excess[frames],
            gradients=self.gradients[frames],
            active=self.active[frames],
        )

    def measured_for(self, step: Array) -> ActiveSet:
        """This set with every boundary measured that a step (frames, columns) might reach."""
        if not self.boundaries:
            return self
        angles = np.linalg.norm((step * self.column_scale)[:, self.boundaries.rotation_columns], axis=2)
        return self.measured_where(angles >= self.room)

    def measured_where(self, wanted: BoolArray) -> ActiveSet:
        """This set with the boundaries of some joints measured, (frames, limits)."""
        missing = wanted & ~self.measured
        if not missing.any():
            return self
        boundaries = self.boundaries
        if len(missing) <= FEW:
            excess, slopes = boundaries.stacked.evaluate(self.relative)
            gradients = self._gradients(slopes, self.to_world[:, boundaries.stacked.owners], slice(None))
            return replace(self, measured=np.ones_like(missing), excess=excess, gradients=gradients)
        part, indices, packed = boundaries.stacked.packed(missing)
        part_excess, slopes = part.evaluate(self.relative[packed, indices])
        rows = np.flatnonzero(np.isin(boundaries.stacked.owners, indices))
        frames, owners = packed[:, part.owners], indices[part.owners]
        measured, excess, gradients = self.measured.copy(), self.excess.copy(), self.gradients.copy()
        measured[packed, indices] = True
        excess[frames, rows] = part_excess
        gradients[frames, rows] = self._gradients(slopes, self.to_world[frames, owners], rows)
        return replace(self, measured=measured, excess=excess, gradients=gradients)

    def _gradients(self, slopes: Array, to_world: Array, rows: IntArray | slice) -> Array:
        """(frames, rows, 3) the gradients of some boundaries, from those in the rest frames `slopes` (frames, rows, 3)
        and the rotations of these to the world (frames, rows, 4)."""
        hinged = self.boundaries.hinge_slopes[rows]
        turned = np.where(hinged.any(axis=1)[:, None], hinged, rotations.rotate(to_world, slopes))
        return turned * self.column_scale[self.columns[rows]]

    def violated_by(self, step: Array, tolerance: float) -> BoolArray:
        """(frames, boundaries) those measured and not active that a step would pass by more than `tolerance`."""
        if not self.boundaries:
            return self.active
        predicted = self.excess + np.einsum("fbk,fbk->fb", self.gradients, step[:, self.columns])
        return np.asarray(~self.active & (predicted > tolerance))

    def activated(self, violated: BoolArray) -> ActiveSet:
        """This set with more active boundaries, (frames, boundaries)."""
        return replace(self, active=self.active | violated)

    def rows(self) -> tuple[Array, Array]:
        """The gradients (frames, rows, columns) and residuals (frames, rows) of the active boundaries: as many rows as
        the frame with the most active boundaries has."""
        most = int(self.active.sum(axis=1).max(initial=0))
        order = np.argsort(~self.active, axis=1, kind="stable")[:, :most]
        packed = np.take_along_axis(self.active, order, axis=1)
        frames = np.arange(len(order))[:, None, None]
        rows = np.arange(most)[None, :, None]
        jacobian = np.zeros((len(order), most, len(self.column_scale)))
        gradients = np.take_along_axis(self.gradients, order[:, :, None], axis=1) * packed[:, :, None]
        np.add.at(jacobian, (frames, rows, self.columns[order]), gradients)
        residual = np.where(packed, -np.take_along_axis(self.excess, order, axis=1), 0.0)
        return jacobian, residual


class LimitBoundaries:
    """The boundaries of the limits of all joints that may move."""

    def __init__(self, skeleton: Skeleton, dofs: Dofs) -> None:
        """Collect the limits of a skeleton's joints that have columns in `dofs`."""
        self._skeleton = skeleton
        joints, limits, columns = [], [], []
        for position, joint in enumerate([*dofs.rotating, *dofs.hinged]):
            limit = skeleton.limits.get(int(joint))
            if limit is None:
                continue
            joints.append(int(joint))
            if isinstance(limit, HingeLimit):
                limits.append(limit.bound_to(skeleton.hinge_axes[joint]))
                columns.append(np.full(3, dofs.hinge_columns.start + position - len(dofs.rotating)))
            else:
                limits.append(limit)
                columns.append(dofs.rotation_columns.start + 3 * position + np.arange(3))
        self._joints = np.array(joints, dtype=np.int64)
        self.stacked = StackedLimits(limits)
        """The limits; of a hinge, a twist range about its axis."""
        is_hinge = [isinstance(skeleton.limits[joint], HingeLimit) for joint in joints]
        self.hinge_slopes = np.zeros((self.stacked.count, 3))
        """(boundaries, 3) of hinges, which only turn about their axes: the derivative with respect to the angle, and
        two zeros; zeros for other boundaries."""
        first = np.flatnonzero(np.diff(self.stacked.owners, prepend=-1))[np.array(is_hinge, dtype=bool)]
        self.hinge_slopes[first, 0], self.hinge_slopes[first + 1, 0] = -1.0, 1.0
        self.rotation_columns = np.array(columns, dtype=np.int64).reshape(-1, 3)
        """(limits, 3) the columns that rotate each limited joint; of a hinge, three times its only column."""
        self.columns: IntArray = self.rotation_columns[self.stacked.owners]
        """(boundaries, 3) the columns that rotate each boundary's joint."""

    def __bool__(self) -> bool:
        return len(self.stacked) > 0

    def _relative(self, motion: Motion) -> Array:
        """(frames, limits, 4) the rotation of each limited joint relative to its rest."""
        rest = rotations.conjugate(self._skeleton.rest_rotations[self._joints])
        return rotations.multiply(rest, motion.rotations[:, self._joints])

    def excess(self, motion: Motion) -> Array:
        """(frames, boundaries) radians beyond each boundary; negative inside."""
        return self.stacked.excess(self._relative(motion)) if self else np.zeros((motion.frames, 0))

    def unmeasured(self, state: WorldState, column_scale: Array) -> ActiveSet:
        """The active set of a batch of frames with no boundary active or measured; gradients are over columns scaled by
        `column_scale` (columns,)."""
        shape = (state.frames, len(self.columns))
        relative, to_world = np.zeros((state.frames, 0, 4)), np.zeros((state.frames, 0, 4))
        room = np.zeros((state.frames, 0))
        if self:
            relative = self._relative(state.motion)
            rest = self._skeleton.rest_rotations[self._joints]
            to_world = rotations.multiply(state.parent_rotations(self._joints), rest)
            room = self.stacked.room(relative) if len(relative) > FEW else np.full(relative.shape[:2], -np.inf)
        return ActiveSet(
            self,
            column_scale,
            relative,
            to_world,
            room,
            np.zeros(room.shape, dtype=bool),
            np.full(shape, -np.inf),
            np.zeros((*shape, 3)),
            np.zeros(shape, dtype=bool),
        )

    def measured(self, state: WorldState, column_scale: Array) -> ActiveSet:
        """`unmeasured` with every boundary measured."""
        active_set = self.unmeasured(state, column_scale)
        return active_set.measured_where(np.ones(active_set.measured.shape, dtype=bool))

    def clamped(self, motion: Motion) -> Motion:
        """The motion with every limited joint moved inside its limits; joints that are inside come back bit for bit."""
        if not self:
            return motion
        relative = self._relative(motion)
        after = self.stacked.clamp(relative)
        frames, limits = np.nonzero((relative != after).any(axis=2))
        if not len(frames):
            return motion
        joints, local_rotations = self._joints[limits], motion.rotations.copy()
        local_rotations[frames, joints] = rotations.multiply(
            self._skeleton.rest_rotations[joints], after[frames, limits]
        )
        return Motion(local_rotations, motion.translations)
