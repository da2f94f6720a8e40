# SPDX-License-Identifier: GPL-3.0-or-later
"""The strict-priority step: one linear solve in which a level never disturbs those above it (document 003, 3.2.5).

With `Q` an orthonormal basis of the row space that the levels above have spent, a level's Jacobian is projected onto
what is left, its damped least-squares step is added, and `Q` grows by the directions it has used. Only the step is
damped: a damped projector would let lower levels leak into higher ones. Most frames need none of that: where nothing
conflicts and nothing is damped, all levels are met by one step. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray
from ..core.row_space import RowSpace, combined, outside, times, whitening
from .unreachable import MET, UNMET, SecondOrder, stretched_step

LONGEST_STEP = 0.6
"""Radians that a singular direction may move in one step. A direction whose share of the residual asks for more is
damped until it asks for just this; all others are not damped at all."""

REGULAR = 3e-3
"""Above this ratio of the smallest singular value of all levels to their Jacobian, Cholesky is right to 1e-9."""


@dataclass(frozen=True, eq=False)
class Level:
    """All tasks of one priority, stacked. Rows and columns are already scaled to pure numbers."""

    jacobian: Array
    """(frames, rows, columns)"""
    residual: Array
    """(frames, rows) what is missing to the next goal."""
    missing: Array
    """(frames, rows) what is missing in all; the same where the goal is the target."""
    task_of_row: IntArray
    """(rows,) which rows belong together."""
    recruited: BoolArray | None = None
    """(rows, columns) which columns may move for each row; None where all that serve it may."""
    second_order: SecondOrder | None = None
    """What a level that is out of reach must know about itself; None where it does not matter."""
    idle: Array | None = None
    """(frames, rows) for each task, the unit combination of its rows that nothing moves, or zero; None where no task
    has one."""


@dataclass(frozen=True, eq=False)
class Levels:
    """All levels, the most important first, their rows one below the other."""

    jacobian: Array
    """(frames, rows, columns)"""
    residual: Array
    """(frames, rows)"""
    missing: Array
    """(frames, rows)"""
    level_of_row: IntArray
    """(rows,) ascending; a level may have no rows."""
    task_of_row: IntArray
    """(rows,)"""
    recruited: BoolArray | None
    """(rows, columns); None where every row may move all columns that serve it."""
    second_order: tuple[SecondOrder | None, ...]
    """For each level."""
    idle: Array | None
    """(frames, rows)"""

    def __len__(self) -> int:
        return len(self.second_order)

    def __iter__(self) -> Iterator[Level]:
        for depth, second_order in enumerate(self.second_order):
            rows = slice(*np.searchsorted(self.level_of_row, [depth, depth + 1]))
            recruited = None if self.recruited is None else self.recruited[rows]
            yield Level(
                self.jacobian[:, rows],
                self.residual[:, rows],
                self.missing[:, rows],
                self.task_of_row[rows],
                None if recruited is None or recruited.all() else recruited,
                second_order,
                None if self.idle is None else self.idle[:, rows],
            )

    def at(self, frames: IntArray) -> Levels:
        """The levels in some of the frames."""
        return replace(
            self,
            jacobian=self.jacobian[frames],
            residual=self.residual[frames],
            missing=self.missing[frames],
            second_order=tuple(each and each.at(frames) for each in self.second_order),
            idle=None if self.idle is None else self.idle[frames],
        )

    @staticmethod
    def of(levels: Sequence[Level]) -> Levels:
        """Stack some levels, at least one."""
        recruited = idle = None
        if any(level.recruited is not None for level in levels):
            recruited = np.concatenate(
                [
                    np.ones(level.jacobian.shape[1:], dtype=bool) if level.recruited is None else level.recruited
                    for level in levels
                ]
            )
        if any(level.idle is not None for level in levels):
            idle = np.concatenate(
                [np.zeros_like(level.residual) if level.idle is None else level.idle for level in levels], axis=1
            )
        return Levels(
            np.concatenate([level.jacobian for level in levels], axis=1),
            np.concatenate([level.residual for level in levels], axis=1),
            np.concatenate([level.missing for level in levels], axis=1),
            np.repeat(np.arange(len(levels)), [level.residual.shape[1] for level in levels]),
            np.concatenate([level.task_of_row for level in levels]),
            recruited,
            tuple(level.second_order for level in levels),
            idle,
        )


@dataclass(frozen=True, eq=False)
class Attraction:
    """What everything below the levels should move toward."""

    velocity: Array
    """(frames, columns)"""
    columns: BoolArray
    """(columns,) where it has a say."""

    def at(self, frames: IntArray) -> Attraction:
        """The attraction in some of the frames."""
        return Attraction(self.velocity[frames], self.columns)


@dataclass(frozen=True, eq=False)
class Solution:
    """What the levels ask for."""

    step: Array
    """(frames, columns)"""
    attracted: Array
    """(frames, columns) the part of the step that the attraction alone has added."""
    unmet_level: IntArray
    """(frames,) the first level that is out of reach; the number of levels where none is."""
    seems_out_of_reach: BoolArray
    """(frames,) where a first-order step leaves some level unmet."""

    def put(self, frames: IntArray, other: Solution) -> None:
        """Write the solution of some frames, (some,), over this one's."""
        self.step[frames], self.attracted[frames] = other.step, other.attracted
        self.unmet_level[frames], self.seems_out_of_reach[frames] = other.unmet_level, other.seems_out_of_reach


