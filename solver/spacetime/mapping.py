# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a simplified character whose handles are nearest to those of the source (Popović 1999, 4.2.7).

First every frame on its own, all at once: Gauss and Newton's method with damping, from the frame's own heading. Then a
smooth curve through the frames.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Array
from .character import ROOT_DOFS, SimplifiedCharacter
from .handles import Handle
from .optimiser_package import require
from .symbolic_body import SymbolicBody

STEPS = 60
DAMPING = 1e-3
"""Added to the normal equations at first, in units of the character; it falls with every step that helps."""
PULL = 2e-3
"""Weight of staying near the middle of the range: values that no handle determines stay there."""
CONVERGED = 1e-10


class HandleValues:
    """The values of handles on a simplified character and their derivatives, at many instants at once."""

    def __init__(self, character: SimplifiedCharacter, handles: Sequence[Handle]) -> None:
        ca = require()
        values = ca.SX.sym("values", len(character))
        body = SymbolicBody(character, values)
        expression = ca.vertcat(*(handle.value(body) for handle in handles))
        self.count = int(expression.shape[0])
        self._values = ca.Function("handles", [values], [ca.densify(expression)])
        self._jacobian = ca.Function("slopes", [values], [ca.densify(ca.jacobian(expression, values))])
        self._dofs = len(character)

    def values(self, motion: Array) -> Array:
        """(instants, values of all handles) of values (instants, dofs)."""
        return np.asarray(self._values.map(len(motion))(motion.T)).T

    def jacobian(self, motion: Array) -> Array:
        """(instants, values of all handles, dofs)"""
        flat = np.asarray(self._jacobian.map(len(motion))(motion.T))
        return flat.reshape(self.count, len(motion), self._dofs).swapaxes(0, 1)


def mapped(
    character: SimplifiedCharacter, handles: Sequence[Handle], weights: Array, targets: Array, start: Array
) -> Array:
    """(frames, dofs) the values whose handles are nearest to `targets` (frames, values of all handles).

    `weights` (values of all handles,) weigh squared distances; `start` (frames, dofs) is where the iteration begins.
    """
    functions = HandleValues(character, handles)
    lower, upper = character.bounds
    middle = np.clip(0.0, lower, upper)
    pull = np.where(np.arange(len(character)) >= ROOT_DOFS, PULL, 0.0)
    motion = np.array(start)
    damping = np.full(len(motion), DAMPING)
    cost = _cost(functions, motion, targets, weights, pull, middle)
    for _ in range(STEPS):
        slopes = functions.jacobian(motion)
        errors = targets - functions.values(motion)
        weighted = slopes * weights[:, None]
        normal = slopes.swapaxes(1, 2) @ weighted + np.diag(pull)
        gradient = np.einsum("fhd,fh->fd", weighted, errors) + pull * (middle - motion)
        step = np.linalg.solve(normal + damping[:, None, None] * np.eye(motion.shape[1]), gradient[..., None])[..., 0]
        tried = motion + step
        tried[:, ROOT_DOFS:] = np.clip(tried[:, ROOT_DOFS:], lower[ROOT_DOFS:], upper[ROOT_DOFS:])
        new = _cost(functions, tried, targets, weights, pull, middle)
        helped = new < cost
        motion = np.where(helped[:, None], tried, motion)
        done = np.max(np.where(helped, cost - new, 0.0)) < CONVERGED
        cost = np.where(helped, new, cost)
        damping = np.where(helped, damping / 4.0, damping * 8.0)
        if done and helped.any():
            break
    motion[:, 3:ROOT_DOFS] = np.unwrap(motion[:, 3:ROOT_DOFS], axis=0)
    return motion


def _cost(functions: HandleValues, motion: Array, targets: Array, weights: Array, pull: Array, middle: Array) -> Array:
    """(frames,) what the mapping minimises."""
    errors = targets - functions.values(motion)
    return np.asarray((weights * errors**2).sum(axis=1) + (pull * (motion - middle) ** 2).sum(axis=1))
