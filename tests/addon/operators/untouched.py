# SPDX-License-Identifier: GPL-3.0-or-later
"""All that an operator may change in a file, to see that it has changed nothing."""

from __future__ import annotations

from typing import Any

import bpy

from poise.addon.bridge import versions
from poise.addon.properties import character_of

from ..bridge.rigs import action_values
from ..property_values import property_values


def state() -> dict[str, Any]:
    """Objects with what Poise keeps on them, actions with their keys, what is assigned, the scene's frame."""
    return {
        "objects": {held.name: _object(held) for held in bpy.data.objects},
        "actions": {action.name: (_keys(action), action.use_fake_user) for action in bpy.data.actions},
        "collections": sorted(held.name for held in bpy.data.collections),
        "frame": bpy.context.scene.frame_current_final,
        "active": getattr(bpy.context.view_layer.objects.active, "name", None),
    }


def _object(held: Any) -> Any:
    animation = held.animation_data
    assigned = (getattr(animation.action, "name", None), versions.slot_of(animation)) if animation else None
    tracks = [(track.name, track.mute, len(track.strips)) for track in animation.nla_tracks] if animation else []
    placed = [list(row) for row in held.matrix_basis]
    return assigned, tracks, placed, held.mode, property_values(character_of(held))


def _keys(action: Any) -> Any:
    slots = getattr(action, "slots", None)
    names = [slot.identifier for slot in slots] if slots is not None else [""]
    return {name: action_values(action, name) for name in names}
