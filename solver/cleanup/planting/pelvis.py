# SPDX-License-Identifier: GPL-3.0-or-later
"""The pelvis: what carries both legs and the trunk, and may turn a little under the trunk.

Where it turns, the joints that hang on it keep their orientations in the world and are only carried along.
"""

from __future__ import annotations

import numpy as np

from ...body.joints import JointKind
from ...body.motion import Motion
from ...body.skeleton import Skeleton
from ...body.tree import Tree
from ...core.arrays import Array
from ...core.rotations import conjugate, exp, multiply, normalize


class Pelvis:
    """The joints from the lowest one that carries both hips down to these."""

    def __init__(self, skeleton: Skeleton) -> None:
        """Take a character; one whose hips do not hang on one joint that turns freely has no pelvis."""
        tree = skeleton.tree
        hips = [skeleton.landmarks.left_hip, skeleton.landmarks.right_hip]
        chains = [tree.chain(skeleton.index(hip)) for hip in hips if hip is not None]
        common = [joint for joint in chains[0][1:] if joint in chains[1][1:]] if len(chains) == 2 else []
        self.joint = common[0] if common and skeleton.kinds[common[0]] in (JointKind.FREE, JointKind.BALL) else None
        """The joint that turns; None where there is no pelvis."""
        if self.joint is None:
            return
        inside = {joint for chain in chains for joint in chain[1 : chain.index(self.joint) + 1]}
        self.hanging = tuple(j for j in range(len(skeleton)) if skeleton.parents[j] in inside and j not in inside)
        """The joints that hang on it: the hips and the trunk's lowest joint."""
        self._above = sorted({*tree.chain(self.joint), *inside})
        row = {joint: number for number, joint in enumerate(self._above)}
        self._tree = Tree(np.array([row.get(int(skeleton.parents[joint]), -1) for joint in self._above]))
        self._own, self._parent = row[self.joint], row.get(int(skeleton.parents[self.joint]))
        self._parents = [row[int(skeleton.parents[joint])] for joint in self.hanging]

    def turn(self, source: Motion, turn: Array, result: Motion) -> None:
        """Turn the pelvis of a result by rotation vectors (frames, 3) in the world; `source` has it before."""
        frames = np.flatnonzero(turn.any(axis=1))
        if self.joint is None or not frames.size:
            return
        world = self._tree.chained(source.rotations[frames[:, None], self._above])
        by = exp(turn[frames])
        own = by if self._parent is None else _in_frame(by, world[:, self._parent])
        result.rotations[frames, self.joint] = normalize(multiply(own, result.rotations[frames, self.joint]))
        for joint, parent in zip(self.hanging, self._parents, strict=True):
            back = _in_frame(conjugate(by), world[:, parent])
            result.rotations[frames, joint] = normalize(multiply(back, result.rotations[frames, joint]))


def _in_frame(rotation: Array, frame: Array) -> Array:
    """(frames, 4) a rotation of the world in the axes of a frame (frames, 4)."""
    return multiply(multiply(conjugate(frame), rotation), frame)
