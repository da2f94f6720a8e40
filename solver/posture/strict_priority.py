# SPDX-License-Identifier: GPL-3.0-or-later
"""The strict-priority step: one linear solve in which no level changes the error of a more important one
(Le Callennec 2006, section 3.2.5).

With `Q` an orthonormal basis of the row space of the levels above, a level's Jacobian is projected onto the null space
of `Q`, its damped least-squares step is added, and `Q` is extended by the level's row space. Only the step is damped: a
damped projector would let lower levels change higher ones. Frames in which no level conflicts and nothing is damped
are solved by one Cholesky factorization of all rows instead.

From its first unreachable level on, a frame has no strict levels: in the null space of those above, one weighted sum of
the errors is minimized; where every level is reachable, that is the distance to the attracting pose alone. The steps of
this minimization are those of Levenberg and Marquardt, corrected by the secants of earlier ones.
Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.row_space import RowSpace, combined, outside, times, whitening
from .levels import Attraction, PriorityLevels
from .objective_descent import multipliers_of, objective_step
from .secants import Secants

LONGEST_STEP = 0.6
"""Radians that a singular direction may move in one step. A direction that would move further is damped until it moves
this far; all others are not damped."""

REGULAR = 3e-3
"""Above this ratio of the smallest singular value of all levels to the norm of their Jacobian, Cholesky is accurate to
1e-9."""

UNREACHABLE_SHARE = 0.3
"""A level whose step leaves more than this share of its residual is unreachable."""

MET_TOLERANCE = 1e-6
"""Unless what remains is smaller than this (sizes of the character, or radians): then it is met."""

LOWER_LEVEL_WEIGHT = 4e-3
"""The weight of each level below an unreachable one relative to the level above it, and of the pose attraction at the
end, as a share of the remaining error: so it is the same for a target at two metres and at twenty, and vanishes for a
level that is nearly met. A level that is unreachable could always come slightly nearer by contorting the body; this
weight says when that is no longer worth it, and makes the best posture unique, so that neighbouring frames agree."""

DAMPING = 0.2
"""The damping of an unreachable level, as a share of its error: about the curvature that its Jacobian does not show. A
smaller one reaches the rest of a whole body sooner, but that of a chain of equal bones later."""

SELECTIVE_TRANSIENT = 1e-3
"""Sizes of the character, or radians: the largest error that a step may give to a met level with a task that does not
recruit every joint that moves it: it cannot always correct the error. Such a task with a larger error is unmet."""

SADDLE_GRADIENT, SIDE_GRADIENT, SADDLE_STEP = 1e-3, 1e-5, 0.1
"""Where the gradient of an unreachable level is below the first share of its error, the posture may be a saddle, such
as a straight arm whose hand is pulled toward the shoulder; a step with turns of up to the third, in radians, tries to
leave it. A gradient above the second share decides to which side; rounding must not."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The step of all levels and the attraction."""

    strict_step: Array
    """(frames, columns) of the strict levels."""
    descent_step: Array
    """(frames, columns) what is added in their null space."""
    gradient: Array
    """(frames, columns) the direction of descent of what is minimized in the null space of the strict levels."""
    secants: Secants
    """With the pair of the last step."""
    unreachable_level: IntArray
    """(frames,) the first strict level whose step leaves its error; the number of levels where none does."""
    leaves_saddle: BoolArray
    """(frames,) where the step tries to leave a saddle."""
    multipliers: Array | None = None
    """(frames, rows of tasks) by how much what is minimized shrinks for each unit of a strict level's error that is
    removed; None where there is no objective."""

    def put(self, frames: IntArray, other: Solution) -> None:
        """Write the solution of some frames, (some,), over this one's; the number of secants is the same."""
        for name in ("strict_step", "descent_step", "gradient", "unreachable_level", "leaves_saddle"):
            getattr(self, name)[frames] = getattr(other, name)
        if self.multipliers is not None:
            self.multipliers[frames] = other.multipliers
        self.secants.put(frames, other.secants)


def level_weights(error: Array, depths: IntArray) -> Array:
    """The weights of levels that lie `depths` (frames, …) below an unreachable one; 1 for itself, 0 above it.

    `error` (frames,) is the norm of the unreachable level's error.
    """
    below = np.maximum(depths, 0)
    weights = np.where(below == 0, 1.0, error.reshape(-1, *[1] * (depths.ndim - 1)) * LOWER_LEVEL_WEIGHT**below)
    return np.where(depths < 0, 0.0, weights)


