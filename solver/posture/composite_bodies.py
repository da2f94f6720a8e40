# SPDX-License-Identifier: GPL-3.0-or-later
"""A body of which only some joints move: what hangs on them moves with them, each joint and its lump as one."""

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

DIVISIONS_KEPT = 32
"""Divisions of characters into lumps that are remembered: a clip needs one or two."""


@dataclass(frozen=True, eq=False)
class _Division:
    """The joints of a skeleton as lumps."""

    joints: IntArray
    """(lumps,) the joint that leads each lump, ascending; those above them are among them."""
    tree: Tree
    """The leading joints as such."""
    members: Array
    """(lumps, joints) 1 where a joint belongs to a lump, 0 elsewhere."""
    masses: Array
    """(lumps,)"""

    @staticmethod
    def of(skeleton: Skeleton, leading: BoolArray) -> _Division:
        """With lumps that these joints (joints,), those above them and the joint 0 lead."""
        leads = skeleton.tree.ancestry[leading].any(axis=0)
        leads[0] = True
        leads |= skeleton.parents < 0
        joints = np.flatnonzero(leads)
        leader = np.arange(len(skeleton))
        for joint in np.flatnonzero(~leads):
            leader[joint] = leader[skeleton.parents[joint]]
        parents = skeleton.parents[joints]
        members = (leader == joints[:, None]).astype(np.float64)
        tree = Tree(np.where(parents < 0, -1, np.searchsorted(joints, parents)))
        return _Division(joints, tree, members, members @ skeleton.masses)


@lru_cache(maxsize=DIVISIONS_KEPT)
def _division(skeleton: Skeleton, leading: bytes) -> _Division:
    return _Division.of(skeleton, np.frombuffer(leading, dtype=bool))


@dataclass(frozen=True, eq=False)
class Lumps:
    """A body in the frames of a state, divided into lumps."""

    skeleton: Skeleton
    division: _Division
    moments: Array
    """(frames, lumps, 3) first moment of each lump's mass about its leading joint, in that joint's frame."""

    @staticmethod
    def of(world: WorldState, leading: BoolArray) -> Lumps:
        """The body of a state; all joints but those that lead (joints,), and those above them, hang on these."""
        division = _division(world.skeleton, np.ascontiguousarray(leading).tobytes())
        away = world.positions[:, division.joints] - world.positions[:, :1]
        moments = division.members @ world.moments - division.masses[:, None] * away
        turned = world.rotations[:, division.joints]
        return Lumps(world.skeleton, division, rotations.rotate(rotations.conjugate(turned), moments))

    def at(self, frames: IntArray) -> Lumps:
        """In some of the frames."""
        return Lumps(self.skeleton, self.division, self.moments[frames])

    def world(self, motion: Motion) -> WorldState:
        """The state of a motion of these frames in which only leading joints have moved.

        Only of these it knows rotations and positions; the others' mean nothing. The centre of mass is right.
        """
        joints = self.division.joints
        turned, placed = self.division.tree.accumulate(motion.rotations[:, joints], motion.translations[:, joints])
        world_rotations, positions = np.empty_like(motion.rotations), np.empty_like(motion.translations)
        world_rotations[:, joints], positions[:, joints] = turned, placed
        moments = np.zeros_like(positions)
        own = rotations.rotate(turned, self.moments)
        own += self.division.masses[:, None] * (placed - placed[:, :1])
        moments[:, joints] = own
        return WorldState(self.skeleton, motion, world_rotations, positions).knowing_moments(moments)
