# SPDX-License-Identifier: GPL-3.0-or-later
"""The hierarchy of a character and its joints, bone ends and skin in world space, in one pose."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...core import rotations
from ...core.arrays import Array, ArrayLike, BoolArray, IntArray
from ..joints import BodyPoint
from ..skin import Skin

TIE = 1e-9
"""Distances that differ by less than this share count as equal."""

LONGEST_TIP = 6.0
"""A bone without a child is at most this many times as long as the longest bone between two joints. Files without bone
lengths (glTF) give such bones any length, 15 times that of a thigh and more. In people they are heads, hands and toes;
the bound leaves room for ropes, lamps and other things with few joints."""


def credible_tips(parents: ArrayLike, positions: ArrayLike, tips: Sequence[BodyPoint]) -> tuple[BodyPoint, ...]:
    """The tips, with joint indices, that are no longer than a bone of this skeleton can be.

    `parents` (joints,) and `positions` (joints, 3) are those of the rest pose. Where no bone lies between two joints
    all tips are credible.
    """
    above, places = np.asarray(parents, dtype=np.int64), np.asarray(positions, dtype=np.float64)
    children = np.flatnonzero(above >= 0)
    lengths = np.linalg.norm(places[children] - places[above[children]], axis=1)
    longest = float(lengths.max(initial=0.0))
    if longest == 0.0:
        return tuple(tips)
    return tuple(tip for tip in tips if float(np.linalg.norm(tip.offset)) <= LONGEST_TIP * longest)


@dataclass(frozen=True)
class LimbChain:
    """The joints from the trunk to the end of a limb."""

    joints: tuple[int, ...]
    end: Array
    """(3,) the limb's farthest point, in world space."""


