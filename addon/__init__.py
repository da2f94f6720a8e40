# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side of Poise: rooms that each bring their classes, and take them away again."""

from __future__ import annotations

from types import ModuleType

import bpy

from . import operators, panels, properties

ROOMS: tuple[ModuleType, ...] = (properties, operators, panels)
"""In the order in which they are registered: each has a tuple `classes`, and may have `register` and `unregister` of
its own for properties of Blender's types and for handlers, called when its classes are registered."""


def register() -> None:
    """Register all rooms; where one fails, those before it are taken away again."""
    done: list[ModuleType] = []
    try:
        for room in ROOMS:
            done.append(room)
            for found in room.classes:
                bpy.utils.register_class(found)
            if hasattr(room, "register"):
                room.register()
    except Exception:
        _leave(done)
        raise


def unregister() -> None:
    """Take away what `register` has brought, last things first."""
    _leave(ROOMS)


def _leave(rooms: tuple[ModuleType, ...] | list[ModuleType]) -> None:
    for room in reversed(rooms):
        if hasattr(room, "unregister"):
            room.unregister()
        for found in reversed(room.classes):
            if found.is_registered:
                bpy.utils.unregister_class(found)
