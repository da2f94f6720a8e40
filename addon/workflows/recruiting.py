# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones a constraint may move, and how many a new constraint recruits.

A new constraint recruits its limb or the spine, so that a pinned hand does not lift the feet off the ground.
"""

from __future__ import annotations

from typing import Any

import bpy

from ...solver import PoiseError, Skeleton
from .. import bridge, translation
from ..properties import PoiseConstraint, current_name

ROTATION_LEVEL = 1
"""Joints above its own that rotate a hand or a foot: the forearm, which carries the twist of the wrist, or the shin."""


def recruited_bones(armature: bpy.types.Object, constraint: PoiseConstraint) -> list[str]:
    """The bones that a constraint is limited to, from its own upward; empty where it may move all."""
    assert armature.pose is not None
    if constraint.recruit == "BONES":
        return [current_name(armature, listed) for listed in constraint.recruited]
    if constraint.recruit == "ALL":
        return []
    names: list[str] = []
    bone: Any = armature.pose.bones.get(current_name(armature, constraint))
    while bone is not None and len(names) <= constraint.recruit_level:
        names.append(bone.name)
        bone = bone.parent
    return names


def movable_bones(armature: bpy.types.Object, constraint: PoiseConstraint) -> list[str]:
    """The bones that may move for a constraint: `recruited_bones`, else its bone and all above it, else all bones."""
    assert armature.pose is not None
    recruited = recruited_bones(armature, constraint)
    if recruited:
        return recruited
    bone: Any = armature.pose.bones.get(current_name(armature, constraint))
    if bone is None:
        return [each.name for each in armature.pose.bones]
    return [bone.name, *(above.name for above in bone.parent_recursive)]


class DefaultRecruiting:
    """How many joints new constraints recruit on a character, which is read at a frame."""

    def __init__(self, armature: bpy.types.Object, frame: float) -> None:
        self.skeleton: Skeleton | None = None
        self.reading: bridge.Reading | None = None
        try:
            self.reading = bridge.read(armature, frame, frame)
            self.skeleton = translation.clip_with_settings(armature, self.reading).skeleton
        except PoiseError:
            return  # without a motion, or with a landmark on a deleted bone, constraints recruit all bones

    def apply(self, item: PoiseConstraint, is_rotation: bool) -> None:
        """Let a constraint recruit the limb or the part of the spine that its bone is in.

        One that only rotates a bone of a limb recruits `ROTATION_LEVEL` joints above it at most.
        """
        level = self._level(item.bone, is_rotation)
        if level is not None:
            item.recruit, item.recruit_level = "LEVEL", level

    def _level(self, bone: str, is_rotation: bool) -> int | None:
        """The recruiting level for a bone; None, for all joints, where it is neither in a limb nor above the hips."""
        if self.skeleton is None or bone not in self.skeleton.names:
            return None
        limb_roots, trunk_roots = self._roots(is_rotation)
        joint, above = self.skeleton.index(bone), 0
        while joint >= 0:
            if joint in limb_roots:
                return min(above, ROTATION_LEVEL) if is_rotation else above
            if joint in trunk_roots:
                return above
            joint, above = int(self.skeleton.parents[joint]), above + 1
        return None

    def _roots(self, is_rotation: bool) -> tuple[set[int | None], set[int | None]]:
        """The first joints of the limbs, and that of the spine; for a rotation also that of the neck."""
        assert self.skeleton is not None
        marks = self.skeleton.landmarks
        limbs: set[int | None] = {marks.left_hip, marks.right_hip}
        for side in ("left", "right"):
            clavicle, shoulder, _, _ = marks.arm(side)
            limbs.add(shoulder if clavicle is None else clavicle)
        lowest = set(marks.spine[:1])
        return limbs - {None}, {*lowest, *({marks.neck} if is_rotation else ())} - {None}
