# SPDX-License-Identifier: GPL-3.0-or-later
"""The current scene and view layer, and access to data-blocks that type checkers do not know."""

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


def update_view_layer() -> None:
    """Evaluate what has changed in the current view layer."""
    view_layer().update()


def get_item(collection: Any, name: str) -> Any:
    """The item of a Blender collection with this name, or None."""
    return collection.get(name)


def find_object(name: str) -> bpy.types.Object | None:
    """The object of this file with this name, or None. Undo and loading replace objects, so names are kept."""
    found: bpy.types.Object | None = bpy.data.objects.get(name)
    return found


def custom_property(owner: Any, name: str) -> Any:
    """The custom property of a data-block with this name, or None."""
    return owner.get(name)


def is_linked(data_block: Any) -> bool:
    """Whether a data-block is linked from another file, and so is read-only here."""
    return data_block.library is not None


def is_override(data_block: Any) -> bool:
    """Whether a data-block is a library override."""
    return data_block.override_library is not None


def redraw_viewports() -> None:
    """Draw all 3D viewports again."""
    redraw_editors("VIEW_3D")


def redraw_editors(*kinds: str) -> None:
    """Draw all editors of some kinds again."""
    manager: Any = bpy.context.window_manager
    for window in manager.windows if manager is not None else ():
        for area in window.screen.areas:
            if area.type in kinds:
                area.tag_redraw()
