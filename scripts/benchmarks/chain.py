# SPDX-License-Identifier: GPL-3.0-or-later
"""The test configuration of Le Callennec 2006, figure 3.8: a bent chain on a fixed base, in a cube full of targets.

Lengths are in metres, and the chain is one metre long: its size, to which damping and goals are relative, is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise import solver
from poise.solver import synthetic
from poise.solver.core.arrays import Array

JOINTS = 20
BEND = 2.0
"""Radians by which the starting posture is bent in all: a straight chain would be singular."""

VOXELS = 10
"""Number of voxels along each edge of the cube."""


@dataclass(frozen=True, eq=False)
class Chain:
    """A chain and its starting pose."""

    skeleton: solver.Skeleton
    start: solver.Pose

    @staticmethod
    def bent(joints: int = JOINTS, kind: synthetic.ChainKind = "ball") -> Chain:
        """A chain of equal bones that starts as an arc."""
        skeleton = synthetic.chain(joints, kind=kind)
        return Chain(skeleton, synthetic.bent(skeleton, BEND))

    def starts(self, frames: int) -> solver.Motion:
        """The starting posture, once for each target."""
        return solver.Motion.from_poses([self.start] * frames)

    def reach_for(self, targets: Array) -> solver.PositionTask:
        """A task that moves the end of the chain to the targets, (3,) or (frames, 3)."""
        tip = self.skeleton.tips[0]
        return solver.PositionTask(tip.joint, targets, offset=tip.offset)


def cube(voxels: int = VOXELS) -> Array:
    """(voxels³, 3) centres of the voxels of a cube of one metre.

    The chain's base is in the middle of the cube's lower face and the straight chain stands in it upright: the upper
    corners are then out of reach.
    """
    places = (np.arange(voxels) + 0.5) / voxels
    across = places - 0.5
    return np.stack(np.meshgrid(across, places, across, indexing="ij"), axis=-1).reshape(-1, 3)


def shortest_distances(targets: Array) -> Array:
    """(frames,) the smallest distance of the chain's end from each target: 0 where it is reachable."""
    return np.maximum(0.0, np.linalg.norm(targets, axis=-1) - 1.0)


def octants(places: Sequence[float] = (0.25, 0.75)) -> Array:
    """(8, 3) centres of the cube's octants: eight goals within reach, all around."""
    low, high = places
    corners = np.array([[x, y, z] for x in (low, high) for y in (low, high) for z in (low, high)])
    return corners - (0.5, 0.0, 0.5)
