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
from typing import Protocol

import numpy as np

from ..core.arrays import TINY, Array, BoolArray, IntArray
from ..core.row_space import RANK_TOLERANCE, RowSpace, outside, outside_both

UNMET = 0.3
"""A level whose step leaves more than this share of its residual is out of reach."""

MET = 1e-6
"""Unless what it leaves is smaller than this (sizes of the character, or radians)."""

YIELDING = 4e-3
"""How much each level below an unmet one counts against the level above it, and the pose attraction at the end, as a
share of what is missing: so it is the same for a target at two metres and at twenty, and a level that is all but met
yields all but nothing. One that is out of reach could always come a hair nearer by contorting the body; this says when
that is no longer worth it, and makes the best posture unique, so that neighbouring frames agree on it."""

GRADIENT_DAMPING = 0.5
"""Far from its best posture an unmet level's curvature has directions that bend the wrong way, by less than this share
of the gradient. Vanishing with it, this damping does not slow the end."""

SADDLE = 1e-3
"""Directions whose curvature is below minus this share of what is missing lead away from a saddle: such as bending a
straight arm whose hand is pulled toward the shoulder."""

STILL = 1e-3
"""If the gradient along them is below this share of what is missing, it is not enough to leave by."""

SIDE = 1e-5
"""Gradients above this share of what is missing say to which side."""

NUDGE = 0.1
"""Radians by which a saddle is left then."""


class SecondOrder(Protocol):
    """The second derivatives of a level."""

    def at(self, frames: IntArray) -> SecondOrder:
        """Those of some of the frames."""

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
    def recruited(self) -> BoolArray | None: ...
    @property
    def second_order(self) -> SecondOrder | None: ...


def shares(missing: Array, levels: int) -> Array:
    """(frames, levels) what an unmet level and those below it weigh, given how much it misses, (frames,)."""
    relative = missing[:, None] * YIELDING ** np.arange(levels)
    relative[:, 0] = 1.0
    return relative


def stretched_step(
    levels: Sequence[StretchableLevel],
    unmet_level: int,
    held: IntArray,
    step: Array,
    basis: Array,
    unmet: Array,
    attraction: Array,
    hint: Array,
) -> tuple[Array, Array]:
    """What an unmet level and everything below it add to a step, (held, columns), in some frames (held,); and what
    they hold, (held, rows, columns): that of the unmet level's tasks which are met all the same.

    `step` (held, columns) is that of the levels above, `basis` (held, spent, columns) what they hold, `unmet` (held,
    rows) what a first-order step leaves, `attraction` (held, columns) where the pose below everything wants to go, and
    `hint` (columns,) the way to bend where there is nothing else to go by.
    """
    level = levels[unmet_level]
    jacobian = _recruited_rows(level, held)
    missing = level.missing[held] - np.einsum("frc,fc->fr", level.jacobian[held], step)
    projected = outside(basis, jacobian)

    met = _met_rows(level.task_of_row, unmet)
    firm = RowSpace(projected * met[:, :, None], jacobian)
    firm_step = _least_squares(firm, projected * met[:, :, None], missing * met)
    spent = firm.basis()
    above = np.concatenate([basis, spent], axis=1)
    step = step + firm_step

    missing = missing * ~met
    lacking = np.linalg.norm(missing, axis=1)
    below = levels[unmet_level:]
    weights = shares(lacking, len(below) + 1)
    pulls = [
        weights[:, depth, None] * (each.missing[held] - np.einsum("frc,fc->fr", each.jacobian[held], step))
        for depth, each in enumerate(below)
    ]
    pulls[0] = missing
    weighted = weights[:, -1, None] * attraction
    curvature = outside_both(above, _lagrangian_curvature(levels, unmet_level, held, pulls, weighted))

    def solved(rows: list[Array], pulling: list[Array], bent: Array, attraction: Array) -> Array:
        gradient = weights[:, -1, None] * attraction
        hessian = bent.copy()
        for depth, (each, pull) in enumerate(zip(rows, pulling, strict=True)):
            gradient = gradient + np.einsum("frc,fr->fc", each, pull)
            loose = outside(above, each)
            hessian += loose.swapaxes(1, 2) @ (weights[:, depth, None, None] * loose)
        gradient = outside(above, gradient[:, None])[:, 0]
        return _newton(hessian, gradient, weights[:, -1], lacking, above, hint)

    own_rows = jacobian * ~met[:, :, None]
    lower_rows = [_recruited_rows(each, held) for each in below[1:]]
    if level.recruited is None:
        own_step = solved([own_rows, *lower_rows], pulls, curvature, attraction)
    else:
        # What the level itself may move is one question, what those below may do to all that moves it another.
        moving = level.recruited.any(axis=0)
        own_step = solved([own_rows], pulls[:1], curvature * moving[:, None] * moving, np.zeros_like(attraction))
        pulls[0] = np.zeros_like(missing)
        all_rows = level.jacobian[held] * ~met[:, :, None]
        own_step = own_step + solved([all_rows, *lower_rows], pulls, curvature, attraction)
    return firm_step + own_step, spent