def prioritized_step(
    levels: Levels,
    attraction: Attraction,
    hint: Array,
    suspected: BoolArray | None = None,
    stiffest: float = 1.0,
) -> Solution:
    """The step of all levels, the most important first, and then toward the attraction.

    Damping is chosen per frame and direction from the singular value and the residual. `hint` (columns,) is the
    way to bend where nothing else decides. `suspected` (frames,) says where a level was out of reach before, None
    everywhere: many a target only seems so for one step, and second derivatives are dear. `stiffest` is the largest
    stiffness by whose root a column was scaled.
    """
    longest = LONGEST_STEP * float(np.sqrt(stiffest))
    if suspected is None:
        suspected = np.ones(len(attraction.velocity), dtype=bool)
    if levels.recruited is not None:
        return _step_by_level(levels, attraction, hint, suspected, longest)
    solution, regular = _regular_step(levels, attraction, longest)
    others = np.flatnonzero(~regular)
    if others.size:
        solution.put(
            others,
            _step_by_level(levels.at(others), attraction.at(others), hint, suspected[others], longest),
        )
    return solution


def _regular_step(levels: Levels, attraction: Attraction, longest: float) -> tuple[Solution, BoolArray]:
    """The step that meets all levels at once, and where, (frames,), it is the one that they have by their order.

    Where the rows of all levels are independent, one step within their row space meets them all, and their order does
    not matter. Cholesky takes the rows in turn, so that each level's components are still those of its own step.
    """
    jacobian, residual = levels.jacobian, levels.residual
    gram = jacobian @ jacobian.swapaxes(1, 2)
    row_squares = np.einsum("frr->fr", gram)
    if levels.idle is None:
        whitener = whitening(gram)
    else:
        # Filled up with what no row can change, the matrix is regular, and the solution is the same.
        together = levels.task_of_row[:, None] == levels.task_of_row
        whitener = whitening(gram + levels.idle[:, :, None] * levels.idle[:, None] * together)
    components = times(whitener, residual)
    regular = ~((row_squares == 0.0) & (residual != 0.0)).any(axis=1)
    # The inverse's norm bounds the smallest singular value from below, the components' that of every direction.
    regular &= REGULAR**2 * row_squares.sum(axis=1) * np.einsum("frs,frs->f", whitener, whitener) < 1.0
    own_rows = levels.level_of_row[:, None] == np.arange(len(levels))
    regular &= (components**2 @ own_rows <= longest**2).all(axis=1)

    step = combined(combined(components, whitener), jacobian)
    wanted = (attraction.velocity - step) * attraction.columns
    spent = times(whitener, times(jacobian, wanted))
    attracted = wanted - combined(combined(spent, whitener), jacobian)
    frames = len(step)
    return Solution(step + attracted, attracted, np.full(frames, len(levels)), np.zeros(frames, dtype=bool)), regular


