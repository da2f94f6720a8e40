# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that are held at their parent's tail: what Blender lets go and hold only in edit mode."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from . import context
from .errors import BridgeError


def disconnect(armature: bpy.types.Object, names: Iterable[str]) -> None:
    """Let bones leave their parent's tail; the rest pose stays as it is."""
    _set_connected(armature, names, False)


def connect(armature: bpy.types.Object, names: Iterable[str]) -> None:
    """Hold bones at their parent's tail again; bones that are gone are passed over."""
    _set_connected(armature, names, True)


def check_connections_editable(armature: bpy.types.Object) -> None:
    """Raise where edit mode is out of reach."""
    data, active = armature.data, context.view_layer().objects.active
    assert data is not None
    if active is not None and active is not armature and active.mode != "OBJECT":
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
    active, mode = view_layer.objects.active, armature.mode
    selected = [found for found in view_layer.objects if found.select_get(view_layer=view_layer)]
    hidden = armature.hide_get(view_layer=view_layer)
    check_connections_editable(armature)
    try:
        armature.hide_set(False, view_layer=view_layer)
        view_layer.objects.active = armature
        if armature.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        # Edit mode takes every selected armature along.
        for found in selected:
            found.select_set(False, view_layer=view_layer)
        bpy.ops.object.mode_set(mode="EDIT")
        assert isinstance(armature.data, bpy.types.Armature)
        for name in wanted:
            bone = context.named(armature.data.edit_bones, name)
            if bone is not None:
                bone.use_connect = connected
        bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        for found in selected:
            found.select_set(True, view_layer=view_layer)
        if armature.mode != mode:
            bpy.ops.object.mode_set(mode=mode)
        armature.hide_set(hidden, view_layer=view_layer)
        view_layer.objects.active = active
