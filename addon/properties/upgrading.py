# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that were saved before a default changed keep their meaning.

Blender does not store a property that has its default. The ground was on by default, so a file with footplants in which
nobody has touched it means a level ground. What tells such files apart: each footplant made since then has its
`ground_choice` stored.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from .character import PoiseCharacter


def upgrade(character: PoiseCharacter) -> bool:
    """Store what an old file means by its defaults; whether there was anything to store."""
    old = [
        item
        for item in (*character.constraints, *character.found)
        if item.kind == "FOOTPLANT" and not item.is_property_set("ground_choice")
    ]
    if not old:
        return False
    if not character.is_property_set("use_ground"):
        character.use_ground = True
    for item in old:
        item.ground_choice = "GROUND"
    return True


def upgrade_file() -> None:
    """Upgrade all characters of the open file that live in it."""
    # While Blender starts, add-ons are registered before there is a file; it is loaded afterwards.
    objects: Any = getattr(bpy.data, "objects", ())
    for held in objects:
        if held.type == "ARMATURE" and held.library is None:
            upgrade(held.poise)


@persistent  # type: ignore[untyped-decorator]
def upgrade_on_load(*_: Any) -> None:
    """Upgrade a file that has been loaded."""
    upgrade_file()
