# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side of Poise: rooms that each bring their classes, and take them away again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType

import bpy

from . import operators, panels, properties

ROOMS: tuple[ModuleType, ...] = (properties, operators, panels)
"""In the order in which they are registered: each has a tuple `classes`, and may have `register` and `unregister` of
its own, both, for properties of Blender's types and for handlers, called when its classes are registered."""


def register() -> None:
    """Register all rooms; where one fails, what was registered before is taken away again."""
    take_back: list[Callable[[], None]] = []
    try:
        for room in ROOMS:
            for found in room.classes:
                bpy.utils.register_class(found)
                take_back.append(partial(bpy.utils.unregister_class, found))
            if hasattr(room, "register"):
                room.register()
                take_back.append(room.unregister)
    except Exception:
        for step in reversed(take_back):
            step()
        raise


def unregister() -> None:
    """Take away what `register` has brought, last things first."""
    for room in reversed(ROOMS):
        if hasattr(room, "unregister"):
            room.unregister()
        for found in reversed(room.classes):
            bpy.utils.unregister_class(found)
