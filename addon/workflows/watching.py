# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows the animator in the viewport: a handle that becomes the active object makes its constraint the active one."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..properties import character_of, constraint_list, constraint_of_point, selecting
from . import activate

_seen: dict[int, int] = {}
"""By the session uid of a scene that of its active object, as last seen: a session uid outlives undo, and is never used
twice."""


@persistent  # type: ignore[untyped-decorator]
def follow_active_object(scene: bpy.types.Scene, depsgraph: Any) -> None:
    """Make the constraint of the active object the active one, if another object has become active."""
    if depsgraph.mode != "VIEWPORT":
        return
    active: Any = depsgraph.view_layer.objects.active
    now = active.session_uid if active is not None else 0
    place = scene.session_uid
    if place not in _seen:
        _forget_gone()  # a file was loaded, or a scene added
    if _seen.get(place) != now:
        _seen[place] = now
        if active is not None:
            activate_handle(scene, active)


def _forget_gone() -> None:
    """Forget scenes that are not in the file."""
    there = {scene.session_uid for scene in bpy.data.scenes}
    for gone in _seen.keys() - there:
        del _seen[gone]


def activate_handle(scene: bpy.types.Scene, handle: bpy.types.Object) -> None:
    """Make the constraint and the point of a handle the active ones; other objects change nothing."""
    found = constraint_of_point(scene, handle)
    if found is None:
        return
    armature, index, point = found
    item = character_of(armature).constraints[index]
    with selecting.paused():
        if item.active_point != point:
            item.active_point = point
    constraint_list.activate(armature, "constraints", index)


def register() -> None:
    """Watch the active object, and go to proposals that are chosen in the list."""
    _seen.clear()
    bpy.app.handlers.depsgraph_update_post.append(follow_active_object)
    selecting.go_to_proposal = activate.jump_to


def unregister() -> None:
    """Watch no more."""
    selecting.go_to_proposal = None
    bpy.app.handlers.depsgraph_update_post.remove(follow_active_object)