class Figure:
    """Joints, their world transforms and the ends of their bones in one pose.

    A joint without children that only marks where its parent's bone ends (`HeadTop_End`) counts as a tip of its parent,
    not as a joint of a limb. The parent then has no tip besides: the tail that Blender gives its bone may point
    anywhere.
    """

    def __init__(
        self,
        parents: ArrayLike,
        positions: ArrayLike,
        world_rotations: ArrayLike,
        tips: Sequence[BodyPoint],
        up: Literal["y", "z"] = "y",
        named_ends: Collection[int] = (),
        skin: Skin | None = None,
    ) -> None:
        """Take parents (joints,), world positions (joints, 3), world rotations (joints, 4) and tips with joint indices.

        Tips that are not credible are left out. `named_ends` are the joints whose names mark the end of a bone; those
        with children are ignored.
        """
        self.parents: list[int] = np.asarray(parents, dtype=np.int64).tolist()
        self.positions: Array = np.asarray(positions, dtype=np.float64)
        self.rotations: Array = np.asarray(world_rotations, dtype=np.float64)
        self.up: Array = np.array([0.0, 1.0, 0.0] if up == "y" else [0.0, 0.0, 1.0])
        self.children: list[list[int]] = [[] for _ in self.parents]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(joint)
        self._number_subtrees()

        self.ends: frozenset[int] = frozenset(
            joint for joint in named_ends if not self.children[joint] and self.parents[joint] >= 0
        )
        ends = [(self.parents[end], self.positions[end]) for end in sorted(self.ends)]
        has_end = self.ends | {parent for parent, _ in ends}
        own = [
            (int(tip.joint), self.world(int(tip.joint), tip.offset))
            for tip in credible_tips(self.parents, self.positions, tips)
            if tip.joint not in has_end
        ]
        self.tip_joints: IntArray = np.array([joint for joint, _ in own + ends], dtype=np.int64)
        """(tips,) the joint that carries each tip."""
        self.tip_positions: Array = np.reshape([position for _, position in own + ends], (-1, 3))
        """(tips, 3) in world space."""
        self.skin_joints: IntArray = np.zeros(0, dtype=np.int64) if skin is None else skin.joints
        """(points,) the joint that each point of the skin moves with."""
        self.skin_positions: Array = np.zeros((0, 3))
        """(points, 3) in world space."""
        if skin is not None:
            offsets = rotations.rotate(self.rotations[skin.joints], skin.offsets)
            self.skin_positions = self.positions[skin.joints] + offsets

    def __len__(self) -> int:
        return len(self.parents)

    def _number_subtrees(self) -> None:
        """Number the joints depth first, so that a subtree is a run of numbers."""
        self._order: list[int] = []
        self.depths = [0] * len(self.parents)
        for joint, parent in enumerate(self.parents):
            self.depths[joint] = self.depths[parent] + 1 if parent >= 0 else 0
        waiting = [joint for joint in reversed(range(len(self.parents))) if self.parents[joint] < 0]
        while waiting:
            joint = waiting.pop()
            self._order.append(joint)
            waiting.extend(reversed(self.children[joint]))
        self._first = np.empty(len(self.parents), dtype=np.int64)
        self._first[self._order] = np.arange(len(self.parents))
        sizes = [1] * len(self.parents)
        for joint in reversed(range(len(self.parents))):
            if self.parents[joint] >= 0:
                sizes[self.parents[joint]] += sizes[joint]
        self._last = self._first + np.array(sizes, dtype=np.int64)

    # The hierarchy -------------------------------------------------------------------------------------------------

    def above(self, ancestor: int, joint: int) -> bool:
        """Whether `ancestor` is a proper ancestor of `joint`."""
        return bool(self._first[ancestor] < self._first[joint] < self._last[ancestor])

    def within(self, joint: int, ancestor: int) -> bool:
        """Whether `joint` is `ancestor` or a descendant of it."""
        return bool(self._first[ancestor] <= self._first[joint] < self._last[ancestor])

    def subtree(self, joint: int) -> list[int]:
        """The joint and everything below it, depth first."""
        return self._order[int(self._first[joint]) : int(self._last[joint])]

    def path(self, ancestor: int, joint: int) -> list[int]:
        """From `ancestor` down to `joint`, both included; empty where `joint` is no descendant."""
        if not self.within(joint, ancestor):
            return []
        path = [joint]
        while path[-1] != ancestor:
            path.append(self.parents[path[-1]])
        return path[::-1]

    def common_ancestor(self, joints: Sequence[int]) -> int | None:
        """The lowest common ancestor of some joints, possibly one of them; None where there is none."""
        if not joints:
            return None
        ancestor = joints[0]
        while ancestor >= 0 and not all(self.within(joint, ancestor) for joint in joints):
            ancestor = self.parents[ancestor]
        return ancestor if ancestor >= 0 else None

    # Space ---------------------------------------------------------------------------------------------------------

    def world(self, joint: int, offset: ArrayLike) -> Array:
        """Where an offset in a joint's frame is, (3,)."""
        return np.asarray(self.positions[joint] + rotations.rotate(self.rotations[joint], offset))

    def point(self, joint: int, position: Array) -> BodyPoint:
        """The world position (3,) as a point fixed to a joint."""
        local = rotations.rotate(rotations.conjugate(self.rotations[joint]), position - self.positions[joint])
        return BodyPoint(joint, (float(local[0]), float(local[1]), float(local[2])))

    def horizontal(self, vector: Array) -> Array:
        """The part of a vector (…, 3) across the vertical."""
        return np.asarray(vector - (vector @ self.up)[..., None] * self.up)

    def own_tips(self, joint: int) -> Array:
        """(n, 3) ends of the joint's own bones that carry no joint."""
        return np.asarray(self.tip_positions[self.tip_joints == joint])

    def _tips_below(self, joint: int) -> BoolArray:
        return self._are_within(self.tip_joints, joint)

    def _are_within(self, joints: IntArray, ancestor: int) -> BoolArray:
        numbers = self._first[joints]
        return np.asarray((self._first[ancestor] <= numbers) & (numbers < self._last[ancestor]))

    def tips_below(self, joint: int) -> tuple[IntArray, Array]:
        """The joints (n,) that carry the tips of a joint and of everything below it, and where these are (n, 3)."""
        mask = self._tips_below(joint)
        return self.tip_joints[mask], self.tip_positions[mask]

    def skin_below(self, joint: int) -> tuple[IntArray, Array]:
        """The joints (n,) of the skin that moves with a joint or with anything below it, and its points (n, 3)."""
        mask = self._are_within(self.skin_joints, joint)
        return self.skin_joints[mask], self.skin_positions[mask]

    def points_below(self, joint: int) -> Array:
        """(n, 3) positions of the joint, of everything below it and of all their tips."""
        return np.concatenate([self.positions[self.subtree(joint)], self.tip_positions[self._tips_below(joint)]])

    def limb(self, joint: int, through: int | None = None) -> LimbChain:
        """The chain from a joint to the farthest point below it, or below a joint `through` that lies below it."""
        if through is not None:
            outer = self.limb(through)
            return LimbChain((*self.path(joint, through)[:-1], *outer.joints), outer.end)
        joints = [below for below in self.subtree(joint) if below == joint or below not in self.ends]
        mask = self._tips_below(joint)
        owners = np.array([*joints, *self.tip_joints[mask].tolist()], dtype=np.int64)
        points = np.concatenate([self.positions[joints], self.tip_positions[mask]])
        distances = np.linalg.norm(points - self.positions[joint], axis=1)
        farthest = np.flatnonzero(distances >= distances.max() * (1.0 - TIE))
        best = max(farthest.tolist(), key=lambda index: (self.depths[int(owners[index])], -index))
        return LimbChain(tuple(self.path(joint, int(owners[best]))), points[best])
