# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side of Poise: registers the classes of its packages with Blender."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType

import bpy

from . import gizmos, keymap, live, operators, overlay, panels, plots, properties, tools

PACKAGES: tuple[ModuleType, ...] = (properties, live, operators, panels, gizmos, overlay, plots, tools, keymap)
"""In the order of registration. Each has a tuple `classes`. It may also have both `register`, which is called after its
classes are registered (for properties of Blender's types and for handlers), and `unregister`."""


def register() -> None:
    """Register all packages; where one fails, unregister what was registered before it."""
    undo: list[Callable[[], None]] = []
    try:
        for package in PACKAGES:
            for found in package.classes:
                bpy.utils.register_class(found)
                undo.append(partial(bpy.utils.unregister_class, found))
            if hasattr(package, "register"):
                package.register()
                undo.append(package.unregister)
    except Exception:
        for step in reversed(undo):
            step()
        raise


def unregister() -> None:
    """Unregister all packages, in reverse order."""
    for package in reversed(PACKAGES):
        if hasattr(package, "unregister"):
            package.unregister()
        for found in reversed(package.classes):
            bpy.utils.unregister_class(found)
