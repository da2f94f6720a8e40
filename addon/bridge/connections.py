# SPDX-License-Identifier: GPL-3.0-or-later
"""Connecting bones to their parents and disconnecting them, which Blender allows only in edit mode."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from . import context
from .errors import BridgeError

_SAME_PLACE = 1e-5
"""A bone's head is at its parent's tail up to this share of the parent's length: single precision."""


def disconnect(armature: bpy.types.Object, names: Iterable[str]) -> None:
    """Disconnect bones from their parents; the rest pose does not change."""
    _set_connected(armature, names, False)


def connect(armature: bpy.types.Object, names: Iterable[str]) -> None:
    """Connect bones to their parents again; names of bones that do not exist are ignored."""
    _set_connected(armature, names, True)


def is_connected(armature: bpy.types.Object, name: str) -> bool:
    """Whether a bone is connected to its parent; false for one that does not exist."""
    assert isinstance(armature.data, bpy.types.Armature)
    bone = context.get_item(armature.data.bones, name)
    return bone is not None and bool(bone.use_connect)


def can_connect(armature: bpy.types.Object, name: str) -> bool:
    """Whether a bone is disconnected from its parent and connecting it would not change the rest pose."""
    assert isinstance(armature.data, bpy.types.Armature)
    bone = context.get_item(armature.data.bones, name)
    if bone is None or bone.parent is None or bone.use_connect:
        return False
    return bool((bone.head_local - bone.parent.tail_local).length <= _SAME_PLACE * bone.parent.length)


def check_connections_editable(armature: bpy.types.Object) -> None:
    """Raise where the armature cannot enter edit mode."""
    data, active = armature.data, context.view_layer().objects.active
    assert data is not None
    if active is not None and active is not armature and active.mode not in ("OBJECT", "POSE"):
        raise BridgeError(f"Leave {active.mode.lower()} mode of {active.name!r} first: bones must be disconnected.")
    if context.is_linked(data) or context.is_override(data):
        raise BridgeError(
            f"Bones of {armature.name!r} must be disconnected to be stretched, but its armature data {data.name!r} is "
            "linked: make it local, or solve without stretching."
        )


def _set_connected(armature: bpy.types.Object, names: Iterable[str], connected: bool) -> None:
    wanted = tuple(names)
    if not wanted:
        return
    view_layer = context.view_layer()
    active = view_layer.objects.active
    selected = [found for found in view_layer.objects if found.select_get(view_layer=view_layer)]
    posing = [found for found in view_layer.objects if found.mode == "POSE"]
    hidden = armature.hide_get(view_layer=view_layer)
    check_connections_editable(armature)
    try:
        armature.hide_set(False, view_layer=view_layer)
        leave_pose_mode(view_layer, posing)
        # Every selected armature would enter edit mode.
        select(view_layer, [])
        view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        assert isinstance(armature.data, bpy.types.Armature)
        for name in wanted:
            bone = context.get_item(armature.data.edit_bones, name)
            if bone is not None:
                bone.use_connect = connected
    finally:
        if armature.mode == "EDIT":
            bpy.ops.object.mode_set(mode="OBJECT")
        _enter_pose_mode(view_layer, posing)
        select(view_layer, selected)
        armature.hide_set(hidden, view_layer=view_layer)
        view_layer.objects.active = active


def leave_pose_mode(view_layer: bpy.types.ViewLayer, posing: list[bpy.types.Object]) -> None:
    """Switch objects from pose mode to object mode."""
    for found in posing:
        # Selected objects leave pose mode together.
        if found.mode == "POSE":
            view_layer.objects.active = found
            bpy.ops.object.mode_set(mode="OBJECT")


def _enter_pose_mode(view_layer: bpy.types.ViewLayer, posing: list[bpy.types.Object]) -> None:
    if posing:
        select(view_layer, posing)
        view_layer.objects.active = posing[0]
        bpy.ops.object.mode_set(mode="POSE")


def select(view_layer: bpy.types.ViewLayer, wanted: list[bpy.types.Object]) -> None:
    """Select these objects and no others."""
    for found in view_layer.objects:
        if found.select_get(view_layer=view_layer) != (found in wanted):
            found.select_set(found in wanted, view_layer=view_layer)