def prioritized_step(
    levels: PriorityLevels,
    attraction: Attraction,
    strict: IntArray,
    secants: Secants,
    bend_hint: Array,
    may_bend: BoolArray,
    largest_stiffness: float = 1.0,
    descent_trust: Array | None = None,
) -> Solution:
    """The step of all levels, the most important first, and then toward the attraction.

    Damping is chosen per frame and direction from the singular value and the residual. In each frame the levels before
    `strict` (frames,) are strict, that one is unreachable. `bend_hint` (columns,) is the direction in which a saddle is
    left, where `may_bend` (frames,) allows it. `largest_stiffness` is the largest stiffness by whose root a column was
    scaled. `descent_trust` (frames,) is the radius within which the descent of an objective is kept if it can be.
    """
    longest = LONGEST_STEP * float(np.sqrt(largest_stiffness))
    some = np.flatnonzero(strict < levels.count)
    step, basis, unreachable_level = _strict_step(levels, strict if some.size else None, longest)
    wanted = attraction.after(step)
    if levels.recruited is not None:
        selective = ~levels.recruited.all(axis=1)
        unmet = np.flatnonzero((np.abs(levels.target_error[:, selective]) > SELECTIVE_TRANSIENT).any(axis=1))
        wanted[unmet] = _selective_attraction(levels.at(unmet), strict[unmet], wanted[unmet], basis[unmet])
    rest = _Relaxed(levels.at(some), strict[some], step[some], basis[some]) if some.size else None
    weight = np.ones(len(step))
    if rest is not None:
        weight[some] = rest.weight
        wanted = weight[:, None] * wanted
        wanted[some] += combined(rest.residual, rest.rows)
    gradient = outside(basis, wanted[:, None])[:, 0]
    secants = secants.updated(gradient, basis)
    own = _descent_direction(attraction, weight, rest, some, basis, secants, gradient, descent_trust)
    leaves_saddle = np.zeros(len(step), dtype=bool)
    if rest is not None:
        flat = may_bend[some] & (np.linalg.norm(gradient[some], axis=1) < SADDLE_GRADIENT * rest.error)
        frames = np.flatnonzero(flat)
        if frames.size:
            leaves_saddle[some[frames]] = True
            own[some[frames]] += rest.saddle_step(frames, bend_hint, gradient[some[frames]])
    own = outside(basis, own[:, None])[:, 0]
    multipliers = None if attraction.curvature is None else multipliers_of(levels, strict, wanted)
    return Solution(step, own, gradient, secants, unreachable_level, leaves_saddle, multipliers)


def _descent_direction(
    attraction: Attraction,
    weight: Array,
    rest: _Relaxed | None,
    some: IntArray,
    basis: Array,
    secants: Secants,
    gradient: Array,
    trust: Array | None,
) -> Array:
    """(frames, columns) the step that minimizes the attraction, times its weight (frames,), and the relaxed levels of
    `some` frames, given the direction of their descent `gradient` (frames, columns); for `trust` see
    `objective_step`."""
    if attraction.curvature is None:
        return secants.direction(gradient, _pose_inverse(rest, some, len(weight)), weight)
    curvature = weight[:, None, None] * attraction.curvature
    if rest is not None:
        curvature[some] += rest.rows.swapaxes(1, 2) @ rest.rows
        np.einsum("fcc->fc", curvature)[some] += rest.damping[:, None]
    return objective_step(curvature, basis, secants, gradient, trust)


def _pose_inverse(rest: _Relaxed | None, some: IntArray, frames: int) -> Callable[[Array], Array]:
    """The product of rows (frames, rows, columns) with the inverse Hessian of the distance to a pose and of the relaxed
    levels of `some` frames."""
    if rest is None:
        return lambda rows: rows
    ridge = np.ones(frames)
    ridge[some] = rest.weight + rest.damping

    def inverse(rows: Array) -> Array:
        multiplied = rows / ridge[:, None, None]
        multiplied[some] -= rest.stiffened(multiplied[some])
        return multiplied

    return inverse


def _selective_attraction(levels: PriorityLevels, strict: IntArray, wanted: Array, basis: Array) -> Array:
    """(frames, columns) an attraction in the null space of the strict levels, in which no column moves only to let
    others follow their attraction `wanted` (frames, columns) although a task that it moves does not recruit it.

    Otherwise the pose would relax an arm that is stretched in vain, and the trunk would serve the hand instead. `basis`
    (frames, used rows, columns) spans the rows of the strict levels.
    """
    assert levels.recruited is not None
    withheld = (levels.jacobian != 0.0).any(axis=0) & ~levels.recruited & (levels.level_of_row >= 0)[:, None]
    free = ~withheld.any(axis=0)
    rows = levels.jacobian * free * (levels.level_of_row < strict[:, None])[:, :, None]
    own = outside(RowSpace(rows, rows).basis(), (wanted * free)[:, None])[:, 0]
    return own + outside(basis, (wanted * ~free)[:, None])[:, 0]


