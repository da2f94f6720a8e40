# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of the add-on in pose mode and object mode. None is used by Blender's own keymap there, from 4.2 to 5.2.

They belong to the add-on's key configuration, so they can be changed in Blender's preferences like all others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy

KEYMAPS = ("Pose", "Object Mode")


@dataclass(frozen=True)
class Key:
    """A key and what it does."""

    operator: str
    type: str
    modifiers: tuple[str, ...] = ()
    """Of "ctrl", "shift" and "alt"."""
    properties: dict[str, Any] = field(default_factory=dict)


KEYS = (
    Key("wm.call_menu_pie", "Y", properties={"name": "POISE_MT_pie"}),
    Key("poise.constraint_add_pin", "Y", ("shift",)),
    Key("poise.unpin", "Y", ("alt",)),
    Key("poise.constraint_add_footplant", "Y", ("ctrl", "shift")),
    Key("poise.recruit_step", "PAGE_UP", properties={"direction": "MORE"}),
    Key("poise.recruit_step", "PAGE_DOWN", properties={"direction": "LESS"}),
    Key("poise.priority_step", "PAGE_UP", ("shift",), {"direction": "UP"}),
    Key("poise.priority_step", "PAGE_DOWN", ("shift",), {"direction": "DOWN"}),
    Key("poise.compare_toggle", "J"),
    Key("poise.live_toggle", "J", ("shift",)),
    Key("poise.constraint_activate", "J", ("alt",), {"jump": True}),
)
"""Y for the pie menu and what it does most, as Alt takes back; Page Up and Down for more and less; J to look."""

CLICKS = (
    Key("poise.constraint_click", "LEFTMOUSE"),
    Key("poise.constraint_click", "LEFTMOUSE", ("shift",), {"extend": True}),
)
"""Clicks that are passed on to Blender where they hit nothing of Poise."""

classes = ()
_made: list[tuple[Any, Any]] = []
"""The keymaps and the items in them, to remove them again."""


def register() -> None:
    """Add the keys; a Blender without a window may have nowhere to add them."""
    manager = bpy.context.window_manager
    configuration: Any = manager.keyconfigs.addon if manager is not None else None
    if configuration is None:
        return
    for name in KEYMAPS:
        keymap = configuration.keymaps.new(name=name, space_type="EMPTY")
        for key in (*KEYS, *CLICKS):
            pressed = dict.fromkeys(key.modifiers, True)
            item = keymap.keymap_items.new(key.operator, key.type, "CLICK" if key in CLICKS else "PRESS", **pressed)
            for name_of_property, value in key.properties.items():
                setattr(item.properties, name_of_property, value)
            _made.append((keymap, item))


def unregister() -> None:
    """Remove the keys."""
    for keymap, item in _made:
        keymap.keymap_items.remove(item)
    _made.clear()
