# SPDX-License-Identifier: GPL-3.0-or-later
"""Secants: what the last steps have taught about the curvature of what is minimized (Nocedal 1980).

Each pair is a step and the change of the gradient along it. They correct a given inverse Hessian by the formula of
Broyden, Fletcher, Goldfarb and Shanno, in the compact form of Byrd, Nocedal and Schnabel 1994, for a batch of frames at
once. Derivation: docs/derivations.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Array, BoolArray, IntArray
from ..core.row_space import combined, outside, times

PAIRS = 8
"""Steps that are remembered of a descent to a pose. Between 5 and 12 make no difference."""

LEAST_CURVATURE = 0.3
"""Pairs whose curvature is below this share of that of the attraction alone are not used."""

OWN_SHARE = 0.8
"""Steps of which a smaller share (of the squared length) serves what is minimized say nothing about it."""


@dataclass(frozen=True, eq=False)
class Secants:
    """The last steps of a batch of frames and the changes of the gradient along them."""

    steps: Array
    """(frames, pairs, columns) the latest last; zero where a frame has fewer pairs."""
    changes: Array
    """(frames, pairs, columns) by how much the descent direction has decreased along each."""
    step: Array | None
    """(frames, columns) the last step, whose change is not known yet; zero where it is of no use, None before the
    first."""
    gradient: Array
    """(frames, columns) the descent direction before that step."""
    most: int = PAIRS
    """The number of pairs that are remembered."""

    @staticmethod
    def none(frames: int, columns: int, most: int = PAIRS) -> Secants:
        """No pairs."""
        empty = np.zeros((frames, 0, columns))
        return Secants(empty, empty, None, np.zeros((frames, columns)), most)

    def at(self, frames: IntArray) -> Secants:
        """Those of some of the frames."""
        step = None if self.step is None else self.step[frames]
        return Secants(self.steps[frames], self.changes[frames], step, self.gradient[frames], self.most)

    def put(self, frames: IntArray, other: Secants) -> None:
        """Write the pairs of some frames, (some,), over these, of which there are at least as many."""
        missing = self.steps.shape[1] - other.steps.shape[1]
        for own, others in ((self.steps, other.steps), (self.changes, other.changes)):
            own[frames, :missing] = 0.0
            own[frames, missing:] = others

    def after(self, step: Array, gradient: Array, usable: BoolArray, kept: BoolArray) -> Secants:
        """These pairs with a step (frames, columns) that starts from a descent direction `gradient` (frames, columns).

        The step is `usable` (frames,) where it was taken. Pairs of frames that are not `kept` (frames,) are dropped.
        """
        steps, changes = self.steps, self.changes
        if not kept.all():
            steps, changes = steps * kept[:, None, None], changes * kept[:, None, None]
        return Secants(steps, changes, step * (usable & kept)[:, None], gradient, self.most)

    def updated(self, gradient: Array, basis: Array) -> Secants:
        """These pairs and that of the last step, which has led to the descent direction `gradient` (frames, columns) in
        the null space of a basis."""
        if self.step is None:
            return self
        both = outside(basis, np.stack([self.step, self.gradient], axis=1))
        squares, own_squares = (np.einsum("fc,fc->f", each, each) for each in (self.step, both[:, 0]))
        both[:, 1] -= gradient
        both *= (own_squares > OWN_SHARE * squares)[:, None, None]
        return replace(
            self,
            steps=np.concatenate([self.steps[:, 1 - self.most :], both[:, :1]], axis=1),
            changes=np.concatenate([self.changes[:, 1 - self.most :], both[:, 1:]], axis=1),
        )

    def direction(
        self, gradient: Array, inverse: Callable[[Array], Array], weight: Array, curvature: Array | None = None
    ) -> Array:
        """(frames, columns) the inverse Hessian times a gradient (frames, columns).

        `inverse` multiplies rows (frames, rows, columns) with the inverse Hessian to begin with. The least curvature
        that is expected of it is `weight` (frames,), and `curvature` (frames, columns, columns) if given.
        """
        steps, changes, pairs = self.steps, self.changes, self.steps.shape[1]
        if not pairs:
            return inverse(gradient[:, None])[:, 0]
        expected = weight[:, None] * np.einsum("fpc,fpc->fp", steps, steps)
        if curvature is not None:
            expected += np.einsum("fpc,fpc->fp", steps @ curvature, steps)
        products = steps @ changes.swapaxes(1, 2)
        curvatures = np.einsum("fpp->fp", products)
        used = curvatures > LEAST_CURVATURE * expected
        # Pairs that are not used become rows of the identity, which have no effect.
        factor = np.linalg.inv(np.where(used[:, :, None] & used[:, None], np.triu(products), np.eye(pairs)))
        steps, changes = steps * used[:, :, None], changes * used[:, :, None]
        multiplied = inverse(np.concatenate([changes, gradient[:, None]], axis=1))
        inverse_changes, start = multiplied[:, :pairs], multiplied[:, pairs]
        first = times(factor, times(steps, gradient))
        second = times(changes @ inverse_changes.swapaxes(1, 2), first) + curvatures * used * first
        second = combined(second - times(changes, start), factor)
        return start + combined(second, steps) - combined(first, inverse_changes)
