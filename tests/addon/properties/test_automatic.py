# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches for values with a default of their own; files store -1 or 0 for it, as before."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from poise.addon.properties import character_of, ease_frames
from poise.addon.properties.constraint_list import duplicate, new_item

VALUES = [("mass", 0.0, 70.0), ("sole_heel", -1.0, 0.03), ("sole_ball", -1.0, 0.02), ("tolerance", 0.0, 0.001)]


@pytest.mark.parametrize(("field", "automatic", "start"), VALUES)
def test_a_switch_begins_with_what_was_used_and_goes_back_to_it(
    field: str, automatic: float, start: float, armature: bpy.types.Object
) -> None:
    character: Any = character_of(armature)
    character.found_sole_heel, character.found_sole_ball = 0.03, 0.02
    assert getattr(character, field) == automatic and not getattr(character, f"use_{field}")
    setattr(character, f"use_{field}", True)
    assert getattr(character, field) == pytest.approx(start) and getattr(character, f"use_{field}")
    setattr(character, field, 0.5)
    setattr(character, f"use_{field}", True)
    assert getattr(character, field) == 0.5, "it was on already"
    setattr(character, f"use_{field}", False)
    assert getattr(character, field) == automatic


def test_a_sole_of_no_height_is_a_value(armature: bpy.types.Object) -> None:
    character: Any = character_of(armature)
    character.sole_heel = 0.0
    assert character.use_sole_heel


def test_eases_begin_with_a_quarter_of_a_second(armature: bpy.types.Object) -> None:
    item: Any = new_item(armature, "FOOTPLANT", "Plant")
    assert not item.use_ease_in and not item.use_ease_out
    item.use_ease_in = True
    assert bpy.context.scene is not None
    assert (item.ease_in, item.ease_out) == (ease_frames(bpy.context.scene), -1.0)


def test_a_copy_has_the_same_values(armature: bpy.types.Object) -> None:
    item: Any = new_item(armature, "FOOTPLANT", "Plant")
    item.ease_in = 3.0
    copy: Any = duplicate(armature, 0)
    assert (copy.ease_in, copy.use_ease_in, copy.ease_out, copy.use_ease_out) == (3.0, True, -1.0, False)
