# SPDX-License-Identifier: GPL-3.0-or-later
"""Upgrades files that were saved before a default changed, so that they keep their meaning.

Blender does not store a property that has its default. The ground was on by default, so an older file with footplants
that stores no ground means a level ground. Such files are recognised by footplants without a stored `ground_choice`,
which every footplant has since the change.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from .character import PoiseCharacter


def upgrade(character: PoiseCharacter) -> bool:
    """Store the former defaults in a character of an older file; returns whether it was one."""
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
    """Upgrade all characters of the open file that are not linked."""
    # While Blender starts, add-ons are registered before a file is loaded.
    objects: Any = getattr(bpy.data, "objects", ())
    for candidate in objects:
        if candidate.type == "ARMATURE" and candidate.library is None:
            upgrade(candidate.poise)


@persistent  # type: ignore[untyped-decorator]
def upgrade_on_load(*_: Any) -> None:
    """Upgrade a file that has just been loaded."""
    upgrade_file()
