# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits in the solve: a degree of freedom that would pass its limit is locked there.

Every boundary of a limit is a possible row above all levels: the gradient of its excess. It is switched on where a
step would break it, and then says how far the joint may still go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from . import rotations
from .arrays import Array, BoolArray, IntArray
from .dofs import Dofs
from .hierarchy import Level
from .kinematics import WorldState
from .limits import BallLimit, HingeLimit
from .motion import Motion
from .skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Locks:
    """The boundaries of all limited joints, evaluated for a batch of frames."""

    excess: Array
    """(frames, boundaries) radians beyond the boundary; negative inside."""
    gradients: Array
    """(frames, boundaries, 3) of the excess, over the boundary's three columns (a hinge's are one and two zeros)."""
    columns: IntArray
    """(boundaries, 3) which columns these are."""
    column_count: int
    active: BoolArray
    """(frames, boundaries)"""

    @property
    def any_active(self) -> bool:
        return bool(self.active.any())

    def at(self, frames: IntArray) -> Locks:
        return replace(self, excess=self.excess[frames], gradients=self.gradients[frames], active=self.active[frames])

    def met_by(self, step: Array, breach: float) -> BoolArray:
        """(frames, boundaries) those not yet active that a step would pass by more than `breach`."""
        if not self.excess.shape[1]:
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
        jacobian = np.zeros((len(order), most, self.column_count))
        gradients = np.take_along_axis(self.gradients, order[:, :, None], axis=1) * packed[:, :, None]
        np.add.at(jacobian, (frames, rows, self.columns[order]), gradients)
        residual = -np.take_along_axis(self.excess, order, axis=1) * packed
        return Level(jacobian, residual, residual, np.arange(most))


class Boundaries:
    """The limits of those joints that may move."""

    def __init__(self, skeleton: Skeleton, dofs: Dofs) -> None:
        self._skeleton = skeleton
        self._dofs = dofs
        self._balls = [
            (int(joint), limit, dofs.rotation_columns.start + 3 * position)
            for position, joint in enumerate(dofs.rotating)
            if isinstance(limit := skeleton.limits.get(int(joint)), BallLimit)
        ]
        self._hinges = [
            (int(joint), limit, dofs.hinge_columns.start + position)
            for position, joint in enumerate(dofs.hinged)
            if isinstance(limit := skeleton.limits.get(int(joint)), HingeLimit)
        ]

    def __bool__(self) -> bool:
        return bool(self._balls or self._hinges)

    def _relative(self, motion: Motion, joint: int) -> Array:
        """(frames, 4) how far a joint is turned from its rest."""
        return rotations.multiply(rotations.conjugate(self._skeleton.rest_rotations[joint]), motion.rotations[:, joint])

    def locks(self, state: WorldState, column_scale: Array) -> Locks:
        """All boundaries of a batch of frames, none active; gradients are over the solver's scaled columns."""
        frames = state.frames
        excesses, gradients = [np.zeros((frames, 0))], [np.zeros((frames, 0, 3))]
        columns = [np.zeros((0, 3), dtype=np.int64)]
        for joint, ball, first in self._balls:
            relative = self._relative(state.motion, joint)
            rest_to_world = rotations.multiply(
                state.parent_rotations(np.array([joint]))[:, 0], self._skeleton.rest_rotations[joint]
            )
            excess, slopes = ball.evaluate(relative)
            slopes = rotations.rotate(rest_to_world[:, None], slopes)
            excesses.append(excess)
            gradients.append(slopes * column_scale[first : first + 3])
            columns.append(np.tile(np.arange(first, first + 3), (slopes.shape[1], 1)))
        for joint, hinge, column in self._hinges:
            relative = self._relative(state.motion, joint)
            axis = self._skeleton.hinge_axes[joint]
            slopes = np.zeros((frames, 2, 3))
            slopes[:, :, 0] = hinge.slopes * column_scale[column]
            excesses.append(hinge.excess(relative, axis))
            gradients.append(slopes)
            columns.append(np.full((2, 3), column))
        excess = np.concatenate(excesses, axis=1)
        return Locks(
            excess,
            np.concatenate(gradients, axis=1),
            np.concatenate(columns),
            self._dofs.count,
            np.zeros(excess.shape, dtype=bool),
        )

    def clamped(self, motion: Motion) -> Motion:
        """The motion with every limited joint inside its limits; joints that are inside come back bit for bit."""
        if not self:
            return motion
        turned = motion.rotations.copy()
        for joint, ball, _ in self._balls:
            relative = self._relative(motion, joint)
            self._put_back(turned, joint, relative, ball.clamp(relative))
        for joint, hinge, _ in self._hinges:
            relative = self._relative(motion, joint)
            self._put_back(turned, joint, relative, hinge.clamp(relative, self._skeleton.hinge_axes[joint]))
        return Motion(turned, motion.translations)

    def _put_back(self, turned: Array, joint: int, before: Array, after: Array) -> None:
        changed = (before != after).any(axis=1)
        turned[changed, joint] = rotations.multiply(self._skeleton.rest_rotations[joint], after[changed])
