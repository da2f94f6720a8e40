# SPDX-License-Identifier: GPL-3.0-or-later
"""The hierarchy of joints, and the chaining of local transforms into world transforms."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray

FEW = 128
"""Rotations up to which the number of NumPy calls decides the time of chaining them."""


class Tree:
    """A forest of joints in which every parent comes before its children."""

    def __init__(self, parents: IntArray) -> None:
        """Take the parent of each joint, (joints,), with -1 for a root; the order must already be parents first."""
        self.parents = parents
        self.has_parent: BoolArray = parents >= 0
        """(joints,)"""
        self.depths = np.zeros(len(parents), dtype=np.int64)
        for joint, parent in enumerate(parents):
            if parent >= 0:
                self.depths[joint] = self.depths[parent] + 1

    @cached_property
    def generations(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """Per depth below the roots: the joints at that depth and their parents."""
        generations = []
        for depth in range(1, int(self.depths.max(initial=0)) + 1):
            joints = np.flatnonzero(self.depths == depth)
            generations.append((joints, self.parents[joints]))
        return tuple(generations)

    @cached_property
    def _children(self) -> tuple[IntArray, IntArray]:
        """The joints that have a parent, ascending, and their parents."""
        joints = np.flatnonzero(self.parents >= 0)
        return joints, self.parents[joints]

    @cached_property
    def _by_depth(self) -> _ByDepth:
        return _ByDepth(self)

    @cached_property
    def ancestry(self) -> BoolArray:
        """(joints, joints): entry [j, a] is true where joint `a` is joint `j` or an ancestor of it."""
        ancestry = np.eye(len(self.parents), dtype=bool)
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                ancestry[joint] |= ancestry[parent]
        ancestry.setflags(write=False)
        return ancestry

    @cached_property
    def ancestry_matrix(self) -> Array:
        """`ancestry` as numbers, (joints, joints): its product with values sums over each joint and its ancestors."""
        return self.ancestry.astype(np.float64)

    def carriers(self, joint: int) -> BoolArray:
        """(joints,) true for the given joint and its ancestors: rotating them moves it."""
        carriers: BoolArray = self.ancestry[joint]
        return carriers

    def chain(self, joint: int) -> tuple[int, ...]:
        """The joint itself, its parent, and so on up to the root."""
        chain = [joint]
        while self.parents[chain[-1]] >= 0:
            chain.append(int(self.parents[chain[-1]]))
        return tuple(chain)

    def accumulate(self, local_rotations: Array, local_translations: Array) -> tuple[Array, Array]:
        """Chain local transforms into world rotations (…, joints, 4) and positions (…, joints, 3).

        Local rotations (…, joints, 4) and translations (…, joints, 3) are in each parent's frame; those of a root are
        in the world.
        """
        world_rotations = self.chained(local_rotations)
        return world_rotations, self.placed(world_rotations, local_translations)

    def chained(self, turns: Array) -> Array:
        """(…, joints, 4) for each joint the product of all rotations (…, joints, 4) from its root down to its own."""
        if turns.size <= 4 * FEW:
            return self._chained_by_doubling(turns)
        order = self._by_depth
        # Joints lead, sorted by depth: a generation is one block of memory, and so is each of its parents.
        chained = rotations.to_parts(turns.swapaxes(0, -2)[order.joints])
        for generation, parents in order.generations:
            chained[:, generation] = rotations.multiply_parts(chained[:, parents], chained[:, generation])
        return rotations.from_parts(chained)[order.places].swapaxes(0, -2)

    def _chained_by_doubling(self, turns: Array) -> Array:
        """`chained` in fewer, larger products: after each, a joint's product reaches twice as far up."""
        *batch, joints, _ = turns.shape
        chained = np.empty((*batch, joints + 1, 4))
        chained[..., :joints, :], chained[..., joints, :] = turns, rotations.IDENTITY
        for above in self._doublings:
            chained = rotations.multiply(chained[..., above, :], chained)
        return chained[..., :joints, :]

    @cached_property
    def _doublings(self) -> list[IntArray]:
        """(joints + 1,) the ancestors 1, 2, 4 and so on above each joint; the last joint stands for those of roots."""
        above = np.append(np.where(self.parents < 0, len(self.parents), self.parents), len(self.parents))
        doublings = []
        while (above < len(self.parents)).any():
            doublings.append(above)
            above = above[above]
        return doublings

    def placed(self, world_rotations: Array, local_translations: Array) -> Array:
        """(…, joints, 3) world positions, given world rotations (…, joints, 4) and translations as in `accumulate`."""
        steps = local_translations.swapaxes(0, -2).copy()
        children, parents = self._children
        steps[children] = rotations.rotate(world_rotations.swapaxes(0, -2)[parents], steps[children])
        # With all translations in world axes, a joint's position is the sum of those above it: one large product.
        places = self.ancestry_matrix @ steps.reshape(len(steps), math.prod(steps.shape[1:]))
        return places.reshape(steps.shape).swapaxes(0, -2)


class _ByDepth:
    """The joints of a tree sorted by depth."""

    def __init__(self, tree: Tree) -> None:
        self.joints: IntArray = np.argsort(tree.depths, kind="stable")
        """(joints,) roots first, then their children, and so on."""
        self.places: IntArray = np.argsort(self.joints)
        """(joints,) the position of each joint in `joints`."""
        ends = np.cumsum(np.bincount(tree.depths))
        spans = [slice(int(begin), int(end)) for begin, end in pairwise(ends)]
        self.generations = [(span, self.places[tree.parents[self.joints[span]]]) for span in spans]
        """Per depth below the roots: the positions of its joints and of their parents in `joints`."""
