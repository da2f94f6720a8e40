# SPDX-License-Identifier: GPL-3.0-or-later
"""What is current in Blender: scene and view layer, which exist wherever a file is open."""

from __future__ import annotations

from typing import Any

import bpy


def scene() -> bpy.types.Scene:
    """The current scene."""
    found = bpy.context.scene
    assert found is not None
    return found


def view_layer() -> bpy.types.ViewLayer:
    """The current view layer."""
    found = bpy.context.view_layer
    assert found is not None
    return found


def named(collection: Any, name: str) -> Any:
    """The item of a collection of Blender's, or None."""
    return collection.get(name)


def custom(owner: Any, name: str) -> Any:
    """A custom property, or None."""
    return owner.get(name)


def is_linked(held: Any) -> bool:
    """Whether something lives in another file, and can only be read here."""
    return held.library is not None


def is_override(held: Any) -> bool:
    """Whether something is a local override of what lives in another file."""
    return held.override_library is not None