def _step_by_level(
    levels: Levels,
    attraction: Attraction,
    hint: Array,
    suspected: BoolArray,
    longest: float,
) -> Solution:
    """The step of one level after the other, each within what those above have left; see `prioritized_step`."""
    frames, columns = attraction.velocity.shape
    step = np.zeros((frames, columns))
    basis = np.zeros((frames, 0, columns))
    unmet_level = np.full(frames, len(levels))
    seems_out_of_reach = np.zeros(frames, dtype=bool)
    for depth, level in enumerate(levels):
        residual = level.residual - times(level.jacobian, step)
        projected = outside(basis, level.jacobian)
        space = RowSpace(projected, level.jacobian)
        spent = space.basis()
        if level.recruited is None:
            own_step = _damped_step(space, projected, residual, longest)
        else:
            own_step = _recruited_step(level.recruited, projected, space, basis, residual, longest)
        finished = unmet_level < depth
        own_step[finished], spent[finished] = 0.0, 0.0
        if level.second_order is not None:
            unmet = residual - times(level.jacobian, own_step)
            out_of_reach = _out_of_reach(residual, unmet) & ~finished
            seems_out_of_reach |= out_of_reach
            held = np.flatnonzero(out_of_reach & suspected)
            if held.size:
                unmet_level[held] = depth
                own_step[held], spent[held] = stretched_step(
                    list(levels), depth, held, step[held], basis[held], unmet[held], attraction.velocity[held], hint
                )
        step += own_step
        basis = np.concatenate([basis, spent], axis=1)
    wanted = (attraction.velocity - step) * attraction.columns * (unmet_level == len(levels))[:, None]
    attracted = outside(basis, wanted[:, None])[:, 0]
    return Solution(step + attracted, attracted, unmet_level, seems_out_of_reach)


def _damped_step(space: RowSpace, projected: Array, residual: Array, longest: float) -> Array:
    """(frames, columns) the damped step of a level to a residual within what is left to it."""
    directions = space.directions
    return combined(_damped(space.squares, space.alive, directions, directions, residual, longest), projected)


def _out_of_reach(residual: Array, unmet: Array) -> BoolArray:
    """(frames,) whether a step leaves so much of a residual that its target must be out of reach."""
    left = np.abs(unmet).max(axis=1, initial=0.0)
    return (left > MET) & (left > UNMET * np.abs(residual).max(axis=1, initial=0.0))


def _damped(
    squares: Array,
    alive: BoolArray,
    left: Array,
    right: Array,
    residual: Array,
    longest: float,
) -> Array:
    """Coefficients (frames, rows) of the damped solution, given the system as left · squares · rightᵀ."""
    components = np.einsum("frk,fr->fk", left, residual)
    # The step along a direction is component / singular value: this many squares keep it within bounds.
    damped_squares = np.maximum(squares, np.sqrt(np.maximum(squares, 0.0)) * np.abs(components) / longest)
    inverse = alive / np.where(alive, damped_squares, 1.0)
    return np.einsum("frk,fk->fr", right, components * inverse)


def _recruited_step(
    recruited: BoolArray,
    projected: Array,
    space: RowSpace,
    basis: Array,
    residual: Array,
    longest: float,
) -> Array:
    """The step of a level in which rows may not move all columns that serve them.

    Each row pulls at the columns that it recruits; whatever that would disturb above is compensated by the projector,
    which may use any column that somebody recruits. The small system is no longer symmetric, hence the SVD.
    """
    pulling = projected * recruited
    left, squares, right = np.linalg.svd(projected @ pulling.swapaxes(1, 2))
    right = right.swapaxes(1, 2)
    coefficients = _damped(squares, squares > space.rank_square, left, right, residual, longest)
    return outside(basis, np.einsum("frc,fr->fc", pulling, coefficients)[:, None])[:, 0]
