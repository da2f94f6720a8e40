# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints from bones: a joint is at the head of its bone, and has the bone's axes without scale and shear.

All in world space, so the transforms of the object and its parents are included. Bones may be scaled and joints may
not: the effect of a scaled bone on the bones below it becomes part of their translations, so every joint is where its
bone is.
"""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np

from ...solver import BodyPoint, JointKind, Motion, Skeleton, rotations
from .arrays import Array, BoolArray, IntArray
from .limits import kind_and_axis, limits_of
from .posing import BonePose, orientations
from .rig import Rig
from .skins import skin_of

_SAME_PLACE = 1e-4
"""Two bones coincide in the rest pose where they are nearer to each other than this share of their length."""


_MEETS, _MEANINGFUL_TAILS = 0.1, 0.5
"""A tail meets the head of a child where the distance is below this share of the bone's length; and the share of such
bones above which tails are meaningful. In practice it is 0 in armatures from glTF files and from FBX files with other
bone axes, and nearly 1 in all others."""


class Joints:
    """Which bones are joints, in which order, and the parent of each."""

    def __init__(self, rig: Rig, bones: IntArray, parents: IntArray) -> None:
        self.rig = rig
        self.bones = bones
        """(joints,) the bone of each joint; parents come before their children."""
        self.parents = parents
        """(joints,) the parent of each joint among the joints, -1 for a root."""
        self.names = tuple(rig.names[bone] for bone in bones)

    def __len__(self) -> int:
        return len(self.bones)

    @staticmethod
    def all_of(rig: Rig) -> Joints:
        """Every bone is a joint."""
        return Joints(rig, np.arange(len(rig)), rig.parents)

    @staticmethod
    def some_of(rig: Rig, kept: BoolArray, armature: bpy.types.Object) -> Joints:
        """The bones for which `kept` (bones,) is true, each with the nearest joint above it as its parent.

        Deforming bones of a control rig are often children of controls. A joint represents a control whose transform it
        copies, or whose child it is at the same place, and is the parent of other joints in its stead.
        """
        represented_by = _representatives(rig, kept, armature)
        parents: dict[int, int] = {}
        for bone in np.flatnonzero(kept).tolist():
            above = int(rig.parents[bone])
            while above >= 0:
                candidate = above if kept[above] else represented_by.get(above, -1)
                if candidate >= 0 and not _is_above(bone, candidate, parents):
                    break
                above = int(rig.parents[above])
            parents[bone] = candidate if above >= 0 else -1
        bones = list(parents)
        position_of = {bone: position for position, bone in enumerate(bones)} | {-1: -1}
        order = [
            bones[position] for position in _parents_first(np.array([position_of[parents[bone]] for bone in bones]))
        ]
        joint_of = {bone: joint for joint, bone in enumerate(order)} | {-1: -1}
        return Joints(
            rig,
            np.array(order, dtype=np.int64),
            np.array([joint_of[parents[bone]] for bone in order], dtype=np.int64),
        )

    def reparented(self, parents: Mapping[int, int]) -> Joints:
        """The same joints with other parents for some of them, given by joint; sorted so that parents come first."""
        above = self.parents.copy()
        for joint, parent in parents.items():
            above[joint] = parent
        order = _parents_first(above)
        new_index = np.empty(len(order) + 1, dtype=np.int64)
        new_index[order] = np.arange(len(order))
        new_index[-1] = -1
        return Joints(self.rig, self.bones[order], new_index[above[order]])

    # Poses --------------------------------------------------------------------------------------------------------

    def local(self, world_axes: Array, world_heads: Array) -> tuple[Array, Array]:
        """Local rotations (frames, joints, 4) and translations (frames, joints, 3) of joints in world space.

        A joint without a direction, because of a scale of zero, has its rest rotation relative to its parent.
        """
        world, known = orientations(world_axes)
        if not known.all():
            rest, _ = orientations(self.rig.rest_axes[self.bones])
            for joint, parent in enumerate(self.parents):
                lost = ~known[:, joint]
                if lost.any():
                    above = world[lost, parent] @ rest[parent].T if parent >= 0 else np.eye(3)
                    world[lost, joint] = above @ rest[joint]
        has_parent = self.parents >= 0
        matrices, translations = world.copy(), world_heads.copy()
        back = world[:, self.parents[has_parent]].swapaxes(-1, -2)
        matrices[:, has_parent] = back @ world[:, has_parent]
        translations[:, has_parent] = (
            back @ (world_heads[:, has_parent] - world_heads[:, self.parents[has_parent]])[..., None]
        )[..., 0]
        return rotations.continuous(rotations.from_matrix(matrices)), translations

    def motion(self, pose: BonePose, world: Array) -> Motion:
        """The motion of the joints, given the pose of all bones in armature space and the object's matrices."""
        mine = BonePose(pose.axes[:, self.bones], pose.heads[:, self.bones]).transformed(world)
        return Motion(*self.local(mine.axes, mine.heads))

    def skeleton(self, world: Array, armature: bpy.types.Object) -> Skeleton:
        """The character in its rest pose, placed by the object's matrix (4, 4)."""
        rig = self.rig
        rest = BonePose(rig.rest_axes[None, self.bones], rig.rest_heads[None, self.bones]).transformed(world[None])
        rest_rotations, offsets = self.local(rest.axes, rest.heads)
        skeleton = Skeleton(
            names=self.names,
            parents=self.parents,
            offsets=offsets[0],
            rest_rotations=rest_rotations[0],
            tips=self._tips(rest),
            up="z",
        )
        kinds, axes = self._kinds(skeleton, armature)
        return skeleton.replace(kinds=kinds, hinge_axes=axes, skin=skin_of(armature, skeleton, world))

    def _tips(self, rest: BonePose) -> tuple[BodyPoint, ...]:
        """The tails at which no joint has its head; none where the tails of the armature are arbitrary."""
        lengths = np.linalg.norm(rest.axes[0, :, :, 1], axis=-1) * self.rig.lengths[self.bones]
        tails = rest.heads[0] + rest.axes[0, :, :, 1] * self.rig.lengths[self.bones, None]
        apart = np.linalg.norm(tails[:, None] - rest.heads[0], axis=-1)
        if not self._tails_have_meaning(rest.heads[0], apart):
            return ()
        free = (apart > _SAME_PLACE * lengths[:, None]).all(axis=1)
        return tuple(BodyPoint(int(joint), (0.0, float(lengths[joint]), 0.0)) for joint in np.flatnonzero(free))

    def _tails_have_meaning(self, heads: Array, apart: Array) -> bool:
        """Whether most bones with one child end where it begins; importers of files without bone lengths invent tails.

        `heads` are (joints, 3), `apart` (joints, joints) are the distances from each tail to each head.
        """
        has_parent = np.flatnonzero(self.parents >= 0)
        above = self.parents[has_parent]
        is_only_child = np.bincount(above, minlength=len(self))[above] == 1
        children, parents = has_parent[is_only_child], above[is_only_child]
        lengths = np.linalg.norm(heads[children] - heads[parents], axis=1)
        meet = apart[parents, children] <= _MEETS * lengths
        return not len(children) or float(meet[lengths > 0.0].mean() if lengths.any() else 1.0) >= _MEANINGFUL_TAILS

    def _kinds(self, skeleton: Skeleton, armature: bpy.types.Object) -> tuple[tuple[JointKind, ...], Array]:
        """The kind of each joint and the axes of hinges (joints, 3), by the axes about which the bones cannot turn."""
        assert armature.pose is not None
        kinds = list(skeleton.kinds)
        axes = np.tile([1.0, 0.0, 0.0], (len(self), 1))
        for joint, name in enumerate(self.names):
            bone = armature.pose.bones[name]
            if kinds[joint] is JointKind.FREE and not all(bone.lock_location):
                continue
            kinds[joint], axes[joint] = kind_and_axis(limits_of(bone).locked)
        hips = skeleton.landmarks.hips
        if hips is not None and self.parents[hips] >= 0 and self._may_move(hips, armature):
            # A root bone moves the whole character about the scene. Edits move the body, so the hips are free instead.
            kinds[hips] = JointKind.FREE
            above = int(self.parents[hips])
            while above >= 0:
                kinds[above] = JointKind.FIXED
                above = int(self.parents[above])
        return tuple(kinds), axes

    def _may_move(self, joint: int, armature: bpy.types.Object) -> bool:
        """Whether no channel of location or rotation of a joint's bone is locked."""
        assert armature.pose is not None
        bone = armature.pose.bones[self.names[joint]]
        return not (self.rig.connected[self.bones[joint]] or any(bone.lock_location) or any(bone.lock_rotation))


