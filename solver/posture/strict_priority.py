# SPDX-License-Identifier: GPL-3.0-or-later
"""The strict-priority step: one linear solve in which no level changes the error of a more important one
(Le Callennec 2006, section 3.2.5).

With `Q` an orthonormal basis of the row space of the levels above, a level's Jacobian is projected onto the null space
of `Q`, its damped least-squares step is added, and `Q` is extended by the level's row space. Only the step is damped: a
damped projector would let lower levels change higher ones. Frames in which no level conflicts and nothing is damped
are solved by one Cholesky factorization of all rows instead. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray
from ..core.row_space import RowSpace, combined, outside, times, whitening
from .levels import Attraction, PriorityLevels
from .unreachable import MET_TOLERANCE, UNREACHABLE_SHARE, unreachable_level_step

LONGEST_STEP = 0.6
"""Radians that a singular direction may move in one step. A direction that would move further is damped until it moves
this far; all others are not damped."""

REGULAR = 3e-3
"""Above this ratio of the smallest singular value of all levels to the norm of their Jacobian, Cholesky is accurate to
1e-9."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The step of all levels and the attraction."""

    step: Array
    """(frames, columns)"""
    attracted: Array
    """(frames, columns) the part of the step that the attraction has added."""
    unreachable_level: IntArray
    """(frames,) the first level that is unreachable; the number of levels where none is."""
    seems_unreachable: BoolArray
    """(frames,) where a first-order step leaves some level's error."""

    def put(self, frames: IntArray, other: Solution) -> None:
        """Write the solution of some frames, (some,), over this one's."""
        self.step[frames], self.attracted[frames] = other.step, other.attracted
        self.unreachable_level[frames], self.seems_unreachable[frames] = (
            other.unreachable_level,
            other.seems_unreachable,
        )


def prioritized_step(
    levels: PriorityLevels,
    attraction: Attraction,
    bend_hint: Array,
    was_unreachable: BoolArray | None = None,
    largest_stiffness: float = 1.0,
) -> Solution:
    """The step of all levels, the most important first, and then toward the attraction.

    Damping is chosen per frame and direction from the singular value and the residual. `bend_hint` (columns,) is the
    direction in which a saddle is left where no gradient decides. `was_unreachable` (frames,) says where the previous
    step left a level's error; second derivatives are evaluated only there, since many targets seem unreachable for one
    step. None is everywhere. `largest_stiffness` is the largest stiffness by whose root a column was scaled.
    """
    longest = LONGEST_STEP * float(np.sqrt(largest_stiffness))
    if was_unreachable is None:
        was_unreachable = np.ones(len(attraction.velocity), dtype=bool)
    if levels.recruited is not None:
        return _step_by_level(levels, attraction, bend_hint, was_unreachable, longest)
    solution, regular = _regular_step(levels, attraction, longest)
    others = np.flatnonzero(~regular)
    if others.size:
        solution.put(
            others,
            _step_by_level(levels.at(others), attraction.at(others), bend_hint, was_unreachable[others], longest),
        )
    return solution


def _regular_step(levels: PriorityLevels, attraction: Attraction, longest: float) -> tuple[Solution, BoolArray]:
    """The least step that meets all levels at once, and in which frames, (frames,), it is the strict-priority step.

    Where the rows of all levels are independent, one step within their row space meets them all, whatever their order.
    Cholesky takes the rows in order, so the components of each level are those of its own projected step.
    """
    jacobian, residual = levels.jacobian, levels.goal_error
    gram = jacobian @ jacobian.swapaxes(1, 2)
    row_squares = np.einsum("frr->fr", gram)
    if levels.null_rows is None:
        whitener = whitening(gram)
    else:
        # With the left null vectors added the Gram matrix is regular, and the solution is the same.
        same_task = levels.task_of_row[:, None] == levels.task_of_row
        whitener = whitening(gram + levels.null_rows[:, :, None] * levels.null_rows[:, None] * same_task)
    components = times(whitener, residual)
    regular = ~((row_squares == 0.0) & (residual != 0.0)).any(axis=1)
    # The norm of the inverse bounds the smallest singular value from below; the components bound each direction's step.
    regular &= REGULAR**2 * row_squares.sum(axis=1) * np.einsum("frs,frs->f", whitener, whitener) < 1.0
    own_rows = levels.level_of_row[:, None] == np.arange(len(levels))
    regular &= (components**2 @ own_rows <= longest**2).all(axis=1)

    step = combined(combined(components, whitener), jacobian)
    wanted = (attraction.velocity - step) * attraction.columns
    within_rows = times(whitener, times(jacobian, wanted))
    attracted = wanted - combined(combined(within_rows, whitener), jacobian)
    frames = len(step)
    return Solution(step + attracted, attracted, np.full(frames, len(levels)), np.zeros(frames, dtype=bool)), regular


