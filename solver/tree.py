# SPDX-License-Identifier: GPL-3.0-or-later
"""The hierarchy of joints as such: who hangs on whom, and the chaining of local transforms into world ones."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from . import rotations
from .arrays import Array, BoolArray, IntArray


class Tree:
    """A forest of joints in which every parent comes before its children."""

    def __init__(self, parents: IntArray) -> None:
        """Take the parent of each joint, (joints,), with -1 for a root; the order must already be parents first."""
        self.parents = parents
        self.depths = np.zeros(len(parents), dtype=np.int64)
        for joint, parent in enumerate(parents):
            if parent >= 0:
                self.depths[joint] = self.depths[parent] + 1

    @cached_property
    def hanging(self) -> IntArray:
        """The joints that have a parent, ascending."""
        return np.flatnonzero(self.parents >= 0)

    @cached_property
    def generations(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """Per depth below the roots: the joints there and their parents, so that a whole generation moves at once."""
        generations = []
        for depth in range(1, int(self.depths.max(initial=0)) + 1):
            joints = np.flatnonzero(self.depths == depth)
            generations.append((joints, self.parents[joints]))
        return tuple(generations)

    @cached_property
    def ancestry(self) -> BoolArray:
        """(joints, joints): entry [j, a] is true where turning joint `a` moves joint `j` (a is j or above it)."""
        ancestry = np.eye(len(self.parents), dtype=bool)
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                ancestry[joint] |= ancestry[parent]
        ancestry.setflags(write=False)
        return ancestry

    def carriers(self, joint: int) -> BoolArray:
        """(joints,) true where turning a joint moves the given one: itself and those above it."""
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
        world_rotations = np.array(local_rotations, dtype=np.float64)
        for joints, parents in self.generations:
            world_rotations[..., joints, :] = rotations.multiply(
                world_rotations[..., parents, :], world_rotations[..., joints, :]
            )
        # Once all rotations are known, all translations turn at once and only their sums go from parent to child.
        world_positions = np.array(local_translations, dtype=np.float64)
        hanging = self.hanging
        world_positions[..., hanging, :] = rotations.rotate(
            world_rotations[..., self.parents[hanging], :], world_positions[..., hanging, :]
        )
        for joints, parents in self.generations:
            world_positions[..., joints, :] += world_positions[..., parents, :]
        return world_rotations, world_positions
