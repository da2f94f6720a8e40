# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones a constraint may move, and how many a new constraint recruits.

A new constraint recruits its limb or the spine, so that a pinned hand does not lift the feet off the ground.
"""

from __future__ import annotations

from typing import Any

import bpy

from ...solver import PoiseError, Skeleton
from .. import bridge, translation
from ..properties import PoiseConstraint, character_of, current_name, name_bone
from ..translation import TranslationError

ROTATION_LEVEL = 1
"""Joints above its own that rotate a hand or a foot: the forearm, which carries the twist of the wrist, or the shin."""

LIMB_BONES = 4
"""Bones above an ankle or a wrist where the limb has not been recognised: shin, thigh, hips, and one for a root."""


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


def step(armature: bpy.types.Object, constraint: PoiseConstraint, more: bool) -> str:
    """Let a constraint move one bone more, further up, or one fewer, and return a sentence about it.

    One bone more than all above its own means all that can help; with listed bones the highest one is added to or
    taken away. Raises where there is none to add or to take away.
    """
    bones = _listed_step(armature, constraint, more) if constraint.recruit == "BONES" else None
    if bones is None:
        _level_step(armature, constraint, more)
        bones = recruited_bones(armature, constraint)
    if constraint.recruit == "ALL":
        return f"{constraint.name} may move all bones that can help."
    if not bones:
        return f"{constraint.name} may move what stands and {constraint.recruit_level} bones above it."
    if len(bones) == 1:
        return f"{constraint.name} may move {bones[0]} alone."
    return f"{constraint.name} may move {len(bones)} bones, up to {bones[-1]}."


def _level_step(armature: bpy.types.Object, constraint: PoiseConstraint, more: bool) -> None:
    above = _bones_above(armature, constraint)
    if constraint.recruit == "ALL":
        if more:
            raise TranslationError(f"{constraint.name} may move all bones already.")
        constraint.recruit, constraint.recruit_level = "LEVEL", max(above - 1, 0)
    elif more and constraint.recruit_level + 1 >= above:
        constraint.recruit = "ALL"
    elif not more and constraint.recruit_level == 0:
        raise TranslationError(f"{constraint.name} may move only its own bone already.")
    else:
        constraint.recruit_level = min(constraint.recruit_level, above) + (1 if more else -1)


def _bones_above(armature: bpy.types.Object, constraint: PoiseConstraint) -> int:
    """How many bones are above that of a constraint; above the ankle or the wrist for a plant."""
    assert armature.pose is not None
    name = current_name(armature, constraint)
    if constraint.kind in ("FOOTPLANT", "HANDPLANT"):
        is_foot = constraint.kind == "FOOTPLANT"
        mark = f"{constraint.foot.lower()}_ankle" if is_foot else f"{constraint.hand.lower()}_wrist"
        marks = (*character_of(armature).landmarks, *character_of(armature).recognised)
        name = next((current_name(armature, each) for each in marks if each.mark == mark), "")
        if not name:
            return LIMB_BONES
    bone: Any = armature.pose.bones.get(name)
    if bone is None:
        raise TranslationError(f"{constraint.name} has no bone of its own: list the bones that it may move instead.")
    return len(bone.parent_recursive)


def _listed_step(armature: bpy.types.Object, constraint: PoiseConstraint, more: bool) -> list[str]:
    """Add the parent of the highest listed bone, or take the highest one away; returns the bones, lowest first."""
    assert armature.pose is not None
    names = [current_name(armature, listed) for listed in constraint.recruited]
    bones = [armature.pose.bones[name] for name in names if name in armature.pose.bones]
    bones.sort(key=lambda bone: -len(bone.parent_recursive))
    if more:
        parent = bones[-1].parent if bones else None
        if parent is None:
            raise TranslationError(f"{constraint.name}: there is no bone above those that it may move.")
        name_bone(armature, constraint.recruited.add(), parent.name)
        return [*(bone.name for bone in bones), parent.name]
    if len(bones) < 2:
        raise TranslationError(f"{constraint.name} may move only one bone already.")
    constraint.recruited.remove(names.index(bones[-1].name))
    return [bone.name for bone in bones[:-1]]


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
