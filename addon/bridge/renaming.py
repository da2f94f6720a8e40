# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that have been renamed: Blender tells the actions that are assigned, but no other.

A renamed bone keeps its place among the bones, so names from before lead to names of today.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from . import versions
from .curves import bone_path, bone_property


def bone_names(armature: bpy.types.Object) -> tuple[str, ...]:
    """The names of all bones, in the order that renaming leaves alone."""
    assert isinstance(armature.data, bpy.types.Armature)
    return tuple(bone.name for bone in armature.data.bones)


def renames(before: Sequence[str], armature: bpy.types.Object) -> dict[str, str]:
    """New names by old ones, given the names of all bones from before; none where bones were added or removed."""
    now = bone_names(armature)
    if len(now) != len(before):
        return {}
    # A name that exists on both sides has not been renamed: then bones have changed places instead.
    fresh, gone = set(now) - set(before), set(before) - set(now)
    return {old: new for old, new in zip(before, now, strict=True) if old in gone and new in fresh}


def rename_path(path: str, changes: Mapping[str, str]) -> str:
    """A data path in which renamed bones have their new names."""
    found = bone_property(path)
    return bone_path(changes[found[0]], found[1]) if found is not None and found[0] in changes else path


def rename_in_action(action: bpy.types.Action, slot: str, changes: Mapping[str, str]) -> None:
    """Let the f-curves of an action follow renamed bones, as Blender does where the action is assigned."""
    for curve in versions.curves_of(action, slot):
        path = rename_path(curve.data_path, changes)
        if path == curve.data_path:
            continue
        curve.data_path = path
        if curve.group is not None and curve.group.name in changes:
            curve.group.name = changes[curve.group.name]