def _step_by_level(
    levels: PriorityLevels, attraction: Attraction, bend_hint: Array, was_unreachable: BoolArray, longest: float
) -> Solution:
    """The steps of the levels in order, each in the null space of those above; see `prioritized_step`."""
    frames, columns = attraction.velocity.shape
    step = np.zeros((frames, columns))
    basis = np.zeros((frames, 0, columns))
    unreachable_level = np.full(frames, len(levels))
    seems_unreachable = np.zeros(frames, dtype=bool)
    for depth, level in enumerate(levels):
        residual = level.goal_error - times(level.jacobian, step)
        projected = outside(basis, level.jacobian)
        space = RowSpace(projected, level.jacobian)
        used_rows = space.basis()
        if level.recruited is None:
            own_step = _damped_step(space, projected, residual, longest)
        else:
            own_step = _recruited_step(level.recruited, projected, space, basis, residual, longest)
        finished = unreachable_level < depth
        own_step[finished], used_rows[finished] = 0.0, 0.0
        if level.second_order is not None:
            remaining = residual - times(level.jacobian, own_step)
            is_unreachable = _is_unreachable(residual, remaining) & ~finished
            seems_unreachable |= is_unreachable
            some = np.flatnonzero(is_unreachable & was_unreachable)
            if some.size:
                unreachable_level[some] = depth
                own_step[some], used_rows[some] = unreachable_level_step(
                    list(levels),
                    depth,
                    some,
                    step[some],
                    basis[some],
                    remaining[some],
                    attraction.velocity[some],
                    bend_hint,
                )
        step += own_step
        basis = np.concatenate([basis, used_rows], axis=1)
    wanted = (attraction.velocity - step) * attraction.columns * (unreachable_level == len(levels))[:, None]
    attracted = outside(basis, wanted[:, None])[:, 0]
    return Solution(step + attracted, attracted, unreachable_level, seems_unreachable)


def _damped_step(space: RowSpace, projected: Array, residual: Array, longest: float) -> Array:
    """(frames, columns) the damped least-squares step of a level with this projected Jacobian and residual."""
    directions = space.directions
    return combined(_damped(space.squares, space.alive, directions, directions, residual, longest), projected)


def _is_unreachable(residual: Array, remaining: Array) -> BoolArray:
    """(frames,) whether a step leaves so much of a residual (frames, rows) that its target must be unreachable."""
    left = np.abs(remaining).max(axis=1, initial=0.0)
    return (left > MET_TOLERANCE) & (left > UNREACHABLE_SHARE * np.abs(residual).max(axis=1, initial=0.0))


def _damped(squares: Array, alive: BoolArray, left: Array, right: Array, residual: Array, longest: float) -> Array:
    """Coefficients (frames, rows) of the damped solution of the system left · squares · rightᵀ."""
    components = np.einsum("frk,fr->fk", left, residual)
    # The step along a direction is component / singular value: these squares keep it within `longest`.
    damped_squares = np.maximum(squares, np.sqrt(np.maximum(squares, 0.0)) * np.abs(components) / longest)
    inverse = alive / np.where(alive, damped_squares, 1.0)
    return np.einsum("frk,fk->fr", right, components * inverse)


def _recruited_step(
    recruited: BoolArray, projected: Array, space: RowSpace, basis: Array, residual: Array, longest: float
) -> Array:
    """The step of a level whose rows may not use all columns that move them.

    Each row uses the columns that it recruits; the projector, which may use any recruited column, compensates what that
    would change in the levels above. The small system is no longer symmetric, hence the SVD.
    """
    pulling = projected * recruited
    left, squares, right = np.linalg.svd(projected @ pulling.swapaxes(1, 2))
    right = right.swapaxes(1, 2)
    coefficients = _damped(squares, squares > space.rank_square, left, right, residual, longest)
    return outside(basis, np.einsum("frc,fr->fc", pulling, coefficients)[:, None])[:, 0]
