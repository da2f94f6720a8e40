# SPDX-License-Identifier: GPL-3.0-or-later
"""The second-order step of a level that is unreachable.

A Gauss-Newton step ignores second derivatives. That is right while targets can be reached; where one cannot, the body
ends in a posture that is singular to first order: bending a straight arm does not move the hand, so a step that knows
only first derivatives straightens the arm for the hand and bends it for the levels below, without end. Such a level
takes a Newton step on its Lagrangian instead (its own curvature and that of the levels above, which it must not move),
with a small weight for the levels below. Its best posture is then unique, and the iteration converges to it.
Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.row_space import RANK_TOLERANCE, RowSpace, outside, outside_both
from .levels import PriorityLevel

UNREACHABLE_SHARE = 0.3
"""A level whose step leaves more than this share of its residual is unreachable."""

MET_TOLERANCE = 1e-6
"""Unless what remains is smaller than this (sizes of the character, or radians): then it is met."""

LOWER_LEVEL_WEIGHT = 4e-3
"""The weight of each level below an unreachable one relative to the level above it, and of the pose attraction at the
end, as a share of the remaining error: so it is the same for a target at two metres and at twenty, and vanishes for a
level that is nearly met. A level that is unreachable could always come slightly nearer by contorting the body; this
weight says when that is no longer worth it, and makes the best posture unique, so that neighbouring frames agree."""

GRADIENT_DAMPING = 0.5
"""The damping, as a share of the length of the gradient. Far from its best posture the Hessian of an unreachable level
has negative eigenvalues, most of whose magnitudes are below this share (observed, not proven). The damping vanishes
with the gradient, so it does not slow the last steps."""

SADDLE = 1e-3
"""Directions whose curvature is below minus this share of the remaining error lead away from a saddle: such as bending
a straight arm whose hand is pulled toward the shoulder."""

FLAT_GRADIENT = 1e-3
"""If the gradient along them is below this share of the remaining error, the Newton step does not leave the saddle."""

SIDE_GRADIENT = 1e-5
"""Gradients above this share of the remaining error decide to which side the saddle is left."""

SADDLE_STEP = 0.1
"""Radians of the step that leaves a saddle."""


def level_weights(error: Array, levels: int) -> Array:
    """(frames, levels) the weights of an unreachable level, which has 1, and of those below it.

    `error` (frames,) is the norm of the unreachable level's error.
    """
    weights = error[:, None] * LOWER_LEVEL_WEIGHT ** np.arange(levels)
    weights[:, 0] = 1.0
    return weights


def unreachable_level_step(
    levels: Sequence[PriorityLevel],
    unreachable_level: int,
    frames: IntArray,
    step: Array,
    used_above: Array,
    remaining: Array,
    attraction: Array,
    bend_hint: Array,
) -> tuple[Array, Array]:
    """What an unreachable level and everything below it add to the step of some frames (some,) of the batch.

    `step` (some, columns) is that of the levels above, `used_above` (some, used rows, columns) an orthonormal basis of
    their row space, `remaining` (some, rows) what a first-order step leaves of the level's residual, `attraction`
    (some, columns) the velocity toward the reference pose, and `bend_hint` (columns,) the direction in which to leave a
    saddle where no gradient decides.

    Returns the added step (some, columns) and a basis (some, rows, columns) of the rows of those tasks of the level
    that can be met.
    """
    level = levels[unreachable_level]
    jacobian = _recruited_rows(level, frames)
    error = level.target_error[frames] - np.einsum("frc,fc->fr", level.jacobian[frames], step)
    projected = outside(used_above, jacobian)

    met = _met_rows(level.task_of_row, remaining)
    met_space = RowSpace(projected * met[:, :, None], jacobian)
    met_step = _least_squares(met_space, projected * met[:, :, None], error * met)
    used_rows = met_space.basis()
    all_used_rows = np.concatenate([used_above, used_rows], axis=1)
    step = step + met_step

    error = error * ~met
    error_norm = np.linalg.norm(error, axis=1)
    from_here_down = levels[unreachable_level:]
    weights = level_weights(error_norm, len(from_here_down) + 1)
    pulls = [
        weights[:, depth, None] * (each.target_error[frames] - np.einsum("frc,fc->fr", each.jacobian[frames], step))
        for depth, each in enumerate(from_here_down)
    ]
    pulls[0] = error
    weighted_attraction = weights[:, -1, None] * attraction
    curvature = outside_both(
        all_used_rows, _lagrangian_curvature(levels, unreachable_level, frames, pulls, weighted_attraction)
    )

    def newton_step(rows: list[Array], pulls: list[Array], curvature: Array, attraction: Array) -> Array:
        """(some, columns) for rows (some, rows, columns) and weighted errors (some, rows) of each level from the
        unreachable one down."""
        gradient = weights[:, -1, None] * attraction
        hessian = curvature.copy()
        for depth, (each, pull) in enumerate(zip(rows, pulls, strict=True)):
            gradient = gradient + np.einsum("frc,fr->fc", each, pull)
            projected_rows = outside(all_used_rows, each)
            hessian += projected_rows.swapaxes(1, 2) @ (weights[:, depth, None, None] * projected_rows)
        gradient = outside(all_used_rows, gradient[:, None])[:, 0]
        return _newton(hessian, gradient, weights[:, -1], error_norm, all_used_rows, bend_hint)

    own_rows = jacobian * ~met[:, :, None]
    lower_rows = [_recruited_rows(each, frames) for each in from_here_down[1:]]
    if level.recruited is None:
        own_step = newton_step([own_rows, *lower_rows], pulls, curvature, attraction)
    else:
        # First the level itself with the columns that it recruits, then those below with all columns that move it.
        moving = level.recruited.any(axis=0)
        own_step = newton_step([own_rows], pulls[:1], curvature * moving[:, None] * moving, np.zeros_like(attraction))
        pulls[0] = np.zeros_like(error)
        all_rows = level.jacobian[frames] * ~met[:, :, None]
        own_step = own_step + newton_step([all_rows, *lower_rows], pulls, curvature, attraction)
    return met_step + own_step, used_rows


def _newton(hessian: Array, gradient: Array, ridge: Array, error: Array, used_rows: Array, bend_hint: Array) -> Array:
    """(frames, columns) the damped Newton step; at a saddle, a step of `SADDLE_STEP` away from it is added.

    Negative eigenvalues of the Hessian (frames, columns, columns) are replaced by their magnitudes. `ridge` and
    `error`, the norm of the level's error, are (frames,); `used_rows` (frames, used rows, columns) is an orthonormal
    basis of what the step may not move: the levels above, and the tasks of the level that are met.
    """
    values, vectors = np.linalg.eigh(hessian)
    length = np.linalg.norm(gradient, axis=1)
    stiffness = np.abs(values) + (ridge + GRADIENT_DAMPING * length)[:, None]
    along = np.einsum("fck,fc->fk", vectors, gradient)
    components = along / stiffness
    downhill = values < -(SADDLE * error + ridge)[:, None]
    saddles = np.flatnonzero(downhill.any(axis=1) & (np.linalg.norm(along * downhill, axis=1) < FLAT_GRADIENT * error))
    if saddles.size:
        # Where the body is exactly straight no gradient says which way to bend: the hint decides, always the same.
        hint = outside(used_rows[saddles], np.broadcast_to(bend_hint, (len(saddles), 1, len(bend_hint))))[:, 0]
        away = np.einsum("fck,fc->fk", vectors[saddles], hint) * downhill[saddles]
        away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), TINY)
        # A small gradient decides the side, so that an arm that is already bent bends further; but rounding must not,
        # or nearly equal frames would bend to different sides.
        toward = np.sum(away * along[saddles], axis=1)
        side = np.where(toward < -SIDE_GRADIENT * error[saddles], -1.0, 1.0)
        components[saddles] += SADDLE_STEP * side[:, None] * away
    return np.einsum("fck,fk->fc", vectors, components)


def _recruited_rows(level: PriorityLevel, frames: IntArray) -> Array:
    """(some, rows, columns) the Jacobian over the columns that may move for each row, at some frames (some,)."""
    rows = level.jacobian[frames]
    return rows if level.recruited is None else rows * level.recruited


def _met_rows(task_of_row: IntArray, remaining: Array) -> BoolArray:
    """(frames, rows) true for the rows of tasks of which a step leaves nothing; `remaining` is (frames, rows)."""
    met = np.zeros(remaining.shape, dtype=bool)
    for task in np.unique(task_of_row):
        rows = task_of_row == task
        met[:, rows] = np.abs(remaining[:, rows]).max(axis=1, keepdims=True) <= MET_TOLERANCE
    return met


def _least_squares(space: RowSpace, rows: Array, residual: Array) -> Array:
    """(frames, columns) the least step that gives rows (frames, rows, columns) their residual (frames, rows)."""
    inverse = space.alive / np.where(space.alive, space.squares, 1.0)
    components = np.einsum("frk,fr->fk", space.directions, residual) * inverse
    return np.einsum("frc,frk,fk->fc", rows, space.directions, components, optimize=True)


def _lagrangian_curvature(
    levels: Sequence[PriorityLevel], unreachable_level: int, frames: IntArray, pulls: Sequence[Array], attraction: Array
) -> Array:
    """(some, columns, columns) curvature of the Lagrangian of the unreachable level and those below it.

    `pulls` (some, rows) are the weighted errors of each level from the unreachable one on, `attraction` (some, columns)
    the weighted velocity of the pose. At rest they are balanced by multipliers of the rows above, whose curvature then
    counts too.
    """
    columns = attraction.shape[1]
    curvature = np.zeros((len(frames), columns, columns))
    force = attraction.copy()
    for lower, pull in zip(levels[unreachable_level:], pulls, strict=True):
        force += np.einsum("frc,fr->fc", lower.jacobian[frames], pull)
        if lower.second_order is not None:
            part = lower.second_order.curvature(frames, pull)
            if lower.recruited is not None:
                moving = lower.recruited.any(axis=0)
                part = part * moving[:, None] * moving
            curvature += part
    if unreachable_level == 0 or not levels:
        return curvature
    rows_above = np.concatenate([level.jacobian[frames] for level in levels[:unreachable_level]], axis=1)
    gram = np.linalg.pinv(rows_above @ rows_above.swapaxes(1, 2), rcond=RANK_TOLERANCE**2, hermitian=True)
    multipliers = np.einsum("frs,fsc,fc->fr", gram, rows_above, force, optimize=True)
    first = 0
    for level in levels[:unreachable_level]:
        rows = level.jacobian.shape[1]
        if level.second_order is not None:
            curvature -= level.second_order.curvature(frames, multipliers[:, first : first + rows])
        first += rows
    return curvature
