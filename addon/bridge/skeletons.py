# SPDX-License-Identifier: GPL-3.0-or-later
"""From bones to joints: a joint has the head of its bone, and the bone's axes freed from scale and shear.

All in world space, so the object's transform and its parents' are in. Blender's bones may scale, joints may not: what
a scaled bone does to the bones below it stands in their translations, so every joint is where its bone is.
"""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np

from ...solver import BodyPoint, JointKind, Motion, Skeleton, rotations
from .arrays import Array, BoolArray, IntArray
from .posing import Pose, orientations
from .rig import Rig
from .skins import skin_of

_SAME_PLACE = 1e-4
"""Bones are in one place in the rest pose where they are nearer to each other than this share of their length."""


_MEETS, _MEANINGFUL_TAILS = 0.1, 0.5
"""A tail meets the head of a child where it is nearer than this share of the way there; and the share of such bones
from which on tails mean something. It is all or nothing: 0 in armatures from glTF files and from FBX
files with other bone axes, nearly 1 in all others."""


class Joints:
    """Which bones are joints, in which order, and who hangs on whom."""

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
        """Only some bones are joints: each hangs on the nearest one above it, or on one that stands for a bone above.

        Deforming bones of a control rig often hang on controls. A joint stands for a control whose transform it
        copies, or on which it hangs in the very same place.
        """
        stands_for = _stand_ins(rig, kept, armature)
        parents: dict[int, int] = {}
        for bone in np.flatnonzero(kept).tolist():
            above = int(rig.parents[bone])
            while above >= 0:
                candidate = above if kept[above] else stands_for.get(above, -1)
                if candidate >= 0 and not _is_above(bone, candidate, parents):
                    break
                above = int(rig.parents[above])
            parents[bone] = candidate if above >= 0 else -1
        bones = list(parents)
        place_of = {bone: place for place, bone in enumerate(bones)} | {-1: -1}
        order = [bones[place] for place in _parents_first(np.array([place_of[parents[bone]] for bone in bones]))]
        joint_of = {bone: joint for joint, bone in enumerate(order)} | {-1: -1}
        return Joints(
            rig,
            np.array(order, dtype=np.int64),
            np.array([joint_of[parents[bone]] for bone in order], dtype=np.int64),
        )

    def reparented(self, parents: Mapping[int, int]) -> Joints:
        """The same joints, some of which hang on others than before; in an order in which parents come first."""
        above = self.parents.copy()
        for joint, parent in parents.items():
            above[joint] = parent
        order = _parents_first(above)
        place = np.empty(len(order) + 1, dtype=np.int64)
        place[order] = np.arange(len(order))
        place[-1] = -1
        return Joints(self.rig, self.bones[order], place[above[order]])

    # Poses --------------------------------------------------------------------------------------------------------

    def local(self, world_axes: Array, world_heads: Array) -> tuple[Array, Array]:
        """Local rotations (frames, joints, 4) and translations (frames, joints, 3) of joints in world space.

        A joint that a scale of zero has robbed of its direction turns with its parent as in the rest pose.
        """
        world, known = orientations(world_axes)
        if not known.all():
            rest, _ = orientations(self.rig.rest_axes[self.bones])
            for joint, parent in enumerate(self.parents):
                lost = ~known[:, joint]
                if lost.any():
                    above = world[lost, parent] @ rest[parent].T if parent >= 0 else np.eye(3)
                    world[lost, joint] = above @ rest[joint]
        hangs = self.parents >= 0
        turns, shifts = world.copy(), world_heads.copy()
        back = world[:, self.parents[hangs]].swapaxes(-1, -2)
        turns[:, hangs] = back @ world[:, hangs]
        shifts[:, hangs] = (back @ (world_heads[:, hangs] - world_heads[:, self.parents[hangs]])[..., None])[..., 0]
        return rotations.continuous(rotations.from_matrix(turns)), shifts

    def motion(self, pose: Pose, world: Array) -> Motion:
        """The motion of the joints, given the pose of all bones in the armature's space and the object's matrices."""
        mine = Pose(pose.axes[:, self.bones], pose.heads[:, self.bones]).seen_through(world)
        return Motion(*self.local(mine.axes, mine.heads))

    def skeleton(self, world: Array, armature: bpy.types.Object) -> Skeleton:
        """The character in its rest pose, placed by the object's matrix (4, 4)."""
        rig = self.rig
        rest = Pose(rig.rest_axes[None, self.bones], rig.rest_heads[None, self.bones]).seen_through(world[None])
        turns, shifts = self.local(rest.axes, rest.heads)
        skeleton = Skeleton(
            names=self.names,
            parents=self.parents,
            offsets=shifts[0],
            rest_rotations=turns[0],
            tips=self._tips(rest),
            up="z",
        )
        kinds, axes = self._kinds(skeleton, armature)
        return skeleton.replace(kinds=kinds, hinge_axes=axes, skin=skin_of(armature, skeleton, world))

    def _tips(self, rest: Pose) -> tuple[BodyPoint, ...]:
        """The tails at which no other joint has its head; none where the armature's tails mean nothing."""
        lengths = np.linalg.norm(rest.axes[0, :, :, 1], axis=-1) * self.rig.lengths[self.bones]
        tails = rest.heads[0] + rest.axes[0, :, :, 1] * self.rig.lengths[self.bones, None]
        apart = np.linalg.norm(tails[:, None] - rest.heads[0], axis=-1)
        if not self._tails_have_meaning(rest.heads[0], apart):
            return ()
        free = (apart > _SAME_PLACE * lengths[:, None]).all(axis=1)
        return tuple(BodyPoint(int(joint), (0.0, float(lengths[joint]), 0.0)) for joint in np.flatnonzero(free))

    def _tails_have_meaning(self, heads: Array, apart: Array) -> bool:
        """Whether most bones with one child end where it begins: importers of files without bone lengths make tails up.

        `heads` are (joints, 3), `apart` (joints, joints) is how far each tail is from each head.
        """
        hangs = np.flatnonzero(self.parents >= 0)
        above = self.parents[hangs]
        is_only_child = np.bincount(above, minlength=len(self))[above] == 1
        children, parents = hangs[is_only_child], above[is_only_child]
        lengths = np.linalg.norm(heads[children] - heads[parents], axis=1)
        meet = apart[parents, children] <= _MEETS * lengths
        return not len(children) or float(meet[lengths > 0.0].mean() if lengths.any() else 1.0) >= _MEANINGFUL_TAILS

    def _kinds(self, skeleton: Skeleton, armature: bpy.types.Object) -> tuple[tuple[JointKind, ...], Array]:
        """How each joint moves, and the axis of hinges: locks of a bone's rotation hold for the solver too."""
        assert armature.pose is not None
        kinds = list(skeleton.kinds)
        axes = np.tile([1.0, 0.0, 0.0], (len(self), 1))
        for joint, name in enumerate(self.names):
            bone = armature.pose.bones[name]
            locks = tuple(bone.lock_rotation)
            if kinds[joint] is JointKind.FREE and not all(bone.lock_location):
                continue
            kinds[joint] = (JointKind.BALL, JointKind.BALL, JointKind.HINGE, JointKind.FIXED)[sum(locks)]
            if kinds[joint] is JointKind.HINGE:
                axes[joint] = np.eye(3)[locks.index(False)]
        hips = skeleton.landmarks.hips
        if hips is not None and self.parents[hips] >= 0 and self._may_move(hips, armature):
            # A root below the body carries it about the scene: edits belong to the body, so the hips are free instead.
            kinds[hips] = JointKind.FREE
            above = int(self.parents[hips])
            while above >= 0:
                kinds[above] = JointKind.FIXED
                above = int(self.parents[above])
        return tuple(kinds), axes

    def _may_move(self, joint: int, armature: bpy.types.Object) -> bool:
        """Whether a joint's bone is free to move and to turn, in every channel."""
        assert armature.pose is not None
        bone = armature.pose.bones[self.names[joint]]
        return not (self.rig.connected[self.bones[joint]] or any(bone.lock_location) or any(bone.lock_rotation))


