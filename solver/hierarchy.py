# SPDX-License-Identifier: GPL-3.0-or-later
"""The strict-priority step: one linear solve in which a level never disturbs those above it (document 003, 3.2.5).

With `Q` an orthonormal basis of the row space that the levels above have spent, a level's Jacobian is projected onto
what is left, its damped least-squares step is added, and `Q` grows by the directions it has used. Only the step is
damped: a damped projector would let lower levels leak into higher ones. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .arrays import Array, BoolArray, IntArray

RANK_TOLERANCE = 1e-5
"""A direction whose singular value is below this fraction of its level's Jacobian counts as lost. The squares that
`eigh` sees carry rounding of about 1e-8 of the Jacobian; three digits above that are safe."""

WELL_CONDITIONED = 0.2
"""Directions in which a turn of one radian moves the level's rows by more than this (sizes of the character, or
radians) are never damped."""

RESIDUAL_DAMPING = 0.5
"""Near a singular posture the second derivative that a Gauss-Newton step ignores is about the residual times a limb's
length. Damping by this share of the residual (in units of the character's size) stands in for it: a stretched arm then
settles in a few steps instead of swinging about its singular posture, and damping vanishes with the residual."""

UNMET = 0.3
"""A level whose step leaves more than this share of its residual is out of reach."""

MET = 1e-6
"""Unless what it leaves is smaller than this (sizes of the character, or radians)."""

YIELDING = 2e-4
"""How much what lies below an unmet level counts against it. A level that is met yields nothing. One that is not could
always come a hair nearer by contorting the body; this says when that is no longer worth it, and makes the best posture
unique, so that neighbouring frames agree on it."""

GRADIENT_DAMPING = 0.5
"""Far from its best posture an unmet level's curvature has directions that bend the wrong way, by less than this share
of the gradient. Vanishing with it, this damping does not slow the end."""

FIRM = 0.1
"""Directions of an unmet level above this fraction of its Jacobian are as untouchable for those below as a met one's."""

_TINY = float(np.finfo(np.float64).tiny)


class SecondOrder(Protocol):
    """The second derivatives of a level, for some frames (held,) of its batch."""

    def curvature(self, held: IntArray, pull: Array) -> Array:
        """(held, columns, columns) minus the second derivative of pull · rows, for a pull (held, rows)."""

    def goal_stiffness(self, held: IntArray) -> Array:
        """(held, rows, rows) how the residual gives way as the rows move: the identity, except for intermediate goals,
        which recede along the way to the target and turn about it."""


@dataclass(frozen=True, eq=False)
class Level:
    """All tasks of one priority, stacked. Rows and columns are already scaled to pure numbers."""

    jacobian: Array
    """(frames, rows, columns)"""
    residual: Array
    """(frames, rows) what is missing."""
    recruited: BoolArray | None = None
    """(rows, columns) which columns may move for each row; None where all that serve it may."""
    second_order: SecondOrder | None = None
    """What a level that is out of reach must know about itself; None where it does not matter."""


@dataclass(frozen=True, eq=False)
class Attraction:
    """What everything below the levels should move toward."""

    velocity: Array
    """(frames, columns)"""
    columns: BoolArray
    """(columns,) where it has a say."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What the levels ask for."""

    step: Array
    """(frames, columns)"""
    basis: Array
    """(frames, spent, columns): rows are orthonormal or zero and span what the levels hold."""
    unmet_level: IntArray
    """(frames,) the first level that is out of reach; the number of levels where none is."""


@dataclass(frozen=True, eq=False)
class Resistance:
    """How little an unmet level lets those below move what it has stretched."""

    frames: IntArray
    """(held,) the frames concerned; in the others nothing resists."""
    compliance: Array
    """(held, columns, columns) symmetric, at most the identity."""

    def eased(self, rows: Array) -> Array:
        """Rows (frames, rows, columns) times the compliance."""
        eased = rows.copy()
        eased[self.frames] = rows[self.frames] @ self.compliance
        return eased


def prioritized_step(
    levels: Sequence[Level],
    frames: int,
    columns: int,
    attraction: Attraction | None = None,
    damping: float | None = None,
) -> Solution:
    """The step of all levels, the most important first, and then toward the attraction.

    `damping` is a fixed factor for every direction, as the document has it; None chooses it per frame and direction
    from the singular value and the residual, and gives unmet levels their second derivatives.
    """
    step = np.zeros((frames, columns))
    basis = np.zeros((frames, 0, columns))
    resistance: Resistance | None = None
    unmet_level = np.full(frames, len(levels))
    for depth, level in enumerate(levels):
        residual = level.residual - np.einsum("frc,fc->fr", level.jacobian, step)
        projected = outside(basis, level.jacobian)
        scale = np.sqrt(np.einsum("frc,frc->f", level.jacobian, level.jacobian))
        squares, directions = np.linalg.eigh(projected @ projected.swapaxes(1, 2))
        alive = squares > (RANK_TOLERANCE * scale[:, None]) ** 2
        if level.recruited is None and resistance is None:
            coefficients = _damped(squares, alive, directions, directions, residual, damping)
            own_step = np.einsum("frc,fr->fc", projected, coefficients)
        else:
            own_step = _held_back_step(level, projected, basis, resistance, residual, scale, damping)
        if damping is None and level.second_order is not None:
            unmet = residual - np.einsum("frc,fc->fr", level.jacobian, own_step)
            left = np.abs(unmet).max(axis=1, initial=0.0)
            out_of_reach = (left > MET) & (left > UNMET * np.abs(residual).max(axis=1, initial=0.0))
            # A level below an unmet one has that one's leave only: its own second derivatives no longer matter.
            held = np.flatnonzero(out_of_reach & (unmet_level == len(levels)))
            if held.size:
                unmet_level[held] = depth
                curvature = _lagrangian_curvature(levels[: depth + 1], held, unmet[held])
                stiffness = level.second_order.goal_stiffness(held)
                alive[held] &= squares[held] > (FIRM * scale[held, None]) ** 2
                firm = alive[held, :, None] * (directions[held].swapaxes(1, 2) @ projected[held])
                firm /= np.sqrt(np.where(alive[held], squares[held], 1.0))[:, :, None]
                pull = np.zeros((held.size, columns)) if attraction is None else attraction.velocity[held]
                pull = outside(firm, outside(basis[held], pull[:, None]))[:, 0]
                newton, compliance = _newton(projected[held], residual[held], stiffness, basis[held], curvature, pull)
                if level.recruited is None:
                    own_step[held] = newton
                resistance = _joined(resistance, Resistance(held, compliance))
        step += own_step
        lengths = np.sqrt(np.where(alive, squares, 1.0))
        spent = (directions.swapaxes(1, 2) @ projected) * (alive / lengths)[:, :, None]
        basis = np.concatenate([basis, spent], axis=1)
    if attraction is not None:
        step += _attracted(step, basis, resistance, attraction)
    return Solution(step, basis, unmet_level)


def _attracted(step: Array, basis: Array, resistance: Resistance | None, attraction: Attraction) -> Array:
    """What the attraction adds to a step, within what the levels leave free."""
    wanted = (attraction.velocity - step) * attraction.columns
    if resistance is not None:
        # An unmet level's step has already counted the attraction's own weight.
        wanted[resistance.frames] = attraction.velocity[resistance.frames] * attraction.columns
        wanted = resistance.eased(wanted[:, None])[:, 0]
    return outside(basis, wanted[:, None])[:, 0]


def _lagrangian_curvature(levels: Sequence[Level], held: IntArray, unmet: Array) -> Array:
    """(held, columns, columns) curvature of the last level's error along what holds the others.

    At rest the pull of the unmet rows is balanced by pulls at the rows above, which bend the way on which they hold.
    """
    last = levels[-1]
    assert last.second_order is not None
    curvature = last.second_order.curvature(held, unmet)
    if len(levels) > 1:
        above = np.concatenate([level.jacobian[held] for level in levels[:-1]], axis=1)
        force = np.einsum("frc,fr->fc", last.jacobian[held], unmet)
        gram = above @ above.swapaxes(1, 2)
        balance = np.einsum("frs,fsc,fc->fr", np.linalg.pinv(gram, rcond=RANK_TOLERANCE**2, hermitian=True), above, force)
        first = 0
        for level in levels[:-1]:
            rows = level.residual.shape[1]
            if level.second_order is not None:
                curvature = curvature - level.second_order.curvature(held, balance[:, first : first + rows])
            first += rows
    return curvature


def _newton(
    projected: Array, residual: Array, stiffness: Array, basis: Array, curvature: Array, attraction: Array
) -> tuple[Array, Array]:
    """An unmet level's step (held, columns), and how freely those below may move, (held, columns, columns).

    Minimizes the level's error to second order, plus `YIELDING` times what lies below, within what is left to it.
    """
    gradient = np.einsum("frc,fr->fc", projected, residual)
    bent = outside(basis, outside(basis, curvature).swapaxes(1, 2))
    hessian = projected.swapaxes(1, 2) @ stiffness @ projected + bent
    whole = gradient + YIELDING * attraction
    ridge = YIELDING + GRADIENT_DAMPING * np.sqrt(np.einsum("fc,fc->f", whole, whole))
    diagonal = np.arange(hessian.shape[1])
    hessian[:, diagonal, diagonal] += ridge[:, None]
    inverse = np.linalg.inv(hessian)
    return np.einsum("fcd,fd->fc", inverse, gradient), YIELDING * inverse


def _joined(first: Resistance | None, second: Resistance) -> Resistance:
    """Two resistances of different frames."""
    if first is None:
        return second
    return Resistance(
        np.concatenate([first.frames, second.frames]), np.concatenate([first.compliance, second.compliance])
    )


def outside(basis: Array, rows: Array) -> Array:
    """Rows (frames, rows, columns) without their components along a basis (frames, spent, columns)."""
    if not basis.shape[1]:
        return rows
    return rows - (rows @ basis.swapaxes(1, 2)) @ basis


def transpose_step(levels: Sequence[Level], gain: float | None = None) -> Array:
    """The Jacobian-transpose step (frames, columns): all tasks at once, no priorities (document 003, 3.3.3).

    `gain` is the fixed factor of the classic method; None takes the one that reduces the linearized error most.
    """
    jacobian = np.concatenate([level.jacobian for level in levels], axis=1)
    residual = np.concatenate([level.residual for level in levels], axis=1)
    pull = np.einsum("frc,fr->fc", jacobian, residual)
    if gain is not None:
        return gain * pull
    moved = np.einsum("frc,fc->fr", jacobian, pull)
    best = np.einsum("fr,fr->f", residual, moved) / np.maximum(np.einsum("fr,fr->f", moved, moved), _TINY)
    return pull * best[:, None]


def _damped(
    squares: Array,
    alive: BoolArray,
    left: Array,
    right: Array,
    residual: Array,
    damping: float | None,
) -> Array:
    """Coefficients (frames, rows) of the damped solution, given the system as left · squares · rightᵀ."""
    if damping is None:
        relative = np.sqrt(np.maximum(squares, 0.0)) / WELL_CONDITIONED
        missing = np.sqrt(np.einsum("fr,fr->f", residual, residual))[:, None]
        damping_squares = RESIDUAL_DAMPING * missing * np.maximum(0.0, 1.0 - relative) ** 2
    else:
        damping_squares = np.full_like(squares, damping**2)
    inverse = alive / np.where(alive, squares + damping_squares, 1.0)
    components = np.einsum("frk,fr->fk", left, residual) * inverse
    return np.einsum("frk,fk->fr", right, components)


def _held_back_step(
    level: Level,
    projected: Array,
    basis: Array,
    resistance: Resistance | None,
    residual: Array,
    scale: Array,
    damping: float | None,
) -> Array:
    """The step of a level in which rows may not move all columns that serve them, or not freely.

    Each row pulls at the columns that it recruits, as far as the levels above let go of them; whatever that would
    disturb above is compensated by the projector, which may use any column that somebody recruits. The small system is
    no longer symmetric, hence the SVD.
    """
    pulling = projected if level.recruited is None else projected * level.recruited
    if resistance is not None:
        pulling = resistance.eased(pulling)
    left, squares, right = np.linalg.svd(projected @ pulling.swapaxes(1, 2))
    alive = squares > (RANK_TOLERANCE * scale[:, None]) ** 2
    coefficients = _damped(squares, alive, left, right.swapaxes(1, 2), residual, damping)
    return outside(basis, np.einsum("frc,fr->fc", pulling, coefficients)[:, None])[:, 0]
