# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of displacements along steady axes, in which they can be compared from frame to frame.

The coordinates of `Columns` are those of each joint's parent. In a capture, a straight limb may turn about itself from
one frame to the next, and the limb below it back: no point of the body moves, but what is constant in the parent's
frame jumps in the world. Steady axes follow the direction of the parent's bone, and do not turn about it. Where a
capture breaks, they do not follow faster than a body can turn.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..body.clip import Clip
from ..core import rotations
from ..core.arrays import Array, IntArray
from .columns import Columns

FASTEST = 40.0
"""Radians a second: faster than pelvis, thigh or shank of a person ever turn."""


class SteadyAxes:
    """The rotations from the coordinates of `Columns` to steady axes, in every frame of a source."""

    def __init__(self, clip: Clip, columns: Columns) -> None:
        self._clip = clip
        self._columns = columns
        dofs = columns.dofs
        self._joints = np.concatenate([dofs.translating, dofs.rotating])
        self._turning = 3 * len(self._joints)

    @cached_property
    def _to_parents(self) -> Array:
        """(frames of the clip, joints with three columns, 3, 3) the rotations from steady axes to those of the
        parents."""
        world, skeleton = self._clip.world, self._columns.skeleton
        actual, parents = world.parent_rotations(self._joints), skeleton.parents[self._joints]
        longest = FASTEST / self._clip.fps
        turned = np.abs(np.einsum("fji,fji->fj", actual[1:], actual[:-1])).min(axis=0, initial=1.0)
        breaks = turned < np.cos(0.5 * min(longest, np.pi))
        is_limb = (parents >= 0) & (skeleton.parents[parents] >= 0)
        bones = world.positions[:, self._joints] - world.positions[:, parents]
        limbs = np.flatnonzero(is_limb & (rotations.lengths(bones).min(axis=0) > 0.0))
        trunk = np.flatnonzero(~is_limb & breaks)  # else the trunk's own axes are steady
        along = rotations.between(bones[:-1, limbs], bones[1:, limbs])
        whole = rotations.quotient(actual[1:, trunk], actual[:-1, trunk])
        followed, turns = np.concatenate([limbs, trunk]), np.concatenate([along, whole], axis=1)
        fast = breaks[followed]
        turns[:, fast] = _shortened(turns[:, fast], longest)
        steady = actual.copy()
        steady[:, followed] = rotations.normalize(_accumulated(np.concatenate([actual[:1, followed], turns])))
        return rotations.to_matrix(rotations.multiply(rotations.conjugate(actual), steady))

    def from_parents(self, values: Array, frames: IntArray) -> Array:
        """(frames, columns) displacements in the coordinates of `Columns`, along steady axes."""
        return self._turned("fjk,fjki->fji", values, frames)

    def in_parents(self, values: Array, frames: IntArray) -> Array:
        """(frames, columns) displacements along steady axes in the coordinates of `Columns`."""
        return self._turned("fjk,fjik->fji", values, frames)

    def _turned(self, product: str, values: Array, frames: IntArray) -> Array:
        own = values[:, : self._turning].reshape(len(values), len(self._joints), 3)
        turned = values.copy()
        turned[:, : self._turning] = np.einsum(product, own, self._to_parents[frames]).reshape(
            len(values), self._turning
        )
        return turned

    def matrices(self, frames: IntArray) -> Array:
        """(frames, columns, columns) with which a Jacobian over the coordinates of `Columns` is multiplied to be over
        those along steady axes; their transposes lead back."""
        return self._columns.turning(self._to_parents[frames])

    def rows_from_parents(self, rows: Array, frames: IntArray) -> Array:
        """(frames, rows, columns) a Jacobian over the coordinates of `Columns`, over those along steady axes."""
        return rows @ self.matrices(frames)

    def metric_from_parents(self, metric: Array, frames: IntArray) -> Array:
        """(frames, columns, columns) a metric of the coordinates of `Columns`, of those along steady axes."""
        matrices = self.matrices(frames)
        return matrices.swapaxes(1, 2) @ metric @ matrices


def _shortened(turns: Array, longest: float) -> Array:
    """(…, 4) rotations, those by larger angles shortened to `longest`."""
    vectors = rotations.log(turns)
    angles = rotations.lengths(vectors)[..., None]
    return rotations.exp(vectors * np.minimum(1.0, longest / np.maximum(angles, longest)))


def _accumulated(turns: Array) -> Array:
    """(frames, …, 4) the product of each rotation with all before it: the last one is the outermost."""
    product, reach = turns.copy(), 1
    while reach < len(product):
        product[reach:] = rotations.multiply(product[reach:], product[:-reach])
        reach *= 2
    return product
