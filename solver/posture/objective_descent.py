# SPDX-License-Identifier: GPL-3.0-or-later
"""The descent of an objective in the null space of the strict levels, by its curvature.

The curvature of an objective differs by orders of magnitude between directions: turning a hand displaces much less mass
than bending the back. So a step is not the gradient, as for a pose, but the solution of the quadratic model within the
null space, corrected by secants. Directions that are next to flat are damped. Derivation: docs/derivations.md.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import TINY, Array, IntArray
from ..core.row_space import times
from .levels import PriorityLevels
from .secants import Secants

FLAT = 3e-4
"""Share of its mean by which the curvature is lifted: directions that do not change the objective, such as turning one
of two joints that carry the same mass against the other, then keep still. A hand's own turn has about a thousandth of
the mean. Between 1e-4 and 1e-3 make little difference on edits of the captured walk 02_01, on which it was chosen; with
1e-5 the descent wanders in flat directions."""

LIFTS = 3
"""How often a step is solved at most, with a curvature that is lifted more and more, until it stays within its trust
region. Its flat part is as long as the lift is small, so two further solves nearly always suffice."""

OBJECTIVE_PAIRS = 24
"""Steps that are remembered of the descent of an objective, whose curvature the secants correct in many directions."""

MULTIPLIER_RIDGE = 1e-9
"""Share of its trace by which the Gram matrix of strict rows is lifted for their multipliers, since rows may depend on
each other."""

NULL_SPACE_RIDGE = 1e-14
"""Share of its largest entry by which the Gram matrix of the basis is lifted, since its rows may depend on each other:
just above rounding."""


def objective_step(curvature: Array, basis: Array, secants: Secants, gradient: Array, trust: Array | None) -> Array:
    """(frames, columns) the step that minimizes an objective with a curvature (frames, columns, columns) in the null
    space of a basis (frames, used rows, columns), where `gradient` (frames, columns) is the direction of its descent.

    Where a component exceeds the radius `trust` (frames,), the curvature is lifted further: scaling the step down
    instead would leave nothing to all directions but the flattest. After `LIFTS` solves it may still exceed it.
    """
    lift = FLAT * np.einsum("fcc->f", curvature) / curvature.shape[1] + TINY
    step = np.empty_like(gradient)
    frames = np.arange(len(gradient))
    for _ in range(LIFTS):
        step[frames] = _lifted_step(
            curvature[frames], lift[frames], basis[frames], secants.at(frames), gradient[frames]
        )
        if trust is None:
            break
        excess = np.abs(step[frames]).max(axis=1, initial=0.0) / trust[frames]
        too_long = excess > 1.0
        frames = frames[too_long]
        if not frames.size:
            break
        lift[frames] *= excess[too_long]
    return step


def _lifted_step(curvature: Array, lift: Array, basis: Array, secants: Secants, gradient: Array) -> Array:
    """(frames, columns) the step with a curvature that is lifted in all directions, (frames,)."""
    lifted = curvature.copy()
    np.einsum("fcc->fc", lifted)[:] += lift[:, None]

    def inverse(rows: Array) -> Array:
        return solved_in_null_space(lifted, basis, rows)

    # Pairs along flat directions are used, so what is expected of them is not lifted.
    return secants.direction(gradient, inverse, np.zeros(len(lift)), curvature)


def solved_in_null_space(curvature: Array, basis: Array, rows: Array) -> Array:
    """(frames, rows, columns) the vectors x in the null space of a basis (frames, used rows, columns) for which C x
    equals the given rows within that null space, with C the curvature (frames, columns, columns), positive definite.

    With Q the basis, x = C⁻¹ (row - Qᵀ n), and n makes Q x vanish. Rows of Q may depend on each other, as where a level
    has more rows than its error has directions: then n is one of those that do.
    """
    used = basis.shape[1]
    solved = np.linalg.solve(curvature, np.concatenate([basis, rows], axis=1).swapaxes(1, 2)).swapaxes(1, 2)
    across, solved = solved[:, :used], solved[:, used:]
    gram = across @ basis.swapaxes(1, 2)
    diagonal = np.einsum("frr->fr", gram)
    diagonal[diagonal == 0.0] = 1.0  # rows of zeros, where the rows of levels depend on each other
    diagonal += NULL_SPACE_RIDGE * diagonal.max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(solved - np.linalg.solve(gram, basis @ solved.swapaxes(1, 2)).swapaxes(1, 2) @ across)


def multipliers_of(levels: PriorityLevels, strict: IntArray, descent: Array) -> Array:
    """(frames, rows of tasks) the multipliers of the rows of strict levels: the sum of rows that comes nearest to the
    direction of steepest `descent` (frames, columns) of what is minimized; 0 for the rows of other levels.

    They say by how much what is minimized shrinks, to first order, for each unit of an error that is removed.
    """
    rows = levels.jacobian * (levels.level_of_row < strict[:, None])[:, :, None]
    gram = rows @ rows.swapaxes(1, 2)
    diagonal = np.einsum("frr->fr", gram)
    diagonal += MULTIPLIER_RIDGE * diagonal.sum(axis=1, keepdims=True) + TINY
    multipliers = np.linalg.solve(gram, times(rows, descent)[:, :, None])[:, :, 0]
    return np.asarray(multipliers[:, levels.level_of_row >= 0])
