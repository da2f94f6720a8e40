# SPDX-License-Identifier: GPL-3.0-or-later
"""What opposes a constraint that is missed, found in the postures of the result without solving them again.

A posture is at rest where the pull of a missed constraint on the joints, `Jᵀ e`, is cancelled: by multipliers of the
more important constraints and of joint limits, and by the pulls of others of the same priority. The share of each in
cancelling it says which constraint takes the effector its freedom (docs/derivations.md, section 8).
"""

from __future__ import annotations

import numpy as np

from ..body.clip import Clip
from ..core.arrays import Array, BoolArray, IntArray
from ..core.row_space import times
from ..posture.active_set import LimitBoundaries
from ..posture.recruiting import moving_joints
from .columns import Columns
from .frame_tasks import FrameTasks
from .rows import Rows

MISSED = 1e-3
"""Sizes of the character, or radians: a constraint with a larger residual is missed. A joint that is nearer to its
limit is at it, and joints that move an effector by less for each radian do not move it."""

HELPS = 0.5
"""A change counts as help, and what it undoes as opposition, if it reduces a residual, or the way to a target, to this
share or less."""

SHARE = 0.1
"""The least share of a pull that a constraint cancels by which it is named."""

LONG = 1.0
"""Radians: a way of the joints to a target that is shorter is near enough to a straight one to be gone."""


class Opposition:
    """The constraints that oppose each other in some frames of a result."""

    def __init__(self, frame_tasks: FrameTasks, clip: Clip, frames: IntArray) -> None:
        """Evaluate the tasks of some frames, (n,), in a clip that was solved for them."""
        self._frames = frames
        self._constraints = frame_tasks.timeline.constraints
        skeleton, world = clip.skeleton, clip.world.at(frames)
        moving = moving_joints(skeleton, [each.task for each in frame_tasks.single_level(frames[:1])])
        columns = Columns(skeleton, moving)
        rows = Rows(frame_tasks, frames, columns)
        self._errors = rows.across(rows.errors(world))
        self._owners = np.full(self._errors.shape, -1)
        """(frames, rows) the constraint of each row, an index into those of the time line; -1 where none is active."""
        for block in rows.blocks:
            owners = frame_tasks.owners[frames, block.channel]
            self._owners[:, block.rows] = np.where(block.active, owners, -1)[:, None]
        self.constraints: set[int] = set(np.unique(self._owners).tolist())
        """Those with rows in these frames, by their indices in the time line."""
        lowest = np.iinfo(np.int64).min
        self._priorities = np.array([*(each.priority for each in self._constraints), lowest])[self._owners]
        self._weights = np.array([*(each.weight for each in self._constraints), 0.0])[self._owners]
        held = rows.across(rows.jacobian(world))
        pulling = held if rows.recruited is None else held * rows.recruited
        limits = LimitBoundaries(skeleton, columns.dofs)
        if limits:
            measured = limits.measured(world, np.ones(columns.count))
            at_limit, _ = measured.activated(measured.excess > -MISSED).rows()
            held = np.concatenate([held, columns.in_parents(at_limit, world)], axis=1)
        self._pulls = pulling @ pulling.swapaxes(1, 2)
        """(frames, rows, rows) products of the rows over the joints that each of them recruits."""
        self._held_pulls = held @ pulling.swapaxes(1, 2)
        """(frames, rows with limits, rows) products with the rows of constraints and limits that are held, which have
        no recruiting: no joint may violate them."""
        self._held = held @ held.swapaxes(1, 2)
        self._levels: dict[int, tuple[Array, Array, Array]] = {}

    def _level(self, priority: int) -> tuple[Array, Array, Array]:
        """The multipliers (frames, rows with limits, rows) by which more important constraints and limits cancel the
        pull of each row, the products (frames, rows, rows) of what they leave of the rows, and the inverse of these for
        the rows of the level."""
        if priority not in self._levels:
            is_held = np.ones(self._held.shape[:2], dtype=bool)
            is_held[:, : self._owners.shape[1]] = self._priorities > priority
            multipliers = _inverse(self._held, is_held) @ (self._held_pulls * is_held[:, :, None])
            left = self._pulls - self._held_pulls.swapaxes(1, 2) @ multipliers
            self._levels[priority] = multipliers, left, _inverse(left, self._priorities == priority)
        return self._levels[priority]

    def of(self, number: int) -> tuple[dict[int, IntArray], IntArray]:
        """The constraints that oppose one of them, by their indices in the time line, each with the frames in which it
        does: all together keep the one from its target, and each has its share in that. And the frames in which the one
        can be met, all others kept."""
        constraint, is_own = self._constraints[number], self._owners == number
        some, rows = np.flatnonzero(is_own.any(axis=1)), np.flatnonzero(is_own.any(axis=0))
        chosen, errors = (each[np.ix_(some, rows)] for each in (is_own, self._errors * is_own))
        multipliers, left, inverse = (each[some][:, :, rows] for each in self._level(constraint.priority))
        pulls = self._pulls[some][:, rows][:, :, rows]
        # The squares of the pull, and of the ways of the joints to the target alone and with all others kept.
        pull, alone, together = (
            np.einsum("fr,frs,fs->f", errors, each, errors)
            for each in (pulls, _inverse(pulls, chosen), inverse[:, rows])
        )
        is_opposed = (pull > 0.0) & (np.maximum(HELPS * LONG, np.sqrt(alone)) <= HELPS * np.sqrt(together))
        # What each row cancels of the pull: a more important one by its multiplier, an equal one by its own pull.
        owners = self._owners[some]
        is_other = (owners >= 0) & (self._priorities[some] >= constraint.priority) & ~is_own[some]
        is_equal = is_other & (self._priorities[some] == constraint.priority)
        cancelled = times(multipliers, errors) * times(self._held_pulls[some][:, :, rows], errors)
        by_equals = -self._weights[some] / constraint.weight * self._errors[some] * times(left, errors) * is_equal
        shares = cancelled[:, : owners.shape[1]] + by_equals
        others = np.unique(owners[is_other])
        belongs = (owners == others[:, None, None]) & is_other
        active = belongs.any(axis=2)
        named = active & ((shares * belongs).sum(axis=2) >= SHARE * pull)
        # Where none has a share that counts, limits oppose it together with the constraints.
        named |= active & ~named.any(axis=0)
        frames = self._frames[some]
        opposing = {int(other): frames[where & is_opposed] for other, where in zip(others, named, strict=True)}
        return opposing, frames[together < LONG**2]


def _inverse(products: Array, chosen: BoolArray) -> Array:
    """(frames, rows, rows) inverses of products of the chosen rows (frames, rows), zero for the others; rows that
    depend on each other, or that the joints hardly move, have no infinite multipliers."""
    both = chosen[:, :, None] & chosen[:, None]
    diagonal = np.where(chosen, MISSED**2, 1.0)
    return np.linalg.inv(products * both + diagonal[:, :, None] * np.eye(chosen.shape[1])) * both
