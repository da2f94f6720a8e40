# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of the add-on as the animator has them now: those that the preferences have changed are other ones."""

from __future__ import annotations

from typing import Any

import bpy

PIE = "POISE_MT_pie"
"""The pie menu, which is opened by an operator of Blender."""


def own_keys(keymap: str = "Pose") -> list[tuple[str, str]]:
    """What each key of the add-on in a keymap does, and the key in words, as Blender shows it."""
    manager = bpy.context.window_manager
    configuration: Any = manager.keyconfigs.user if manager is not None else None
    found = configuration.keymaps.get(keymap) if configuration is not None else None
    return [(_label(item), item.to_string()) for item in (found.keymap_items if found else ()) if _is_own(item)]


def _is_own(item: Any) -> bool:
    is_pie = item.idname == "wm.call_menu_pie" and item.properties is not None and item.properties.name == PIE
    return bool(item.active and (is_pie or item.idname.startswith("poise.")))


def _label(item: Any) -> str:
    """The name of what a key does, with the choice that it makes."""
    if item.idname == "wm.call_menu_pie":
        return "Pie Menu"
    direction = getattr(item.properties, "direction", "")
    if not direction:
        return str(item.name)
    chosen = item.properties.bl_rna.properties["direction"].enum_items[direction].name
    return f"{item.name}: {chosen}"
