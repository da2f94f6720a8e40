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
from ..body.limits import BallLimit, HingeLimit
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class _LimitedJoint:
    """A joint with a limit."""

    joint: int
    limit: BallLimit
    """Of a hinge: a twist range about its axis."""
    is_hinge: bool
    columns: IntArray
    """(3,) the columns of its rotation vector; of a hinge, three times its only column."""
    rows: slice
    """Its boundaries among those of all joints."""


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
    """(frames, limits) a lower bound of the radians to its nearest boundary."""
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
        excess, gradients = self.excess.copy(), self.gradients.copy()
        for position in np.flatnonzero(missing.any(axis=0)):
            limited = self.boundaries.limited[position]
            frames = np.flatnonzero(missing[:, position])
            joint_excess, slopes = limited.limit.evaluate(self.relative[frames, position])
            if limited.is_hinge:
                slopes = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])  # it only turns about its axis
            else:
                slopes = rotations.rotate(self.to_world[frames, position, None], slopes)
            excess[frames, limited.rows] = joint_excess
            gradients[frames, limited.rows] = slopes * self.column_scale[limited.columns]
        return replace(self, measured=self.measured | missing, excess=excess, gradients=gradients)

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
        self.limited: list[_LimitedJoint] = []
        boundaries = 0
        for position, joint in enumerate([*dofs.rotating, *dofs.hinged]):
            limit = skeleton.limits.get(int(joint))
            if limit is None:
                continue
            if isinstance(limit, HingeLimit):
                column = dofs.hinge_columns.start + position - len(dofs.rotating)
                ball, columns = limit.bound_to(skeleton.hinge_axes[joint]), np.full(3, column)
            else:
                ball, columns = limit, dofs.rotation_columns.start + 3 * position + np.arange(3)
            rows = slice(boundaries, boundaries + ball.count)
            self.limited.append(_LimitedJoint(int(joint), ball, isinstance(limit, HingeLimit), columns, rows))
            boundaries = rows.stop
        limits = [limited.limit for limited in self.limited]
        self._joints = np.array([limited.joint for limited in self.limited], dtype=np.int64)
        self._axes = np.array([limit.axis for limit in limits]).reshape(-1, 3)
        twists = [limit.twist or (-np.inf, np.inf) for limit in limits]
        self._twist_ranges = np.array(twists, dtype=np.float64).reshape(-1, 2)
        at_rest = [float(limit.excess(rotations.IDENTITY)[-1]) if limit.swing else -np.inf for limit in limits]
        self._swing_room = -np.array(at_rest, dtype=np.float64)
        """(limits,) radians from the bone's rest direction to the boundary of its swing; negative outside."""
        self.rotation_columns = np.array([limited.columns for limited in self.limited], dtype=np.int64).reshape(-1, 3)
        """(limits, 3) the columns that rotate each limited joint."""
        counts = [limit.count for limit in limits]
        self.columns: IntArray = np.repeat(self.rotation_columns, counts, axis=0)
        """(boundaries, 3) the columns that rotate each boundary's joint."""

    def __bool__(self) -> bool:
        return bool(self.limited)

    def _relative(self, motion: Motion) -> Array:
        """(frames, limits, 4) the rotation of each limited joint relative to its rest."""
        rest = rotations.conjugate(self._skeleton.rest_rotations[self._joints])
        return rotations.multiply(rest, motion.rotations[:, self._joints])

    def _room(self, relative: Array) -> Array:
        """(frames, limits) a lower bound of the radians from each joint to its nearest boundary; negative where it may
        be outside.

        The distance of the bone to the boundary of its swing is at least that of its rest direction less the swing. The
        twist changes by at most 1 / cos(swing / 2) times the rotation.
        """
        w, v = relative[..., 0], relative[..., 1:]
        along = np.einsum("flk,lk->fl", v, self._axes)
        across = np.linalg.norm(v - along[..., None] * self._axes, axis=2)
        half_cosine = np.hypot(w, along)
        swing = 2.0 * np.arctan2(across, half_cosine)
        low, high = self._twist_ranges.T
        bounded = np.isfinite(low)
        middle = (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0)) / 2.0
        twist = 2.0 * np.arctan2(along, w)
        twist = twist + 2.0 * np.pi * np.rint((middle - twist) / (2.0 * np.pi))
        twist_room = np.minimum(twist - low, high - twist) * np.where(bounded, half_cosine, 1.0)
        return np.minimum(self._swing_room - swing, twist_room)

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
            room = self._room(relative)
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
        may_be_outside = self._room(relative) <= 0.0
        local_rotations = motion.rotations.copy()
        for position in np.flatnonzero(may_be_outside.any(axis=0)):
            limited, frames = self.limited[position], np.flatnonzero(may_be_outside[:, position])
            before = relative[frames, position]
            after = limited.limit.clamp(before)
            changed = (before != after).any(axis=1)
            rest = self._skeleton.rest_rotations[limited.joint]
            local_rotations[frames[changed], limited.joint] = rotations.multiply(rest, after[changed])
        return Motion(local_rotations, motion.translations)
