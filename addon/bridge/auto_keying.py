# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys what was changed in a pose by the rules of Blender's auto-keying, as its own transform tools do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy

from . import context
from .errors import BridgeError
from .sources import is_result


def is_on() -> bool:
    """Whether Blender keys what is changed in a pose."""
    return bool(_tools().use_keyframe_insert_auto)


def check_keyable(armature: bpy.types.Object) -> None:
    """Raise where auto-keying would key a result of Poise, which the next solve replaces."""
    shown = armature.animation_data.action if armature.animation_data is not None else None
    if is_on() and is_result(shown):
        assert shown is not None
        raise BridgeError(
            f"Auto-keying would write keys to the result {shown.name!r}, which the next solve replaces: apply the "
            "result or restore the source first, or switch auto-keying off."
        )


def key_changes(armature: bpy.types.Object, changes: Mapping[str, Sequence[str]]) -> int:
    """Key the changed properties, given by bone, at the current frame where auto-keying is on.

    Returns how many bones were keyed. The active keying set, "Only Insert Available", "Only Insert Needed", "Replace"
    and the type of new keys are respected.
    """
    assert armature.pose is not None
    bones = [armature.pose.bones[name] for name in changes if name in armature.pose.bones]
    if not bones or not is_on():
        return 0
    keying_set: Any = context.scene().keying_sets_all.active
    if _tools().use_keyframe_insert_keyingset and keying_set is not None:
        return _key_by_set(armature, bones, keying_set)
    options, keytype = _options(), _tools().keyframe_type
    keyed = 0
    for bone in bones:
        made = [
            bone.keyframe_insert(attribute, group=bone.name, options=options, keytype=keytype)
            for attribute in changes[bone.name]
        ]
        keyed += any(made)
    return keyed


def _key_by_set(armature: bpy.types.Object, bones: list[bpy.types.PoseBone], keying_set: Any) -> int:
    """Key bones by a keying set; its own rules say which properties."""
    own: Any = bpy.context
    with own.temp_override(
        active_object=armature, object=armature, active_pose_bone=bones[0], selected_pose_bones=bones
    ):
        done: Any = bpy.ops.anim.keyframe_insert_by_name(type=keying_set.bl_idname)
    return len(bones) if "FINISHED" in done else 0


def _options() -> set[str]:
    """The options of Blender's own auto-keying."""
    tools, edit = _tools(), bpy.context.preferences.edit  # type: ignore[union-attr]
    options = set()
    if edit.use_auto_keyframe_insert_needed:
        options.add("INSERTKEY_NEEDED")
    if edit.use_visual_keying:
        options.add("INSERTKEY_VISUAL")
    if edit.use_keyframe_insert_available:
        options.add("INSERTKEY_AVAILABLE")
    if tools.use_keyframe_cycle_aware:
        options.add("INSERTKEY_CYCLE_AWARE")
    if tools.auto_keying_mode == "REPLACE_KEYS":
        options.add("INSERTKEY_REPLACE")
    return options


def _tools() -> Any:
    return context.scene().tool_settings