class _Relaxed:
    """The rows of some frames from their first unreachable level on: a weighted sum of squares that is minimized in the
    null space of the levels above."""

    def __init__(self, levels: PriorityLevels, strict: IntArray, step: Array, basis: Array) -> None:
        """Take the levels of these frames, the step (some, columns) of the strict ones, and a basis (some, used rows,
        columns) of their row space."""
        depths = levels.level_of_row - strict[:, None]
        error = np.sqrt(np.einsum("fr,fr->f", levels.target_error**2, (depths == 0).astype(np.float64)))
        self.error = np.maximum(error, MET_TOLERANCE)
        """(some,) the norm of the unreachable level's error, which may have been met since."""
        roots = np.sqrt(level_weights(self.error, depths))
        self.weight = np.maximum(level_weights(self.error, levels.count - strict), TINY)
        """(some,) of the attraction."""
        self.rows = outside(basis, levels.jacobian * roots[:, :, None])
        """(some, rows, columns) weighted, in the null space of the strict levels, over their own columns."""
        if levels.recruited is not None:
            self.rows = self.rows * levels.recruited
        self.damping = DAMPING * self.error
        """(some,) the curvature, besides that of the attraction, of directions that no row shows."""
        self.residual = roots * (levels.target_error - times(levels.jacobian, step))
        """(some, rows) weighted."""
        self._own_rows = depths == 0
        self._basis = basis
        self._recruited = levels.recruited
        gram = self.rows @ self.rows.swapaxes(1, 2)
        ridge = self.weight + self.damping
        self._inverse = np.linalg.inv(gram + ridge[:, None, None] * np.eye(gram.shape[1]))

    def stiffened(self, rows: Array) -> Array:
        """By how much the curvature that rows show shortens vectors (some, vectors, columns)."""
        return ((rows @ self.rows.swapaxes(1, 2)) @ self._inverse) @ self.rows

    def saddle_step(self, frames: IntArray, bend_hint: Array, gradient: Array) -> Array:
        """(frames, columns) a step along the hint (columns,) that no row shows, at some of the frames, to the side to
        which the descent direction `gradient` (frames, columns) points."""
        hint = np.broadcast_to(bend_hint, gradient.shape)
        if self._recruited is not None:
            hint = hint * (self._own_rows[frames] @ self._recruited)
        rows = self.rows[frames]
        within = RowSpace(rows, rows).basis()
        away = outside(self._basis[frames], outside(within, hint[:, None]))[:, 0]
        away *= SADDLE_STEP / np.maximum(np.abs(away).max(axis=1, keepdims=True), TINY)
        toward = np.einsum("fc,fc->f", away, gradient) / np.maximum(np.linalg.norm(away, axis=1), TINY)
        return np.where(toward < -SIDE_GRADIENT * self.error[frames], -1.0, 1.0)[:, None] * away


def _strict_step(levels: PriorityLevels, strict: IntArray | None, longest: float) -> tuple[Array, Array, IntArray]:
    """The step (frames, columns) of the levels before `strict` (frames,), None for all; an orthonormal basis (frames,
    rows, columns) of their row space; and (frames,) the first of them whose error it leaves."""
    if strict is not None:
        levels = levels.masked(levels.level_of_row < strict[:, None])
    if levels.recruited is not None:
        return _step_by_level(levels, longest)
    step, basis, regular = _regular_step(levels, longest)
    unreachable_level = np.full(len(step), levels.count)
    others = np.flatnonzero(~regular)
    if others.size:
        step[others], basis[others], unreachable_level[others] = _step_by_level(levels.at(others), longest)
    return step, basis, unreachable_level


def _regular_step(levels: PriorityLevels, longest: float) -> tuple[Array, Array, BoolArray]:
    """The least step that meets all levels at once, a basis of their row space, and in which frames, (frames,), it is
    the strict-priority step.

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
    own_rows = levels.level_of_row[:, None] == np.arange(-1, levels.count)
    regular &= (components**2 @ own_rows <= longest**2).all(axis=1)
    basis = whitener @ jacobian
    return combined(components, basis), basis, regular


def _step_by_level(levels: PriorityLevels, longest: float) -> tuple[Array, Array, IntArray]:
    """The steps of the levels in order, each in the null space of those above; see `_strict_step`."""
    frames, _, columns = levels.jacobian.shape
    step = np.zeros((frames, columns))
    basis = np.zeros((frames, 0, columns))
    unreachable_level = np.full(frames, levels.count)
    for level in range(-1, levels.count):
        rows = levels.rows_of(level)
        if rows.start == rows.stop:
            continue
        jacobian = levels.jacobian[:, rows]
        residual = levels.goal_error[:, rows] - times(jacobian, step)
        projected = outside(basis, jacobian)
        space = RowSpace(projected, jacobian)
        recruited = None if levels.recruited is None else levels.recruited[rows]
        if recruited is None or recruited.all():
            own_step = _damped_step(space, projected, residual, longest)
        else:
            own_step = _recruited_step(recruited, projected, space, basis, residual, longest)
        if level >= 0:
            is_unreachable = _is_unreachable(residual, residual - times(jacobian, own_step))
            unreachable_level = np.where(is_unreachable, np.minimum(unreachable_level, level), unreachable_level)
        step += own_step
        basis = np.concatenate([basis, space.basis()], axis=1)
    return step, basis, unreachable_level


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