def _parents_first(parents: IntArray) -> IntArray:
    """A stable order (n,) of n joints in which each comes after its parent; a parent of -1 is none."""
    order: list[int] = []
    placed: set[int] = set()
    for joint in range(len(parents)):
        chain = []
        above = joint
        while above >= 0 and above not in placed:
            chain.append(above)
            above = int(parents[above])
        placed.update(chain)
        order += reversed(chain)
    return np.array(order, dtype=np.int64)


def _representatives(rig: Rig, kept: BoolArray, armature: bpy.types.Object) -> dict[int, int]:
    """By bone that is no joint, the joint that always coincides with it."""
    assert armature.pose is not None
    found: dict[int, int] = {}
    for bone in np.flatnonzero(kept).tolist():
        for constraint in armature.pose.bones[rig.names[bone]].constraints:
            target = getattr(constraint, "target", None)
            copied = rig.index.get(getattr(constraint, "subtarget", ""), -1)
            if constraint.type == "COPY_TRANSFORMS" and target == armature and copied >= 0 and not kept[copied]:
                found.setdefault(copied, bone)
        above = int(rig.parents[bone])
        if above >= 0 and not kept[above] and _coincide(rig, bone, above):
            found.setdefault(above, bone)
    return found


def _coincide(rig: Rig, bone: int, other: int) -> bool:
    near = _SAME_PLACE * rig.lengths[bone]
    heads = np.linalg.norm(rig.rest_heads[bone] - rig.rest_heads[other])
    tails = [rig.rest_heads[b] + rig.rest_axes[b, :, 1] * rig.lengths[b] for b in (bone, other)]
    return bool(heads < near and np.linalg.norm(tails[0] - tails[1]) < near)


def _is_above(bone: int, candidate: int, parents: dict[int, int]) -> bool:
    """Whether `bone` is the candidate or one of its ancestors, as far as parents are known."""
    while candidate >= 0:
        if candidate == bone:
            return True
        candidate = parents.get(candidate, -1)
    return False
