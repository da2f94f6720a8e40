# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits in the solve: a degree of freedom that would pass its limit is locked there.

Every boundary of a limit is a possible row above all levels: the gradient of its excess. It is switched on where a
step would break it, and then says how far the joint may still go. Measuring the way to a boundary is dear, so all
joints first ask how far they surely are from any; only those that a step might lead there look closer.
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
from .strict_priority import Level


@dataclass(frozen=True, eq=False)
class _Limited:
    """A joint with a limit."""

    joint: int
    limit: BallLimit
    """A hinge's is a twist about its axis."""
    is_hinge: bool
    columns: IntArray
    """(3,) those of its rotation vector; of a hinge, three times its only one."""
    rows: slice
    """Its boundaries among all."""


@dataclass(frozen=True, eq=False)
class Locks:
    """The boundaries of all limited joints for a batch of frames, measured as far as that was necessary."""

    limits: Boundaries
    column_scale: Array
    """(columns,)"""
    relative: Array
    """(frames, limits, 4) how far each limited joint is turned from its rest."""
    to_world: Array
    """(frames, limits, 4) the rotations from the rest frames to the world."""
    room: Array
    """(frames, limits) radians that it can surely turn."""
    measured: BoolArray
    """(frames, limits)"""
    excess: Array
    """(frames, boundaries) radians beyond the boundary; negative inside, without end where it is not measured."""
    gradients: Array
    """(frames, boundaries, 3) of the excess, over the boundary's three columns (a hinge's are one and two zeros)."""
    active: BoolArray
    """(frames, boundaries)"""

    @property
    def columns(self) -> IntArray:
        """(boundaries, 3) which columns the gradients are for."""
        return self.limits.columns

    @property
    def any_active(self) -> bool:
        return bool(self.active.any())

    def at(self, frames: IntArray) -> Locks:
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

    def measured_for(self, step: Array) -> Locks:
        """The same with every boundary measured that a step (frames, columns) might pass."""
        if not self.limits:
            return self
        turns = np.linalg.norm((step * self.column_scale)[:, self.limits.turning_columns], axis=2)
        return self.measured_where(turns >= self.room)

    def measured_where(self, wanted: BoolArray) -> Locks:
        """The same with some joints' boundaries measured, (frames, limits)."""
        missing = wanted & ~self.measured
        if not missing.any():
            return self
        excess, gradients = self.excess.copy(), self.gradients.copy()
        for position in np.flatnonzero(missing.any(axis=0)):
            limited = self.limits.limited[position]
            frames = np.flatnonzero(missing[:, position])
            beyond, slopes = limited.limit.evaluate(self.relative[frames, position])
            if limited.is_hinge:
                slopes = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])  # it can only turn about the axis
            else:
                slopes = rotations.rotate(self.to_world[frames, position, None], slopes)
            excess[frames, limited.rows] = beyond
            gradients[frames, limited.rows] = slopes * self.column_scale[limited.columns]
        return replace(self, measured=self.measured | missing, excess=excess, gradients=gradients)

    def met_by(self, step: Array, breach: float) -> BoolArray:
        """(frames, boundaries) those measured and not yet active that a step would pass by more than `breach`."""
        if not self.limits:
            return self.active
        ahead = self.excess + np.einsum("fbk,fbk->fb", self.gradients, step[:, self.columns])
        return np.asarray(~self.active & (ahead > breach))

    def activated(self, met: BoolArray) -> Locks:
        return replace(self, active=self.active | met)

    def level(self) -> Level:
        """The active boundaries as a level, packed to as many rows as the most limited frame has."""
        most = int(self.active.sum(axis=1).max(initial=0))
        order = np.argsort(~self.active, axis=1, kind="stable")[:, :most]
        packed = np.take_along_axis(self.active, order, axis=1)
        frames = np.arange(len(order))[:, None, None]
        rows = np.arange(most)[None, :, None]
        jacobian = np.zeros((len(order), most, len(self.column_scale)))
        gradients = np.take_along_axis(self.gradients, order[:, :, None], axis=1) * packed[:, :, None]
        np.add.at(jacobian, (frames, rows, self.columns[order]), gradients)
        residual = np.where(packed, -np.take_along_axis(self.excess, order, axis=1), 0.0)
        return Level(jacobian, residual, residual, np.arange(most))


