# SPDX-License-Identifier: GPL-3.0-or-later
"""What a click on a bar in the timeline does: makes its constraint the active one, or goes to its frame."""

from __future__ import annotations

import math

import bpy

from .. import bridge
from ..properties import PoiseConstraint, character_of
from ..translation import TranslationError
from .events import first_frame


def item_of(armature: bpy.types.Object, uid: str) -> PoiseConstraint | None:
    """The constraint or proposal with a uid; None where it is gone."""
    character = character_of(armature)
    for item in (*character.constraints, *character.found):
        if item.uid == uid:
            found: PoiseConstraint = item
            return found
    return None


def constraint_with(armature: bpy.types.Object, uid: str) -> PoiseConstraint:
    """The constraint with a uid; raises where there is none."""
    for item in character_of(armature).constraints:
        if item.uid == uid:
            found: PoiseConstraint = item
            return found
    raise TranslationError("The constraint is not in the list any more.")


def activate(armature: bpy.types.Object, uid: str) -> bool:
    """Make a constraint or proposal the active one of its list; returns whether it was not before."""
    character = character_of(armature)
    for items, active in (("constraints", "active_constraint"), ("found", "active_found")):
        for index, item in enumerate(getattr(character, items)):
            if item.uid == uid:
                is_new = getattr(character, active) != index
                if is_new:
                    setattr(character, active, index)
                return bool(is_new)
    return False


def jump(item: PoiseConstraint) -> int:
    """Go to the first frame at which a constraint holds, and return it."""
    frame = math.floor(first_frame(item))
    scene = bridge.current_scene()
    if scene.frame_current != frame:
        scene.frame_set(frame)
    return frame
