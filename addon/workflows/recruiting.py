# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones a constraint may move. Nothing here changes anything, so panels may ask."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties import PoiseConstraint, current_name


def recruited_bones(armature: bpy.types.Object, constraint: PoiseConstraint) -> list[str]:
    """The bones that may move for a constraint, from its own upward; empty where all may that can serve it."""
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


def serving_bones(armature: bpy.types.Object, constraint: PoiseConstraint) -> list[str]:
    """As `recruited_bones`, and where all may move that can serve, those from its own bone to the root, or all."""
    assert armature.pose is not None
    named = recruited_bones(armature, constraint)
    if named:
        return named
    bone: Any = armature.pose.bones.get(current_name(armature, constraint))
    if bone is None:
        return [each.name for each in armature.pose.bones]
    return [bone.name, *(above.name for above in bone.parent_recursive)]
