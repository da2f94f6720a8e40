# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins and walls of the posture tool: what stays, and what the body does not pass through."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .. import bridge
from ..properties import PoisePin, character_of, current_name, name_bone


def pin_of(armature: bpy.types.Object, bone: str) -> PoisePin | None:
    """The pin of a bone; None where it has none."""
    pins = character_of(armature).posture.pins
    return next((pin for pin in pins if current_name(armature, pin) == bone), None)


def pinned_bones(armature: bpy.types.Object) -> dict[str, str]:
    """By name of each pinned bone that exists: what of it stays."""
    assert armature.pose is not None
    pins = {current_name(armature, pin): pin.hold for pin in character_of(armature).posture.pins}
    return {name: hold for name, hold in pins.items() if name in armature.pose.bones}


def pin(armature: bpy.types.Object, bones: Sequence[str], hold: str) -> None:
    """Pin bones; those that are pinned already hold what is said now."""
    armature = bridge.check_armature(armature)
    _check_names(armature, bones)
    for bone in bones:
        found = pin_of(armature, bone)
        if found is None:
            found = character_of(armature).posture.pins.add()
            name_bone(armature, found, bone)
        found.hold = hold


def unpin(armature: bpy.types.Object, bones: Sequence[str] | None = None) -> int:
    """Unpin bones, by default all, and return how many were pinned; pins of deleted bones go with them."""
    pins = character_of(armature).posture.pins
    assert armature.pose is not None
    count = 0
    for index in reversed(range(len(pins))):
        name = current_name(armature, pins[index])
        if bones is None or name in bones or name not in armature.pose.bones:
            pins.remove(index)
            count += 1
    return count


def add_wall(armature: bpy.types.Object, wall: bpy.types.Object) -> None:
    """Let the body stay on the side of an object that its local Z points to."""
    walls = character_of(armature).posture.walls
    if wall == armature:
        raise bridge.BridgeError(f"{wall.name!r} cannot be a wall of its own: select a plane or an empty as well.")
    if not any(known.object == wall for known in walls):
        walls.add().object = wall


def _check_names(armature: bpy.types.Object, bones: Sequence[str]) -> None:
    assert armature.pose is not None
    if not bones:
        raise bridge.BridgeError("No bone is selected: select the bones that should stay.")
    for bone in bones:
        if bone not in armature.pose.bones:
            raise bridge.BridgeError(f"Armature {armature.name!r} has no bone {bone!r}.")
