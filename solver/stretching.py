# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels that are out of reach: how near they come, and what they leave to those below.

A Gauss-Newton step ignores second derivatives. That is right while targets can be reached; where one cannot, the body
ends in a posture that is singular to first order: bending a straight arm costs the hand nothing, so a step that knows
only first derivatives straightens the arm for the hand and bends it for the levels below, for ever. Here such a level
takes a Newton step on its Lagrangian (its own curvature and that of everything it must not move), with a small share
for what lies below it. Its best posture is then unique, and the iteration comes to rest there. Derivation:
docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .arrays import Array, IntArray
from .projection import RANK_TOLERANCE, RowSpace, outside, outside_both

UNMET = 0.3
"""A level whose step leaves more than this share of its residual is out of reach."""

MET = 1e-6
"""Unless what it leaves is smaller than this (sizes of the character, or radians)."""

YIELDING = 1e-3
"""How much what lies below an unmet level counts against it. A level that is met yields nothing. One that is not could
always come a hair nearer by contorting the body; this says when that is no longer worth it, and makes the best posture
unique, so that neighbouring frames agree on it."""

FAR = 0.25
"""Sizes of the character, or radians, beyond which a target pulls no harder than from there: what lies below an unmet
level then yields as much to a target at two metres as to one at twenty."""

GRADIENT_DAMPING = 0.5
"""Far from its best posture an unmet level's curvature has directions that bend the wrong way, by less than this share
of the gradient. Vanishing with it, this damping does not slow the end."""


class SecondOrder(Protocol):
    """The second derivatives of a level."""

    def curvature(self, held: IntArray, pull: Array) -> Array:
        """(held, columns, columns) minus the second derivative of pull · rows, for a pull (held, rows) at some frames
        (held,) of the batch."""


class StretchableLevel(Protocol):
    """What this module asks of a level; see `hierarchy.Level`."""

    @property
    def jacobian(self) -> Array: ...
    @property
    def missing(self) -> Array: ...
    @property
    def task_of_row(self) -> IntArray: ...
    @property
    def second_order(self) -> SecondOrder | None: ...


@dataclass(frozen=True, eq=False)
class Stretch:
    """What an unmet level asks for in some frames."""

    frames: IntArray
    """(held,) the frames concerned."""
    step: Array
    """(held, columns)"""
    basis: Array
    """(held, rows, columns) what those of its tasks that are met hold."""
    compliance: Array
    """(held, columns, columns) how freely those below may move what the level has stretched: symmetric, at most one."""

    def eased(self, rows: Array) -> Array:
        """Rows (frames, rows, columns), those of the frames concerned times the compliance."""
        eased = rows.copy()
        eased[self.frames] = rows[self.frames] @ self.compliance
        return eased


def yielding(missing: Array) -> Array:
    """(frames,) what counts against an unmet level from below, given all that it misses, (frames, rows)."""
    return YIELDING * np.maximum(1.0, np.linalg.norm(missing, axis=1) / FAR)


def stretched(
    levels: Sequence[StretchableLevel], held: IntArray, step: Array, basis: Array, unmet: Array, attraction: Array
) -> Stretch:
    """The last of the levels, which is out of reach in some frames (held,).

    `step` (held, columns) is that of the levels above, `basis` (held, spent, columns) what they hold, `unmet` (held,
    rows) what a first-order step leaves, and `attraction` (held, columns) where the pose below wants to go.
    """
    level = levels[-1]
    jacobian = level.jacobian[held]
    missing = level.missing[held] - np.einsum("frc,fc->fr", jacobian, step)
    projected = outside(basis, jacobian)

    met = _met_rows(level.task_of_row, unmet)
    firm = RowSpace(projected * met[:, :, None], jacobian)
    firm_step = _least_squares(firm, projected * met[:, :, None], missing * met)
    spent = firm.basis()
    missing = (missing - np.einsum("frc,fc->fr", jacobian, firm_step)) * ~met
    loose = outside(spent, projected) * ~met[:, :, None]

    everything_held = np.concatenate([basis, spent], axis=1)
    gradient = np.einsum("frc,fr->fc", loose, missing)
    share = yielding(missing)
    whole = gradient + share[:, None] * outside(everything_held, attraction[:, None])[:, 0]
    ridge = share + GRADIENT_DAMPING * np.linalg.norm(whole, axis=1)
    hessian = loose.swapaxes(1, 2) @ loose
    hessian += outside_both(everything_held, _lagrangian_curvature(levels, held, missing))
    diagonal = np.arange(hessian.shape[1])
    hessian[:, diagonal, diagonal] += ridge[:, None]
    inverse = np.linalg.inv(hessian)
    newton = np.einsum("fcd,fd->fc", inverse, gradient)
    return Stretch(held, firm_step + newton, spent, share[:, None, None] * inverse)


def _met_rows(task_of_row: IntArray, unmet: Array) -> Array:
    """(held, rows) true for the rows of tasks that a first-order step meets entirely."""
    met = np.zeros(unmet.shape, dtype=bool)
    for task in np.unique(task_of_row):
        rows = task_of_row == task
        met[:, rows] = np.abs(unmet[:, rows]).max(axis=1, keepdims=True) <= MET
    return met


def _least_squares(space: RowSpace, rows: Array, residual: Array) -> Array:
    """(held, columns) the smallest step that gives some rows what they miss."""
    inverse = space.alive / np.where(space.alive, space.squares, 1.0)
    components = np.einsum("frk,fr->fk", space.directions, residual) * inverse
    return np.einsum("frc,frk,fk->fc", rows, space.directions, components)


def _lagrangian_curvature(levels: Sequence[StretchableLevel], held: IntArray, missing: Array) -> Array:
    """(held, columns, columns) curvature of the last level's error along what holds the others.

    At rest the pull of the missing rows is balanced by pulls at the rows above, whose own bending then counts too.
    """
    last = levels[-1]
    assert last.second_order is not None
    curvature = last.second_order.curvature(held, missing)
    if len(levels) == 1:
        return curvature
    above = np.concatenate([level.jacobian[held] for level in levels[:-1]], axis=1)
    force = np.einsum("frc,fr->fc", last.jacobian[held], missing)
    gram = np.linalg.pinv(above @ above.swapaxes(1, 2), rcond=RANK_TOLERANCE**2, hermitian=True)
    balance = np.einsum("frs,fsc,fc->fr", gram, above, force, optimize=True)
    first = 0
    for level in levels[:-1]:
        rows = level.jacobian.shape[1]
        if level.second_order is not None:
            curvature = curvature - level.second_order.curvature(held, balance[:, first : first + rows])
        first += rows
    return curvature