def _parents_first(parents: IntArray) -> IntArray:
    """(n,) an order of n joints in which each comes after its parent, and else as before; -1 is no parent."""
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


def _stand_ins(rig: Rig, kept: BoolArray, armature: bpy.types.Object) -> dict[int, int]:
    """For bones that are no joints, the joint that is always where they are."""
    assert armature.pose is not None
    found: dict[int, int] = {}
    for bone in np.flatnonzero(kept).tolist():
        for constraint in armature.pose.bones[rig.names[bone]].constraints:
            target = getattr(constraint, "target", None)
            copied = rig.places.get(getattr(constraint, "subtarget", ""), -1)
            if constraint.type == "COPY_TRANSFORMS" and target == armature and copied >= 0 and not kept[copied]:
                found.setdefault(copied, bone)
        above = int(rig.parents[bone])
        if above >= 0 and not kept[above] and _is_in_the_same_place(rig, bone, above):
            found.setdefault(above, bone)
    return found


def _is_in_the_same_place(rig: Rig, bone: int, other: int) -> bool:
    near = _SAME_PLACE * rig.lengths[bone]
    heads = np.linalg.norm(rig.rest_heads[bone] - rig.rest_heads[other])
    tails = [rig.rest_heads[b] + rig.rest_axes[b, :, 1] * rig.lengths[b] for b in (bone, other)]
    return bool(heads < near and np.linalg.norm(tails[0] - tails[1]) < near)


def _is_above(bone: int, candidate: int, parents: dict[int, int]) -> bool:
    """Whether `bone` is the candidate or above it, as far as parents are known."""
    while candidate >= 0:
        if candidate == bone:
            return True
        candidate = parents.get(candidate, -1)
    return False
