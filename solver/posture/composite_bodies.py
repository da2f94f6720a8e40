# SPDX-License-Identifier: GPL-3.0-or-later
"""Composite bodies: the joints that do not move in a solve, merged with the moving joint that carries them.

Forward kinematics then runs over the moving joints only, and the centre of mass stays exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..body.kinematics import WorldState
from ..body.motion import Motion
from ..body.skeleton import Skeleton
from ..body.tree import Tree
from ..core import rotations
from ..core.arrays import Array, BoolArray, IntArray

CACHED_PARTITIONS = 32
"""Partitions of skeletons that are cached: a clip needs one or two."""


@dataclass(frozen=True, eq=False)
class _Partition:
    """The joints of a skeleton, divided into composite bodies."""

    joints: IntArray
    """(bodies,) the base joint of each body, ascending; the ancestors of base joints are base joints."""
    tree: Tree
    """The hierarchy of the base joints."""
    members: Array
    """(bodies, joints) 1 where a joint belongs to a body, 0 elsewhere."""
    masses: Array
    """(bodies,)"""

    @staticmethod
    def of(skeleton: Skeleton, moving: BoolArray) -> _Partition:
        """The partition whose base joints are the moving joints (joints,), their ancestors, and all roots."""
        is_base = skeleton.tree.ancestry[moving].any(axis=0)
        is_base[0] = True
        is_base |= skeleton.parents < 0
        joints = np.flatnonzero(is_base)
        base = np.arange(len(skeleton))
        for joint in np.flatnonzero(~is_base):
            base[joint] = base[skeleton.parents[joint]]
        parents = skeleton.parents[joints]
        members = (base == joints[:, None]).astype(np.float64)
        tree = Tree(np.where(parents < 0, -1, np.searchsorted(joints, parents)))
        return _Partition(joints, tree, members, members @ skeleton.masses)


@lru_cache(maxsize=CACHED_PARTITIONS)
def _partition(skeleton: Skeleton, moving: bytes) -> _Partition:
    return _Partition.of(skeleton, np.frombuffer(moving, dtype=bool))


@dataclass(frozen=True, eq=False)
class CompositeBodies:
    """The composite bodies of a skeleton in a batch of frames."""

    skeleton: Skeleton
    partition: _Partition
    moments: Array
    """(frames, bodies, 3) first moment of each body's mass about its base joint, in that joint's frame."""

    @staticmethod
    def of(world: WorldState, moving: BoolArray) -> CompositeBodies:
        """The bodies in the frames of a state, given the joints (joints,) that will move."""
        partition = _partition(world.skeleton, np.ascontiguousarray(moving).tobytes())
        from_root = world.positions[:, partition.joints] - world.positions[:, :1]
        moments = partition.members @ world.moments - partition.masses[:, None] * from_root
        base_rotations = world.rotations[:, partition.joints]
        return CompositeBodies(
            world.skeleton, partition, rotations.rotate(rotations.conjugate(base_rotations), moments)
        )

    def at(self, frames: IntArray) -> CompositeBodies:
        """The bodies in some of the frames."""
        return CompositeBodies(self.skeleton, self.partition, self.moments[frames])

    def world(self, motion: Motion) -> WorldState:
        """The state of a motion of these frames that differs from theirs only at base joints.

        World rotations and positions are valid at the base joints only; the centre of mass is valid.
        """
        joints = self.partition.joints
        base_rotations, base_positions = self.partition.tree.accumulate(
            motion.rotations.take(joints, axis=1), motion.translations.take(joints, axis=1)
        )
        world_rotations, positions = np.empty_like(motion.rotations), np.empty_like(motion.translations)
        world_rotations[:, joints], positions[:, joints] = base_rotations, base_positions
        moments = np.zeros_like(positions)
        base_moments = rotations.rotate(base_rotations, self.moments)
        base_moments += self.partition.masses[:, None] * (base_positions - base_positions[:, :1])
        moments[:, joints] = base_moments
        return WorldState(self.skeleton, motion, world_rotations, positions).with_moments(moments)
