# SPDX-License-Identifier: GPL-3.0-or-later
"""Renamed bones: Blender updates the assigned actions, and this module the others.

A renamed bone keeps its index among the bones, which is how old names are matched with new ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from . import versions
from .curves import bone_path, bone_property


def bone_names(armature: bpy.types.Object) -> tuple[str, ...]:
    """The names of all bones in the order of the armature, which renaming does not change."""
    assert isinstance(armature.data, bpy.types.Armature)
    return tuple(bone.name for bone in armature.data.bones)


def renames(before: Sequence[str], armature: bpy.types.Object) -> dict[str, str]:
    """New names by old names, given the former names of all bones; empty where bones were added or removed."""
    now = bone_names(armature)
    if len(now) != len(before):
        return {}
    # A name on both sides was not renamed: there the order of the bones has changed.
    fresh, gone = set(now) - set(before), set(before) - set(now)
    return {old: new for old, new in zip(before, now, strict=True) if old in gone and new in fresh}


def rename_path(path: str, changes: Mapping[str, str]) -> str:
    """A data path with the new name of its bone, where that was renamed."""
    found = bone_property(path)
    return bone_path(changes[found[0]], found[1]) if found is not None and found[0] in changes else path


def rename_in_action(action: bpy.types.Action, slot: str, changes: Mapping[str, str]) -> None:
    """Rename bones in the f-curves and groups of an action, as Blender does where the action is assigned."""
    for curve in versions.curves_of(action, slot):
        path = rename_path(curve.data_path, changes)
        if path == curve.data_path:
            continue
        curve.data_path = path
        if curve.group is not None and curve.group.name in changes:
            curve.group.name = changes[curve.group.name]
