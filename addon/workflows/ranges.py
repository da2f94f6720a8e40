# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame ranges of the scene and of the source action, and whether the scene leaves out a part of the action."""

from __future__ import annotations

import math
from typing import Any

import bpy

from .. import bridge
from ..properties import character_of


def action_range(armature: bpy.types.Object) -> tuple[int, int] | None:
    """The first and last whole frame of the source action; None without one."""
    source: Any = bridge.animation_of(armature).source
    if source is None:
        return None
    first, last = source.frame_range
    return math.floor(first), math.ceil(last)


def is_part_of_action(armature: bpy.types.Object) -> bool:
    """Whether the range that the animator has set for solving leaves out a part of the source action."""
    character, keyed = character_of(armature), action_range(armature)
    return bool(character.use_range and keyed and (keyed[0] < character.begin or character.end < keyed[1]))


def range_warning(armature: bpy.types.Object) -> str:
    """A sentence where the scene's range leaves out a part of the source action, else empty.

    It is also empty where the animator has set a range for solving.
    """
    if character_of(armature).use_range:
        return ""
    try:
        keyed = action_range(armature)
    except bridge.BridgeError:  # a deleted source is reported when it is read
        return ""
    scene = bridge.current_scene()
    if keyed is None or (scene.frame_start <= keyed[0] and keyed[1] <= scene.frame_end):
        return ""
    return (
        f"The scene's frames {scene.frame_start} to {scene.frame_end} leave out a part of the action, which has frames "
        f"{keyed[0]} to {keyed[1]}: press Use Action's Range to take all of it."
    )


def use_action_range(armature: bpy.types.Object) -> tuple[int, int]:
    """Set the scene's range to that of the source action, and return it."""
    keyed = action_range(armature)
    if keyed is None:
        raise bridge.BridgeError(f"Armature {armature.name!r} has no action whose range could be taken: assign one.")
    scene = bridge.current_scene()
    scene.frame_start, scene.frame_end = keyed
    return keyed
