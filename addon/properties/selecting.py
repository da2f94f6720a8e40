# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting the handle of a constraint in the viewport."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..bridge.context import custom_property

EMPTY_MARK = "poise_point"
"""Custom property of the empties that Poise has made. It holds the name that they got: what the animator has renamed or
duplicated has another one."""

_paused = 0
"""How many callers select handles by themselves: meanwhile a change of the active constraint selects none."""

go_to_proposal: Callable[[Any, bpy.types.Object, Any], None] | None = None
"""Shows a proposal that was chosen in the list, given the context, the armature and the proposal; `workflows.watching`
sets it."""


@contextmanager
def paused() -> Iterator[None]:
    """Within it a change of the active constraint, point or proposal selects no handle and goes nowhere."""
    global _paused
    _paused += 1
    try:
        yield
    finally:
        _paused -= 1


def handle_of(item: Any) -> bpy.types.Object | None:
    """The object that gives the active point of a constraint, else its first point; None where there is none."""
    if not len(item.points):
        return None
    index = item.active_point if item.active_point < len(item.points) else 0
    found: bpy.types.Object | None = item.points[index].object
    return found


def follow_active(armature: bpy.types.Object, item: Any, context: Any) -> None:
    """Select the handle of a constraint that has become the active one of an armature."""
    view_layer = getattr(context, "view_layer", None)
    is_shown = view_layer is not None and view_layer.objects.get(armature.name) == armature
    if is_shown and not _paused:
        select_handle(context, handle_of(item))


def follow_proposal(armature: bpy.types.Object, item: Any, context: Any) -> None:
    """Go to a proposal that has become the active one of an armature."""
    if go_to_proposal is not None and not _paused and getattr(context, "scene", None) is not None:
        go_to_proposal(context, armature, item)


def select_handle(context: Any, handle: bpy.types.Object | None, extend: bool = False) -> bool:
    """Make a handle the active object and select it, in object mode; return whether that was possible.

    All others are deselected unless `extend`. In other modes nothing changes: in pose mode a gizmo shows the handle,
    and a handle that was selected with the armature would be deleted or duplicated with it later. Nor does anything
    change where the handle is not visible, or where it is an object of the animator.
    """
    view_layer = context.view_layer
    if handle is None or view_layer is None or getattr(context, "mode", "OBJECT") != "OBJECT":
        return False
    if custom_property(handle, EMPTY_MARK) is None:
        return False
    if view_layer.objects.get(handle.name) != handle or not handle.visible_get(view_layer=view_layer):
        return False
    if view_layer.objects.active == handle and handle.select_get(view_layer=view_layer):
        return True  # several may be selected with it
    for other in [] if extend else list(view_layer.objects.selected):
        other.select_set(other == handle, view_layer=view_layer)
    handle.select_set(True, view_layer=view_layer)
    view_layer.objects.active = handle
    return True


def select_instead(context: Any, removed: bpy.types.Object, armature: bpy.types.Object) -> None:
    """Make the armature the active object where that is a handle which is being removed: so its panels stay.

    It is not selected, so that it is not deleted by a key that was meant for the handle.
    """
    view_layer = context.view_layer
    if view_layer is None or view_layer.objects.active != removed:
        return
    if view_layer.objects.get(armature.name) == armature:
        view_layer.objects.active = armature