class Boundaries:
    """The limits of those joints that may move."""

    def __init__(self, skeleton: Skeleton, dofs: Dofs) -> None:
        self._skeleton = skeleton
        self.limited: list[_Limited] = []
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
            self.limited.append(_Limited(int(joint), ball, isinstance(limit, HingeLimit), columns, rows))
            boundaries = rows.stop
        limits = [limited.limit for limited in self.limited]
        self._joints = np.array([limited.joint for limited in self.limited], dtype=np.int64)
        self._axes = np.array([limit.axis for limit in limits]).reshape(-1, 3)
        twists = [limit.twist or (-np.inf, np.inf) for limit in limits]
        self._twist_ranges = np.array(twists, dtype=np.float64).reshape(-1, 2)
        at_rest = [float(limit.excess(rotations.IDENTITY)[-1]) if limit.swing else -np.inf for limit in limits]
        self._swing_room = -np.array(at_rest, dtype=np.float64)
        """(limits,) radians from the bone's rest direction to the boundary of its swing; negative outside."""
        self.turning_columns = np.array([limited.columns for limited in self.limited], dtype=np.int64).reshape(-1, 3)
        """(limits, 3) the columns that turn each limited joint."""
        counts = [limit.count for limit in limits]
        self.columns: IntArray = np.repeat(self.turning_columns, counts, axis=0)
        """(boundaries, 3) the same for each boundary."""

    def __bool__(self) -> bool:
        return bool(self.limited)

    def _relative(self, motion: Motion) -> Array:
        """(frames, limits, 4) how far each limited joint is turned from its rest."""
        rest = rotations.conjugate(self._skeleton.rest_rotations[self._joints])
        return rotations.multiply(rest, motion.rotations[:, self._joints])

    def _room(self, relative: Array) -> Array:
        """(frames, limits) radians that each joint can turn for sure before it meets a boundary; negative where it may
        be outside.

        The bone is as far from the boundary of its swing as its rest direction is, less the swing. The twist changes
        by 1 / cos(swing / 2) of a turn at most.
        """
        w, v = relative[..., 0], relative[..., 1:]
        along = np.einsum("flk,lk->fl", v, self._axes)
        across = np.linalg.norm(v - along[..., None] * self._axes, axis=2)
        half_cosine = np.hypot(w, along)
        swing = 2.0 * np.arctan2(across, half_cosine)
        low, high = self._twist_ranges.T
        bounded = np.isfinite(low)
        middle = np.where(bounded, low + high, 0.0) / 2.0
        twist = 2.0 * np.arctan2(along, w)
        twist = twist + 2.0 * np.pi * np.rint((middle - twist) / (2.0 * np.pi))
        twist_room = np.minimum(twist - low, high - twist) * np.where(bounded, half_cosine, 1.0)
        return np.minimum(self._swing_room - swing, twist_room)

    def unmeasured(self, state: WorldState, column_scale: Array) -> Locks:
        """All boundaries of a batch of frames, none active or measured; gradients are over the scaled columns."""
        shape = (state.frames, len(self.columns))
        relative, to_world = np.zeros((state.frames, 0, 4)), np.zeros((state.frames, 0, 4))
        room = np.zeros((state.frames, 0))
        if self:
            relative = self._relative(state.motion)
            rest = self._skeleton.rest_rotations[self._joints]
            to_world = rotations.multiply(state.parent_rotations(self._joints), rest)
            room = self._room(relative)
        return Locks(
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

    def locks(self, state: WorldState, column_scale: Array) -> Locks:
        """The same with every boundary measured."""
        locks = self.unmeasured(state, column_scale)
        return locks.measured_where(np.ones(locks.measured.shape, dtype=bool))

    def clamped(self, motion: Motion) -> Motion:
        """The motion with every limited joint inside its limits; joints that are inside come back bit for bit."""
        if not self:
            return motion
        relative = self._relative(motion)
        suspect = self._room(relative) <= 0.0
        turned = motion.rotations.copy()
        for position in np.flatnonzero(suspect.any(axis=0)):
            limited, frames = self.limited[position], np.flatnonzero(suspect[:, position])
            before = relative[frames, position]
            after = limited.limit.clamp(before)
            changed = (before != after).any(axis=1)
            rest = self._skeleton.rest_rotations[limited.joint]
            turned[frames[changed], limited.joint] = rotations.multiply(rest, after[changed])
        return Motion(turned, motion.translations)
