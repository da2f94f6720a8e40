# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether results are older than an edit, found a moment after edits and not while a viewport is drawn."""

from __future__ import annotations

import bpy

from ..bridge.context import find_object, redraw_viewports
from ..properties import character_of
from ..workflows import latest

PAUSE = 0.25
"""Seconds from an edit until results are compared with it: while a handle is dragged, about every tenth redraw."""

_known: dict[str, bool] = {}
"""By the name of the armature object."""
_wanted: set[str] = set()


def is_stale(armature: bpy.types.Object) -> bool:
    """Whether the result of an armature was last found to be older than an edit; where it is not known, it is asked
    for."""
    if armature.name not in _known:
        _ask(armature.name)
    return _known.get(armature.name, False)


def note_edit() -> None:
    """Something was edited: compare results with it after a moment."""
    for name in _known:
        _ask(name)


def check(armature: bpy.types.Object) -> bool:
    """Find whether the result of an armature is older than an edit, now; in live mode it never is for long."""
    found = not character_of(armature).live and latest.is_stale(armature)
    if _known.get(armature.name) != found:
        _known[armature.name] = found
        redraw_viewports()
    return found


def forget(name: str | None = None) -> None:
    """Drop what is known of the armature with this name, or of all, and then stop the timer."""
    if name is not None:
        _known.pop(name, None)
        return
    _known.clear()
    _wanted.clear()
    if bpy.app.timers.is_registered(_check_wanted):
        bpy.app.timers.unregister(_check_wanted)


def _ask(name: str) -> None:
    _wanted.add(name)
    if not bpy.app.background and not bpy.app.timers.is_registered(_check_wanted):
        bpy.app.timers.register(_check_wanted, first_interval=PAUSE)


def _check_wanted() -> None:
    """Called by Blender's timer."""
    for name in list(_wanted):
        _wanted.discard(name)
        armature = find_object(name)
        if armature is None:
            _known.pop(name, None)
        else:
            check(armature)