def _newton(hessian: Array, gradient: Array, ridge: Array, missing: Array, above: Array, hint: Array) -> Array:
    """(held, columns) the damped Newton step; from a saddle, a nudge off it.

    Directions that bend the wrong way are followed downhill, as if they bent the right way as much.
    """
    values, vectors = np.linalg.eigh(hessian)
    length = np.linalg.norm(gradient, axis=1)
    stiffness = np.abs(values) + (ridge + GRADIENT_DAMPING * length)[:, None]
    along = np.einsum("fck,fc->fk", vectors, gradient)
    components = along / stiffness
    downhill = values < -(SADDLE * missing + ridge)[:, None]
    saddles = np.flatnonzero(downhill.any(axis=1) & (np.linalg.norm(along * downhill, axis=1) < STILL * missing))
    if saddles.size:
        # Where the body is exactly straight there is no first-order way to bend: the hint decides, always the same.
        wish = outside(above[saddles], np.broadcast_to(hint, (len(saddles), 1, len(hint))))[:, 0]
        wanted = np.einsum("fck,fc->fk", vectors[saddles], wish) * downhill[saddles]
        wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), TINY)
        # What little first order there is decides the side, so that an arm that is already bent bends further; but
        # not what might be rounding, or frames that are all but the same would bend to different sides.
        toward = np.sum(wanted * along[saddles], axis=1)
        side = np.where(toward < -SIDE * missing[saddles], -1.0, 1.0)
        components[saddles] += NUDGE * side[:, None] * wanted
    return np.einsum("fck,fk->fc", vectors, components)


def _recruited_rows(level: StretchableLevel, held: IntArray) -> Array:
    """(held, rows, columns) the Jacobian over the columns that may move for each row."""
    rows = level.jacobian[held]
    return rows if level.recruited is None else rows * level.recruited


def _met_rows(task_of_row: IntArray, unmet: Array) -> BoolArray:
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
    return np.einsum("frc,frk,fk->fc", rows, space.directions, components, optimize=True)


def _lagrangian_curvature(
    levels: Sequence[StretchableLevel], unmet_level: int, held: IntArray, pulls: Sequence[Array], attraction: Array
) -> Array:
    """(held, columns, columns) curvature of the unmet and lower levels' errors along what holds the levels above.

    `pulls` (held, rows) are what each level from the unmet one on misses, times its weight, and `attraction` (held,
    columns) is that of the pose. At rest they are balanced by pulls at the rows above, whose own bending then counts.
    """
    columns = attraction.shape[1]
    curvature = np.zeros((len(held), columns, columns))
    force = attraction.copy()
    for lower, pull in zip(levels[unmet_level:], pulls, strict=True):
        force += np.einsum("frc,fr->fc", lower.jacobian[held], pull)
        if lower.second_order is not None:
            part = lower.second_order.curvature(held, pull)
            if lower.recruited is not None:
                moving = lower.recruited.any(axis=0)
                part = part * moving[:, None] * moving
            curvature += part
    if unmet_level == 0 or not levels:
        return curvature
    above = np.concatenate([level.jacobian[held] for level in levels[:unmet_level]], axis=1)
    gram = np.linalg.pinv(above @ above.swapaxes(1, 2), rcond=RANK_TOLERANCE**2, hermitian=True)
    balance = np.einsum("frs,fsc,fc->fr", gram, above, force, optimize=True)
    first = 0
    for level in levels[:unmet_level]:
        rows = level.jacobian.shape[1]
        if level.second_order is not None:
            curvature -= level.second_order.curvature(held, balance[:, first : first + rows])
        first += rows
    return curvature
